//! How a chunk of a set lies among the words of all sets.
//!
//! A chunk begins with two words: its document, and the number of its shingles; then the cell of
//! the next higher chunk, whether it is folded, and the level. If it is folded, the bitmap of its
//! frequent shingles follows. The shingles follow.

use crate::frequent::BITMAP_WORDS;
use model::record;

/// A chunk begins at a multiple of so many words of eight bytes.
pub(crate) const UNIT_WORDS: usize = 16;

/// The words before the shingles.
pub(crate) const HEADER_WORDS: usize = 2;

/// The words that begin a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChunkHeader {
    pub(crate) doc: u32,
    pub(crate) shingles: usize,
    /// The cell of the next higher chunk; 0 if there is none.
    pub(crate) next: u32,
    pub(crate) level: u8,
    /// Frequent shingles are in a bitmap before the others, and do not count here.
    pub(crate) is_folded: bool,
}

impl ChunkHeader {
    pub(crate) fn words(&self) -> [u64; 2] {
        let folded = u64::from(self.is_folded) << 8;
        let rest = u64::from(self.next) << 32 | folded | u64::from(self.level);
        [u64::from(self.doc) << 32 | self.shingles as u64, rest]
    }

    pub(crate) fn of([first, rest]: [u64; 2]) -> ChunkHeader {
        ChunkHeader {
            doc: (first >> 32) as u32,
            shingles: first as u32 as usize,
            next: (rest >> 32) as u32,
            level: rest as u8,
            is_folded: rest >> 8 & 1 != 0,
        }
    }

    pub(crate) fn bitmap_words(&self) -> usize {
        BITMAP_WORDS * usize::from(self.is_folded)
    }

    /// Words of the whole chunk, with those that fill its last unit.
    pub(crate) fn chunk_words(&self) -> usize {
        let words = HEADER_WORDS + self.bitmap_words() + self.shingles;
        words.next_multiple_of(UNIT_WORDS)
    }
}

/// A word of a set on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SetWord {
    pub(crate) word: u64,
}

record! { SetWord { word } }
