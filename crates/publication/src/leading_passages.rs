//! The passages that stand at most places, and the documents of which most stands elsewhere.
//!
//! *Input.* All passages of a run, and the words of each document that has some. *Output.* The
//! first of both. *Memory.* Some 60 bytes for each of them.

use format::PassageRecord;
use model::Ratio;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

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

/// By the share of repeated words; of equal ones the longer document is the greater, then the
/// earlier one.
impl Ord for Covered {
    fn cmp(&self, other: &Covered) -> Ordering {
        let place = |one: &Covered| {
            let share = Ratio::new(one.repeated_words, one.words);
            (share, one.words, Reverse(one.doc))
        };
        place(self).cmp(&place(other))
    }
}

impl PartialOrd for Covered {
    fn partial_cmp(&self, other: &Covered) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A passage by its places; of equal ones the longer is the greater, then the earlier one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Repeated {
    places: u32,
    words: u32,
    place: Reverse<(u32, u32)>,
    passage: PassageRecord,
}

/// The greatest of those that were added.
struct Greatest<T> {
    limit: usize,
    heap: BinaryHeap<Reverse<T>>,
}

impl<T: Ord> Greatest<T> {
    fn add(&mut self, one: T) {
        if self.heap.len() < self.limit {
            self.heap.push(Reverse(one));
        } else if let Some(mut least) = self.heap.peek_mut()
            && least.0 < one
        {
            *least = Reverse(one);
        }
    }

    /// The greatest first.
    fn sorted(self) -> impl Iterator<Item = T> {
        self.heap.into_sorted_vec().into_iter().map(|one| one.0)
    }
}

/// The passages and documents that lead their lists, as they are found.
pub struct LeadingPassages {
    passages: Greatest<Repeated>,
    documents: Greatest<Covered>,
}

impl LeadingPassages {
    /// At most so many of both.
    pub fn of(limit: usize) -> LeadingPassages {
        LeadingPassages {
            passages: Greatest {
                limit,
                heap: BinaryHeap::new(),
            },
            documents: Greatest {
                limit,
                heap: BinaryHeap::new(),
            },
        }
    }

    /// Adds a passage, if its first window stands here first.
    pub fn add_passage(&mut self, passage: PassageRecord) {
        let PassageRecord { doc, begin, .. } = passage;
        if (passage.source_doc, passage.source_begin) == (doc, begin) {
            self.passages.add(Repeated {
                places: passage.places[1],
                words: passage.end - begin,
                place: Reverse((doc, begin)),
                passage,
            });
        }
    }

    /// Adds a document with passages.
    pub fn add_document(&mut self, document: Covered) {
        self.documents.add(document);
    }

    /// Those at most places, and the documents with the largest shares, the first of them first.
    pub fn sorted(self) -> (Vec<PassageRecord>, Vec<Covered>) {
        let passages = self.passages.sorted().map(|one| one.passage);
        (passages.collect(), self.documents.sorted().collect())
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
            plan in prop::collection::vec(([2_u32..5, 1..5], any::<bool>(), [1_u64..4, 0..4]), 0..30), limit in 0_usize..9,
        ) {
            let mut leading = LeadingPassages::of(limit);
            let (mut passages, mut documents) = (Vec::new(), Vec::new());
            for (doc, (figures, is_first, [repeated_words, others])) in plan.into_iter().enumerate() {
                let (doc, words) = (doc as u32, repeated_words + others);
                let one = passage(doc, figures, is_first);
                leading.add_passage(one);
                passages.extend(is_first.then_some(one));
                let document = Covered { doc, words, repeated_words };
                leading.add_document(document);
                documents.push(document);
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
