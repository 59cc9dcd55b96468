//! Finds the items that stand in a document.
//!
//! *Input.* Documents, one after another. *Output.* [`Found`] items, each with its stretch.
//! *Algorithm.* The index is asked for each n-gram of n − 1 words of a document. Few documents have
//! one that is of an item. Of those, the words are read once more, and each item that was named
//! often enough for its length is compared: each of its texts, each field and all of them, if they
//! have enough words. Of stretches one in another, the one with the larger share counts. A
//! registered n-gram of a document is part of n-grams of n + 1 words, and n words on each side may
//! stand beside them: so it lets at most 3 n + 1 words of an item stand. *Memory.* 8 bytes a word
//! of such a document, 20 a word that begins an n-gram of an item; 8 bytes an item. What a document
//! of more than 1 MiB needs is reserved when it comes.

use super::items::Item;
use super::references::References;
use super::request::DecontaminateRequest;
use super::score::{DocumentWords, Gram, Scorer, Stretch, grams};
use super::words::parameters;
use engine::Error;
use input::LARGE_RECORD_BYTES;
use model::{Content, Ratio, Threshold};
use sketch::Winnower;
use sort::MemoryBudget;
use std::cmp::Reverse;
use std::ops::Range;

/// An item that stands in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) item: u32,
    /// The number of the field, or [`ALL_FIELDS`].
    pub(super) field: u8,
    /// The first of its texts among those of the item, and the one behind the last.
    pub(super) texts: [u32; 2],
    /// The words of the field, or of all of them.
    pub(super) words: u32,
    pub(super) stretch: Stretch,
}

/// All fields of an item together.
pub(super) const ALL_FIELDS: u8 = u8::MAX;

impl Found {
    pub(super) fn share(&self) -> Ratio {
        Ratio::new(self.stretch.words.into(), self.words.into())
    }
}

/// Searches documents. Each thread has one.
pub(super) struct Searcher<'a> {
    references: &'a References,
    budget: &'a MemoryBudget,
    least_words: usize,
    gram_words: usize,
    /// Makes the n-grams that the index has.
    registered: Winnower,
    words_of: Winnower,
    scorer: Scorer,
    least: Threshold,
    /// The words of the document at which a registered n-gram begins.
    hits: Vec<u32>,
    /// How often a registered n-gram of each item stands in the document.
    counts: Vec<u32>,
    /// The items that were counted.
    candidates: Vec<u32>,
    words: Vec<u64>,
    words_read: u32,
    grams: Vec<Gram>,
    item_words: Vec<u64>,
}

/// A part of an item that is searched for by itself: a text, a field of several, all fields.
struct Part {
    field: u8,
    texts: [u32; 2],
    words: Range<usize>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        references: &'a References,
        budget: &'a MemoryBudget,
        request: &DecontaminateRequest,
    ) -> Result<Searcher<'a>, Error> {
        let size = request.gram_words - 1;
        Ok(Searcher {
            references,
            budget,
            least_words: request.least_words as usize,
            gram_words: request.gram_words as usize,
            registered: Winnower::new(&parameters(size), size),
            words_of: Winnower::new(&parameters(1), 1),
            scorer: Scorer::new(request.gram_words as usize, request.threshold()?),
            least: request.threshold()?,
            hits: Vec::new(),
            counts: vec![0; references.items.count() as usize],
            candidates: Vec::new(),
            words: Vec::new(),
            words_read: 0,
            grams: Vec::new(),
            item_words: Vec::new(),
        })
    }

    /// Hands on the items that stand in a document, in order. `check` is asked before each of them
    /// whether to go on: a document may hold thousands of items, thousands of times.
    pub(super) fn search(
        &mut self,
        content: Content<'_>,
        check: impl Fn() -> Result<(), Error>,
        take: impl FnMut(Found),
    ) -> Result<(), Error> {
        self.candidates.clear();
        let grams = self.find_candidates(content);
        if self.candidates.is_empty() {
            return Ok(());
        }
        let is_large = content.as_str().len() > LARGE_RECORD_BYTES;
        let bytes = 8 * (grams + self.gram_words) + 20 * self.hits.len();
        let reserved =
            is_large.then(|| self.budget.reserve("the words of a large document", bytes));
        let _reserved = reserved.transpose()?;
        self.words.clear();
        self.words.reserve_exact(grams + self.gram_words);
        let words = &mut self.words;
        self.words_of.windows(content, |word| words.push(word));
        self.words_read = words.len() as u32;
        self.shared_grams();
        self.candidates.sort_unstable();
        self.compare(check, take)?;
        if is_large {
            (self.words, self.grams, self.hits) = Default::default();
        }
        Ok(())
    }

    /// The words of the document that was searched last, if an item was compared with it.
    pub(super) fn words_read(&self) -> u32 {
        self.words_read
    }

    /// Asks the index for each n-gram; gives how many there are.
    fn find_candidates(&mut self, content: Content<'_>) -> usize {
        let (index, hits) = (&self.references.index, &mut self.hits);
        let (candidates, counts) = (&mut self.candidates, &mut self.counts);
        hits.clear();
        let mut place = 0;
        self.registered.windows(content, |print| {
            for item in index.items(print) {
                if hits.last() != Some(&place) {
                    hits.push(place);
                }
                let count = &mut counts[item as usize];
                if *count == 0 {
                    candidates.push(item);
                }
                *count = count.saturating_add(1);
            }
            place += 1;
        });
        let is_likely = |item: &u32| {
            let count = std::mem::take(&mut counts[*item as usize]);
            let most = u64::from(count) * (3 * self.gram_words as u64 + 1);
            let item = self.references.items.item(*item);
            let parts = parts_of(&item, self.least_words);
            let words = parts.iter().map(|part| part.words.len() as u64).min();
            words.is_some_and(|words| self.least.reached_by(Ratio::new(most, words)))
        };
        candidates.retain(is_likely);
        place as usize
    }

    /// The n-grams of the document that an item may have: those that begin with a registered one,
    /// or one word before it.
    fn shared_grams(&mut self) {
        self.grams.clear();
        let mut hits = self.hits.iter().peekable();
        for gram in grams(&self.words, self.gram_words) {
            while hits.next_if(|hit| **hit < gram.place).is_some() {}
            if hits.peek().is_some_and(|hit| **hit <= gram.place + 1) {
                self.grams.push(gram);
            }
        }
        self.grams.sort_unstable();
    }

    fn compare(
        &mut self,
        check: impl Fn() -> Result<(), Error>,
        mut take: impl FnMut(Found),
    ) -> Result<(), Error> {
        for at in 0..self.candidates.len() {
            check()?;
            let item = self.candidates[at];
            let mut of_parts: Vec<Vec<Found>> = Vec::new();
            for part in self.read_item(item) {
                let document = DocumentWords {
                    words: &self.words,
                    grams: &self.grams,
                };
                let Part {
                    field,
                    texts,
                    words,
                } = part;
                let mut found = Found {
                    item,
                    field,
                    texts,
                    words: words.len() as u32,
                    stretch: Stretch::default(),
                };
                let mut of_part: Vec<Found> = Vec::new();
                let item_words = &self.item_words[words];
                self.scorer.stretches(item_words, document, |stretch| {
                    found.stretch = stretch;
                    of_part.push(found);
                });
                of_parts.push(of_part);
            }
            largest(of_parts).into_iter().for_each(&mut take);
        }
        Ok(())
    }

    /// Reads the words of an item; gives its parts.
    fn read_item(&mut self, item: u32) -> Vec<Part> {
        self.item_words.clear();
        let item = self.references.items.item(item);
        for field in &item.fields {
            let words = &mut self.item_words;
            let text = Content::Text(field.text);
            self.words_of.windows(text, |word| words.push(word));
        }
        parts_of(&item, self.least_words)
    }
}

/// The stretches of the parts of an item, in order, but for those that lie in one of a part with a
/// larger share, or with the same share and more words.
fn largest(mut of_parts: Vec<Vec<Found>>) -> Vec<Found> {
    of_parts.sort_by_key(|part| Reverse(part.iter().map(|one| (one.share(), one.words)).max()));
    let mut kept: Vec<Found> = Vec::new();
    for (at, part) in of_parts.iter().enumerate() {
        let is_within = |one: &Stretch, other: &Vec<Found>| {
            let next = other.partition_point(|other| other.stretch.end < one.end);
            other
                .get(next)
                .is_some_and(|other| other.stretch.begin <= one.begin)
        };
        let before = &of_parts[..at];
        let is_apart = |one: &&Found| !before.iter().any(|other| is_within(&one.stretch, other));
        kept.extend(part.iter().filter(is_apart));
    }
    kept.sort_by_key(|one| (one.stretch.begin, one.stretch.end));
    kept
}

/// The parts of an item that have so many words: each text, each field of several texts, all fields
/// together.
fn parts_of(item: &Item<'_>, least_words: usize) -> Vec<Part> {
    let (mut parts, mut texts, mut begin) = (Vec::with_capacity(item.fields.len() + 1), 0, 0);
    for field in item.fields.chunk_by(|one, next| one.name == next.name) {
        let (first, mut end) = (texts, begin);
        for text in field {
            let from = end;
            end += text.words as usize;
            texts += 1;
            parts.push(Part {
                field: text.name,
                texts: [texts - 1, texts],
                words: from..end,
            });
        }
        if field.len() > 1 {
            parts.push(Part {
                field: field[0].name,
                texts: [first, texts],
                words: begin..end,
            });
        }
        begin = end;
    }
    let is_whole = |part: &Part| part.texts == [0, texts];
    if !parts.iter().any(is_whole) {
        parts.push(Part {
            field: ALL_FIELDS,
            texts: [0, texts],
            words: 0..begin,
        });
    }
    parts.retain(|part| part.words.len() >= least_words);
    parts
}
