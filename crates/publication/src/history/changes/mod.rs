//! The changes between one snapshot and the next: `changes.parquet`, `moved.parquet`,
//! `host_changes.parquet`, and the counts of the report.
//!
//! *Input.* Document rows, classes, pair counts, sketch sizes, links of all snapshots. *Output.*
//! The tables, where there are two snapshots or more; nothing else depends on them. The changes
//! that an earlier run found between two snapshots are reused if all that they follow from is the
//! same ([`earlier_changes`]), so that a night costs what it brings. *Algorithm.* *Syntactic
//! Clustering of the Web*, "Lost and found" and "Characterizing how pages change over time", by
//! sorts and merges alone. Documents are sorted by URL ([`versions`]): a URL is in both of two
//! consecutive snapshots, gone, or new. Two versions are in one class ([`version_classes`]), or are
//! estimated as `cluster` would, from pair counts and sizes of their representatives, also where
//! they share nothing ([`resemble`]). A document that is gone is looked for among those that
//! appeared: in its classes, then along its links ([`moved`]). All outcomes are sorted by the older
//! document and written ([`rows`]). *Memory.* Sorts of an eighth of the budget each. *Disk.* Sorts
//! of 32 bytes a document, then 8 to 100 a URL, gone when they are read. *Limits.* URLs are equal
//! if 128 bits of a keyed hash are. Of several documents of one URL in a snapshot the latest by
//! date stands for it, of equal or no date the last. Documents without URL take no part.

mod by_step;
mod earlier_changes;
mod half_life;
mod hosts;
mod job;
mod moved;
mod outcome;
mod resemble;
mod rows;
mod statistics;
mod step_key;
#[cfg(test)]
pub mod tests;
mod version_classes;
mod versions;

pub use rows::intervals;
pub use statistics::Intervals;

use crate::publish::Publication;
use crate::{PHASE, memory};
use earlier_changes::EarlierChanges;
use engine::{Engine, Error};
use format::{MergeLevels, Sealed};
use job::Job;
use outcome::Outcome;
use output::ChangeCounts;
use version_classes::OlderClasses;

/// The changes between snapshots, as published.
pub struct Changes {
    /// The tables.
    pub tables: Vec<Sealed>,
    /// Figures for the report.
    pub report: ChangeCounts,
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
    let memory = engine.budget.take(memory::CHANGES);
    let earlier = EarlierChanges::open(engine, publication, &spans)?;
    let job = Job {
        engine,
        scratch: engine.scratch(PHASE)?,
        spans,
        earlier: &earlier,
        share_bytes: memory.part_bytes(),
    };
    let mut outcomes = job.sorter::<Outcome>("outcomes");
    let (versions, urls) = versions::versions(&job)?;
    let OlderClasses { pairs, sides, new } = version_classes::older(&job, versions, &mut outcomes)?;
    let requests = version_classes::newer(&job, pairs, &mut outcomes)?;
    resemble::estimate(&job, requests, &mut outcomes)?;
    let with_copies = moved::look(&job, sides, &mut outcomes)?;
    let written = rows::write(&job, publication, outcomes.finish()?, &new, &urls)?;
    let report = statistics::report(&job.spans, &written.steps, &intervals(&engine.inputs));
    let tables = written.tables.clone();
    let kept = earlier.keep(engine, publication, written, &with_copies)?;
    Ok(Some(Changes {
        tables,
        report,
        kept,
    }))
}
