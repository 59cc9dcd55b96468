//! Counts the pairs whose lower document is in a range, from the lists that contain documents of
//! the range.
//!
//! *Input.* The lists. *Output.* ⟨a, b, n⟩ with `a` in the range, sorted by (a, b). *Algorithm.*
//! The matrix of pair counts is the product of the matrix of postings and its transpose, computed
//! row by row (F. G. Gustavson, *Two fast algorithms for sparse matrices*, 1978): an index gives
//! the lists that contain `a`, and the documents after `a` in them are counted
//! ([`pair_row`](super::pair_row)). *Why it is fast.* The counts of one row fit the nearest cache,
//! nothing is written and sorted, and the lists of the next rows are prefetched. *Memory.* As the
//! caller states: the lists, 8 bytes for each document of the range in each list, 4 bytes for each
//! document of the range, and the counts of a row. *Limits.* A range whose lists do not fit is
//! refused and the caller halves it. A single document whose lists do not fit is counted by
//! [`RangeCounter::begin_row`] without storing its lists.

use crate::expansion::list_buffer::ListBuffer;
use crate::expansion::pair_row::{PairRow, SHORT};
use crate::expansion::row_counter::RowCounter;
use crate::expansion::tail_range::TailRange;
use crate::expansion::{List, MinShared};
use model::{PairCount, Sampling};
use std::ops::Range;

/// How many lists are prefetched ahead of the row that is counted.
const AHEAD: usize = 8;

/// Counts pairs of a range of documents within a given memory.
#[derive(Debug)]
pub struct RangeCounter {
    range: Range<u32>,
    lists: ListBuffer,
    /// How many documents of the range the lists contain, summed over the lists.
    contained: usize,
    /// For each document of the range, where its tails end.
    ends: Vec<u32>,
    docs_max: usize,
    /// For each document of the range, the tails of the lists that contain it.
    tails: Vec<TailRange>,
    tails_max: usize,
    counter: RowCounter,
    /// The upper documents of a row that is counted without storing its lists.
    upper: Range<u32>,
}

impl RangeCounter {
    /// Takes up to `memory_bytes`, allocated as needed.
    pub fn new(memory_bytes: usize) -> RangeCounter {
        let part = |parts: usize| memory_bytes / 16 * parts;
        RangeCounter {
            range: 0..0,
            lists: ListBuffer::new(part(9)),
            contained: 0,
            ends: Vec::new(),
            docs_max: (part(1) / size_of::<u32>()).saturating_sub(1),
            tails: Vec::new(),
            tails_max: part(4) / size_of::<TailRange>(),
            counter: RowCounter::new(part(2)),
            upper: 0..0,
        }
    }

    /// Begins a range of lower documents; false if it has too many documents.
    pub fn begin(&mut self, range: Range<u32>) -> bool {
        self.lists.clear();
        self.contained = 0;
        let fits = range.len() <= self.docs_max;
        self.range = range;
        fits
    }

    /// Takes the part of a list that concerns the range; false if it does not fit.
    #[inline]
    pub fn add(&mut self, list: List<'_>) -> bool {
        let Some((list, lower)) = list.of_range(self.range.clone()) else {
            return true;
        };
        let before = self.lists.words().len();
        if self.contained + lower > self.tails_max || !self.lists.add(list) {
            return false;
        }
        if self.lists.words().len() > before {
            self.contained += lower;
        }
        true
    }

    /// Passes the pairs of all lists to `emit`, in order: those that reach their minimum overlap.
    pub fn emit<E>(
        &mut self,
        min_shared: &MinShared,
        mut emit: impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        if min_shared.has_levels() {
            // The levels of short lists are not looked up: such lists are hardly ever skipped. The
            // coarsest level is a safe upper bound.
            let unknown = Sampling::LEVELS_MAX as u8 - 1;
            self.lists.set_levels(|docs| {
                if docs.len() < SHORT {
                    unknown
                } else {
                    min_shared.coarsest(docs)
                }
            });
        }
        self.index();
        let RangeCounter {
            range,
            lists,
            ends,
            tails,
            counter,
            ..
        } = self;
        let words = lists.words();
        let row = |slot: usize| PairRow {
            a: range.start + slot as u32,
            words,
            min_shared,
        };
        let tails_of = |slot: usize| {
            slot.checked_sub(1)
                .map_or(0, |before| ends[before] as usize)..ends[slot] as usize
        };
        // Rows whose lists were prefetched, and how many of these lists were not counted yet.
        let (mut prefetched, mut waiting) = (0, 0);
        for slot in 0..ends.len() {
            while prefetched < ends.len() && (prefetched <= slot || waiting < AHEAD) {
                let coming = &tails[tails_of(prefetched)];
                if row(prefetched).may_reach(coming) {
                    coming.iter().for_each(|tail| tail.prefetch(words));
                    waiting += coming.len();
                }
                prefetched += 1;
            }
            let tails = &mut tails[tails_of(slot)];
            if row(slot).may_reach(tails) {
                waiting -= tails.len();
                row(slot).count(tails, counter, &mut emit)?;
            }
        }
        Ok(())
    }

    /// Finds the lists that contain each document of the range.
    fn index(&mut self) {
        let RangeCounter {
            range,
            lists,
            ends,
            tails,
            ..
        } = self;
        // Documents below the range were cut off when the list was added.
        let lower = |list: &List<'_>| {
            if list.is_row() {
                1
            } else {
                list.docs.len() - 1
            }
        };
        let slot = |doc: u32| (doc - range.start) as usize;
        // Counting sort, with one element more in front: the counts become starts, and a start
        // moves on with every tail, until it is the end.
        ends.clear();
        if ends.capacity() <= range.len() {
            ends.reserve_exact(range.len() + 1);
        }
        ends.resize(range.len() + 1, 0);
        for (_, list) in lists.lists() {
            for &doc in list.docs[..lower(&list)]
                .iter()
                .take_while(|doc| **doc < range.end)
            {
                ends[slot(doc) + 1] += 1;
            }
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += *end;
            *end = sum;
        }
        tails.clear();
        if tails.capacity() < sum as usize {
            tails.reserve_exact(sum as usize);
        }
        tails.resize(sum as usize, TailRange::default());
        for (place, list) in lists.lists() {
            let end = place + list.docs.len();
            for (at, &doc) in list.docs[..lower(&list)]
                .iter()
                .enumerate()
                .take_while(|(_, doc)| **doc < range.end)
            {
                let next = &mut ends[slot(doc)];
                tails[*next as usize] = TailRange::new(place + at, end, &list);
                *next += 1;
            }
        }
        ends.truncate(range.len());
    }

    /// Begins the row of one document, with upper documents in a range. Its lists are not stored.
    pub fn begin_row(&mut self, a: u32, upper: Range<u32>) {
        self.lists.clear();
        self.range = a..a + 1;
        self.counter.forget();
        self.counter.begin(usize::MAX / 4);
        self.upper = upper;
    }

    /// Counts the part of a list that concerns the row; false if there are too many different upper
    /// documents. The caller then halves their range.
    pub fn add_to_row(&mut self, list: List<'_>) -> bool {
        let Some((list, _)) = list.of_range(self.range.clone()) else {
            return true;
        };
        self.counter.add(list.tail().within(&self.upper))
    }

    /// Passes on the pairs of the row, as [`RangeCounter::emit`] does.
    pub fn emit_row<E>(
        &mut self,
        min_shared: &MinShared,
        mut emit: impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let row = PairRow {
            a: self.range.start,
            words: &[],
            min_shared,
        };
        row.finish(&mut self.counter, &mut emit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::MinSharedBuilder;
    use crate::expansion::lists::OwnedList;
    use model::Threshold;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Counts = BTreeMap<(u32, u32), u32>;

    fn expected(lists: &[OwnedList], range: &Range<u32>, min_shared: &MinShared) -> Vec<PairCount> {
        let mut counts = Counts::new();
        for (a, b, shared) in lists.iter().flat_map(|own| own.pairs(range)) {
            *counts.entry((a, b)).or_default() += shared;
        }
        let counted = counts
            .into_iter()
            .map(|((a, b), shared)| PairCount { a, b, shared });
        counted
            .filter(|pair| pair.shared >= min_shared.of_pair(pair.a, pair.b).max(1))
            .collect()
    }

    /// Lists and row lists, some of them more than once.
    fn lists() -> impl Strategy<Value = Vec<OwnedList>> {
        let docs = (2u32..200)
            .prop_flat_map(|documents| proptest::collection::btree_set(0..documents, 2..50));
        let shares = prop_oneof![Just(vec![]), proptest::collection::vec(1u8..9, 50)];
        let own = |(docs, count, shares): (BTreeSet<u32>, u32, Vec<u8>)| {
            let behind = shares.len().min(docs.len() - 1);
            OwnedList::of(docs.into_iter().collect(), count, &shares[..behind])
        };
        let few = proptest::collection::vec((docs, 1u32..4, shares).prop_map(own), 0..30);
        let copies = proptest::collection::vec(0usize..30, 0..60);
        (few, copies).prop_map(|(few, copies): (Vec<OwnedList>, Vec<usize>)| {
            let copied = copies
                .into_iter()
                .filter_map(|at| few.get(at))
                .cloned()
                .collect::<Vec<_>>();
            few.into_iter().chain(copied).collect()
        })
    }

    /// Minimum overlaps: none, small or large ones, different for each document.
    fn min_shared() -> impl Strategy<Value = MinShared> {
        let min_shared = |(levels, sizes): (usize, Vec<(usize, usize)>)| {
            let sampling = Sampling::Adaptive {
                target: 1,
                coarsest_log2: 3,
            };
            let mut min_shared = MinSharedBuilder::new(Threshold::hundredths(100), 200, levels);
            for (level, size) in sizes {
                min_shared.push(&sampling.sizes_by_level(level % levels, &vec![0; size]), 0);
            }
            min_shared.finish()
        };
        let most = prop_oneof![Just(1..3usize), Just(1..12), Just(8..14), Just(20..60)];
        let sizes = most.prop_flat_map(|sizes| proptest::collection::vec((0usize..4, sizes), 200));
        let some = (1usize..4, sizes).prop_map(min_shared);
        prop_oneof![Just(MinShared::none()), some]
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_a_map(
            lists in lists(), min_shared in min_shared(), cut in 0u32..200, memory in prop_oneof![Just(1 << 20), 500usize..30_000],
        ) {
            let mut rows = RangeCounter::new(memory);
            for range in [0..cut, cut..200] {
                let fits = rows.begin(range.clone()) && lists.iter().all(|own| rows.add(own.list()));
                prop_assert!(fits || memory < 1 << 20);
                if fits {
                    let mut got = Vec::new();
                    rows.emit(&min_shared, |pair| { got.push(pair); Ok::<_, ()>(()) }).unwrap();
                    prop_assert_eq!(got, expected(&lists, &range, &min_shared));
                }
            }
        }

        #[test]
        fn a_single_row_stores_no_list_and_an_upper_range_of_one_always_fits(
            lists in lists(), min_shared in min_shared(), a in 0u32..200, cut in 0u32..200,
        ) {
            let mut rows = RangeCounter::new(0);
            let mut got = Vec::new();
            for upper in [0..cut, cut..200].into_iter().flat_map(|upper| upper.map(|b| b..b + 1)) {
                rows.begin_row(a, upper);
                prop_assert!(lists.iter().all(|own| rows.add_to_row(own.list())));
                rows.emit_row(&min_shared, |pair| { got.push(pair); Ok::<_, ()>(()) }).unwrap();
            }
            prop_assert_eq!(got, expected(&lists, &(a..a + 1), &min_shared));
        }
    }

    #[test]
    fn a_row_of_too_many_documents_is_counted_in_pieces() {
        let docs = (1..300).flat_map(|b| [vec![0, b], vec![0, b, b + 300]]);
        let lists: Vec<OwnedList> = docs.map(|docs| OwnedList::of(docs, 1, &[])).collect();
        let mut rows = RangeCounter::new(40_000);
        assert!(rows.begin(0..1) && lists.iter().all(|own| rows.add(own.list())));
        let mut got = Vec::new();
        rows.emit(&MinShared::none(), |pair| {
            got.push(pair);
            Ok::<_, ()>(())
        })
        .unwrap();
        assert_eq!(got, expected(&lists, &(0..1), &MinShared::none()));
        assert!(got.len() > 40_000 / 8 / 44, "all fit at once");
    }
}
