//! Clusters over time: `cluster_changes.parquet`, what became of the clusters from one publication
//! to the next.
//!
//! *Input.* Members and clusters of this run; the same of the publication that `out` shows, from
//! its own index, so that nothing is kept in the work directory and its loss loses nothing.
//! *Output.* The rows of the publication before, and behind them those of this one. Where there was
//! no publication, or one that cannot be continued ([`previous`]), the journal starts again,
//! without rows.
//!
//! *Definitions.* A cluster has two documents or more; a document that is in none, be it alone or
//! gone, is in no cluster. An old and a new cluster meet if a document is in both. The new one
//! continues the old one if the lowest document of the old one that is in any new cluster, and the
//! lowest of the new one that was in any old cluster, are the same document: so with the same id
//! always, as an id is the lowest document. Of each cluster at most one other is continued, or
//! continues it.
//!
//! | event | of | `documents` |
//! |---|---|---|
//! | born | a new cluster that meets no old one | all of it |
//! | died | an old cluster that meets no new one | all it had |
//! | renamed | a new cluster that continues an old one of another id | that were in the old one |
//! | merged | a new cluster, and an old one that it meets and does not continue, if it meets others, too | that came over |
//! | split | an old cluster, and a new one that it meets and that does not continue it, if it meets others, too | that went over |
//! | grown | a new cluster that is not born, with documents that were in none; beside the old one it continues | that came |
//! | shrunk | an old cluster that has not died, with documents that are in none; beside the new one that continues it | that left |
//!
//! Equal clusters have no row, and where there is no row a cluster is equal: two that meet continue
//! each other, or there is a row *merged* or *split* of them; two that continue each other are
//! equal, or renamed, grown or shrunk, or meet others.
//!
//! *Algorithm.* Both lists of members are joined by public id, and the documents that change their
//! cluster are counted by sorts ([`comparison`]). Rows are sorted by old cluster, new cluster and
//! event, with none last. *Memory.* Sorts of a quarter of the budget each, and a row group. *Disk.*
//! Sorts of 12 bytes a document that leaves its cluster, of 8 one that comes to a cluster, of 32
//! for each old and new cluster that meet; gone when they are read.
//!
//! *Limits.* Rows go with their snapshots: those before the first one whose snapshot is still there
//! are left out. So without `drop` the journal has some rows for each document at most, and with
//! `keep` those of so many nights; carrying it over costs a copy of its bytes, not decoded but for
//! a row group ([`output::carry`]). It depends on history: a run from scratch has none of its rows.

mod comparison;
mod numbering;
mod previous;
#[cfg(test)]
pub mod tests;

use crate::history::reuse_error::ReuseError;
use crate::publish::{Publication, end_table};
use crate::{PHASE, memory};
use comparison::{ClusterFiles, EVENTS, NONE, PublicationComparison};
use engine::{Engine, Error};
use format::{AtomicFile, Sealed};
use output::{CLUSTER_CHANGES, ClusterChangeRow, ParquetTable, carry};
use previous::PreviousClusters;
pub use previous::{FILE, sound_journal};
use std::collections::BTreeSet;

/// Writes the journal of a publication: rows of the publication before, as long as their snapshots
/// are there, then those of this one.
///
/// # Errors
/// When this run's files are damaged, the journal cannot be written, or the run was interrupted.
pub fn journal(engine: &Engine<'_>, publication: &Publication) -> Result<Sealed, Error> {
    let previous = match PreviousClusters::open(engine, publication) {
        Ok(previous) => previous,
        Err(ReuseError::Fatal(error)) => return Err(error),
        // It is no reason not to make the next publication.
        Err(ReuseError::Unusable(why)) => {
            let note = format!("note: {FILE} starts again: {why}");
            engine.reporter.line(&note);
            None
        }
    };
    let mut table = publication.table(FILE, CLUSTER_CHANGES.schema(), 0)?;
    if let Some(previous) = previous {
        write_rows(engine, publication.number(), previous, &mut table)?;
    }
    end_table(table)
}

fn write_rows(
    engine: &Engine<'_>,
    number: u64,
    previous: PreviousClusters,
    table: &mut ParquetTable<AtomicFile>,
) -> Result<(), Error> {
    let spans = engine.spans();
    if let Some(mut journal) = previous.journal {
        // From the first row on whose snapshot is still there.
        let live: BTreeSet<&str> = spans.iter().map(|span| span.name.as_str()).collect();
        carry(&mut journal, table, |row| {
            live.contains(ClusterChangeRow::of(row).snapshot)
        })?;
    }
    let (old, new) = (&previous.clusters, &ClusterFiles::of_run(engine)?);
    let memory = engine.budget.take(memory::JOURNAL);
    let comparison = PublicationComparison {
        scratch: engine.scratch(PHASE)?,
        old,
        new,
        share_bytes: memory.part_bytes(),
    };
    let mut changes = comparison.changes()?;
    let signed = |number| i64::try_from(number).unwrap_or(i64::MAX);
    while let Some(change) = changes.next()? {
        table.write(&ClusterChangeRow {
            publication: signed(number),
            previous: signed(previous.number),
            snapshot: spans.last().map_or("", |span| span.name.as_str()),
            event: EVENTS.get(change.event as usize).copied().unwrap_or(""),
            old_cluster_id: (change.old != NONE).then(|| old.ids.get(change.old)),
            new_cluster_id: (change.new != NONE).then(|| new.ids.get(change.new)),
            documents_before: i64::from(change.documents_before),
            documents_after: i64::from(change.documents_after),
            documents: i64::from(change.documents),
        })?;
    }
    Ok(())
}
