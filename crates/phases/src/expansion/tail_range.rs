//! The range in memory of the documents of a list after a given one.
//!
//! The lists of a [`ListBuffer`](super::list_buffer) are in one array of words: ⟨length, documents,
//! count, shares⟩. The word of the count also has room for the coarsest sampling level of the
//! documents.

use crate::expansion::lists::{List, ListTail};
use model::Sampling;

/// The largest count of a list; the bits above it are for a level.
pub(crate) const COUNT_MAX: u32 = u32::MAX >> LEVEL_BITS;
const LEVEL_BITS: u32 = Sampling::LEVELS_MAX.ilog2();

/// The level in the word of a count.
#[inline]
pub(crate) fn level_of(word: u32) -> u8 {
    (word >> (u32::BITS - LEVEL_BITS)) as u8
}

/// A level as the upper bits of the word of a count.
#[inline]
pub(crate) fn level_bits(level: u8) -> u32 {
    u32::from(level) << (u32::BITS - LEVEL_BITS)
}

/// The tail of a list after one of its documents: a range of the array of words, followed by the
/// count of the list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TailRange {
    from: u32,
    /// The end of the range, with two flags: [`REPEATED`] if the count of the list is above 1, so
    /// that the count needs to be loaded only then; [`OF_ROW`] if it is a row list.
    to: u32,
}

const REPEATED: u32 = 1 << 31;
const OF_ROW: u32 = 1 << 30;

impl TailRange {
    /// Most words of an array that ranges can point into.
    pub(crate) const WORDS_MAX: usize = OF_ROW as usize - 1;

    /// The tail after the document at `from`, in a list whose documents end at `end`.
    #[inline]
    pub(crate) fn new(from: usize, end: usize, list: &List<'_>) -> TailRange {
        let flags = if list.count & COUNT_MAX > 1 {
            REPEATED
        } else {
            0
        } | if list.is_row() { OF_ROW } else { 0 };
        TailRange {
            from: from as u32 + 1,
            to: end as u32 | flags,
        }
    }

    #[inline]
    fn end(self) -> usize {
        (self.to & !(REPEATED | OF_ROW)) as usize
    }

    /// How many documents the tail has.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.end() - self.from as usize
    }

    /// The documents of the tail with their shared shingles.
    #[inline]
    pub(crate) fn load(self, words: &[u32]) -> ListTail<'_> {
        let docs = &words[self.from as usize..self.end()];
        let share_words = if self.to & OF_ROW == 0 {
            0
        } else {
            docs.len().div_ceil(4)
        };
        ListTail {
            docs,
            count: self.count(words),
            shares: &words[self.end() + 1..][..share_words],
            skipped: 0,
        }
    }

    /// The most shingles that a document of the tail shares.
    #[inline]
    pub(crate) fn count(self, words: &[u32]) -> u32 {
        if self.to & REPEATED == 0 {
            1
        } else {
            words[self.end()] & COUNT_MAX
        }
    }

    /// The coarsest level of the documents of the list; an upper bound if the list is short.
    #[inline]
    pub(crate) fn level(self, words: &[u32]) -> u8 {
        level_of(words[self.end()])
    }

    /// Loads the first document, so that it is in the cache when the row is counted. `black_box`
    /// keeps the compiler from removing the load; the processor does not wait for it.
    #[inline]
    pub(crate) fn prefetch(self, words: &[u32]) {
        std::hint::black_box(words.get(self.from as usize).copied());
    }
}
