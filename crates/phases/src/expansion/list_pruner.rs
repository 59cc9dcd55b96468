//! Removes documents from lists that cannot be in a pair above the floor, and compacts the rest.
//!
//! *Input.* All lists of a partition, whose first documents are in a range. *Output.* Lists that
//! stand for the same increments of all pairs that matter: without the documents that are in too
//! few lists ([`CandidateDocuments`]), equal lists once, and row lists where they pay
//! ([`ListCompactor`]). *Why.* Most of the long lists, of shingles that many documents share by
//! chance or from a page frame, are gone afterwards, and fewer lists are partitioned. *Memory.* As
//! the caller states. *Disk.* None.

use crate::expansion::list_compactor::ListCompactor;
use crate::expansion::{CandidateDocuments, List, Lists, put_list};
use std::ops::Range;

/// How many words of lists are pruned together, so that the waits for far memory overlap.
const BATCH_WORDS: usize = 256;

/// Prunes the lists of one partition after the other.
#[derive(Debug)]
pub struct ListPruner<'a> {
    candidates: &'a CandidateDocuments,
    compactor: ListCompactor,
    /// Lists that wait for the next batch.
    batch: Vec<u32>,
    /// Documents of one list that remain.
    remaining: Vec<u32>,
    /// The lists of a batch without the documents that left.
    pruned: Vec<u32>,
}

impl<'a> ListPruner<'a> {
    /// Takes up to `memory_bytes`, allocated as needed.
    pub fn new(candidates: &'a CandidateDocuments, memory_bytes: usize) -> ListPruner<'a> {
        ListPruner {
            candidates,
            compactor: ListCompactor::new(memory_bytes),
            batch: Vec::new(),
            remaining: Vec::new(),
            pruned: Vec::new(),
        }
    }

    /// Begins a partition whose lists have `words` words together.
    pub fn begin(&mut self, range: Range<u32>, words: u64) {
        self.compactor.begin(range, words);
    }

    /// Takes a list; passes lists on to `emit` when memory is full.
    pub fn add<E>(
        &mut self,
        list: List<'_>,
        emit: &mut impl FnMut(List<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        put_list(&mut self.batch, list);
        if self.batch.len() >= BATCH_WORDS {
            self.prune_batch(emit)
        } else {
            Ok(())
        }
    }

    /// Ends the partition: passes all lists on to `emit`.
    pub fn finish<E>(&mut self, emit: &mut impl FnMut(List<'_>) -> Result<(), E>) -> Result<(), E> {
        self.prune_batch(emit)?;
        self.compactor.drain(emit)
    }

    fn prune_batch<E>(
        &mut self,
        emit: &mut impl FnMut(List<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let first_words = self.batch.len().min(BATCH_WORDS);
        self.candidates.prefetch(&self.batch[..first_words]);
        self.pruned.clear();
        for List { docs, count, .. } in Lists(&self.batch) {
            let remaining = self.candidates.retain(docs, &mut self.remaining);
            if remaining.len() > 1 {
                put_list(&mut self.pruned, List::of(remaining, count));
            }
        }
        self.batch.clear();
        let mut left = self.compactor.add_all(&self.pruned);
        while !left.0.is_empty() {
            self.compactor.drain(&mut *emit)?;
            let before = left.0.len();
            left = self.compactor.add_all(left.0);
            // A list that is too large for the memory of the compactor.
            if left.0.len() == before
                && let Some(list) = left.next()
            {
                emit(list)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::lists::OwnedList;
    use crate::expansion::{DocumentFrequencies, MinSharedBuilder};
    use model::{Sampling, Threshold};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn pairs_of_candidates_keep_their_counts_and_other_documents_leave(
            lists in proptest::collection::vec((proptest::collection::btree_set(0u32..40, 2..12), 1u32..4), 0..60),
            sizes in proptest::collection::vec(0usize..20, 40), memory in prop_oneof![Just(1 << 16), 0usize..3_000],
        ) {
            let mut min_shared = MinSharedBuilder::new(Threshold::hundredths(100), 40, 1);
            for size in &sizes {
                min_shared.push(&Sampling::Modulus { modulus: 1 }.sizes_by_level(0, &vec![0; *size]), 0);
            }
            let (min_shared, frequencies) = (min_shared.finish(), DocumentFrequencies::new(40));
            let mut counter = frequencies.counter();
            let lists: Vec<OwnedList> =
                lists.into_iter().map(|(docs, count)| OwnedList::of(docs.into_iter().collect(), count, &[])).collect();
            lists.iter().for_each(|list| counter.add(&list.docs));
            counter.finish();
            let candidates = frequencies.candidates(&min_shared);
            let frequency = |doc: u32| lists.iter().filter(|list| list.docs.contains(&doc)).count() as u32;
            let stays = |doc: u32| frequency(doc) >= min_shared.of(doc);
            let (mut expected, mut got) = (BTreeMap::new(), BTreeMap::new());
            for (a, b, shared) in lists.iter().flat_map(|list| list.pairs(&(0..40))) {
                if stays(a) && stays(b) {
                    *expected.entry((a, b)).or_insert(0) += shared;
                }
            }
            let mut pruner = ListPruner::new(&candidates, memory);
            let mut emit = |list: List<'_>| {
                for (a, b, shared) in OwnedList::from(list).pairs(&(0..40)) {
                    *got.entry((a, b)).or_insert(0) += shared;
                }
                Ok::<_, ()>(())
            };
            for range in [0..20, 20..40] {
                pruner.begin(range.clone(), 100);
                for list in lists.iter().filter(|list| range.contains(&list.docs[0])) {
                    pruner.add(list.list(), &mut emit).unwrap();
                }
                pruner.finish(&mut emit).unwrap();
            }
            prop_assert_eq!(got, expected);
        }
    }
}
