//! What was found in documents, on its way from the threads to the results.

use super::searcher::Found;
use input::{Place, Rejection};
use std::collections::BTreeMap;
use std::ops::Range;

/// A document with the items that stand in it.
pub(super) struct FoundDocument {
    /// Its file in the listing.
    pub(super) file: u32,
    pub(super) place: Place,
    pub(super) id: Option<String>,
    pub(super) url: Option<String>,
    /// Its words, if something was found.
    pub(super) words: u32,
    pub(super) found: Vec<PlacedFound>,
}

/// An item that stands in a document, and the text there.
pub(super) struct PlacedFound {
    pub(super) found: Found,
    /// The characters of the text field; `None` where it has markup.
    pub(super) characters: Option<Range<u64>>,
    pub(super) text: String,
}

impl FoundDocument {
    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        let texts = self.found.iter().map(|one| one.text.capacity());
        let names = [&self.id, &self.url]
            .into_iter()
            .flatten()
            .map(String::capacity);
        size_of::<Passed>()
            + self.found.capacity() * size_of::<PlacedFound>()
            + texts.chain(names).sum::<usize>()
    }
}

/// Documents of a file, in order.
pub(super) enum Passed {
    /// So many, of which nothing more is asked.
    Clean { file: u32, documents: u64 },
    /// One, with what was found in it.
    Document(FoundDocument),
}

/// The records of the input that are no documents.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// By reason.
    pub(super) rejected: BTreeMap<String, u64>,
    /// Place and reason of the first.
    pub(super) first: Option<String>,
    pub(super) skipped: u64,
}

impl Counts {
    pub(super) fn reject(&mut self, file: &str, rejection: &Rejection) {
        let Rejection {
            offset,
            reason,
            detail,
            records,
            ..
        } = rejection;
        *self.rejected.entry((*reason).to_owned()).or_default() += records;
        self.first
            .get_or_insert_with(|| format!("{file}, byte {offset}: {reason}: {detail}"));
    }

    pub(super) fn add(&mut self, other: Counts) {
        for (reason, records) in other.rejected {
            *self.rejected.entry(reason).or_default() += records;
        }
        self.first = self.first.take().or(other.first);
        self.skipped += other.skipped;
    }
}
