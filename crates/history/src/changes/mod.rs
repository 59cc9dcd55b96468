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
mod job;
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
use format::{MergeLevels, Sealed};
use job::Job;
use kept::Kept;
use outcome::Outcome;
use publication::PHASE;
use publication::publish::Publication;
use runtime::Error;
use sort::Prefixes;
use std::collections::BTreeMap;

/// The changes between snapshots, as published.
pub struct Changes {
    /// The tables.
    pub tables: Vec<Sealed>,
    /// Counts for the report.
    pub counts: BTreeMap<String, u64>,
    /// The files that the next run may reuse.
    pub kept: MergeLevels,
}

/// Makes the tables; `None` with a single snapshot.
///
/// # Errors
/// When an input is damaged, an output cannot be written, or the run was interrupted.
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
