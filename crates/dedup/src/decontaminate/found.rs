//! What was found in documents, on its way from the threads to the results.

use super::searcher::Found;
use input::{Place, Rejection};
use sort::Reservation;
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
    /// The text under all stretches.
    pub(super) text: String,
    /// Whether the characters of the text field are known: the text has no markup.
    pub(super) has_characters: bool,
    /// The memory of many stretches, if there are.
    pub(super) _reserved: Option<Reservation>,
}

/// An item that stands in a document.
pub(super) struct PlacedFound {
    pub(super) found: Found,
    /// Its bytes of the text under all stretches.
    pub(super) bytes: Range<u32>,
    /// Its characters of the text field.
    pub(super) characters: Range<u32>,
}

/// Bytes in memory of a stretch while its document is searched.
pub(super) const STRETCH_BYTES: usize = 2 * (size_of::<Found>() + size_of::<PlacedFound>());

impl FoundDocument {
    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        let texts = [&self.id, &self.url].into_iter().flatten();
        let texts = texts.chain([&self.text]).map(String::capacity);
        size_of::<Passed>()
            + self.found.capacity() * size_of::<PlacedFound>()
            + texts.sum::<usize>()
    }

    /// The text of a stretch.
    pub(super) fn text_of(&self, one: &PlacedFound) -> &str {
        let bytes = one.bytes.start as usize..one.bytes.end as usize;
        self.text.get(bytes).unwrap_or_default()
    }
}

/// Ranges in order, those that overlap as one.
pub(super) fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
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
