//! The current pair counts, looked up in ascending order of pairs.
//!
//! *Input.* The files of all steps, that of new pairs, and that of whole counts. *Output.* What two
//! documents share, if the run counted all of it. *Memory.* A block a file.

use super::merged_levels::{LevelReader, MergedLevels};
use super::pair_counts::counted_levels;
use super::{NEW_PAIRS, WHOLE};
use crate::Engine;
use crate::figures::PairsLevels;
use crate::{Error, PhaseName};
use format::{FileKind, MergeLevel, TakenSnapshot};
use model::PairCount;

impl LevelReader<PairCount> {
    /// Skips the counts of pairs below this one.
    fn skip_pairs(&mut self, (a, b): (u32, u32)) -> Result<(), Error> {
        if self.head.is_none_or(|head| (head.a, head.b) >= (a, b)) {
            return Ok(());
        }
        // The lowest pair, in the numbers of the file, that is not below. No document has the
        // highest number.
        let first = match &self.by {
            None => (a, b),
            Some(by) => match by.first_at_least(a) {
                None => (u32::MAX, 0),
                Some((a, false)) => (a, 0),
                Some((a, true)) => (a, by.first_at_least(b).map_or(u32::MAX, |(b, _)| b)),
            },
        };
        self.skip_while(|pair| (pair.a, pair.b) < first)
    }
}

/// Pair counts looked up in ascending order of pairs.
///
/// Pairs with a document of the last step are looked up in the file of new pairs, if there is one.
/// The other files are opened at the first lookup of an older pair.
pub struct PairLookup<'a> {
    engine: &'a Engine<'a>,
    /// The first document of the last step, and the file of new pairs.
    new_pairs: Option<(u32, LevelLookup)>,
    whole: Option<LevelLookup>,
    all: Option<LevelLookup>,
    /// Whether pairs were left out: those below a floor, or all, if sketches have a fixed size.
    are_left_out: bool,
}

impl Engine<'_> {
    /// The pair counts of a finished phase `pairs`, to be asked for ascending pairs.
    pub fn pair_lookup(&self) -> Result<PairLookup<'_>, Error> {
        let (mut levels, now) = (counted_levels(self), self.taken());
        let first = levels.figures.read::<PairsLevels>().new_pairs_from;
        let new_pairs = first.zip(levels.others.remove(NEW_PAIRS));
        let whole = levels.others.remove(WHOLE);
        let open = |sealed| {
            let records = vec![0; now.len()];
            let level = super::level(sealed, [0; 2], &now, &records);
            LevelLookup::open(self, &[level], &now)
        };
        let new_pairs = new_pairs.map(|(first, sealed)| Ok::<_, Error>((first, open(sealed)?)));
        Ok(PairLookup {
            engine: self,
            new_pairs: new_pairs.transpose()?,
            whole: whole.map(open).transpose()?,
            all: None,
            are_left_out: self.config.floor().is_some()
                || self.config.sketch.sampling.has_fixed_size(),
        })
    }
}

impl PairLookup<'_> {
    /// Shared shingles of a pair; `None` if the run did not count all of them.
    pub fn of(&mut self, a: u32, b: u32) -> Result<Option<u32>, Error> {
        if let Some(whole) = &mut self.whole {
            let shared = whole.of(a, b)?;
            if shared > 0 {
                return Ok(Some(shared));
            }
        }
        let shared = self.counted(a, b)?;
        // Without a whole count, common shingles may be missing: of a pair below the floor, or of
        // one that shares nothing else.
        let is_known = match self.whole {
            Some(_) => shared > 0 && !self.are_left_out,
            None => shared > 0 || !self.are_left_out,
        };
        Ok(is_known.then_some(shared))
    }

    /// The shared shingles of a pair, as the files of the steps count them.
    fn counted(&mut self, a: u32, b: u32) -> Result<u32, Error> {
        if let Some((first, new_pairs)) = &mut self.new_pairs
            && b >= *first
        {
            return new_pairs.of(a, b);
        }
        let all = match &mut self.all {
            Some(all) => all,
            empty => {
                let (levels, now) = (counted_levels(self.engine), self.engine.taken());
                empty.insert(LevelLookup::open(self.engine, &levels.files, &now)?)
            }
        };
        all.of(a, b)
    }
}

/// Counts of some files.
struct LevelLookup {
    merged: MergedLevels<PairCount>,
    next: Option<PairCount>,
}

impl LevelLookup {
    fn open(
        engine: &Engine<'_>,
        files: &[MergeLevel],
        now: &[TakenSnapshot],
    ) -> Result<LevelLookup, Error> {
        let mut merged = MergedLevels::open(engine, PhaseName::Pairs, FileKind::Pairs, files, now)?;
        Ok(LevelLookup {
            next: merged.next_sum()?,
            merged,
        })
    }

    fn of(&mut self, a: u32, b: u32) -> Result<u32, Error> {
        if self.next.is_some_and(|pair| (pair.a, pair.b) < (a, b)) {
            self.merged
                .sources
                .iter_mut()
                .try_for_each(|source| source.skip_pairs((a, b)))?;
            self.next = self.merged.next_sum()?;
        }
        Ok(self
            .next
            .filter(|pair| (pair.a, pair.b) == (a, b))
            .map_or(0, |pair| pair.shared))
    }
}
