//! Shingles that many sets hold, as bits.
//!
//! *Input.* Some of the sets; then each set. *Output.* A set in two parts: a bitmap of the frequent
//! shingles it holds, and the list of its other shingles. *Algorithm.* The frequent shingles are
//! the [`BITS`] that most of the first sets hold. Two bitmaps are compared by an AND, so that the
//! frame that two pages share costs some hundred instructions. *Why.* Pages of one frame are
//! compared with hundreds of others each, and most of their shingles are those of the frame.
//! *Memory.* 64 KiB; while shingles are counted, 8 bytes for each shingle of the sample.

use crate::overlap::ShingleSet;
use std::cmp::Reverse;

/// Frequent shingles at most; a bit each.
const BITS: usize = 1 << 12;

pub(crate) const BITMAP_WORDS: usize = BITS / 64;

/// Which frequent shingles a set holds.
pub(crate) type FrequentBitmap = [u64; BITMAP_WORDS];

/// Shingles of the longest set that is folded: unfolded again, two of them take 128 KiB.
const LONGEST: usize = 1 << 13;

/// Bytes of the frequent shingles.
pub(crate) const BYTES: usize = 8 * BITS + 2 * PLACES;

/// Bytes of two sets that were unfolded.
pub(crate) const UNFOLDED_BYTES: usize = 2 * 8 * LONGEST;

/// Places of the hash table, by the last bits of a shingle.
const PLACES: usize = 4 * BITS;

/// Sets of a sample that hold a frequent shingle, at least.
const SETS_MIN: usize = 3;

pub(crate) struct FrequentShingles {
    /// Sorted. A shingle's bit is its index.
    shingles: Vec<u64>,
    /// One more than the index of a shingle, or 0, by open addressing.
    places: Vec<u16>,
}

impl FrequentShingles {
    /// The most frequent of the shingles of all sets of a sample, one behind the other.
    pub(crate) fn of_sample(mut sample: Vec<u64>) -> FrequentShingles {
        sample.sort_unstable();
        let counted = sample.chunk_by(|a, b| a == b);
        let counted = counted.filter(|equal| equal.len() >= SETS_MIN);
        let mut counted: Vec<(Reverse<usize>, u64)> = counted
            .map(|equal| (Reverse(equal.len()), equal[0]))
            .collect();
        counted.sort_unstable();
        counted.truncate(BITS);
        let mut shingles: Vec<u64> = counted.into_iter().map(|(_, shingle)| shingle).collect();
        shingles.sort_unstable();
        let mut places = vec![0; PLACES];
        for (index, shingle) in shingles.iter().enumerate() {
            let mut at = *shingle as usize % PLACES;
            while places[at] != 0 {
                at = (at + 1) % PLACES;
            }
            places[at] = index as u16 + 1;
        }
        FrequentShingles { shingles, places }
    }

    pub(crate) fn len(&self) -> usize {
        self.shingles.len()
    }

    /// The bit of a shingle, if it is frequent.
    fn bit(&self, shingle: u64) -> Option<usize> {
        let mut at = shingle as usize % PLACES;
        loop {
            let index = usize::from(self.places[at].checked_sub(1)?);
            if self.shingles[index] == shingle {
                return Some(index);
            }
            at = (at + 1) % PLACES;
        }
    }

    /// Folds a set, where that makes it shorter: moves the shingles that are not frequent to the
    /// front, and gives the bitmap of the others, and their number.
    pub(crate) fn fold(&self, shingles: &mut [u64]) -> Option<(FrequentBitmap, usize)> {
        if shingles.len() > LONGEST {
            return None;
        }
        let mut bitmap: FrequentBitmap = [0; BITMAP_WORDS];
        for bit in shingles.iter().filter_map(|shingle| self.bit(*shingle)) {
            bitmap[bit / 64] |= 1 << (bit % 64);
        }
        let frequent: u32 = bitmap.iter().map(|word| word.count_ones()).sum();
        if frequent as usize <= BITMAP_WORDS {
            return None;
        }
        let mut others = 0;
        for at in 0..shingles.len() {
            let shingle = shingles[at];
            shingles[others] = shingle;
            others += usize::from(self.bit(shingle).is_none());
        }
        Some((bitmap, others))
    }

    /// All shingles of a folded set, in order.
    pub(crate) fn unfold(&self, set: ShingleSet<'_>, all: &mut Vec<u64>) {
        all.clear();
        let mut others = set.shingles;
        for (word, bits) in set.frequent.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let shingle = self.shingles[64 * word + bits.trailing_zeros() as usize];
                let lower = others.partition_point(|other| *other < shingle);
                all.extend_from_slice(&others[..lower]);
                all.push(shingle);
                others = &others[lower..];
                bits &= bits - 1;
            }
        }
        all.extend_from_slice(others);
    }
}
