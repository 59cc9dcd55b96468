//! How much of an item stands in a document, and where.
//!
//! *Input.* The fingerprints of the words of an item and of a document, in order. *Output.*
//! [`Stretch`]es of the document, none of which overlaps another.
//!
//! *Definition.* An item of m words and a document *share* an n-gram if n consecutive words of both
//! are equal. A word of the item *stands* in a stretch of the document if it is part of a shared
//! n-gram that lies whole in the stretch; or if it is at most n words before or behind a run of
//! shared n-grams, and the stretch has the same word at the same distance. So one word in place of
//! another costs one word, and not the n − 1 on each side. The *share* of the item in the stretch
//! is the number of its words that stand in it, of m, but no more than the words of the stretch for
//! which they stand. A stretch has at most 2 m words, so that scattered phrases do not add up. An
//! item that stands in the document as it is has the share 1. Where an item has an n-gram several
//! times, all its places stand; a run goes on where it can, and begins at the first of them.
//!
//! *Algorithm.* The n-grams of the item are looked up among those of the document. A window of 2 m
//! words slides over the places found; the words that stand in it are counted. Where the share
//! reaches the least, the window with the most words before the next apart from it is taken, cut to
//! the words that stand in it, and the search goes on before and behind it. *Time.* Linear in the
//! shared n-grams, and n times the words beside them. *Memory.* 40 bytes a word of the item, 8
//! bytes a shared n-gram of the document. *Limits.* Equal fingerprints of 64 bits count as equal
//! n-grams.

use super::window::Window;
use model::{Ratio, Threshold};
use std::ops::Range;

/// A part of a document in which words of an item stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Words of the item that stand in it.
    pub(crate) words: u32,
    /// Its first word.
    pub(crate) begin: u32,
    /// One past its last word.
    pub(crate) end: u32,
}

/// A document: its words, and the n-grams that an item may share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocumentWords<'a> {
    pub(crate) words: &'a [u64],
    /// Sorted.
    pub(crate) grams: &'a [Gram],
}

/// An n-gram and the word at which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gram {
    pub(crate) print: u64,
    pub(crate) place: u32,
}

/// The factor of the polynomial that is the fingerprint of an n-gram: odd, so that no word is lost.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The n-grams of a text, in order.
pub(crate) fn grams(words: &[u64], size: usize) -> impl Iterator<Item = Gram> + '_ {
    let leaving = (0..size).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
    let mut print = 0_u64;
    words.iter().enumerate().filter_map(move |(at, word)| {
        print = print.wrapping_mul(FACTOR).wrapping_add(*word);
        if let Some(before) = at.checked_sub(size) {
            print = print.wrapping_sub(words[before].wrapping_mul(leaving));
        }
        let place = (at + 1).checked_sub(size)? as u32;
        Some(Gram { print, place })
    })
}

/// A shared n-gram.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SharedGram {
    /// The word of the document at which it begins.
    place: u32,
    /// Its number among the distinct n-grams of the item.
    gram: u32,
}

/// A word of the item that stands beside a shared n-gram.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WordBeside {
    /// The word of the document.
    place: u32,
    /// The word of the item.
    word: u32,
}

/// Shared n-grams one word apart, in the item and in the document.
#[derive(Clone, Copy)]
struct SharedRun {
    /// The word of the item at which it begins.
    word: usize,
    /// The word of the document at which it begins.
    place: usize,
    grams: usize,
}

/// A part of the document.
enum Searched {
    /// In which stretches may be.
    Range(Range<u32>),
    /// Which is one.
    Found(Stretch),
}

/// Finds items in documents, one after another, and reuses its buffers.
pub(crate) struct Scorer {
    size: usize,
    least: Threshold,
    /// The n-grams of the item, sorted.
    grams: Vec<Gram>,
    /// Where the places of each distinct n-gram begin in `grams`, and the end of the last.
    distinct: Vec<u32>,
    /// The distinct n-gram at each place of the item.
    gram_at: Vec<u32>,
    shared: Vec<SharedGram>,
    beside: Vec<WordBeside>,
    window: Window,
}

impl Scorer {
    /// For n-grams of so many words, and a least share.
    pub(crate) fn new(size: usize, least: Threshold) -> Scorer {
        Scorer {
            size: size.max(1),
            least,
            grams: Vec::new(),
            distinct: Vec::new(),
            gram_at: Vec::new(),
            shared: Vec::new(),
            beside: Vec::new(),
            window: Window::default(),
        }
    }

    /// Hands on the stretches of the document in which the share of the item is the least or more,
    /// in order.
    pub(crate) fn stretches(
        &mut self,
        item: &[u64],
        document: DocumentWords<'_>,
        mut take: impl FnMut(Stretch),
    ) {
        self.read_item(item);
        self.share(document);
        if self.shared.is_empty() {
            return;
        }
        self.compare_beside(item, document.words);
        // what is searched next is last: before the best of a range, the rest of it in front
        let mut ranges = vec![Searched::Range(0..u32::MAX)];
        while let Some(searched) = ranges.pop() {
            match searched {
                Searched::Found(stretch) => take(stretch),
                Searched::Range(range) => {
                    if let Some(best) = self.next_stretch(item.len(), &range) {
                        ranges.push(Searched::Range(best.end..range.end));
                        ranges.push(Searched::Found(best));
                        ranges.push(Searched::Range(range.start..best.begin));
                    }
                }
            }
        }
    }

    fn read_item(&mut self, item: &[u64]) {
        self.grams.clear();
        self.grams.extend(grams(item, self.size));
        self.grams.sort_unstable();
        self.distinct.clear();
        self.gram_at.clear();
        self.gram_at.resize(self.grams.len(), 0);
        for (at, gram) in self.grams.iter().enumerate() {
            if at == 0 || self.grams[at - 1].print != gram.print {
                self.distinct.push(at as u32);
            }
            self.gram_at[gram.place as usize] = self.distinct.len() as u32 - 1;
        }
        self.distinct.push(self.grams.len() as u32);
    }

    /// The places of the item at which a distinct n-gram stands.
    fn places(&self, gram: u32) -> &[Gram] {
        let [from, end] = [gram as usize, gram as usize + 1].map(|at| self.distinct[at] as usize);
        &self.grams[from..end]
    }

    /// Finds the shared n-grams, in the order of the document.
    fn share(&mut self, document: DocumentWords<'_>) {
        self.shared.clear();
        let mut rest = document.grams;
        for gram in 0..self.distinct.len() as u32 - 1 {
            let print = self.places(gram)[0].print;
            rest = &rest[rest.partition_point(|one| one.print < print)..];
            let equal = rest.iter().take_while(|one| one.print == print);
            let shared = equal.map(|one| SharedGram {
                place: one.place,
                gram,
            });
            self.shared.extend(shared);
        }
        self.shared.sort_unstable();
    }

    /// Compares the words beside each run of shared n-grams.
    fn compare_beside(&mut self, item: &[u64], document: &[u64]) {
        self.beside.clear();
        let mut run: Option<SharedRun> = None;
        for at in 0..self.shared.len() {
            let SharedGram { place, gram } = self.shared[at];
            if let Some(run) = &mut run
                && run.place + run.grams == place as usize
                && self.gram_at.get(run.word + run.grams) == Some(&gram)
            {
                run.grams += 1;
                continue;
            }
            if let Some(run) = run {
                self.compare_run(run, item, document);
            }
            run = Some(SharedRun {
                word: self.places(gram)[0].place as usize,
                place: place as usize,
                grams: 1,
            });
        }
        if let Some(run) = run {
            self.compare_run(run, item, document);
        }
        self.beside.sort_unstable();
        self.beside.dedup();
    }

    /// Compares the n words before and the n words behind a run.
    fn compare_run(&mut self, run: SharedRun, item: &[u64], document: &[u64]) {
        let behind = run.grams - 1 + self.size;
        let before = 1..=self.size.min(run.word).min(run.place);
        let before = before.map(|step| (run.word - step, run.place - step));
        let behind = (behind..behind + self.size).map(|step| (run.word + step, run.place + step));
        for (word, place) in before.chain(behind) {
            let is_equal = |one| document.get(place) == Some(one);
            if item.get(word).is_some_and(is_equal) {
                let (place, word) = (place as u32, word as u32);
                self.beside.push(WordBeside { place, word });
            }
        }
    }

    /// The best of the first stretches in a range of words of the document.
    fn next_stretch(&mut self, item_words: usize, range: &Range<u32>) -> Option<Stretch> {
        let gram = self.shared.partition_point(|one| one.place < range.start);
        let word = self.beside.partition_point(|one| one.place < range.start);
        let mut window = std::mem::take(&mut self.window);
        window.clear(self.distinct.len() - 1, item_words);
        let most = 2 * item_words;
        let (mut in_gram, mut out_gram, mut in_word, mut out_word) = (gram, gram, word, word);
        let mut best: Option<Stretch> = None;
        loop {
            let gram_end = self
                .shared
                .get(in_gram)
                .map(|one| one.place as usize + self.size);
            let word_end = self.beside.get(in_word).map(|one| one.place as usize + 1);
            let end = gram_end.into_iter().chain(word_end).min();
            let Some(end) = end.filter(|end| *end <= range.end as usize) else {
                break;
            };
            let begin = end.saturating_sub(most);
            if best.is_some_and(|best| begin >= best.end as usize) {
                break;
            }
            while out_gram < in_gram && (self.shared[out_gram].place as usize) < begin {
                self.drop_gram(&mut window, out_gram);
                out_gram += 1;
            }
            while out_word < in_word && (self.beside[out_word].place as usize) < begin {
                let WordBeside { word, place } = self.beside[out_word];
                window.drop_word(word, place);
                out_word += 1;
            }
            if gram_end == Some(end) {
                self.add_gram(&mut window, in_gram);
                in_gram += 1;
            } else {
                let WordBeside { word, place } = self.beside[in_word];
                window.add_word(word, place);
                in_word += 1;
            }
            let words = window.words();
            let share = Ratio::new(words.into(), item_words as u64);
            if best.is_none_or(|best| words > best.words) && self.least.reached_by(share) {
                best = Some(Stretch {
                    words,
                    begin: begin as u32,
                    end: end as u32,
                });
            }
            if best.is_some_and(|best| best.words as usize == item_words) {
                break;
            }
        }
        let best = best.map(|best| self.cut(&mut window, item_words, best));
        self.window = window;
        best
    }

    /// The shortest end of a stretch that has all its words.
    fn cut(&self, window: &mut Window, item_words: usize, stretch: Stretch) -> Stretch {
        window.clear(self.distinct.len() - 1, item_words);
        let size = self.size as u32;
        let mut gram = self
            .shared
            .partition_point(|one| one.place + size <= stretch.end);
        let mut word = self.beside.partition_point(|one| one.place < stretch.end);
        let mut begin = stretch.end;
        while window.words() < stretch.words {
            let of_gram = gram.checked_sub(1).map(|at| self.shared[at].place);
            let of_word = word.checked_sub(1).map(|at| self.beside[at].place);
            let Some(next) = of_gram.into_iter().chain(of_word).max() else {
                break;
            };
            begin = next;
            if of_gram == Some(next) {
                gram -= 1;
                self.add_gram(window, gram);
            } else {
                word -= 1;
                window.add_word(self.beside[word].word, next);
            }
        }
        Stretch { begin, ..stretch }
    }

    fn add_gram(&self, window: &mut Window, at: usize) {
        let SharedGram { place, gram } = self.shared[at];
        window.add_gram(gram, self.places_from(place), self.words_of(gram));
    }

    fn drop_gram(&self, window: &mut Window, at: usize) {
        let SharedGram { place, gram } = self.shared[at];
        window.drop_gram(gram, self.places_from(place), self.words_of(gram));
    }

    /// The words of the document under an n-gram.
    fn places_from(&self, place: u32) -> Range<usize> {
        place as usize..place as usize + self.size
    }

    /// The words of the item under all places of an n-gram.
    fn words_of(&self, gram: u32) -> impl Iterator<Item = usize> + '_ {
        let places = self.places(gram).iter().map(|one| one.place as usize);
        places.flat_map(|place| place..place + self.size)
    }
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
