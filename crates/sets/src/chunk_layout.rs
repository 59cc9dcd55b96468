//! How a chunk of a set lies among the words of all sets.
//!
//! A chunk begins with two words: the lengths of its two lists, then the cell of the next higher
//! chunk, how many words have a bit for each common shingle, and the level. The shingles that are
//! not common follow, then the common ones, then the words of bits. Of all chunks of a set only the
//! lowest one has words of bits, and they are those of the whole set.

use model::record;

/// A chunk begins at a multiple of so many words of eight bytes.
pub(crate) const UNIT_WORDS: u64 = 16;

/// The words before the shingles.
pub(crate) const HEADER_WORDS: u64 = 2;

/// The words that begin a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// Shingles that are not common.
    pub(crate) content: usize,
    /// Common shingles, and words of bits.
    pub(crate) common: usize,
    pub(crate) bits: usize,
    /// The cell of the next higher chunk; 0 if there is none.
    pub(crate) next: u32,
    pub(crate) level: u8,
}

impl Header {
    pub(crate) fn words(&self) -> [u64; 2] {
        let lengths = (self.content as u64) << 32 | self.common as u64;
        let rest = u64::from(self.next) << 32 | (self.bits as u64) << 8 | u64::from(self.level);
        [lengths, rest]
    }

    pub(crate) fn of([lengths, rest]: [u64; 2]) -> Header {
        Header {
            content: (lengths >> 32) as usize,
            common: lengths as u32 as usize,
            bits: (rest as u32 >> 8) as usize,
            next: (rest >> 32) as u32,
            level: rest as u8,
        }
    }

    /// Words that follow the header.
    pub(crate) fn length(&self) -> usize {
        self.content + self.common + self.bits
    }
}

/// A word of a set on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SetWord {
    pub(crate) word: u64,
}

record! { SetWord { word } }
