//! How many lists name a document: who is named too seldom is in no pair that matters.
//!
//! *Input.* All lists, by any thread; then what each document needs. *Output.* [`Reaching`]: which documents may be in
//! a pair that matters, a bit each. *Algorithm.* Two documents share at most as many shingles as lists name either of
//! them. *Memory.* A byte a document, then a bit. *Limits.* Counting ends at 255, which is also the most that a
//! document needs.

use crate::{Lists, Needs};
use std::sync::atomic::{AtomicU8, Ordering};

/// Words whose counts are asked for together.
const AHEAD: usize = 128;

/// Lists that name each document.
#[derive(Debug)]
pub struct Named {
    counts: Vec<AtomicU8>,
    is_alone: bool,
}

impl Named {
    /// Bytes for so many documents, [`Reaching`] included.
    pub fn bytes(documents: u32) -> usize {
        documents as usize + documents as usize / 8
    }

    /// For so many documents, named by lists that so many threads count.
    pub fn new(documents: u32, threads: usize) -> Named {
        let mut counts = Vec::new();
        counts.resize_with(documents as usize, AtomicU8::default);
        Named { counts, is_alone: threads <= 1 }
    }

    /// Counts lists, given as words, each once.
    pub fn add(&self, words: &[u32]) {
        let (mut at, mut asked) = (0, 0);
        for (docs, _) in Lists(words) {
            if at >= asked {
                asked = words.len().min(at + AHEAD);
                self.ask(&words[at..asked]);
            }
            self.add_list(docs);
            at += docs.len() + 1;
        }
    }

    /// Counts lie anywhere: so many are waited for together. Lengths among the words ask for what nobody wants.
    #[inline]
    fn ask(&self, words: &[u32]) {
        let count = |word: &u32| self.counts.get(*word as usize).map_or(0, |count| count.load(Ordering::Relaxed));
        std::hint::black_box(words.iter().map(count).fold(0, u8::wrapping_add));
    }

    #[inline]
    fn add_list(&self, docs: &[u32]) {
        for &doc in docs {
            let Some(count) = self.counts.get(doc as usize) else { continue };
            // Nobody else writes, so that nobody has to be kept from writing meanwhile.
            if self.is_alone {
                count.store(count.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
            } else {
                let _full = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_add(1));
            }
        }
    }

    /// The documents that are named as often as they need.
    pub fn reaching(self, needs: &Needs) -> Reaching {
        let reaches = |doc: u32, count: &AtomicU8| u32::from(count.load(Ordering::Relaxed)) >= needs.of(doc);
        let mut doc = 0;
        let words = self.counts.chunks(64).map(|counts| {
            counts.iter().enumerate().fold(0, |word, (bit, count)| {
                doc += 1;
                word | u64::from(reaches(doc - 1, count)) << bit
            })
        });
        Reaching(words.collect())
    }
}

/// Documents that may be in a pair that matters.
#[derive(Debug)]
pub struct Reaching(Vec<u64>);

impl Reaching {
    /// Asks for what is known of all these words, most of them documents, that lies anywhere: it is waited for together.
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
    use crate::{NeedsOf, put_list};
    use model::{Sampling, Threshold};
    use proptest::prelude::*;

    fn needs(sizes: &[usize]) -> Needs {
        let mut needs = NeedsOf::new(Threshold::hundredths(100), sizes.len() as u32, 1);
        for size in sizes {
            needs.push(&Sampling::Modulus { modulus: 1 }.ladder(0, &vec![0; *size]));
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
            let (needs, named) = (needs(&sizes), Named::new(150, threads));
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    let own = lists.iter().skip(thread).step_by(threads);
                    scope.spawn(|| {
                        let mut words = Vec::new();
                        own.for_each(|docs| put_list(&mut words, (docs, 1)));
                        named.add(&words);
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
            let named = Named::new(2, threads);
            std::thread::scope(|scope| {
                (0..threads).for_each(|_| drop(scope.spawn(|| (0..1000).for_each(|_| named.add(&[1, 1])))));
            });
            let reaching = named.reaching(&needs(&[300, 300]));
            assert_eq!(reaching.of(&[0, 1], &mut Vec::new()), [1]);
        }
    }
}
