//! What changed between one snapshot and the next: `changes.parquet`, `moved.parquet`,
//! `host_changes.parquet`, and the counts of the report.
//!
//! *Input.* Document rows, classes, pair counts, sketch sizes, links of all snapshots. *Output.*
//! The tables, where there are two snapshots or more; nothing else depends on them. What was found
//! between two snapshots by an earlier run is taken over, where nothing that it follows from is
//! another now ([`kept`]), so that a night costs what it brings. *Algorithm.* *Syntactic Clustering
//! of the Web*, "Lost and found" and "Characterizing how pages change over time", by sorts and
//! merges alone. Documents are sorted by URL ([`versions`]): a URL is in both of two consecutive
//! snapshots, gone, or new. Two versions are in one class ([`classed`]), or are estimated as
//! `cluster` would, from pair counts and sizes of those that represent them, also where they share
//! nothing ([`resemble`]). For what is gone its place is looked for among what is new: in its
//! classes, then along its links ([`moved`]). All outcomes are sorted by the older document and
//! written ([`rows`]). *Memory.* Sorts of an eighth of the budget each. *Disk.* Sorts of 32 bytes a
//! document, then 8 to 100 a URL, gone when they are read. *Limits.* URLs are equal if 128 bits of
//! a keyed hash are. Of several documents of one URL in a snapshot the latest by date stands for
//! it, of equal or no date the last. Documents without URL take no part.

mod by_step;
mod classed;
mod half_life;
mod hosts;
mod kept;
mod moved;
mod outcome;
mod resemble;
mod rows;
mod statistics;
#[cfg(test)]
pub mod tests;
mod versions;

pub use rows::{intervals, intervals_of};
pub use statistics::report;

use engine::Engine;
use engine::segments::Span;
use format::{Durability, FileKind, MergeLevels, RecordReader, RecordSpec, RecordWriter, Sealed};
use kept::Kept;
use model::Record;
use outcome::Outcome;
use publication::PHASE;
use publication::publish::Publication;
use runtime::Error;
use sort::{Keep, Prefixes, Sorter};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The tables, and counts for the report; what the next run may take over of them.
pub struct Changes {
    pub tables: Vec<Sealed>,
    pub counts: BTreeMap<String, u64>,
    pub kept: MergeLevels,
}

/// What the steps work with.
struct Job<'a> {
    engine: &'a Engine<'a>,
    spans: Vec<Span>,
    /// What an earlier run found.
    kept: &'a Kept,
    /// What a sort may take; seven are there at a time.
    share_bytes: usize,
    documents: Prefixes,
}

impl Job<'_> {
    /// A sort by a document.
    fn sorter<R: Record>(&self, name: &str) -> Sorter<R, Keep> {
        self.engine
            .sorter::<R, _>(PHASE, name, self.share_bytes, Keep)
            .expecting(self.documents)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.engine.dir(PHASE).join(format!("changes.run-{name}"))
    }

    /// A file that lives no longer than this.
    fn write<R: Record>(&self, name: &str) -> Result<RecordWriter<R>, Error> {
        let (kind, block_bytes, durability) = (FileKind::Run, 16 << 10, Durability::Scratch);
        let spec = RecordSpec {
            path: self.path(name),
            kind,
            fingerprint: [0; 16],
            block_bytes,
            durability,
        };
        RecordWriter::create(&self.engine.disk, spec).map_err(Error::work(PHASE))
    }

    fn read<R: Record>(&self, name: &str) -> Result<RecordReader<R>, Error> {
        RecordReader::open(&self.engine.disk, &self.path(name), FileKind::Run)
            .map_err(Error::work(PHASE))
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        self.engine
            .disk
            .remove(&self.path(name))
            .map_err(Error::work(PHASE))
    }

    /// The place of a document's snapshot.
    fn snapshot_of(&self, doc: u32) -> u32 {
        let after = self.spans.partition_point(|span| span.first <= doc);
        u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX)
    }
}

/// Makes the tables; none with a single snapshot.
pub fn changes(engine: &Engine<'_>, publication: &Publication) -> Result<Option<Changes>, Error> {
    let spans = engine.spans();
    if spans.len() < 2 {
        return Ok(None);
    }
    let memory = engine.budget.reserve_share(7, 8);
    let documents = Prefixes::documents(engine.segments()?.documents());
    let kept = Kept::open(engine, publication, &spans)?;
    let job = Job {
        engine,
        spans,
        kept: &kept,
        share_bytes: memory.bytes() / 8,
        documents,
    };
    let work = Error::work(PHASE);
    let mut outcomes = job.sorter::<Outcome>("outcomes");
    let (versions, urls) = versions::versions(&job)?;
    let (both, sides) = classed::older(&job, versions, &mut outcomes)?;
    let wants = classed::newer(&job, both, &mut outcomes)?;
    resemble::estimate(&job, wants, &mut outcomes)?;
    moved::look(&job, sides, &mut outcomes)?;
    let outcomes = outcomes.finish().map_err(work)?;
    let written = rows::write(&job, publication, (outcomes, &urls))?;
    job.remove("new")?;
    let mut named = intervals(&engine.inputs);
    for (place, counts) in written.counts.iter().enumerate() {
        named.extend(
            counts
                .iter()
                .map(|(name, n)| (statistics::name_of(place, name), *n)),
        );
    }
    let tables = written.tables.clone();
    let kept = kept.keep(engine, publication, written)?;
    Ok(Some(Changes {
        tables,
        counts: named,
        kept,
    }))
}
