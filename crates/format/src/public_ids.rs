//! Snapshots with the ranges of their documents, and the public ids that follow from them.

use model::{DocId, PublicId, SnapshotNumber};
use serde::{Deserialize, Serialize};

/// A snapshot of a run, or of its index, and the range of its documents there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotSpan {
    /// Its number, which never changes: the high half of public ids.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// The first of its documents.
    pub first: u32,
    /// How many documents it has.
    pub documents: u32,
    /// The first of its files among those of the input.
    pub first_file: u32,
}

/// Maps document numbers of a run to public ids, which stay the same from run to run.
#[derive(Clone, Debug)]
pub struct PublicIds {
    spans: Vec<SnapshotSpan>,
}

impl PublicIds {
    /// The ids of these snapshots, which are in document order.
    pub fn new(spans: Vec<SnapshotSpan>) -> PublicIds {
        PublicIds { spans }
    }

    /// The document with a public id, if there is one.
    pub fn find(&self, id: i64) -> Option<u32> {
        let (SnapshotNumber(number), DocId(doc)) = PublicId(id).split()?;
        let mut spans = self.spans.iter();
        let span = spans.find(|span| span.number == number)?;
        (doc < span.documents).then(|| span.first + doc)
    }

    /// The public id of a document; -1 without snapshots.
    #[inline]
    pub fn get(&self, doc: u32) -> i64 {
        self.span_of(doc).map_or(-1, |span| {
            let place = DocId(doc.saturating_sub(span.first));
            SnapshotNumber(span.number).public(place).0
        })
    }

    /// The snapshot of a document.
    pub fn span_of(&self, doc: u32) -> Option<&SnapshotSpan> {
        let after = self.spans.partition_point(|span| span.first <= doc);
        self.spans.get(after.saturating_sub(1))
    }
}
