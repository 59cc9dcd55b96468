//! The passages that stand at most places, and the documents of which most stands elsewhere.
//!
//! *Input.* All passages of a run, and the words of each document that has some. *Output.* The
//! first of both. *Memory.* Some 100 bytes for each of them.

use format::PassageRecord;
use model::{Leading, Ratio};
use std::cmp::Reverse;

/// A document that has passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The document.
    pub doc: u32,
    /// Its words.
    pub words: u64,
    /// Its words in passages.
    pub repeated_words: u64,
}

/// The passages and documents that lead their lists, as they are found.
pub struct LeadingPassages {
    /// Passages that were added.
    pub total: u64,
    /// The document of the last one.
    document: Option<Covered>,
    /// Of most places first, then the longer ones, then the earlier ones.
    passages: Leading<(Reverse<[u32; 2]>, [u32; 2]), PassageRecord>,
    /// Of the largest shares first, then the longer ones, then the earlier ones.
    documents: Leading<(Reverse<(Ratio, u64)>, u32), Covered>,
}

impl LeadingPassages {
    /// At most so many of both.
    pub fn of(limit: usize) -> LeadingPassages {
        LeadingPassages {
            total: 0,
            document: None,
            passages: Leading::of(limit),
            documents: Leading::of(limit),
        }
    }

    /// Adds a passage of a document of so many words; passages come by document. One that does not
    /// stand here first counts for its document alone.
    pub fn add(&mut self, passage: PassageRecord, words: u64) {
        let PassageRecord { doc, begin, .. } = passage;
        if passage.is_of_unread() {
            return;
        }
        self.total += 1;
        if self.document.is_none_or(|document| document.doc != doc) {
            self.end_document();
        }
        let document = self.document.get_or_insert(Covered {
            doc,
            words,
            repeated_words: 0,
        });
        document.repeated_words += u64::from(passage.end - begin);
        if (passage.source_doc, passage.source_begin) == (doc, begin) {
            let rank = [passage.places[1], passage.end - begin];
            let key = (Reverse(rank), [doc, begin]);
            self.passages.offer(key, || passage);
        }
    }

    fn end_document(&mut self) {
        if let Some(document) = self.document.take() {
            let share = Ratio::new(document.repeated_words, document.words);
            let key = (Reverse((share, document.words)), document.doc);
            self.documents.offer(key, || document);
        }
    }

    /// Those at most places, and the documents with the largest shares, the first of them first.
    pub fn sorted(mut self) -> (Vec<PassageRecord>, Vec<Covered>) {
        self.end_document();
        (self.passages.sorted(), self.documents.sorted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use format::Characters;
    use proptest::prelude::*;

    fn passage(doc: u32, [places, words]: [u32; 2], is_first: bool) -> PassageRecord {
        PassageRecord {
            doc,
            begin: 1,
            end: 1 + words,
            characters: Characters::UNKNOWN,
            places: [2, places],
            documents: 2,
            source_doc: if is_first { doc } else { doc + 1 },
            source_begin: 1,
            is_source: is_first,
        }
    }

    proptest! {
        #[test]
        fn the_first_are_those_of_a_sort(
            plan in prop::collection::vec(([2_u32..5, 1..5], any::<bool>(), 0_u64..4), 0..30), limit in 0_usize..9,
        ) {
            let mut leading = LeadingPassages::of(limit);
            let (mut passages, mut documents) = (Vec::new(), Vec::new());
            for (doc, (figures, is_first, others)) in plan.into_iter().enumerate() {
                let (doc, repeated_words) = (doc as u32, u64::from(figures[1]));
                let words = repeated_words + others;
                let one = passage(doc, figures, is_first);
                leading.add(one, words);
                passages.extend(is_first.then_some(one));
                documents.push(Covered { doc, words, repeated_words });
            }
            passages.sort_by_key(|one| (Reverse(one.places[1]), Reverse(one.end), one.doc));
            documents.sort_by(|a, b| {
                let shares = (b.repeated_words * a.words).cmp(&(a.repeated_words * b.words));
                shares.then(b.words.cmp(&a.words)).then(a.doc.cmp(&b.doc))
            });
            passages.truncate(limit);
            documents.truncate(limit);
            prop_assert_eq!(leading.sorted(), (passages, documents));
        }
    }
}
