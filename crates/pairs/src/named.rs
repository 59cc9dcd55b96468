//! How many lists name a document: who is named too seldom is in no pair that matters.
//!
//! *Input.* All lists, by any thread; then what each document needs. *Output.* [`Reaching`]: which
//! documents may be in a pair that matters, a bit each. *Algorithm.* Two documents share at most as
//! many shingles as lists name either of them. Documents lie anywhere, so each thread parts them by
//! regions whose counts stay in the nearer caches, and counts those of one region together.
//! *Memory.* A byte a document, then a bit; [`ROOM`] documents for each region and thread.
//! *Limits.* Counting ends at 255, which is also the most that a document needs.

use crate::Needs;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Documents of a region at least, a power of two, and regions at most.
const REGION_MIN: u32 = if cfg!(test) { 64 } else { 1 << 16 };
const REGIONS_MAX: u32 = 256;

/// Documents that a thread holds back for a region. More would wait less for counts, and more for
/// this room.
const ROOM: usize = if cfg!(test) { 8 } else { 512 };

/// Lists that name each document.
#[derive(Debug)]
pub struct Named {
    /// A document's region is its number shifted by this.
    shift: u32,
    /// The counts of each region.
    regions: Vec<Mutex<Vec<u8>>>,
}

impl Named {
    /// Bytes for so many documents, counted by so many threads, [`Reaching`] included.
    pub fn bytes(documents: u32, threads: usize) -> usize {
        let regions = documents.div_ceil(1 << shift(documents)) as usize;
        documents as usize + documents as usize / 8 + threads * regions * ROOM * size_of::<u32>()
    }

    /// For so many documents.
    pub fn new(documents: u32) -> Named {
        let shift = shift(documents);
        let left = (0..documents)
            .step_by(1 << shift)
            .map(|start| (documents - start).min(1 << shift));
        Named {
            shift,
            regions: left
                .map(|documents| Mutex::new(vec![0; documents as usize]))
                .collect(),
        }
    }

    /// A thread's way in.
    pub fn counting(&self) -> Namings<'_> {
        let regions = self.regions.len();
        Namings {
            named: self,
            lengths: vec![0; regions],
            room: vec![0; regions * ROOM],
        }
    }

    /// The documents that are named as often as they need.
    pub fn reaching(self, needs: &Needs) -> Reaching {
        let (mut words, mut needed) = (Vec::new(), [0; 64]);
        for region in self.regions {
            let counts = region.into_inner().unwrap_or_else(PoisonError::into_inner);
            for counts in counts.chunks(64) {
                needs.fill(64 * words.len(), &mut needed);
                let both = counts.iter().zip(&needed).enumerate();
                words.push(both.fold(0, |word, (bit, (count, need))| {
                    word | u64::from(count >= need) << bit
                }));
            }
        }
        Reaching(words)
    }
}

/// The width of a region as a shift.
fn shift(documents: u32) -> u32 {
    documents
        .div_ceil(REGIONS_MAX)
        .max(REGION_MIN)
        .next_power_of_two()
        .ilog2()
}

/// Documents that one thread has not counted yet.
#[derive(Debug)]
pub struct Namings<'a> {
    named: &'a Named,
    /// How many wait for each region.
    lengths: Vec<usize>,
    room: Vec<u32>,
}

impl Namings<'_> {
    /// Counts the documents of a list.
    #[inline]
    pub fn add(&mut self, docs: &[u32]) {
        for &doc in docs {
            let region = (doc >> self.named.shift) as usize;
            let Some(length) = self.lengths.get_mut(region) else {
                continue;
            };
            self.room[region * ROOM + *length] = doc;
            *length += 1;
            if *length == ROOM {
                self.count(region);
            }
        }
    }

    /// Counts those of a region.
    #[cold]
    fn count(&mut self, region: usize) {
        let mut counts: MutexGuard<'_, Vec<u8>> = self.named.regions[region]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let within = (1 << self.named.shift) - 1;
        for doc in &self.room[region * ROOM..][..self.lengths[region]] {
            if let Some(count) = counts.get_mut((doc & within) as usize) {
                *count = count.saturating_add(1);
            }
        }
        self.lengths[region] = 0;
    }

    /// Counts all that wait.
    pub fn finish(mut self) {
        (0..self.lengths.len()).for_each(|region| self.count(region));
    }
}

/// Documents that may be in a pair that matters.
#[derive(Debug)]
pub struct Reaching(Vec<u64>);

impl Reaching {
    /// Asks for what is known of all these words, most of them documents, that lies anywhere: it is
    /// waited for together.
    pub fn ask(&self, words: &[u32]) {
        let word = |doc: &u32| self.0.get(*doc as usize / 64).copied().unwrap_or(0);
        std::hint::black_box(words.iter().map(word).fold(0, u64::wrapping_add));
    }

    /// Those of a list that may.
    #[inline]
    pub fn of<'a>(&self, docs: &[u32], room: &'a mut Vec<u32>) -> &'a [u32] {
        if room.len() < docs.len() {
            room.resize(docs.len(), 0);
        }
        // All are written, each over the one before unless that one stays: no branch to guess.
        let mut stay = 0;
        for &doc in docs {
            room[stay] = doc;
            let word = self.0.get(doc as usize / 64).copied().unwrap_or(0);
            stay += (word >> (doc % 64) & 1) as usize;
        }
        &room[..stay]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NeedsOf;
    use model::{Sampling, Threshold};
    use proptest::prelude::*;

    fn needs(sizes: &[usize]) -> Needs {
        let mut needs = NeedsOf::new(Threshold::hundredths(100), sizes.len() as u32, 1);
        for size in sizes {
            needs.push(&Sampling::Modulus { modulus: 1 }.sizes_by_level(0, &vec![0; *size]));
        }
        needs.finish()
    }

    proptest! {
        #[test]
        fn who_is_named_too_seldom_goes(
            lists in proptest::collection::vec(proptest::collection::btree_set(0u32..150, 0..60), 0..40),
            sizes in proptest::collection::vec(0usize..20, 150), threads in 1usize..3,
        ) {
            let lists: Vec<Vec<u32>> = lists.into_iter().map(|docs| docs.into_iter().collect()).collect();
            let (needs, named) = (needs(&sizes), Named::new(150));
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    let own = lists.iter().skip(thread).step_by(threads);
                    scope.spawn(|| {
                        let mut namings = named.counting();
                        own.for_each(|docs| namings.add(docs));
                        namings.finish();
                    });
                }
            });
            let reaching = named.reaching(&needs);
            let named = |doc: &u32| lists.iter().filter(|docs| docs.contains(doc)).count() as u32;
            let mut room = Vec::new();
            for docs in &lists {
                let expected: Vec<u32> = docs.iter().copied().filter(|doc| named(doc) >= needs.of(*doc)).collect();
                prop_assert_eq!(reaching.of(docs, &mut room), expected);
            }
        }
    }

    #[test]
    fn counts_do_not_wrap() {
        for threads in [1, 2, 100] {
            let named = Named::new(2);
            std::thread::scope(|scope| {
                (0..threads).for_each(|_| {
                    scope.spawn(|| {
                        let mut namings = named.counting();
                        (0..1000).for_each(|_| namings.add(&[1]));
                        namings.finish();
                    });
                });
            });
            let reaching = named.reaching(&needs(&[300, 300]));
            assert_eq!(reaching.of(&[0, 1], &mut Vec::new()), [1]);
        }
    }
}
