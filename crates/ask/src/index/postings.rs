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

    /// All of them, in order; an error comes first.
    pub fn iter(&self) -> impl Iterator<Item = Result<Posting, FormatError>> + '_ {
        let parts = self.parts.iter().map(|(range, by)| {
            let renumbered = range
                .iter()
                .filter_map(move |posting| renumbered(posting, *by));
            renumbered.peekable()
        });
        let mut parts: Vec<_> = parts.collect();
        std::iter::from_fn(move || {
            let heads = parts.iter_mut().filter_map(|part| {
                let head = part.peek()?.as_ref().ok().copied();
                Some((head, part))
            });
            let (_, first) = heads.min_by_key(|(head, _)| *head)?;
            first.next()
        })
    }
}

/// The posting with the number that its document has now; `None` if it was dropped.
fn renumbered(
    posting: Result<Posting, FormatError>,
    by: Option<&Renumbering>,
) -> Option<Result<Posting, FormatError>> {
    match (posting, by) {
        (Ok(posting), Some(by)) => {
            let doc = by.get(posting.doc)?;
            Some(Ok(Posting { doc, ..posting }))
        }
        (posting, _) => Some(posting),
    }
}
