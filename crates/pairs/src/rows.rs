//! Lists of documents → the pairs of a range of lower documents, counted and in order.
//!
//! *Input.* All lists that name a document of the range. *Output.* ⟨a, b, n⟩ with `a` in the range, sorted by (a, b). *Algorithm.*
//! The matrix of pairs is the product of the matrix of postings and its transpose; here it is made row by row (F. G. Gustavson,
//! *Two fast algorithms for sparse matrices*, 1978): an index says which lists name `a`, and what stands behind `a` in
//! them is counted in a small hash table. *Memory.* What the caller states: the lists, 8 bytes for each naming, 4 bytes for each document of the range,
//! a row's counts. A row with more different documents than fit is made in pieces, by ranges of `b`. *Limits.* A range
//! whose lists do not fit is refused: the caller halves it, and a single document that is too much is counted
//! by [`Rows::begin_row`] without its lists being held.

use crate::counter::Counter;
use crate::held::HeldLists;
use crate::of_range;
use model::PairCount;
use std::ops::Range;

/// How many lists ahead of the one that is counted are asked for.
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
    /// For every naming of a document what stands behind it: from where to where among the words of the lists.
    places: Vec<[u32; 2]>,
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
            places_max: part(4) / size_of::<[u32; 2]>(),
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
    pub fn add(&mut self, docs: &[u32]) -> bool {
        let Some((docs, lower)) = of_range(docs, self.range.clone()) else { return true };
        let before = self.lists.words().len();
        if self.named + lower > self.places_max || !self.lists.add(docs) {
            return false;
        }
        if self.lists.words().len() > before {
            self.named += lower;
        }
        true
    }

    /// Gives the pairs of all lists that came, in order.
    ///
    /// # Errors
    /// Those of `emit`.
    pub fn emit<E>(&mut self, mut emit: impl FnMut(PairCount) -> Result<(), E>) -> Result<(), E> {
        self.index();
        let Rows { range, lists, ends, places, counter, .. } = self;
        let words = lists.words();
        let mut start = 0;
        for (a, &end) in range.clone().zip(&*ends) {
            let end = end as usize;
            // The loads must happen though nobody wants their values yet; the processor does not wait for them.
            for place in places[end..].iter().take(AHEAD) {
                std::hint::black_box(words.get(place[0] as usize).copied());
            }
            match &places[start..end] {
                [] => {}
                &[[from, to]] => {
                    let shared = words[to as usize];
                    for &b in &words[from as usize..to as usize] {
                        emit(PairCount { a, b, shared })?;
                    }
                }
                places => count_row(Row { a, words, places }, None, counter, &mut emit)?,
            }
            start = end;
        }
        Ok(())
    }

    /// Finds for each document of the range the lists that name it.
    fn index(&mut self) {
        let Rows { range, lists, ends, places, .. } = self;
        let lower = |docs: &[u32]| of_range(docs, range.clone()).map_or(0, |(_, lower)| lower);
        let slot = |doc: u32| (doc - range.start) as usize;
        // One more in front: counts become beginnings, and these, moved on with every place, ends.
        ends.clear();
        if ends.capacity() <= range.len() {
            ends.reserve_exact(range.len() + 1);
        }
        ends.resize(range.len() + 1, 0);
        for (_, docs) in lists.lists() {
            for &doc in &docs[..lower(docs)] {
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
        places.resize(sum as usize, [0; 2]);
        for (place, docs) in lists.lists() {
            for (at, &doc) in docs[..lower(docs)].iter().enumerate() {
                let next = &mut ends[slot(doc)];
                places[*next as usize] = [(place + at + 1) as u32, (place + docs.len()) as u32];
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

    /// Counts what a list says of the row; false if there are too many different documents: halve their range.
    pub fn add_to_row(&mut self, docs: &[u32]) -> bool {
        let Some((docs, _)) = of_range(docs, self.range.clone()) else { return true };
        self.counter.add(within(&docs[1..], &self.upper), 1)
    }

    /// Gives the pairs of the row, in order.
    ///
    /// # Errors
    /// Those of `emit`.
    pub fn emit_row<E>(&mut self, mut emit: impl FnMut(PairCount) -> Result<(), E>) -> Result<(), E> {
        let a = self.range.start;
        self.counter.finish().try_for_each(|(b, shared)| emit(PairCount { a, b, shared }))
    }
}

/// A lower document and where its lists lie.
#[derive(Clone, Copy)]
struct Row<'a> {
    a: u32,
    words: &'a [u32],
    places: &'a [[u32; 2]],
}

/// The documents of a list that are in a range.
#[inline]
fn within<'a>(docs: &'a [u32], range: &Range<u32>) -> &'a [u32] {
    let from = docs.partition_point(|&doc| doc < range.start);
    let to = docs.partition_point(|&doc| doc < range.end);
    &docs[from..to]
}

/// Counts the upper documents of a row, all or those of a range; by halves of it where there are too many different ones.
fn count_row<E>(
    row: Row<'_>,
    upper: Option<Range<u32>>,
    counter: &mut Counter,
    emit: &mut impl FnMut(PairCount) -> Result<(), E>,
) -> Result<(), E> {
    let Row { a, words, places } = row;
    counter.begin(places.iter().map(|[from, to]| (to - from) as usize).sum());
    let fits = places.iter().all(|&[from, to]| {
        let docs = &words[from as usize..to as usize];
        let docs = upper.as_ref().map_or(docs, |upper| within(docs, upper));
        counter.add(docs, words[to as usize])
    });
    if fits {
        return counter.finish().try_for_each(|(b, shared)| emit(PairCount { a, b, shared }));
    }
    counter.forget();
    let upper = upper.unwrap_or_else(|| a..1 + places.iter().map(|[_, to]| words[*to as usize - 1]).max().unwrap_or(a));
    let middle = upper.start + (upper.end - upper.start) / 2;
    count_row(row, Some(upper.start..middle), counter, emit)?;
    count_row(row, Some(middle..upper.end), counter, emit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs_of;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Counts = BTreeMap<(u32, u32), u32>;

    fn expected(lists: &[Vec<u32>], range: &Range<u32>) -> Vec<PairCount> {
        let mut counts = Counts::new();
        for docs in lists {
            pairs_of(docs, |a, b| {
                *counts.entry((a, b)).or_default() += u32::from(range.contains(&a));
                Ok::<_, ()>(())
            })
            .unwrap();
        }
        let counted = counts.into_iter().filter(|(_, shared)| *shared > 0);
        counted.map(|((a, b), shared)| PairCount { a, b, shared }).collect()
    }

    fn lists() -> impl Strategy<Value = Vec<Vec<u32>>> {
        let list = (1u32..200).prop_flat_map(|documents| proptest::collection::btree_set(0..documents, 1..50));
        let few = proptest::collection::vec(list, 0..30);
        let copies = proptest::collection::vec(0usize..30, 0..60);
        (few, copies).prop_map(|(few, copies): (Vec<BTreeSet<u32>>, Vec<usize>)| {
            let copied = copies.into_iter().filter_map(|at| few.get(at)).cloned().collect::<Vec<_>>();
            few.into_iter().chain(copied).map(|docs| docs.into_iter().collect()).collect()
        })
    }

    proptest! {
        #[test]
        fn rows_are_those_of_a_map(lists in lists(), cut in 0u32..200, memory in prop_oneof![Just(1 << 20), 500usize..30_000]) {
            let mut rows = Rows::new(memory);
            for range in [0..cut, cut..200] {
                let fits = rows.begin(range.clone()) && lists.iter().all(|docs| rows.add(docs));
                prop_assert!(fits || memory < 1 << 20);
                if fits {
                    let mut got = Vec::new();
                    rows.emit(|pair| { got.push(pair); Ok::<_, ()>(()) }).unwrap();
                    prop_assert_eq!(got, expected(&lists, &range));
                }
            }
        }

        #[test]
        fn a_single_row_needs_no_list_and_a_range_of_one_always_fits(lists in lists(), a in 0u32..200, cut in 0u32..200) {
            let mut rows = Rows::new(0);
            let mut got = Vec::new();
            for upper in [0..cut, cut..200].into_iter().flat_map(|upper| upper.map(|b| b..b + 1)) {
                rows.begin_row(a, upper);
                prop_assert!(lists.iter().all(|docs| rows.add_to_row(docs)));
                rows.emit_row(|pair| { got.push(pair); Ok::<_, ()>(()) }).unwrap();
            }
            prop_assert_eq!(got, expected(&lists, &(a..a + 1)));
        }
    }

    #[test]
    fn a_row_of_too_many_documents_is_made_in_pieces() {
        let lists: Vec<Vec<u32>> = (1..300).flat_map(|b| [vec![0, b], vec![0, b, b + 300]]).collect();
        let mut rows = Rows::new(40_000);
        assert!(rows.begin(0..1) && lists.iter().all(|docs| rows.add(docs)));
        let mut got = Vec::new();
        rows.emit(|pair| {
            got.push(pair);
            Ok::<_, ()>(())
        })
        .unwrap();
        assert_eq!(got, expected(&lists, &(0..1)));
        assert!(got.len() > 40_000 / 8 / 44, "all fit at once");
    }
}
