//! Lists held until those that begin with the same document can be laid side by side.
//!
//! *Input.* Lists whose first documents are in a range. *Output.* Lists that stand for the same
//! increments: equal ones once, with their count, and rows instead of lists where a [`Block`] pays.
//! *Memory.* What the caller states. *Disk.* None.

use crate::block::Block;
use crate::held::HeldLists;
use crate::{List, Lists};
use std::ops::Range;

/// Lists of a range.
#[derive(Debug)]
pub struct Blocks {
    range: Range<u32>,
    held: HeldLists,
    /// Where the lists that begin with each document of the range end among the places.
    ends: Vec<u32>,
    places: Vec<u32>,
    order_bytes: usize,
    block: Block,
}

impl Blocks {
    /// Takes up to `memory_bytes`, as it is needed.
    pub fn new(memory_bytes: usize) -> Blocks {
        let (order_bytes, block_bytes) = (memory_bytes / 16 * 3, memory_bytes / 16);
        Blocks {
            range: 0..0,
            held: HeldLists::of_equal(memory_bytes - order_bytes - block_bytes),
            ends: Vec::new(),
            places: Vec::new(),
            order_bytes,
            block: Block::new(block_bytes),
        }
    }

    /// Begins a range, of whose lists so many words are to come.
    pub fn begin(&mut self, range: Range<u32>, words: u64) {
        self.range = range;
        self.held.begin(words);
    }

    /// Holds lists, given as words, until there is no room; gives those that are left.
    pub fn add_all<'a>(&mut self, words: &'a [u32]) -> Lists<'a> {
        self.held.add_all(words)
    }

    /// Gives all that is held, and forgets it.
    ///
    /// # Errors
    /// Those of `emit`.
    pub fn send<E>(&mut self, mut emit: impl FnMut(List<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.order() {
            let Blocks {
                range,
                held,
                ends,
                places,
                block,
                ..
            } = self;
            let mut from = 0;
            for (slot, &end) in ends.iter().enumerate() {
                let group = places[from..end as usize]
                    .iter()
                    .map(|place| held.at(*place as usize));
                from = end as usize;
                if slot < range.len() && block.lay(group.clone()) {
                    block.rows(&mut emit)?;
                } else {
                    group.into_iter().try_for_each(&mut emit)?;
                }
            }
        } else {
            self.held.lists().try_for_each(|(_, list)| emit(list))?;
        }
        self.held.clear();
        Ok(())
    }

    /// Orders the lists by their first documents; false if there is no memory for that.
    fn order(&mut self) -> bool {
        let Blocks {
            range,
            held,
            ends,
            places,
            order_bytes,
            ..
        } = self;
        // Behind the range come lists that begin elsewhere.
        let slot = |list: &List<'_>| match list.docs.first() {
            Some(first) if range.contains(first) => (first - range.start) as usize,
            _ => range.len(),
        };
        let lists = held.count();
        if (range.len() + 2 + lists) * size_of::<u32>() > *order_bytes {
            return false;
        }
        // One more in front: counts become beginnings, and these, moved on with every list, ends.
        ends.clear();
        ends.resize(range.len() + 2, 0);
        held.lists()
            .for_each(|(_, list)| ends[slot(&list) + 1] += 1);
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += *end;
            *end = sum;
        }
        places.clear();
        places.resize(lists, 0);
        for (docs, list) in held.lists() {
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
    use crate::lists::Own;
    use crate::put_list;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn what_is_sent_says_what_came(
            lists in proptest::collection::vec((proptest::collection::btree_set(0u32..40, 2..12), 1u32..4, 1usize..9), 0..40),
            from in 0u32..40, documents in 0u32..40, memory in prop_oneof![Just(1 << 16), 0usize..3_000],
        ) {
            let mut blocks = Blocks::new(memory);
            blocks.begin(from..from + documents, 100);
            let (mut expected, mut got) = (BTreeMap::new(), BTreeMap::new());
            let add = |sums: &mut BTreeMap<(u32, u32), u32>, list: List<'_>| {
                for (a, b, shared) in Own::from(list).pairs(&(0..100)) {
                    *sums.entry((a, b)).or_default() += shared;
                }
            };
            let mut words = Vec::new();
            for (docs, count, times) in lists {
                let own = Own::of(docs.into_iter().collect(), count, &[]);
                for _ in 0..times {
                    add(&mut expected, own.list());
                    put_list(&mut words, own.list());
                }
            }
            let mut left = Lists(&words);
            while !left.0.is_empty() {
                let before = left.0.len();
                left = blocks.add_all(left.0);
                if left.0.len() == before {
                    add(&mut got, left.next().unwrap());
                }
                let sent = blocks.send(|list| { add(&mut got, list); Ok::<_, ()>(()) });
                prop_assert_eq!(sent, Ok(()));
            }
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn copies_come_as_rows_and_what_begins_elsewhere_as_it_is() {
        let mut blocks = Blocks::new(1 << 16);
        blocks.begin(5..9, 100);
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
        assert!(blocks.add_all(&words).0.is_empty());
        let mut sent = Vec::new();
        blocks
            .send(|list| {
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
        blocks
            .send(|_| {
                again += 1;
                Ok::<_, ()>(())
            })
            .unwrap();
        assert_eq!(again, 0, "what was sent is forgotten");
    }
}
