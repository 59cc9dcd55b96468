//! What pairs of documents share, by the documents that represent them.
//!
//! *Input.* Pairs in the order of pair counts. *Output.* The overlap of each pair. *Algorithm.* The
//! pairs are merged with the pair counts and with the sketch sizes of the lower representative,
//! then sorted and merged with the sizes of the higher one. Pairs without a pair count are counted
//! now ([`recount`]). *Memory.* Two sorts of half a share, and what the recount takes.

use super::recount::{Recount, RepresentativePair, recount};
use super::task::RemovalTask;
use engine::{Error, SizeLookup, merge_levels::PairLookup};
use model::{Overlap, Sampling, SizesByLevel, Words, word_record};
use sort::{Lookup, WordSorter};

/// Two documents, by their representatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DocumentPair {
    /// The lower one of the two representatives.
    pub(crate) lower: u32,
    /// The higher one.
    pub(crate) higher: u32,
    pub(crate) doc: u32,
    pub(crate) other: u32,
    /// Whether the representative of `doc` is the higher one.
    pub(crate) is_higher: bool,
}

word_record! { DocumentPair { lower, higher, doc, other, is_higher } }

impl DocumentPair {
    /// The overlap of `doc` and the other one, of that of the lower and the higher representative.
    pub(crate) fn overlap(&self, overlap: Overlap) -> Overlap {
        match self.is_higher {
            true => overlap.reversed(),
            false => overlap,
        }
    }
}

/// A pair with what is known of its lower representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HalfPair {
    higher: u32,
    pair: DocumentPair,
    /// Their pair count.
    shared: u32,
    sizes_of_lower: [u32; Sampling::LEVELS_MAX],
}

word_record! { HalfPair { higher, pair, shared, sizes_of_lower } }

/// Collects pairs.
pub(crate) struct PairOverlaps<'a> {
    task: &'a RemovalTask<'a>,
    counts: PairLookup<'a>,
    sizes: SizeLookup,
    halves: WordSorter<HalfPair>,
    missing: WordSorter<RepresentativePair>,
}

impl<'a> PairOverlaps<'a> {
    pub(crate) fn open(task: &'a RemovalTask<'a>) -> Result<PairOverlaps<'a>, Error> {
        Ok(PairOverlaps {
            task,
            counts: task.engine.pair_lookup()?,
            sizes: task.engine.sizes()?,
            halves: task.in_parts(2).by_document("halves"),
            missing: task.in_parts(2).by_document("missing"),
        })
    }

    /// Adds a pair; in order. Only if `is_recounted`, it is counted where the run did not.
    pub(crate) fn push(&mut self, pair: DocumentPair, is_recounted: bool) -> Result<(), Error> {
        let shared = self.counts.of(pair.lower, pair.higher)?;
        if shared.is_none() && is_recounted {
            self.missing.push(Words([pair.lower, pair.higher]))?;
        }
        let half = HalfPair {
            higher: pair.higher,
            pair,
            shared: shared.unwrap_or(0),
            sizes_of_lower: self.sizes.of(pair.lower)?.sizes,
        };
        Ok(self.halves.push(half)?)
    }

    /// Hands on each pair with its overlap.
    pub(crate) fn finish(
        self,
        mut take: impl FnMut(&DocumentPair, Overlap) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut halves = self.halves.finish()?;
        drop((self.counts, self.sizes));
        let mut recounted = Lookup::over(recount(self.task, self.missing.finish()?)?)?;
        let mut sizes = self.task.engine.sizes()?;
        let sampling = self.task.engine.config.sketch.sampling;
        while let Some(HalfPair {
            pair,
            shared,
            sizes_of_lower,
            ..
        }) = halves.next()?
        {
            let found = recounted.of([pair.higher, pair.lower])?;
            let overlap = match found {
                Some(Recount { overlap, .. }) if overlap.modulus > 0 => overlap,
                found => {
                    let sizes_of_higher = sizes.of(pair.higher)?.sizes;
                    let common = SizesByLevel::common_level_of(&sizes_of_lower, &sizes_of_higher);
                    let common = common.unwrap_or_default();
                    Overlap {
                        shared: found.map_or(shared, |found| found.overlap.shared),
                        size_a: common.size_a,
                        size_b: common.size_b,
                        modulus: sampling.modulus_at(common.level),
                    }
                }
            };
            take(&pair, pair.overlap(overlap))?;
        }
        Ok(())
    }
}
