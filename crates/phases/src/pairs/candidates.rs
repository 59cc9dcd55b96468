//! The pairs to be compared: of those that were counted some, and those that common shingles
//! propose.

use super::proposed::ProposedPairs;
use engine::{Error, merge_levels::PairCounts};
use model::PairCount;

/// Pairs in order, each once, with their counts.
pub(super) struct CandidatePairs<F> {
    counted: PairCounts,
    /// The counts read last, and how many of them were taken.
    batch: Vec<PairCount>,
    taken: usize,
    /// Whether a counted pair is compared.
    is_candidate: F,
    proposed: ProposedPairs,
    next: (Option<PairCount>, Option<[u32; 2]>),
}

impl<F: Fn(&PairCount) -> bool> CandidatePairs<F> {
    /// Reads the first pairs.
    pub(super) fn of(
        counted: PairCounts,
        is_candidate: F,
        proposed: ProposedPairs,
    ) -> Result<CandidatePairs<F>, Error> {
        let mut candidates = CandidatePairs {
            counted,
            batch: Vec::new(),
            taken: 0,
            is_candidate,
            proposed,
            next: (None, None),
        };
        candidates.next = (candidates.next_counted()?, candidates.proposed.next()?);
        Ok(candidates)
    }

    fn next_counted(&mut self) -> Result<Option<PairCount>, Error> {
        loop {
            let rest = &self.batch[self.taken..];
            if let Some(at) = rest.iter().position(&self.is_candidate) {
                self.taken += at + 1;
                return Ok(Some(rest[at]));
            }
            self.batch.clear();
            self.taken = 0;
            let Some(slice) = self.counted.next_slice()? else {
                return Ok(None);
            };
            self.batch.extend_from_slice(slice);
        }
    }

    /// The next pair; its count is 0 if it is proposed only.
    pub(super) fn next(&mut self) -> Result<Option<PairCount>, Error> {
        let (counted, proposed) = self.next;
        let place = counted.map(|pair| [pair.a, pair.b]);
        let Some([a, b]) = place.into_iter().chain(proposed).min() else {
            return Ok(None);
        };
        let mut pair = PairCount { a, b, shared: 0 };
        if let Some(counted) = counted.filter(|_| place == Some([a, b])) {
            pair = counted;
            self.next.0 = self.next_counted()?;
        }
        if proposed == Some([a, b]) {
            self.next.1 = self.proposed.next()?;
        }
        Ok(Some(pair))
    }
}
