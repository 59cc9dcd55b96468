//! How a chunk of a set lies among the words of all sets.
//!
//! A chunk begins with two words: the lengths of its two lists, then the cell of the next higher
//! chunk and its level. The shingles that are not common follow, then the common ones.

use model::record;

/// A chunk begins at a multiple of so many words of eight bytes.
pub(crate) const UNIT_WORDS: u64 = 16;

/// The words before the shingles.
pub(crate) const HEADER_WORDS: u64 = 2;

/// A word of a set on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SetWord {
    pub(crate) word: u64,
}

record! { SetWord { word } }
