//! How a chunk of a set lies among the words of all sets.
//!
//! A chunk begins with two words: the number of its shingles; then the cell of the next higher
//! chunk, and the level. The shingles follow.

use model::record;

/// A chunk begins at a multiple of so many words of eight bytes.
pub(crate) const UNIT_WORDS: u64 = 16;

/// The words before the shingles.
pub(crate) const HEADER_WORDS: u64 = 2;

/// The words that begin a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) shingles: usize,
    /// The cell of the next higher chunk; 0 if there is none.
    pub(crate) next: u32,
    pub(crate) level: u8,
}

impl Header {
    pub(crate) fn words(&self) -> [u64; 2] {
        let rest = u64::from(self.next) << 32 | u64::from(self.level);
        [self.shingles as u64, rest]
    }

    pub(crate) fn of([shingles, rest]: [u64; 2]) -> Header {
        Header {
            shingles: shingles as usize,
            next: (rest >> 32) as u32,
            level: rest as u8,
        }
    }
}

/// A word of a set on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SetWord {
    pub(crate) word: u64,
}

record! { SetWord { word } }
