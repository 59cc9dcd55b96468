//! Words that mean something, found in a few instructions: a hash table made at compile time.

use crate::tag_name::packed;

/// Slots of a table; at most half of them are taken, so that a look-up ends soon.
const SLOTS: usize = 1024;

/// The meanings of words, as bits.
pub(super) struct WordTable {
    /// The packed words, 0 for a free slot.
    words: [u128; SLOTS],
    meanings: [u16; SLOTS],
}

impl WordTable {
    /// The table of these lists of words, parted by white space, each with what its words mean. A
    /// word in several lists means all of it.
    pub(super) const fn new(lists: &[(&str, u16)]) -> WordTable {
        let mut table = WordTable {
            words: [0; SLOTS],
            meanings: [0; SLOTS],
        };
        let mut list = 0;
        while list < lists.len() {
            let (words, meaning) = lists[list];
            let mut rest = words.as_bytes().trim_ascii_start();
            while !rest.is_empty() {
                let mut end = 0;
                while end < rest.len() && !rest[end].is_ascii_whitespace() {
                    end += 1;
                }
                let (word, behind) = rest.split_at(end);
                let word = packed(word);
                let slot = table.slot(word);
                table.words[slot] = word;
                table.meanings[slot] |= meaning;
                rest = behind.trim_ascii_start();
            }
            list += 1;
        }
        table
    }

    /// The meaning of a packed word; 0 if it is not in the table.
    #[inline]
    pub(super) const fn meaning(&self, word: u128) -> u16 {
        self.meanings[self.slot(word)]
    }

    /// The slot of the word, or the free one where it would be.
    #[inline]
    const fn slot(&self, word: u128) -> usize {
        let mixed = (word as u64 ^ (word >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut slot = (mixed >> (u64::BITS - SLOTS.trailing_zeros())) as usize;
        while self.words[slot] != 0 && self.words[slot] != word {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_their_lists_say() {
        static TABLE: WordTable = WordTable::new(&[("nav menu", 1), (" menu\n advertisement ", 2)]);
        for (word, meaning) in [("nav", 1), ("menu", 3), ("advertisement", 2), ("main", 0)] {
            assert_eq!(TABLE.meaning(packed(word.as_bytes())), meaning, "{word}");
        }
        assert_eq!(TABLE.meaning(0), 0);
    }
}
