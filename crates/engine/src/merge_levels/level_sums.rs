//! Adds the pair counts of several files up, in order.
//!
//! *Algorithm.* Nearly all counts are in the largest file. The sums of the others are put among
//! them: what lies between two of these is copied. *Memory.* A block a file.

use super::merged_levels::{LevelReader, MergedLevels};
use crate::DocumentSet;
use crate::Error;
use model::PairCount;
use std::sync::Arc;

/// Counts taken from a merge at a time.
const BATCH_PAIRS: usize = 4096;

/// Whether a pair has one of these documents.
#[inline]
pub(super) fn has_one_of(documents: &DocumentSet, pair: &PairCount) -> bool {
    documents.has(pair.a) || documents.has(pair.b)
}

/// The summed counts of several files.
pub(super) struct LevelSums {
    /// The largest, if it is in the current numbers: its counts are copied, run by run.
    main: Option<LevelReader<PairCount>>,
    others: MergedLevels<PairCount>,
    /// The next sum of the others.
    next: Option<PairCount>,
    /// The documents of which a pair has to have one, if not all pairs are wanted; others may come,
    /// too.
    pub(super) wanted: Option<Arc<DocumentSet>>,
    batch: Vec<PairCount>,
}

impl LevelSums {
    /// Begins.
    pub(super) fn of(mut merged: MergedLevels<PairCount>) -> Result<LevelSums, Error> {
        let mut main = merged.take_main();
        if let Some(main) = &mut main {
            main.taken = 0;
        }
        Ok(LevelSums {
            main,
            next: merged.next_sum()?,
            others: merged,
            wanted: None,
            batch: Vec::new(),
        })
    }

    /// The next sums, at least one; `None` after the last.
    pub(super) fn next_slice(&mut self) -> Result<Option<&[PairCount]>, Error> {
        let LevelSums {
            main,
            others,
            next,
            wanted,
            batch,
        } = self;
        batch.clear();
        while batch.len() < BATCH_PAIRS {
            if let Some(main) = main {
                main.fill(wanted.as_deref())?;
            }
            let mut none = 0;
            let (block, taken) = match main {
                Some(main) => (&main.block[..], &mut main.taken),
                None => (&[][..], &mut none),
            };
            let left = &block[*taken..];
            let Some(sum) = *next else {
                if left.is_empty() {
                    break;
                }
                batch.extend_from_slice(left);
                *taken = block.len();
                continue;
            };
            let place = (sum.a, sum.b);
            let before = run_below(left, place);
            batch.extend_from_slice(&left[..before]);
            *taken += before;
            let shared = match left.get(before) {
                // the next block may go on below the sum
                None if before > 0 => continue,
                Some(same) if (same.a, same.b) == place => {
                    *taken += 1;
                    same.shared.wrapping_add(sum.shared)
                }
                _ => sum.shared,
            };
            if shared != 0 {
                batch.push(PairCount { shared, ..sum });
            }
            *next = others.next_sum()?;
        }
        Ok((!batch.is_empty()).then_some(&batch[..]))
    }
}

impl LevelReader<PairCount> {
    /// Goes to the next block if this one is taken; `wanted` are the documents of which a pair has
    /// to have one.
    fn fill(&mut self, wanted: Option<&DocumentSet>) -> Result<(), Error> {
        while self.taken == self.block.len() && self.refill()? {
            if let Some(wanted) = wanted {
                self.block.retain(|pair| has_one_of(wanted, pair));
            }
        }
        Ok(())
    }
}

impl MergedLevels<PairCount> {
    /// Takes out the largest file, if its numbers are the current ones.
    fn take_main(&mut self) -> Option<LevelReader<PairCount>> {
        let records = |source: &LevelReader<PairCount>| source.reader.records();
        let sources = self.sources.iter().enumerate();
        let (place, source) = sources.max_by_key(|(_, source)| records(source))?;
        let is_current = source.by.is_none();
        is_current.then(|| self.sources.swap_remove(place))
    }

    /// The summed count of the next pair whose sum is not zero.
    #[inline]
    pub(super) fn next_sum(&mut self) -> Result<Option<PairCount>, Error> {
        while let Some((mut pair, _)) = self.next()? {
            for source in &mut self.sources {
                if let Some(same) = source
                    .head
                    .filter(|same| (same.a, same.b) == (pair.a, pair.b))
                {
                    pair.shared = pair.shared.wrapping_add(same.shared);
                    source.advance()?;
                }
            }
            if pair.shared != 0 {
                return Ok(Some(pair));
            }
        }
        Ok(None)
    }
}

/// Pairs looked at one by one before the search halves what is left.
const RUN_PAIRS: usize = 16;

/// How many of these pairs come before a place.
#[inline]
fn run_below(pairs: &[PairCount], place: (u32, u32)) -> usize {
    let is_below = |pair: &PairCount| (pair.a, pair.b) < place;
    let first = &pairs[..pairs.len().min(RUN_PAIRS)];
    match first.iter().position(|pair| !is_below(pair)) {
        Some(run) => run,
        None => first.len() + pairs[first.len()..].partition_point(is_below),
    }
}
