//! Repeated windows of a document → its passages, the parts of them that stay elsewhere, and what
//! it quotes.
//!
//! *Input.* [`Interval`]s, by document. *Output.* [`PassageRecord`]s and [`CutRecord`]s, without
//! their characters, and [`QuoteRecord`]s, in order. *Memory.* One of each.

use crate::records::{Interval, Repeated};
use format::{Characters, CutRecord, PassageRecord, QuoteRecord};

/// What is over once an interval was added.
#[derive(Debug, Default)]
pub(super) struct Covered {
    pub(super) passage: Option<PassageRecord>,
    pub(super) cut: Option<CutRecord>,
    /// What begins with the interval.
    pub(super) quote: Option<QuoteRecord>,
}

/// Windows that stand side by side in a document and where they stand first.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Alignment {
    doc: u32,
    source_doc: u32,
    /// From the document to its source.
    shift: i64,
    /// The window behind the last one.
    next: u32,
}

/// Adds up intervals.
pub(super) struct Cover {
    words: u32,
    passage: Option<PassageRecord>,
    cut: Option<CutRecord>,
    /// The end of the windows of the document that stand here first.
    stays_until: u32,
    alignment: Option<Alignment>,
}

impl Cover {
    /// For windows of so many tokens.
    pub(super) fn of(words: u32) -> Cover {
        Cover {
            words,
            passage: None,
            cut: None,
            stays_until: 0,
            alignment: None,
        }
    }

    /// Adds the next interval. Gives the passage and the cut that are over, and what it quotes.
    pub(super) fn add(&mut self, interval: &Interval) -> Covered {
        let Interval {
            doc,
            first,
            windows,
            repeated,
            is_source,
        } = *interval;
        let end = first + windows - 1 + self.words;
        let Repeated {
            places, documents, ..
        } = repeated;
        let is_joined = |passage: &&mut PassageRecord| passage.doc == doc && first <= passage.end;
        let over = if let Some(passage) = self.passage.as_mut().filter(is_joined) {
            passage.end = end;
            passage.places = [passage.places[0].min(places), passage.places[1].max(places)];
            passage.documents = passage.documents.max(documents);
            passage.is_source &= is_source;
            None
        } else {
            self.passage.replace(PassageRecord {
                doc,
                begin: first,
                end,
                characters: Characters::UNKNOWN,
                places: [places; 2],
                documents,
                source_doc: repeated.doc,
                source_begin: repeated.first,
                is_source,
            })
        };
        if over.is_some_and(|passage| passage.doc != doc) {
            self.stays_until = 0;
        }
        Covered {
            passage: over,
            cut: self.cut(doc, first, end, is_source),
            quote: self.quote(interval),
        }
    }

    /// An interval that does not go on with the one before, of windows that stand first elsewhere.
    fn quote(&mut self, interval: &Interval) -> Option<QuoteRecord> {
        let Interval {
            doc,
            first,
            windows,
            repeated,
            ..
        } = *interval;
        let begins = Alignment {
            doc,
            source_doc: repeated.doc,
            shift: i64::from(repeated.first) - i64::from(first),
            next: first,
        };
        let ends = Alignment {
            next: first + windows,
            ..begins
        };
        let goes_on = self.alignment.replace(ends) == Some(begins);
        (!goes_on && repeated.doc != doc).then_some(QuoteRecord {
            source_doc: repeated.doc,
            source_begin: repeated.first,
            doc,
            begin: first,
        })
    }

    /// Windows that stand elsewhere first are cut, but for the tokens of windows that stay.
    fn cut(&mut self, doc: u32, first: u32, end: u32, is_source: bool) -> Option<CutRecord> {
        if is_source {
            self.stays_until = end;
            let mut cut = self.cut.take()?;
            if cut.doc == doc {
                cut.end = cut.end.min(first);
            }
            return Some(cut).filter(|cut| cut.begin < cut.end);
        }
        let begin = first.max(self.stays_until);
        match &mut self.cut {
            Some(cut) if cut.doc == doc && begin <= cut.end => {
                cut.end = end;
                None
            }
            cut => cut.replace(CutRecord {
                doc,
                begin,
                end,
                characters: Characters::UNKNOWN,
            }),
        }
    }

    /// The last of both.
    pub(super) fn finish(self) -> Covered {
        Covered {
            passage: self.passage,
            cut: self.cut,
            quote: None,
        }
    }
}
