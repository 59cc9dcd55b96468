//! Lists of documents, and their encoding as 32-bit words.
//!
//! A *list* says that all of its documents share `count` shingles. A *row list* says how many
//! shingles its first document shares with each of the others, and nothing about these among
//! themselves. Encoding: ⟨length, documents, count, shares⟩. The count is present if [`REPEATED`]
//! is set in the length; the shares, four in a word, if [`ROW`] is set.

use std::ops::Range;

/// Set in the length of a list with a count above 1, and of every row list.
const REPEATED: u32 = 1 << 31;

/// Set in the length of a row list.
pub(crate) const ROW: u32 = 1 << 30;

/// Most documents of a list. The bits above this number in the length say what kind of list it is.
pub const LIST_DOCUMENTS_MAX: usize = ROW as usize - 1;

/// Most shingles that two documents of a row list share.
pub(crate) const SHARE_MAX: u32 = u8::MAX as u32;

/// Documents in order, and how many shingles they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List<'a> {
    /// Two or more documents, in order.
    pub docs: &'a [u32],
    /// How many shingles each two of them share. For a row list, the most that the first shares
    /// with any other.
    pub count: u32,
    /// For a row list, how many shingles the first document shares with each of the others: a byte
    /// each, lowest byte of a word first. Empty for other lists.
    pub shares: &'a [u32],
}

impl<'a> List<'a> {
    /// A list of documents that all share `count` shingles.
    #[inline]
    pub fn of(docs: &'a [u32], count: u32) -> List<'a> {
        List {
            docs,
            count,
            shares: &[],
        }
    }

    /// Whether this is a row list: only its first document is the lower one of pairs.
    #[inline]
    pub fn is_row(&self) -> bool {
        !self.shares.is_empty()
    }

    /// The pairs of the list whose lower document is in a range: the list from its first document
    /// in the range on, and how many of its documents are lower ones. `None` if there is no such
    /// pair.
    #[inline]
    pub(crate) fn of_range(self, range: Range<u32>) -> Option<(List<'a>, usize)> {
        let docs = self.docs;
        if self.is_row() {
            return docs
                .first()
                .is_some_and(|first| range.contains(first))
                .then_some((self, 1));
        }
        // Most lists are short; a binary search pays only for long ones.
        let below = |limit: u32, docs: &[u32]| {
            if docs.len() < 16 {
                docs.iter().take_while(|&&doc| doc < limit).count()
            } else {
                docs.partition_point(|&doc| doc < limit)
            }
        };
        let docs = &docs[below(range.start, docs)..];
        let lower = below(range.end, docs).min(docs.len().saturating_sub(1));
        (lower > 0).then_some((List { docs, ..self }, lower))
    }

    /// The documents after the first one.
    #[inline]
    pub(crate) fn tail(self) -> ListTail<'a> {
        ListTail {
            docs: &self.docs[1..],
            count: self.count,
            shares: self.shares,
            skipped: 0,
        }
    }
}

/// The documents after a given one in a list, with the number of shingles they share with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListTail<'a> {
    pub(crate) docs: &'a [u32],
    pub(crate) count: u32,
    /// Empty, or a byte for each of the documents and of those that were skipped before them.
    pub(crate) shares: &'a [u32],
    pub(crate) skipped: usize,
}

impl<'a> ListTail<'a> {
    /// Passes each document and its number of shared shingles to `take` until that returns false;
    /// returns whether all were taken. Always inlined: the body of `take` is the inner loop of
    /// counting.
    #[inline(always)]
    pub(crate) fn each(self, mut take: impl FnMut(u32, u32) -> bool) -> bool {
        if self.shares.is_empty() {
            return self.docs.iter().all(|&doc| take(doc, self.count));
        }
        (self.skipped..)
            .zip(self.docs)
            .all(|(at, &doc)| take(doc, share(self.shares, at)))
    }

    /// The documents in a range.
    pub(crate) fn within(self, range: &Range<u32>) -> ListTail<'a> {
        let from = self.docs.partition_point(|&doc| doc < range.start);
        let to = self.docs.partition_point(|&doc| doc < range.end);
        ListTail {
            docs: &self.docs[from..to],
            skipped: self.skipped + from,
            ..self
        }
    }

    /// How many shingles a document shares, if it is among them. Binary search.
    #[inline]
    pub(crate) fn of(self, doc: u32) -> Option<u32> {
        let at = self.docs.binary_search(&doc).ok()?;
        Some(if self.shares.is_empty() {
            self.count
        } else {
            share(self.shares, self.skipped + at)
        })
    }
}

/// The byte at position `at` of words.
#[inline]
fn share(shares: &[u32], at: usize) -> u32 {
    shares[at / 4] >> (at % 4 * 8) & SHARE_MAX
}

/// Writes bytes as words, four in each.
#[inline]
pub(crate) fn put_shares(words: &mut Vec<u32>, shares: &[u8]) {
    words.extend(shares.chunks(4).map(|four| {
        four.iter()
            .rev()
            .fold(0, |word, share| word << 8 | u32::from(*share))
    }));
}

/// How many words the shares of a list take, given its first word.
#[inline]
pub(crate) fn share_words(first: u32) -> usize {
    if first & ROW == 0 {
        0
    } else {
        (length(first) - 1).div_ceil(4)
    }
}

/// How many documents a list has, given its first word.
#[inline]
pub(crate) fn length(first: u32) -> usize {
    (first & !(REPEATED | ROW)) as usize
}

/// Appends a list as the words that [`Lists`] reads.
#[inline]
pub fn put_list(words: &mut Vec<u32>, list: List<'_>) {
    let List {
        docs,
        count,
        shares,
    } = list;
    words.reserve(docs.len() + shares.len() + 2);
    let is_repeated = count > 1 || list.is_row();
    let flags = if is_repeated { REPEATED } else { 0 } | if list.is_row() { ROW } else { 0 };
    words.push(docs.len() as u32 | flags);
    put_docs(words, docs);
    if is_repeated {
        words.push(count);
        words.extend_from_slice(shares);
    }
}

/// Appends documents. Most lists have few, for which a loop is cheaper than a call of `memcpy`.
#[inline]
pub(crate) fn put_docs(words: &mut Vec<u32>, docs: &[u32]) {
    if docs.len() <= 8 {
        words.extend(docs);
    } else {
        words.extend_from_slice(docs);
    }
}

/// How many words a list takes, given its first word.
#[inline]
pub fn words_of(first: u32) -> usize {
    1 + length(first) + (first >> 31) as usize + share_words(first)
}

/// Iterates over the lists in an array of words. An incomplete list at the end is left in `0`.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a>(pub &'a [u32]);

impl<'a> Iterator for Lists<'a> {
    type Item = List<'a>;
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let first = *self.0.first()?;
        let (list, rest) = self.0.split_at_checked(words_of(first))?;
        self.0 = rest;
        let (docs, behind) = list[1..].split_at(length(first));
        let (count, shares) = behind
            .split_first()
            .map_or((1, &[][..]), |(count, shares)| (*count, shares));
        Some(List {
            docs,
            count,
            shares,
        })
    }
}

/// A list that owns its documents, for tests.
#[cfg(test)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnedList {
    pub(crate) docs: Vec<u32>,
    count: u32,
    shares: Vec<u32>,
}

#[cfg(test)]
impl OwnedList {
    /// A list; or a row list, if there are shares, one for each document but the first.
    pub(crate) fn of(docs: Vec<u32>, count: u32, shares: &[u8]) -> OwnedList {
        let mut words = Vec::new();
        put_shares(&mut words, shares);
        let most = shares.iter().copied().max().map_or(count, u32::from);
        OwnedList {
            docs,
            count: most,
            shares: words,
        }
    }

    pub(crate) fn from(list: List<'_>) -> OwnedList {
        OwnedList {
            docs: list.docs.to_vec(),
            count: list.count,
            shares: list.shares.to_vec(),
        }
    }

    pub(crate) fn list(&self) -> List<'_> {
        List {
            docs: &self.docs,
            count: self.count,
            shares: &self.shares,
        }
    }

    /// The increments ⟨a, b, n⟩ of the list for pairs whose lower document is in a range.
    pub(crate) fn pairs(&self, range: &Range<u32>) -> Vec<(u32, u32, u32)> {
        let mut pairs = Vec::new();
        let lower = if self.shares.is_empty() {
            self.docs.len()
        } else {
            1
        };
        for (at, &a) in self
            .docs
            .iter()
            .enumerate()
            .take(lower)
            .filter(|(_, a)| range.contains(a))
        {
            for (next, &b) in self.docs.iter().enumerate().skip(at + 1) {
                let of_row = || self.shares[(next - 1) / 4].to_le_bytes()[(next - 1) % 4];
                pairs.push((
                    a,
                    b,
                    if self.shares.is_empty() {
                        self.count
                    } else {
                        u32::from(of_row())
                    },
                ));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list() -> impl Strategy<Value = OwnedList> {
        let docs = proptest::collection::btree_set(0u32..60, 2..12);
        let shares = proptest::collection::vec(1u8..=255, 11);
        (docs, 1u32..4, any::<bool>(), shares).prop_map(|(docs, count, is_row, shares)| {
            let behind = if is_row { docs.len() - 1 } else { 0 };
            OwnedList::of(docs.into_iter().collect(), count, &shares[..behind])
        })
    }

    proptest! {
        #[test]
        fn lists_read_back_and_a_beginning_is_left(
            lists in proptest::collection::vec(list(), 0..20), cut in 1usize..4,
        ) {
            let (mut words, mut before) = (Vec::new(), 0);
            for own in &lists {
                before = words.len();
                put_list(&mut words, own.list());
            }
            let read: Vec<_> = Lists(&words).map(OwnedList::from).collect();
            prop_assert_eq!(&read, &lists);
            let last = words.len() - before;
            if last > cut {
                prop_assert_eq!(words_of(words[before]), last);
                let mut cut_off = Lists(&words[..words.len() - cut]);
                prop_assert_eq!(cut_off.by_ref().count(), lists.len() - 1);
                prop_assert_eq!(cut_off.0.len(), last - cut);
            }
        }

        #[test]
        fn ranges_share_out_the_pairs_of_a_list(
            own in list(), mut cuts in proptest::collection::vec(0u32..60, 0..6),
        ) {
            cuts.extend([0, 60]);
            cuts.sort_unstable();
            let mut shared_out = Vec::new();
            for range in cuts.windows(2) {
                let Some((of_range, lower)) = own.list().of_range(range[0]..range[1]) else { continue };
                prop_assert!(lower < of_range.docs.len(), "the last document is the lower one of no pair");
                prop_assert!(lower == 1 || !of_range.is_row());
                shared_out.extend(OwnedList::from(of_range).pairs(&(0..60)).into_iter().filter(|(a, ..)| of_range.docs[..lower].contains(a)));
            }
            prop_assert_eq!(shared_out, own.pairs(&(0..60)));
        }

        #[test]
        fn documents_of_a_tail_are_found_and_cut_to_a_range(own in list(), from in 0u32..60, to in 0u32..60) {
            let range = from..to.max(from);
            let all: Vec<(u32, u32)> = own.pairs(&(own.docs[0]..own.docs[0] + 1)).iter().map(|pair| (pair.1, pair.2)).collect();
            let within = own.list().tail().within(&range);
            let mut got = Vec::new();
            let took_all = within.each(|doc, shared| {
                got.push((doc, shared));
                true
            });
            prop_assert!(took_all);
            prop_assert_eq!(&got, &all.iter().copied().filter(|(doc, _)| range.contains(doc)).collect::<Vec<_>>());
            for doc in 0..60 {
                prop_assert_eq!(within.of(doc), got.iter().find(|one| one.0 == doc).map(|one| one.1));
            }
            let mut left = 2;
            let took_all = within.each(|_, _| { left -= 1; left > 0 });
            prop_assert_eq!(took_all, got.len() < 2, "ends where one is not taken");
        }
    }
}
