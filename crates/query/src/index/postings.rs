//! Postings in files of steps, as one inverted index in the numbers of now.
//!
//! Each file numbers documents as they were when it was made; what is of dropped snapshots is left
//! out. Files are few.

use format::{FormatError, IndexSnapshot, RecordRange, SortedRecords};
use model::{Posting, Renumbering, SnapshotDocuments};

/// One file.
#[derive(Debug)]
pub(super) struct Level {
    records: SortedRecords<Posting>,
    /// None if its numbers are those of now.
    by: Option<Renumbering>,
}

impl Level {
    pub(super) fn new(
        records: SortedRecords<Posting>,
        level: &format::Level,
        now: &[IndexSnapshot],
    ) -> Level {
        let then = level
            .snapshots
            .iter()
            .map(|one| (one.number, one.documents));
        let now = now.iter().map(|one| (one.number, one.documents));
        let list = |of: &mut dyn Iterator<Item = (u32, u32)>| -> Vec<SnapshotDocuments> {
            of.map(|(number, documents)| SnapshotDocuments { number, documents })
                .collect()
        };
        let by = Renumbering::between(&list(&mut { then }), &list(&mut { now }));
        Level {
            records,
            by: Some(by).filter(|by| !by.is_identity()),
        }
    }
}

/// The documents of a shingle, ascending.
#[derive(Debug)]
pub struct Postings<'a> {
    parts: Vec<(RecordRange<'a, Posting>, Option<&'a Renumbering>)>,
}

impl super::Index {
    /// The postings of a shingle: its representatives, ascending. Of a common one they may be very
    /// many.
    ///
    /// # Errors
    /// At damage.
    pub fn postings(&self, shingle: u64) -> Result<Postings<'_>, FormatError> {
        let mut parts = Vec::new();
        for level in &self.postings {
            let range = level.records.equal(shingle)?;
            if !range.is_empty() {
                parts.push((range, level.by.as_ref()));
            }
        }
        Ok(Postings { parts })
    }
}

impl Postings<'_> {
    /// Whether there can be none: false where all may be of dropped snapshots.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// How many there are at most: some may be of dropped snapshots.
    pub fn at_most(&self) -> u64 {
        self.parts.iter().map(|(range, _)| range.len()).sum()
    }

    /// All of them, in order; it ends after an error.
    pub fn iter(&self) -> impl Iterator<Item = Result<Posting, FormatError>> + '_ {
        let mut parts: Vec<Part<'_>> = self
            .parts
            .iter()
            .map(|(range, by)| Part {
                range: range.clone(),
                by: *by,
                next: 0,
                head: None,
            })
            .collect();
        let mut failed = parts.iter_mut().find_map(|part| part.advance().err());
        let mut over = false;
        std::iter::from_fn(move || {
            if over {
                return None;
            }
            if let Some(error) = failed.take() {
                over = true;
                return Some(Err(error));
            }
            let first = parts
                .iter_mut()
                .filter(|part| part.head.is_some())
                .min_by_key(|part| part.head)?;
            let posting = first.head?;
            failed = first.advance().err();
            Some(Ok(posting))
        })
    }
}

/// A file on its way; its next posting.
struct Part<'a> {
    range: RecordRange<'a, Posting>,
    by: Option<&'a Renumbering>,
    next: u64,
    head: Option<Posting>,
}

impl Part<'_> {
    fn advance(&mut self) -> Result<(), FormatError> {
        self.head = None;
        while self.head.is_none() && self.next < self.range.len() {
            let posting = self.range.get(self.next)?;
            self.next += 1;
            self.head = match self.by {
                None => Some(posting),
                Some(by) => by.get(posting.doc).map(|doc| Posting { doc, ..posting }),
            };
        }
        Ok(())
    }
}
