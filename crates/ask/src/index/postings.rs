//! The postings of a shingle: the files of all merge levels as one inverted index.
//!
//! Each file has the numbers that documents had when it was made. Reading translates them and
//! leaves out documents of dropped snapshots. There are few files, so the merge compares the heads
//! of all of them.

use super::Index;
use format::{FormatError, RecordRange};
use model::{Posting, Renumbering};

/// The documents of a shingle, ascending.
#[derive(Debug)]
pub struct Postings<'a> {
    parts: Vec<(RecordRange<'a, Posting>, Option<&'a Renumbering>)>,
}

impl Index {
    /// The postings of a shingle: its representatives, ascending. Of a common one they may be very
    /// many.
    ///
    /// # Errors
    /// At damage.
    pub fn postings(&self, shingle: u64) -> Result<Postings<'_>, FormatError> {
        let mut parts = Vec::new();
        for file in &self.postings {
            let range = file.records.equal(shingle)?;
            if !range.is_empty() {
                parts.push((range, file.by.as_ref()));
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
        let mut parts: Vec<LevelPostings<'_>> = self
            .parts
            .iter()
            .map(|(range, by)| LevelPostings {
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
struct LevelPostings<'a> {
    range: RecordRange<'a, Posting>,
    by: Option<&'a Renumbering>,
    next: u64,
    head: Option<Posting>,
}

impl LevelPostings<'_> {
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
