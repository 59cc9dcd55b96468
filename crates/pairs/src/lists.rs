//! Lists of documents as words, one after the other.
//!
//! A list says that all its documents share some shingles, each two of them the same ones. A *row*
//! says what its first document shares with each of the others, and nothing of these among
//! themselves. As words: ⟨length, documents, count, shares⟩; the count stands there if [`REPEATED`]
//! is set in the length, the shares, four to a word, if [`ROW`] is.

use std::ops::Range;

/// Set in the length of a list that came more than once, and of every row.
const REPEATED: u32 = 1 << 31;

/// Set in the length of a row.
pub(crate) const ROW: u32 = 1 << 30;

/// Documents that a list may have; the bits above their number say of what kind it is.
pub const LIST_DOCUMENTS_MAX: usize = ROW as usize - 1;

/// What a document of a row shares with the first at most.
pub(crate) const SHARE_MAX: u32 = u8::MAX as u32;

/// Documents in order, and how many shingles they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List<'a> {
    /// Two or more.
    pub docs: &'a [u32],
    /// What each two of them share; of a row the most that the first shares with another.
    pub count: u32,
    /// Of a row what the first shares with each of the others, a byte each from the lowest of a
    /// word on; else nothing.
    pub shares: &'a [u32],
}

impl<'a> List<'a> {
    /// Documents that all share so many shingles.
    #[inline]
    pub fn of(docs: &'a [u32], count: u32) -> List<'a> {
        List {
            docs,
            count,
            shares: &[],
        }
    }

    /// Whether only the first document is the lower one of pairs.
    #[inline]
    pub fn is_row(&self) -> bool {
        !self.shares.is_empty()
    }

    /// What of a list concerns pairs whose lower document is in a range: from its first document
    /// there on, and how many of these documents are the lower one of a pair. `None` if none is.
    #[inline]
    pub fn of_range(self, range: Range<u32>) -> Option<(List<'a>, usize)> {
        let docs = self.docs;
        if self.is_row() {
            return docs
                .first()
                .is_some_and(|first| range.contains(first))
                .then_some((self, 1));
        }
        // Most lists are short; of a long one the ends are found by halving.
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

    /// What stands behind the first document.
    #[inline]
    pub(crate) fn behind(self) -> Behind<'a> {
        Behind {
            docs: &self.docs[1..],
            count: self.count,
            shares: self.shares,
            skipped: 0,
        }
    }
}

/// What stands behind a document in a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behind<'a> {
    pub(crate) docs: &'a [u32],
    pub(crate) count: u32,
    /// Empty, or a byte for each of the documents and those that were skipped before them.
    pub(crate) shares: &'a [u32],
    pub(crate) skipped: usize,
}

impl<'a> Behind<'a> {
    /// Gives the documents with what they share until one is not taken; says whether all were. A
    /// loop of the caller's: it must not become a call.
    #[inline(always)]
    pub(crate) fn each(self, mut take: impl FnMut(u32, u32) -> bool) -> bool {
        if self.shares.is_empty() {
            return self.docs.iter().all(|&doc| take(doc, self.count));
        }
        (self.skipped..)
            .zip(self.docs)
            .all(|(at, &doc)| take(doc, share(self.shares, at)))
    }

    /// Those of a range.
    pub(crate) fn within(self, range: &Range<u32>) -> Behind<'a> {
        let from = self.docs.partition_point(|&doc| doc < range.start);
        let to = self.docs.partition_point(|&doc| doc < range.end);
        Behind {
            docs: &self.docs[from..to],
            skipped: self.skipped + from,
            ..self
        }
    }

    /// What a document shares, if it is among them.
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

/// A byte of words.
#[inline]
fn share(shares: &[u32], at: usize) -> u32 {
    shares[at / 4] >> (at % 4 * 8) & SHARE_MAX
}

/// Writes bytes as words, four to one.
#[inline]
pub(crate) fn put_shares(words: &mut Vec<u32>, shares: &[u8]) {
    words.extend(shares.chunks(4).map(|four| {
        four.iter()
            .rev()
            .fold(0, |word, share| word << 8 | u32::from(*share))
    }));
}

/// Words of the shares of a list with so much in its length.
#[inline]
pub(crate) fn share_words(first: u32) -> usize {
    if first & ROW == 0 {
        0
    } else {
        (length(first) - 1).div_ceil(4)
    }
}

/// How many documents a list has whose first word is this.
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

/// Appends documents. A call that copies is dear for the few that most lists have.
#[inline]
pub(crate) fn put_docs(words: &mut Vec<u32>, docs: &[u32]) {
    if docs.len() <= 8 {
        words.extend(docs);
    } else {
        words.extend_from_slice(docs);
    }
}

/// How many words a list has whose first word is this.
#[inline]
pub fn words_of(first: u32) -> usize {
    1 + length(first) + (first >> 31) as usize + share_words(first)
}

/// Reads lists one after the other from words; what is left may be the beginning of one.
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

/// A list of its own, for tests.
#[cfg(test)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) docs: Vec<u32>,
    count: u32,
    shares: Vec<u32>,
}

#[cfg(test)]
impl Own {
    /// A list, or a row if there are shares: of each document but the first.
    pub(crate) fn of(docs: Vec<u32>, count: u32, shares: &[u8]) -> Own {
        let mut words = Vec::new();
        put_shares(&mut words, shares);
        let most = shares.iter().copied().max().map_or(count, u32::from);
        Own {
            docs,
            count: most,
            shares: words,
        }
    }

    pub(crate) fn from(list: List<'_>) -> Own {
        Own {
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

    /// What it says of pairs whose lower document is in a range.
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

    fn list() -> impl Strategy<Value = Own> {
        let docs = proptest::collection::btree_set(0u32..60, 2..12);
        let shares = proptest::collection::vec(1u8..=255, 11);
        (docs, 1u32..4, any::<bool>(), shares).prop_map(|(docs, count, is_row, shares)| {
            let behind = if is_row { docs.len() - 1 } else { 0 };
            Own::of(docs.into_iter().collect(), count, &shares[..behind])
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
            let read: Vec<_> = Lists(&words).map(Own::from).collect();
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
                shared_out.extend(Own::from(of_range).pairs(&(0..60)).into_iter().filter(|(a, ..)| of_range.docs[..lower].contains(a)));
            }
            prop_assert_eq!(shared_out, own.pairs(&(0..60)));
        }

        #[test]
        fn what_stands_behind_is_found_and_cut(own in list(), from in 0u32..60, to in 0u32..60) {
            let range = from..to.max(from);
            let all: Vec<(u32, u32)> = own.pairs(&(own.docs[0]..own.docs[0] + 1)).iter().map(|pair| (pair.1, pair.2)).collect();
            let within = own.list().behind().within(&range);
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
