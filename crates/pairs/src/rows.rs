//! Lists of documents → the pairs of a range of lower documents, counted and in order.
//!
//! *Input.* All lists that name a document of the range. *Output.* ⟨a, b, n⟩ with `a` in the range,
//! sorted by (a, b). *Algorithm.* The matrix of pairs is the product of the matrix of postings and
//! its transpose; here it is made row by row (F. G. Gustavson, *Two fast algorithms for sparse
//! matrices*, 1978): an index says which lists name `a`, and what stands behind `a` in them is
//! counted, row by row ([`row`](crate::row)). *Memory.* What the caller states: the lists, 8 bytes
//! for each naming, 4 bytes for each document of the range, a row's counts. A row with more
//! different documents than fit is made in pieces, by ranges of `b`. *Limits.* A range whose lists
//! do not fit is refused: the caller halves it, and a single document that is too much is counted
//! by [`Rows::begin_row`] without its lists being held.

use crate::counter::Counter;
use crate::held::HeldLists;
use crate::row::{Place, Row, SHORT};
use crate::{List, Needs};
use model::{PairCount, Sampling};
use std::ops::Range;

/// How many lists ahead of the row that is counted are asked for.
const AHEAD: usize = 8;

/// Counts pairs of a range of documents within a given memory.
#[derive(Debug)]
pub struct Rows {
    range: Range<u32>,
    lists: HeldLists,
    /// Lists times the documents of the range they name.
    named: usize,
    /// Where the places of each document's lists end.
    ends: Vec<u32>,
    docs_max: usize,
    /// For every naming of a document what stands behind it: from where to where among the words of
    /// the lists.
    places: Vec<Place>,
    places_max: usize,
    counter: Counter,
    /// The upper documents of a row that is made without holding its lists.
    upper: Range<u32>,
}

impl Rows {
    /// Takes up to `memory_bytes`, as it is needed.
    pub fn new(memory_bytes: usize) -> Rows {
        let part = |parts: usize| memory_bytes / 16 * parts;
        Rows {
            range: 0..0,
            lists: HeldLists::new(part(9)),
            named: 0,
            ends: Vec::new(),
            docs_max: (part(1) / size_of::<u32>()).saturating_sub(1),
            places: Vec::new(),
            places_max: part(4) / size_of::<Place>(),
            counter: Counter::new(part(2)),
            upper: 0..0,
        }
    }

    /// Begins a range; false if it has too many documents.
    pub fn begin(&mut self, range: Range<u32>) -> bool {
        self.lists.clear();
        self.named = 0;
        let fits = range.len() <= self.docs_max;
        self.range = range;
        fits
    }

    /// Takes what a list says of the range; false if there is no room.
    #[inline]
    pub fn add(&mut self, list: List<'_>) -> bool {
        let Some((list, lower)) = list.of_range(self.range.clone()) else {
            return true;
        };
        let before = self.lists.words().len();
        if self.named + lower > self.places_max || !self.lists.add(list) {
            return false;
        }
        if self.lists.words().len() > before {
            self.named += lower;
        }
        true
    }

    /// Gives the pairs of all lists that came, in order: those that share what they need.
    ///
    /// # Errors
    /// Those of `emit`.
    pub fn emit<E>(
        &mut self,
        needs: &Needs,
        mut emit: impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        if needs.has_levels() {
            // What is hardly longer than what is counted anyway is not looked at, and may have any
            // level.
            let unknown = Sampling::LEVELS_MAX as u8 - 1;
            self.lists.note(|docs| {
                if docs.len() < SHORT {
                    unknown
                } else {
                    needs.coarsest(docs)
                }
            });
        }
        self.index();
        let Rows {
            range,
            lists,
            ends,
            places,
            counter,
            ..
        } = self;
        let words = lists.words();
        let row = |slot: usize| Row {
            a: range.start + slot as u32,
            words,
            needs,
        };
        let of = |slot: usize| {
            slot.checked_sub(1)
                .map_or(0, |before| ends[before] as usize)..ends[slot] as usize
        };
        // Rows whose lists were asked for, and how many of these lists were not counted yet.
        let (mut asked, mut waiting) = (0, 0);
        for slot in 0..ends.len() {
            while asked < ends.len() && (asked <= slot || waiting < AHEAD) {
                let coming = &places[of(asked)];
                if row(asked).may_reach(coming) {
                    coming.iter().for_each(|place| place.ask(words));
                    waiting += coming.len();
                }
                asked += 1;
            }
            let places = &mut places[of(slot)];
            if row(slot).may_reach(places) {
                waiting -= places.len();
                row(slot).count(places, counter, &mut emit)?;
            }
        }
        Ok(())
    }

    /// Finds for each document of the range the lists that name it.
    fn index(&mut self) {
        let Rows {
            range,
            lists,
            ends,
            places,
            ..
        } = self;
        // Of a list what is below the range was cut off when it came.
        let lower = |list: &List<'_>| {
            if list.is_row() {
                1
            } else {
                list.docs.len() - 1
            }
        };
        let slot = |doc: u32| (doc - range.start) as usize;
        // One more in front: counts become beginnings, and these, moved on with every place, ends.
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
        places.clear();
        if places.capacity() < sum as usize {
            places.reserve_exact(sum as usize);
        }
        places.resize(sum as usize, Place::default());
        for (place, list) in lists.lists() {
            let end = place + list.docs.len();
            for (at, &doc) in list.docs[..lower(&list)]
                .iter()
                .enumerate()
                .take_while(|(_, doc)| **doc < range.end)
            {
                let next = &mut ends[slot(doc)];
                places[*next as usize] = Place::new(place + at, end, &list);
                *next += 1;
            }
        }
        ends.truncate(range.len());
    }

    /// Begins the row of one document, with upper documents in a range, without holding lists.
    pub fn begin_row(&mut self, a: u32, upper: Range<u32>) {
        self.lists.clear();
        self.range = a..a + 1;
        self.counter.forget();
        self.counter.begin(usize::MAX / 4);
        self.upper = upper;
    }

    /// Counts what a list says of the row; false if there are too many different documents: halve
    /// their range.
    pub fn add_to_row(&mut self, list: List<'_>) -> bool {
        let Some((list, _)) = list.of_range(self.range.clone()) else {
            return true;
        };
        self.counter.add(list.behind().within(&self.upper))
    }

    /// Gives the pairs of the row, in order, as [`Rows::emit`] does.
    ///
    /// # Errors
    /// Those of `emit`.
    pub fn emit_row<E>(
        &mut self,
        needs: &Needs,
        mut emit: impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let row = Row {
            a: self.range.start,
            words: &[],
            needs,
        };
        row.finish(&mut self.counter, &mut emit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NeedsOf;
    use crate::lists::Own;
    use model::Threshold;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Counts = BTreeMap<(u32, u32), u32>;

    fn expected(lists: &[Own], range: &Range<u32>, needs: &Needs) -> Vec<PairCount> {
        let mut counts = Counts::new();
        for (a, b, shared) in lists.iter().flat_map(|own| own.pairs(range)) {
            *counts.entry((a, b)).or_default() += shared;
        }
        let counted = counts
            .into_iter()
            .map(|((a, b), shared)| PairCount { a, b, shared });
        counted
            .filter(|pair| pair.shared >= needs.of_pair(pair.a, pair.b).max(1))
            .collect()
    }

    /// Lists and rows, some of them more than once.
    fn lists() -> impl Strategy<Value = Vec<Own>> {
        let docs = (2u32..200)
            .prop_flat_map(|documents| proptest::collection::btree_set(0..documents, 2..50));
        let shares = prop_oneof![Just(vec![]), proptest::collection::vec(1u8..9, 50)];
        let own = |(docs, count, shares): (BTreeSet<u32>, u32, Vec<u8>)| {
            let behind = shares.len().min(docs.len() - 1);
            Own::of(docs.into_iter().collect(), count, &shares[..behind])
        };
        let few = proptest::collection::vec((docs, 1u32..4, shares).prop_map(own), 0..30);
        let copies = proptest::collection::vec(0usize..30, 0..60);
        (few, copies).prop_map(|(few, copies): (Vec<Own>, Vec<usize>)| {
            let copied = copies
                .into_iter()
                .filter_map(|at| few.get(at))
                .cloned()
                .collect::<Vec<_>>();
            few.into_iter().chain(copied).collect()
        })
    }

    /// Nothing, little or much is needed, differently by each document.
    fn needs() -> impl Strategy<Value = Needs> {
        let needs = |(levels, sizes): (usize, Vec<(usize, usize)>)| {
            let sampling = Sampling::Adaptive {
                target: 1,
                coarsest_log2: 3,
            };
            let mut needs = NeedsOf::new(Threshold::hundredths(100), 200, levels);
            for (level, size) in sizes {
                needs.push(&sampling.sizes_by_level(level % levels, &vec![0; size]));
            }
            needs.finish()
        };
        let most = prop_oneof![Just(1..3usize), Just(1..12), Just(8..14), Just(20..60)];
        let sizes = most.prop_flat_map(|sizes| proptest::collection::vec((0usize..4, sizes), 200));
        let some = (1usize..4, sizes).prop_map(needs);
        prop_oneof![Just(Needs::none()), some]
    }

    proptest! {
        #[test]
        fn rows_are_those_of_a_map(
            lists in lists(), needs in needs(), cut in 0u32..200, memory in prop_oneof![Just(1 << 20), 500usize..30_000],
        ) {
            let mut rows = Rows::new(memory);
            for range in [0..cut, cut..200] {
                let fits = rows.begin(range.clone()) && lists.iter().all(|own| rows.add(own.list()));
                prop_assert!(fits || memory < 1 << 20);
                if fits {
                    let mut got = Vec::new();
                    rows.emit(&needs, |pair| { got.push(pair); Ok::<_, ()>(()) }).unwrap();
                    prop_assert_eq!(got, expected(&lists, &range, &needs));
                }
            }
        }

        #[test]
        fn a_single_row_needs_no_list_and_a_range_of_one_always_fits(
            lists in lists(), needs in needs(), a in 0u32..200, cut in 0u32..200,
        ) {
            let mut rows = Rows::new(0);
            let mut got = Vec::new();
            for upper in [0..cut, cut..200].into_iter().flat_map(|upper| upper.map(|b| b..b + 1)) {
                rows.begin_row(a, upper);
                prop_assert!(lists.iter().all(|own| rows.add_to_row(own.list())));
                rows.emit_row(&needs, |pair| { got.push(pair); Ok::<_, ()>(()) }).unwrap();
            }
            prop_assert_eq!(got, expected(&lists, &(a..a + 1), &needs));
        }
    }

    #[test]
    fn a_row_of_too_many_documents_is_made_in_pieces() {
        let docs = (1..300).flat_map(|b| [vec![0, b], vec![0, b, b + 300]]);
        let lists: Vec<Own> = docs.map(|docs| Own::of(docs, 1, &[])).collect();
        let mut rows = Rows::new(40_000);
        assert!(rows.begin(0..1) && lists.iter().all(|own| rows.add(own.list())));
        let mut got = Vec::new();
        rows.emit(&Needs::none(), |pair| {
            got.push(pair);
            Ok::<_, ()>(())
        })
        .unwrap();
        assert_eq!(got, expected(&lists, &(0..1), &Needs::none()));
        assert!(got.len() > 40_000 / 8 / 44, "all fit at once");
    }
}
