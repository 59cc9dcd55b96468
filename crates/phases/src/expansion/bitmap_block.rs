//! Combines lists that begin with the same document into row lists, by bitmaps.
//!
//! *Input.* Lists with counts. *Output.* For each of their documents but the last, a row list: what
//! it shares with each higher one. *Algorithm.* A document has a bitmap with one bit for each
//! shingle of the lists; the shared shingles of two documents are the bits that both bitmaps have.
//! *Why.* Near-duplicates have nearly the same documents in the lists of all their shingles, so n
//! lists of k documents are n k²/2 increments but only k²/2 pairs. A list is written for each
//! partition of its documents, a pair only once. *Memory.* 8 bytes for each document of each list,
//! as many as the caller allows, and 45 for each of at most [`DOCS_MAX`] different documents.
//! *Disk.* None. *Limits.* Lists that differ too much, or stand for more than [`SHARE_MAX`]
//! shingles, are refused.

use crate::expansion::List;
use crate::expansion::lists::{SHARE_MAX, put_shares};

/// Most documents of a block: their bitmaps should stay in the nearest cache.
const DOCS_MAX: usize = 512;

/// A block pays if it replaces at least so many increments by each pair that it might write.
const GAIN_MIN: usize = 3;

/// Words of a bitmap.
const BITMAP_WORDS: usize = SHARE_MAX.div_ceil(u64::BITS) as usize;

type Bitmap = [u64; BITMAP_WORDS];

/// Lists that begin with the same document, as bitmaps of their documents.
#[derive(Debug)]
pub(crate) struct BitmapBlock {
    /// For each document of each list: the document in the upper half, the number of the list in
    /// the lower.
    memberships: Vec<u64>,
    memberships_max: usize,
    /// The bits of each list.
    list_bits: Vec<Bitmap>,
    docs: Vec<u32>,
    bitmaps: Vec<Bitmap>,
    row: Vec<u32>,
    shares: Vec<u8>,
    share_words: Vec<u32>,
}

impl BitmapBlock {
    /// Takes up to `memory_bytes` for the documents of all lists, allocated as needed.
    pub(crate) fn new(memory_bytes: usize) -> BitmapBlock {
        BitmapBlock {
            memberships: Vec::new(),
            memberships_max: memory_bytes / size_of::<u64>(),
            list_bits: Vec::new(),
            docs: Vec::new(),
            bitmaps: Vec::new(),
            row: vec![0; DOCS_MAX],
            shares: vec![0; DOCS_MAX],
            share_words: Vec::new(),
        }
    }

    /// Takes lists if that pays; returns whether it did.
    pub(crate) fn fill<'a>(
        &mut self,
        lists: impl ExactSizeIterator<Item = List<'a>> + Clone,
    ) -> bool {
        if lists.len() < GAIN_MIN {
            return false;
        }
        let (mut increments, mut memberships, mut longest, mut shingles) = (0, 0, 0, 0_u32);
        for list in lists.clone() {
            increments += pairs(list.docs.len());
            memberships += list.docs.len();
            longest = longest.max(list.docs.len());
            shingles = shingles.saturating_add(list.count);
        }
        // There are at least as many documents as the longest list has.
        let is_too_much =
            shingles > SHARE_MAX || longest > DOCS_MAX || memberships > self.memberships_max;
        if is_too_much || pairs(longest) * GAIN_MIN > increments {
            return false;
        }
        self.memberships.clear();
        self.memberships.reserve_exact(memberships);
        self.list_bits.clear();
        let mut bit = 0;
        for (number, list) in lists.enumerate() {
            self.memberships.extend(
                list.docs
                    .iter()
                    .map(|&doc| u64::from(doc) << 32 | number as u64),
            );
            self.list_bits.push(bits(bit, list.count));
            bit += list.count;
        }
        self.memberships.sort_unstable();
        self.docs.clear();
        self.bitmaps.clear();
        for same in self
            .memberships
            .chunk_by(|one, next| one >> 32 == next >> 32)
        {
            let mut bitmap = Bitmap::default();
            for membership in same {
                let bits = &self.list_bits[*membership as u32 as usize];
                bitmap
                    .iter_mut()
                    .zip(bits)
                    .for_each(|(word, bits)| *word |= bits);
            }
            self.docs.push((same[0] >> 32) as u32);
            self.bitmaps.push(bitmap);
        }
        self.docs.len() <= DOCS_MAX && pairs(self.docs.len()) * GAIN_MIN <= increments
    }

    /// Passes the row lists to `emit`.
    pub(crate) fn rows<E>(
        &mut self,
        mut emit: impl FnMut(List<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let BitmapBlock {
            docs,
            bitmaps,
            row,
            shares,
            share_words,
            ..
        } = self;
        for at in 0..docs.len().saturating_sub(1) {
            row[0] = docs[at];
            let (mut length, mut most) = (0, 0);
            // Every document is written, over the one before unless that one shares a shingle:
            // there is no branch to mispredict.
            for (&doc, bitmap) in docs[at + 1..].iter().zip(&bitmaps[at + 1..]) {
                let shared = both(&bitmaps[at], bitmap);
                row[length + 1] = doc;
                shares[length] = shared as u8;
                length += usize::from(shared > 0);
                most = shared.max(most);
            }
            if length > 0 {
                share_words.clear();
                put_shares(share_words, &shares[..length]);
                emit(List {
                    docs: &row[..=length],
                    count: most,
                    shares: share_words,
                })?;
            }
        }
        Ok(())
    }
}

/// How many pairs `documents` documents make.
fn pairs(documents: usize) -> usize {
    documents * documents.saturating_sub(1) / 2
}

/// A bitmap with `count` bits set from `from` on.
fn bits(from: u32, count: u32) -> Bitmap {
    let mut bitmap = Bitmap::default();
    for bit in from..from + count {
        bitmap[(bit / u64::BITS) as usize] |= 1 << (bit % u64::BITS);
    }
    bitmap
}

/// How many bits are set in both.
#[inline]
fn both(one: &Bitmap, other: &Bitmap) -> u32 {
    one.iter()
        .zip(other)
        .map(|(one, other)| (one & other).count_ones())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::lists::OwnedList;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn filled(block: &mut BitmapBlock, lists: &[OwnedList]) -> Option<Vec<OwnedList>> {
        let mut rows = Vec::new();
        block.fill(lists.iter().map(OwnedList::list)).then(|| {
            let passed = block.rows(|row| {
                rows.push(OwnedList::from(row));
                Ok::<_, ()>(())
            });
            assert_eq!(passed, Ok(()));
            rows
        })
    }

    fn sums(lists: &[OwnedList]) -> BTreeMap<(u32, u32), u32> {
        let mut sums = BTreeMap::new();
        for (a, b, shared) in lists.iter().flat_map(|own| own.pairs(&(0..u32::MAX))) {
            *sums.entry((a, b)).or_default() += shared;
        }
        sums
    }

    proptest! {
        #[test]
        fn row_lists_stand_for_the_same_increments_as_the_lists(
            cases in proptest::collection::vec(proptest::collection::vec((proptest::collection::btree_set(1u32..20, 1..19), 1u32..30), 1..12), 1..4),
        ) {
            let mut block = BitmapBlock::new(1 << 16);
            for lists in cases {
                let docs = |docs: std::collections::BTreeSet<u32>| std::iter::once(0).chain(docs).collect();
                let lists: Vec<OwnedList> = lists.into_iter().map(|(set, count)| OwnedList::of(docs(set), count, &[])).collect();
                let increments: usize = lists.iter().map(|own| pairs(own.docs.len())).sum();
                let all: std::collections::BTreeSet<u32> = lists.iter().flat_map(|own| own.docs.iter().copied()).collect();
                let shingles: u32 = lists.iter().map(|own| own.list().count).sum();
                let pays = lists.len() > 1 && shingles <= SHARE_MAX && pairs(all.len()) * GAIN_MIN <= increments;
                let rows = filled(&mut block, &lists);
                prop_assert_eq!(rows.is_some(), pays);
                if let Some(rows) = rows {
                    prop_assert!(rows.iter().all(|row| row.list().is_row()));
                    prop_assert_eq!(sums(&rows), sums(&lists));
                    prop_assert_eq!(rows.iter().map(|row| row.docs.len() - 1).sum::<usize>(), sums(&lists).len(), "a pair is written once");
                }
            }
        }
    }

    #[test]
    fn all_shingles_of_a_block_fit_a_byte_and_more_are_refused() {
        let lists =
            |counts: [u32; 3]| counts.map(|count| OwnedList::of((0..9).collect(), count, &[]));
        let rows = filled(&mut BitmapBlock::new(1 << 16), &lists([100, 100, 55])).unwrap();
        assert_eq!(
            (rows.len(), rows[0].list().count, sums(&rows)[&(3, 8)]),
            (8, 255, 255)
        );
        assert_eq!(
            filled(&mut BitmapBlock::new(1 << 16), &lists([100, 100, 56])),
            None
        );
    }

    #[test]
    fn too_many_documents_are_refused() {
        let lists =
            |documents: u32| [0, 1, 2].map(|_| OwnedList::of((0..documents).collect(), 1, &[]));
        assert!(filled(&mut BitmapBlock::new(1 << 16), &lists(DOCS_MAX as u32)).is_some());
        assert_eq!(
            filled(&mut BitmapBlock::new(1 << 16), &lists(DOCS_MAX as u32 + 1)),
            None
        );
        assert!(filled(&mut BitmapBlock::new(8 * 300), &lists(100)).is_some());
        assert_eq!(
            filled(&mut BitmapBlock::new(8 * 300 - 1), &lists(100)),
            None,
            "no memory"
        );
    }
}
