//! Collects the lists of a partition, to combine those that are equal or begin with the same
//! document.
//!
//! *Input.* Lists whose first documents are in a range. *Output.* Lists that stand for the same
//! increments: equal ones once, with their count, and row lists where a [`BitmapBlock`] pays.
//! *Why.* Lists that share their first document are the only ones that can be equal, so this is
//! where equal lists come together, and fewer lists are written. *Memory.* As the caller states.
//! *Disk.* None.

use crate::expansion::bitmap_block::BitmapBlock;
use crate::expansion::list_buffer::ListBuffer;
use crate::expansion::{List, Lists};
use std::ops::Range;

/// Collects the lists of a range.
#[derive(Debug)]
pub(crate) struct ListCompactor {
    range: Range<u32>,
    buffer: ListBuffer,
    /// For each document of the range, where the places of the lists that begin with it end.
    ends: Vec<u32>,
    places: Vec<u32>,
    order_bytes: usize,
    block: BitmapBlock,
}

impl ListCompactor {
    /// Takes up to `memory_bytes`, allocated as needed.
    pub(crate) fn new(memory_bytes: usize) -> ListCompactor {
        let (order_bytes, block_bytes) = (memory_bytes / 16 * 3, memory_bytes / 16);
        ListCompactor {
            range: 0..0,
            buffer: ListBuffer::of_equal(memory_bytes - order_bytes - block_bytes),
            ends: Vec::new(),
            places: Vec::new(),
            order_bytes,
            block: BitmapBlock::new(block_bytes),
        }
    }

    /// Begins a range whose lists have `words` words together.
    pub(crate) fn begin(&mut self, range: Range<u32>, words: u64) {
        self.range = range;
        self.buffer.begin(words);
    }

    /// Takes lists, given as words, until one does not fit; returns the lists that are left.
    pub(crate) fn add_all<'a>(&mut self, words: &'a [u32]) -> Lists<'a> {
        self.buffer.add_all(words)
    }

    /// Passes all lists to `emit` and removes them.
    pub(crate) fn drain<E>(
        &mut self,
        mut emit: impl FnMut(List<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.order() {
            let ListCompactor {
                range,
                buffer,
                ends,
                places,
                block,
                ..
            } = self;
            let mut from = 0;
            for (slot, &end) in ends.iter().enumerate() {
                let group = places[from..end as usize]
                    .iter()
                    .map(|place| buffer.at(*place as usize));
                from = end as usize;
                if slot < range.len() && block.fill(group.clone()) {
                    block.rows(&mut emit)?;
                } else {
                    group.into_iter().try_for_each(&mut emit)?;
                }
            }
        } else {
            self.buffer.lists().try_for_each(|(_, list)| emit(list))?;
        }
        self.buffer.clear();
        Ok(())
    }

    /// Sorts the lists by their first documents; false if there is no memory for that.
    fn order(&mut self) -> bool {
        let ListCompactor {
            range,
            buffer,
            ends,
            places,
            order_bytes,
            ..
        } = self;
        // Lists that begin outside the range come last.
        let slot = |list: &List<'_>| match list.docs.first() {
            Some(first) if range.contains(first) => (first - range.start) as usize,
            _ => range.len(),
        };
        let lists = buffer.count();
        if (range.len() + 2 + lists) * size_of::<u32>() > *order_bytes {
            return false;
        }
        // Counting sort, with one element more in front: the counts become starts, and a start
        // moves on with every list, until it is the end.
        ends.clear();
        ends.resize(range.len() + 2, 0);
        buffer
            .lists()
            .for_each(|(_, list)| ends[slot(&list) + 1] += 1);
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += *end;
            *end = sum;
        }
        places.clear();
        places.resize(lists, 0);
        for (docs, list) in buffer.lists() {
            let next = &mut ends[slot(&list)];
            places[*next as usize] = docs as u32 - 1;
            *next += 1;
        }
        ends.truncate(range.len() + 1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::lists::OwnedList;
    use crate::expansion::put_list;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn drained_lists_stand_for_the_same_increments(
            lists in proptest::collection::vec((proptest::collection::btree_set(0u32..40, 2..12), 1u32..4, 1usize..9), 0..40),
            from in 0u32..40, documents in 0u32..40, memory in prop_oneof![Just(1 << 16), 0usize..3_000],
        ) {
            let mut compactor = ListCompactor::new(memory);
            compactor.begin(from..from + documents, 100);
            let (mut expected, mut got) = (BTreeMap::new(), BTreeMap::new());
            let add = |sums: &mut BTreeMap<(u32, u32), u32>, list: List<'_>| {
                for (a, b, shared) in OwnedList::from(list).pairs(&(0..100)) {
                    *sums.entry((a, b)).or_default() += shared;
                }
            };
            let mut words = Vec::new();
            for (docs, count, times) in lists {
                let own = OwnedList::of(docs.into_iter().collect(), count, &[]);
                for _ in 0..times {
                    add(&mut expected, own.list());
                    put_list(&mut words, own.list());
                }
            }
            let mut left = Lists(&words);
            while !left.0.is_empty() {
                let before = left.0.len();
                left = compactor.add_all(left.0);
                if left.0.len() == before {
                    add(&mut got, left.next().unwrap());
                }
                let sent = compactor.drain(|list| { add(&mut got, list); Ok::<_, ()>(()) });
                prop_assert_eq!(sent, Ok(()));
            }
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn near_duplicates_become_row_lists_and_lists_from_outside_the_range_stay() {
        let mut compactor = ListCompactor::new(1 << 16);
        compactor.begin(5..9, 100);
        let mut words = Vec::new();
        for first in [5, 4, 7] {
            for without in 20..24 {
                let docs: Vec<u32> = std::iter::once(first)
                    .chain((20..30).filter(|doc| *doc != without))
                    .collect();
                [2, 1]
                    .iter()
                    .for_each(|count| put_list(&mut words, List::of(&docs, *count)));
            }
        }
        assert!(compactor.add_all(&words).0.is_empty());
        let mut sent = Vec::new();
        compactor
            .drain(|list| {
                sent.push((list.docs[0], list.is_row()));
                Ok::<_, ()>(())
            })
            .unwrap();
        let rows = |first: u32| sent.iter().filter(|one| **one == (first, true)).count();
        assert_eq!((rows(5), rows(7), rows(4)), (1, 1, 0));
        assert_eq!(
            sent.iter().filter(|one| !one.1).collect::<Vec<_>>(),
            [&(4, false); 4],
            "equal ones once"
        );
        let mut again = 0;
        compactor
            .drain(|_| {
                again += 1;
                Ok::<_, ()>(())
            })
            .unwrap();
        assert_eq!(again, 0, "lists are emitted once");
    }
}
