//! The context that all steps share, and their scratch files.

use super::earlier_changes::EarlierChanges;
use crate::urls::Urls;
use engine::{Engine, Error, ScratchDir};
use format::{ScratchWriter, SnapshotSpan};
use model::{Record, WordRecord};
use sort::{Stream, WordSorter};

/// The fewest records whose URLs are read together, whatever the memory.
const BATCH_MIN: usize = 256;

/// The state that all steps of finding changes share.
pub(super) struct Job<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) scratch: ScratchDir,
    /// The snapshots and where their documents begin.
    pub(super) spans: Vec<SnapshotSpan>,
    /// Changes that an earlier run found.
    pub(super) earlier: &'a EarlierChanges,
    /// Memory of one sort; up to seven exist at a time.
    pub(super) share_bytes: usize,
}

impl Job<'_> {
    /// A sort by a document.
    pub(super) fn sorter<R: WordRecord>(&self, name: &str) -> WordSorter<R> {
        self.scratch.by_document(name, self.share_bytes)
    }

    /// A file that lives no longer than this.
    pub(super) fn file<R: Record>(&self, name: &str) -> Result<ScratchWriter<R>, Error> {
        Ok(self.scratch.file(&format!("changes.run-{name}"))?)
    }

    /// The place of a document's snapshot.
    pub(super) fn snapshot_of(&self, doc: u32) -> u32 {
        let after = self.spans.partition_point(|span| span.first <= doc);
        u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The name of a document's snapshot.
    pub(super) fn snapshot_name_of(&self, doc: u32) -> &str {
        let span = self.spans.get(self.snapshot_of(doc) as usize);
        span.map_or("", |span| span.name.as_str())
    }

    /// Hands on all records with the URLs of their documents: as many records at a time as fit the
    /// memory of a sort, of which a record takes `record_bytes` besides its URLs.
    pub(super) fn with_urls<S, const N: usize>(
        &self,
        mut records: S,
        record_bytes: usize,
        docs: impl Fn(&S::Record) -> [u32; N],
        mut take: impl FnMut(&S::Record, &Urls) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        S: Stream,
        Error: From<S::Error>,
    {
        let segments = self.engine.segments()?;
        let mut most = (self.share_bytes / record_bytes / 2).max(BATCH_MIN);
        let mut batch = Vec::new();
        loop {
            while batch.len() < most
                && let Some(record) = records.next()?
            {
                batch.push(record);
            }
            let count = batch.len().min(most);
            if count == 0 {
                return Ok(());
            }
            let room_bytes = match count {
                ..=BATCH_MIN => usize::MAX,
                _ => self.share_bytes.saturating_sub(count * record_bytes),
            };
            let wanted = batch[..count].iter().flat_map(&docs).collect();
            let Some(urls) = Urls::of(&segments, wanted, room_bytes)? else {
                most = (count / 2).max(BATCH_MIN);
                continue;
            };
            for record in batch.drain(..count) {
                take(&record, &urls)?;
            }
        }
    }
}
