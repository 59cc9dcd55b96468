//! Counts, for each document, the lists that contain it. A document in too few lists cannot be in a
//! pair above the floor.
//!
//! *Input.* All lists, from several threads; then the minimum overlap of each document
//! ([`MinShared`]). *Output.* [`CandidateDocuments`]: one bit for each document. *Algorithm.* Two
//! documents share at most as many shingles as the smaller of their document frequencies. *Why it
//! is fast.* The documents of a list are anywhere in memory, so each thread collects them by region
//! and counts those of a region together, while its counts are in the near caches. *Memory.* A byte
//! for each document, then a bit; [`PENDING_MAX`] document numbers for each region and thread.
//! *Limits.* Counts end at 255, which is also the largest minimum overlap.

use crate::expansion::MinShared;
use model::Unpoisoned;
use std::sync::{Mutex, MutexGuard};

/// Least documents of a region, a power of two, and most regions.
const REGION_MIN: u32 = if cfg!(test) { 64 } else { 1 << 16 };
const REGIONS_MAX: u32 = 256;

/// Most documents that a thread collects for a region. With more, the counts would be in the cache
/// more often and the collected documents less often.
const PENDING_MAX: usize = if cfg!(test) { 8 } else { 512 };

/// The number of lists that contain each document.
#[derive(Debug)]
pub struct DocumentFrequencies {
    /// The region of a document is its number shifted right by this.
    shift: u32,
    /// The counts of the documents of each region.
    regions: Vec<Mutex<Vec<u8>>>,
}

impl DocumentFrequencies {
    /// Bytes for so many documents and threads, [`CandidateDocuments`] included.
    pub fn bytes(documents: u32, threads: usize) -> usize {
        let regions = documents.div_ceil(1 << shift(documents)) as usize;
        documents as usize
            + documents as usize / 8
            + threads * regions * PENDING_MAX * size_of::<u32>()
    }

    /// Counts of 0 for `documents` documents.
    pub fn new(documents: u32) -> DocumentFrequencies {
        let shift = shift(documents);
        let left = (0..documents)
            .step_by(1 << shift)
            .map(|start| (documents - start).min(1 << shift));
        DocumentFrequencies {
            shift,
            regions: left
                .map(|documents| Mutex::new(vec![0; documents as usize]))
                .collect(),
        }
    }

    /// A counter for one thread.
    pub fn counter(&self) -> FrequencyCounter<'_> {
        let regions = self.regions.len();
        FrequencyCounter {
            frequencies: self,
            lengths: vec![0; regions],
            pending: vec![0; regions * PENDING_MAX],
        }
    }

    /// The documents whose frequency is at least their minimum overlap.
    pub fn candidates(self, min_shared: &MinShared) -> CandidateDocuments {
        let (mut words, mut needed) = (Vec::new(), [0; 64]);
        for region in self.regions {
            let counts = region.into_inner().unpoisoned();
            for counts in counts.chunks(64) {
                min_shared.fill(64 * words.len(), &mut needed);
                let both = counts.iter().zip(&needed).enumerate();
                words.push(both.fold(0, |word, (bit, (count, need))| {
                    word | u64::from(count >= need) << bit
                }));
            }
        }
        CandidateDocuments(words)
    }
}

/// The binary logarithm of the number of documents of a region.
fn shift(documents: u32) -> u32 {
    documents
        .div_ceil(REGIONS_MAX)
        .max(REGION_MIN)
        .next_power_of_two()
        .ilog2()
}

/// Counts for one thread; the documents that it has not counted yet.
#[derive(Debug)]
pub struct FrequencyCounter<'a> {
    frequencies: &'a DocumentFrequencies,
    /// How many documents of each region are pending.
    lengths: Vec<usize>,
    /// The pending documents: [`PENDING_MAX`] places for each region.
    pending: Vec<u32>,
}

impl FrequencyCounter<'_> {
    /// Counts the documents of a list.
    #[inline]
    pub fn add(&mut self, docs: &[u32]) {
        for &doc in docs {
            let region = (doc >> self.frequencies.shift) as usize;
            let Some(length) = self.lengths.get_mut(region) else {
                continue;
            };
            self.pending[region * PENDING_MAX + *length] = doc;
            *length += 1;
            if *length == PENDING_MAX {
                self.count(region);
            }
        }
    }

    /// Counts the pending documents of a region.
    #[cold]
    fn count(&mut self, region: usize) {
        let mut counts: MutexGuard<'_, Vec<u8>> =
            self.frequencies.regions[region].lock().unpoisoned();
        let within = (1 << self.frequencies.shift) - 1;
        for doc in &self.pending[region * PENDING_MAX..][..self.lengths[region]] {
            if let Some(count) = counts.get_mut((doc & within) as usize) {
                *count = count.saturating_add(1);
            }
        }
        self.lengths[region] = 0;
    }

    /// Counts all pending documents.
    pub fn finish(mut self) {
        (0..self.lengths.len()).for_each(|region| self.count(region));
    }
}

/// The documents that may be in a pair above the floor, one bit for each.
#[derive(Debug)]
pub struct CandidateDocuments(Vec<u64>);

impl CandidateDocuments {
    /// Loads the bits of all these words, most of which are documents. The bits are anywhere in
    /// memory, so that many loads are waited for at the same time.
    pub(crate) fn prefetch(&self, words: &[u32]) {
        let word = |doc: &u32| self.0.get(*doc as usize / 64).copied().unwrap_or(0);
        std::hint::black_box(words.iter().map(word).fold(0, u64::wrapping_add));
    }

    /// The candidates of a list, written to `retained`.
    #[inline]
    pub(crate) fn retain<'a>(&self, docs: &[u32], retained: &'a mut Vec<u32>) -> &'a [u32] {
        if retained.len() < docs.len() {
            retained.resize(docs.len(), 0);
        }
        // Every document is written, over the one before unless that one stays: there is no branch
        // to mispredict.
        let mut stay = 0;
        for &doc in docs {
            retained[stay] = doc;
            let word = self.0.get(doc as usize / 64).copied().unwrap_or(0);
            stay += (word >> (doc % 64) & 1) as usize;
        }
        &retained[..stay]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::MinSharedBuilder;
    use model::{Sampling, Threshold};
    use proptest::prelude::*;

    fn min_shared(sizes: &[usize]) -> MinShared {
        let mut min_shared =
            MinSharedBuilder::new(Threshold::hundredths(100), sizes.len() as u32, 1);
        for size in sizes {
            min_shared.push(
                &Sampling::Modulus { modulus: 1 }.sizes_by_level(0, &vec![0; *size]),
                0,
            );
        }
        min_shared.finish()
    }

    proptest! {
        #[test]
        fn documents_in_too_few_lists_leave(
            lists in proptest::collection::vec(proptest::collection::btree_set(0u32..150, 0..60), 0..40),
            sizes in proptest::collection::vec(0usize..20, 150), threads in 1usize..3,
        ) {
            let lists: Vec<Vec<u32>> = lists.into_iter().map(|docs| docs.into_iter().collect()).collect();
            let (min_shared, frequencies) = (min_shared(&sizes), DocumentFrequencies::new(150));
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    let own = lists.iter().skip(thread).step_by(threads);
                    scope.spawn(|| {
                        let mut counter = frequencies.counter();
                        own.for_each(|docs| counter.add(docs));
                        counter.finish();
                    });
                }
            });
            let candidates = frequencies.candidates(&min_shared);
            let frequency = |doc: &u32| lists.iter().filter(|docs| docs.contains(doc)).count() as u32;
            let mut retained = Vec::new();
            for docs in &lists {
                let expected: Vec<u32> = docs.iter().copied().filter(|doc| frequency(doc) >= min_shared.of(*doc)).collect();
                prop_assert_eq!(candidates.retain(docs, &mut retained), expected);
            }
        }
    }

    #[test]
    fn counts_do_not_wrap() {
        for threads in [1, 2, 100] {
            let frequencies = DocumentFrequencies::new(2);
            std::thread::scope(|scope| {
                (0..threads).for_each(|_| {
                    scope.spawn(|| {
                        let mut counter = frequencies.counter();
                        (0..1000).for_each(|_| counter.add(&[1]));
                        counter.finish();
                    });
                });
            });
            let candidates = frequencies.candidates(&min_shared(&[300, 300]));
            assert_eq!(candidates.retain(&[0, 1], &mut Vec::new()), [1]);
        }
    }
}
