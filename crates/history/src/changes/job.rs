//! The context that all steps share, and their scratch files.

use super::earlier_changes::EarlierChanges;
use engine::Engine;
use format::SnapshotSpan;
use format::{FileKind, RecordReader, RecordSpec, RecordWriter};
use model::{Record, WordRecord};
use publication::PHASE;
use runtime::Error;
use sort::{Prefixes, WordSorter};
use std::path::PathBuf;

/// What all steps of finding changes share.
pub(super) struct Job<'a> {
    pub(super) engine: &'a Engine<'a>,
    /// The snapshots and where their documents begin.
    pub(super) spans: Vec<SnapshotSpan>,
    /// Changes that an earlier run found.
    pub(super) earlier: &'a EarlierChanges,
    /// Memory of one sort; up to seven exist at a time.
    pub(super) share_bytes: usize,
    /// The range of the prefixes of document numbers.
    pub(super) documents: Prefixes,
}

impl Job<'_> {
    /// A sort by a document.
    pub(super) fn sorter<R: WordRecord>(&self, name: &str) -> WordSorter<R> {
        self.engine
            .word_sorter(PHASE, name, self.share_bytes)
            .expecting(self.documents)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.engine.dir(PHASE).join(format!("changes.run-{name}"))
    }

    /// A file that lives no longer than this.
    pub(super) fn write<R: Record>(&self, name: &str) -> Result<RecordWriter<R>, Error> {
        let spec = RecordSpec::scratch(self.path(name), 16 << 10);
        RecordWriter::create(&self.engine.disk, spec).map_err(Error::from)
    }

    pub(super) fn read<R: Record>(&self, name: &str) -> Result<RecordReader<R>, Error> {
        RecordReader::open(&self.engine.disk, &self.path(name), FileKind::Run).map_err(Error::from)
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), Error> {
        self.engine
            .disk
            .remove(&self.path(name))
            .map_err(Error::from)
    }

    /// The place of a document's snapshot.
    pub(super) fn snapshot_of(&self, doc: u32) -> u32 {
        let after = self.spans.partition_point(|span| span.first <= doc);
        u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX)
    }
}
