//! Repeated windows of a document → its passages, and the parts of them that stay elsewhere.
//!
//! *Input.* [`Interval`]s, by document. *Output.* [`PassageRecord`]s and [`CutRecord`]s, without
//! their characters, in order. *Memory.* One of each.

use crate::records::{Interval, Repeated};
use format::{Characters, CutRecord, PassageRecord};

/// Adds up intervals.
pub(super) struct Cover {
    words: u32,
    passage: Option<PassageRecord>,
    cut: Option<CutRecord>,
    /// The end of the windows of the document that stand here first.
    stays_until: u32,
}

impl Cover {
    /// For windows of so many tokens.
    pub(super) fn of(words: u32) -> Cover {
        Cover {
            words,
            passage: None,
            cut: None,
            stays_until: 0,
        }
    }

    /// Adds the next interval. Gives the passage and the cut that are over.
    pub(super) fn add(
        &mut self,
        interval: &Interval,
    ) -> (Option<PassageRecord>, Option<CutRecord>) {
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
        (over, self.cut(doc, first, end, is_source))
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
    pub(super) fn finish(self) -> (Option<PassageRecord>, Option<CutRecord>) {
        (self.passage, self.cut)
    }
}
