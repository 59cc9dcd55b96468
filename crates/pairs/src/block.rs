//! Lists that begin with the same document → rows of what their documents share in them.
//!
//! *Input.* Lists with counts. *Output.* For each document of any of them but the last a row: what
//! it shares with those behind it. *Algorithm.* A bit for each shingle that the lists stand for, in
//! a mask for each document: what two share are the bits that both have. Near-duplicates name
//! nearly the same documents in all their shingles, so n lists of k documents are n k²/2
//! increments, but k²/2 pairs; and a list is written for each part of its documents, a pair once.
//! *Memory.* 8 bytes for each document of each list, as many as the caller allows, and 45 for each
//! different one of [`DOCS_MAX`]. *Disk.* None. *Limits.* Lists that differ too much or stand for
//! more than [`SHARE_MAX`] shingles are refused.

use crate::List;
use crate::lists::{SHARE_MAX, put_shares};

/// Documents of a block at most: their masks should stay in the nearest cache.
const DOCS_MAX: usize = 512;

/// Increments for each pair that might be written, from which on a block pays.
const GAIN_MIN: usize = 3;

/// Words of a mask.
const MASK_WORDS: usize = SHARE_MAX.div_ceil(u64::BITS) as usize;

type Mask = [u64; MASK_WORDS];

/// Lists laid side by side.
#[derive(Debug)]
pub(crate) struct Block {
    /// The document above, the number of a list that names it below.
    namings: Vec<u64>,
    namings_max: usize,
    /// The bits of each list.
    of_lists: Vec<Mask>,
    docs: Vec<u32>,
    masks: Vec<Mask>,
    row: Vec<u32>,
    shares: Vec<u8>,
    share_words: Vec<u32>,
}

impl Block {
    /// Takes up to `memory_bytes` for the documents of all lists, as it is needed.
    pub(crate) fn new(memory_bytes: usize) -> Block {
        Block {
            namings: Vec::new(),
            namings_max: memory_bytes / size_of::<u64>(),
            of_lists: Vec::new(),
            docs: Vec::new(),
            masks: Vec::new(),
            row: vec![0; DOCS_MAX],
            shares: vec![0; DOCS_MAX],
            share_words: Vec::new(),
        }
    }

    /// Takes lists, if that pays.
    pub(crate) fn lay<'a>(
        &mut self,
        lists: impl ExactSizeIterator<Item = List<'a>> + Clone,
    ) -> bool {
        if lists.len() < GAIN_MIN {
            return false;
        }
        let (mut increments, mut namings, mut longest, mut shingles) = (0, 0, 0, 0_u32);
        for list in lists.clone() {
            increments += pairs(list.docs.len());
            namings += list.docs.len();
            longest = longest.max(list.docs.len());
            shingles = shingles.saturating_add(list.count);
        }
        // As many documents as the longest has there are at least.
        let is_too_much = shingles > SHARE_MAX || longest > DOCS_MAX || namings > self.namings_max;
        if is_too_much || pairs(longest) * GAIN_MIN > increments {
            return false;
        }
        self.namings.clear();
        self.namings.reserve_exact(namings);
        self.of_lists.clear();
        let mut bit = 0;
        for (number, list) in lists.enumerate() {
            self.namings.extend(
                list.docs
                    .iter()
                    .map(|&doc| u64::from(doc) << 32 | number as u64),
            );
            self.of_lists.push(bits(bit, list.count));
            bit += list.count;
        }
        self.namings.sort_unstable();
        self.docs.clear();
        self.masks.clear();
        for same in self.namings.chunk_by(|one, next| one >> 32 == next >> 32) {
            let mut mask = Mask::default();
            for naming in same {
                let of_list = &self.of_lists[*naming as u32 as usize];
                mask.iter_mut()
                    .zip(of_list)
                    .for_each(|(word, bits)| *word |= bits);
            }
            self.docs.push((same[0] >> 32) as u32);
            self.masks.push(mask);
        }
        self.docs.len() <= DOCS_MAX && pairs(self.docs.len()) * GAIN_MIN <= increments
    }

    /// Gives the rows.
    pub(crate) fn rows<E>(
        &mut self,
        mut emit: impl FnMut(List<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Block {
            docs,
            masks,
            row,
            shares,
            share_words,
            ..
        } = self;
        for at in 0..docs.len().saturating_sub(1) {
            row[0] = docs[at];
            let (mut length, mut most) = (0, 0);
            // All are written, each over the one before unless that one shares something: no branch
            // to guess.
            for (&doc, mask) in docs[at + 1..].iter().zip(&masks[at + 1..]) {
                let shared = both(&masks[at], mask);
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

/// How many pairs so many documents make.
fn pairs(documents: usize) -> usize {
    documents * documents.saturating_sub(1) / 2
}

/// So many bits from one on.
fn bits(from: u32, count: u32) -> Mask {
    let mut mask = Mask::default();
    for bit in from..from + count {
        mask[(bit / u64::BITS) as usize] |= 1 << (bit % u64::BITS);
    }
    mask
}

/// How many bits both have.
#[inline]
fn both(one: &Mask, other: &Mask) -> u32 {
    one.iter()
        .zip(other)
        .map(|(one, other)| (one & other).count_ones())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::Own;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn laid(block: &mut Block, lists: &[Own]) -> Option<Vec<Own>> {
        let mut rows = Vec::new();
        block.lay(lists.iter().map(Own::list)).then(|| {
            let given = block.rows(|row| {
                rows.push(Own::from(row));
                Ok::<_, ()>(())
            });
            assert_eq!(given, Ok(()));
            rows
        })
    }

    fn sums(lists: &[Own]) -> BTreeMap<(u32, u32), u32> {
        let mut sums = BTreeMap::new();
        for (a, b, shared) in lists.iter().flat_map(|own| own.pairs(&(0..u32::MAX))) {
            *sums.entry((a, b)).or_default() += shared;
        }
        sums
    }

    proptest! {
        #[test]
        fn rows_say_what_the_lists_say(
            cases in proptest::collection::vec(proptest::collection::vec((proptest::collection::btree_set(1u32..20, 1..19), 1u32..30), 1..12), 1..4),
        ) {
            let mut block = Block::new(1 << 16);
            for lists in cases {
                let docs = |docs: std::collections::BTreeSet<u32>| std::iter::once(0).chain(docs).collect();
                let lists: Vec<Own> = lists.into_iter().map(|(set, count)| Own::of(docs(set), count, &[])).collect();
                let increments: usize = lists.iter().map(|own| pairs(own.docs.len())).sum();
                let all: std::collections::BTreeSet<u32> = lists.iter().flat_map(|own| own.docs.iter().copied()).collect();
                let shingles: u32 = lists.iter().map(|own| own.list().count).sum();
                let pays = lists.len() > 1 && shingles <= SHARE_MAX && pairs(all.len()) * GAIN_MIN <= increments;
                let rows = laid(&mut block, &lists);
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
    fn a_byte_has_room_for_all_shingles_of_a_block_and_more_are_refused() {
        let lists = |counts: [u32; 3]| counts.map(|count| Own::of((0..9).collect(), count, &[]));
        let rows = laid(&mut Block::new(1 << 16), &lists([100, 100, 55])).unwrap();
        assert_eq!(
            (rows.len(), rows[0].list().count, sums(&rows)[&(3, 8)]),
            (8, 255, 255)
        );
        assert_eq!(laid(&mut Block::new(1 << 16), &lists([100, 100, 56])), None);
    }

    #[test]
    fn too_many_documents_are_refused() {
        let lists = |documents: u32| [0, 1, 2].map(|_| Own::of((0..documents).collect(), 1, &[]));
        assert!(laid(&mut Block::new(1 << 16), &lists(DOCS_MAX as u32)).is_some());
        assert_eq!(
            laid(&mut Block::new(1 << 16), &lists(DOCS_MAX as u32 + 1)),
            None
        );
        assert!(laid(&mut Block::new(8 * 300), &lists(100)).is_some());
        assert_eq!(
            laid(&mut Block::new(8 * 300 - 1), &lists(100)),
            None,
            "no memory"
        );
    }
}
