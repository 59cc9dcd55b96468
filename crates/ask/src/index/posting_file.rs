//! A file of postings, one LSM level of phase `sort`, with the renumbering it needs.

use format::{SnapshotSpan, SortedRecords};
use model::{Posting, Renumbering, SnapshotDocuments};

/// One sorted file of postings.
#[derive(Debug)]
pub(super) struct PostingFile {
    /// Its postings, with the numbers that documents had when it was made.
    pub(super) records: SortedRecords<Posting>,
    /// From the numbers in the file to those of the index; `None` if they are the same.
    pub(super) by: Option<Renumbering>,
}

impl PostingFile {
    /// A file of a merge level, for an index of the snapshots `now`.
    pub(super) fn new(
        records: SortedRecords<Posting>,
        level: &format::MergeLevel,
        now: &[SnapshotSpan],
    ) -> PostingFile {
        let then = level.snapshots.iter().map(|then| SnapshotDocuments {
            number: then.number,
            documents: then.documents,
        });
        let now = now.iter().map(|now| SnapshotDocuments {
            number: now.number,
            documents: now.documents,
        });
        let by = Renumbering::between(&then.collect::<Vec<_>>(), &now.collect::<Vec<_>>());
        PostingFile {
            records,
            by: Some(by).filter(|by| !by.is_identity()),
        }
    }
}
