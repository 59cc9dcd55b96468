//! The words of an item that stand in a window of a document, counted while the window slides.
//!
//! *Input.* Shared n-grams and single words that enter and leave. *Output.* How many words stand.
//! *Memory.* 16 bytes a word of the item. *Limits.* A window has at most twice the words of the
//! item.

use std::ops::Range;

/// The words of the item that stand in a window of the document, and those that they stand for.
#[derive(Default)]
pub(super) struct Window {
    /// How often each distinct n-gram stands in it.
    grams: Vec<u32>,
    item: Covers,
    /// Of the document, whose words wrap around at the longest window.
    document: Covers,
}

/// How many n-grams and words beside them cover each word.
#[derive(Default)]
struct Covers {
    counts: Vec<u32>,
    /// Words that are covered.
    words: u32,
}

impl Covers {
    fn clear(&mut self, words: usize) {
        self.counts.clear();
        self.counts.resize(words, 0);
        self.words = 0;
    }

    fn add(&mut self, word: usize) {
        let at = word % self.counts.len();
        self.words += u32::from(self.counts[at] == 0);
        self.counts[at] += 1;
    }

    fn drop(&mut self, word: usize) {
        let at = word % self.counts.len();
        self.counts[at] -= 1;
        self.words -= u32::from(self.counts[at] == 0);
    }
}

impl Window {
    /// For an item of so many distinct n-grams and words.
    pub(super) fn clear(&mut self, grams: usize, words: usize) {
        self.grams.clear();
        self.grams.resize(grams, 0);
        self.item.clear(words);
        self.document.clear(2 * words);
    }

    /// The words of the item that stand, at most as many as they stand for.
    pub(super) fn words(&self) -> u32 {
        self.item.words.min(self.document.words)
    }

    /// A word of the item enters that stands at a word of the document.
    pub(super) fn add_word(&mut self, word: u32, place: u32) {
        self.item.add(word as usize);
        self.document.add(place as usize);
    }

    pub(super) fn drop_word(&mut self, word: u32, place: u32) {
        self.item.drop(word as usize);
        self.document.drop(place as usize);
    }

    /// A shared n-gram enters: the first of its kind covers all its words in the item.
    pub(super) fn add_gram(
        &mut self,
        gram: u32,
        places: Range<usize>,
        words: impl Iterator<Item = usize>,
    ) {
        places.for_each(|place| self.document.add(place));
        self.grams[gram as usize] += 1;
        if self.grams[gram as usize] == 1 {
            words.for_each(|word| self.item.add(word));
        }
    }

    pub(super) fn drop_gram(
        &mut self,
        gram: u32,
        places: Range<usize>,
        words: impl Iterator<Item = usize>,
    ) {
        places.for_each(|place| self.document.drop(place));
        self.grams[gram as usize] -= 1;
        if self.grams[gram as usize] == 0 {
            words.for_each(|word| self.item.drop(word));
        }
    }
}
