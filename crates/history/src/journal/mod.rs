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
//! *Algorithm.* Both lists of members are merged by public id ([`moves`]); documents that stay in
//! the cluster of their id, mostly all, go no further, and are known from the sizes of the
//! clusters. The others are counted for each old and new cluster by a sort, looked at by old
//! cluster ([`old_clusters`]), then by new one ([`new_clusters`]). Rows are sorted by old cluster,
//! new cluster and event, with none last. *Memory.* Sorts of a quarter of the budget each, and a
//! row group. *Disk.* Sorts of 16 and 28 bytes a document that changes its cluster, gone when they
//! are read.
//!
//! *Limits.* Rows go with their snapshots: those before the first one whose snapshot is still there
//! are left out. So without `drop` the journal has some rows for each document at most, and with
//! `keep` those of so many nights; carrying it over costs a copy of its bytes, not decoded but for
//! a row group ([`output::carry`]). It depends on history: a run from scratch has none of its rows.

mod cluster_files;
mod job;
mod moves;
mod new_clusters;
mod numbering;
mod old_clusters;
mod previous;
mod records;
mod reuse_error;
#[cfg(test)]
pub mod tests;
mod write;

use cluster_files::ClusterFiles;
use engine::Engine;
use format::Sealed;
pub use job::FILE;
use job::Job;
use previous::PreviousClusters;
pub use previous::sound_journal;
use publication::PHASE;
use publication::publish::Publication;
use records::Change;
use runtime::Error;
use sort::SortedWords;

/// Writes the journal of a publication.
///
/// # Errors
/// When this run's files are damaged, the journal cannot be written, or the run was interrupted.
pub fn journal(engine: &Engine<'_>, publication: &Publication) -> Result<Sealed, Error> {
    let mut previous = match PreviousClusters::open(engine, publication)? {
        Ok(previous) => previous,
        Err(why) => {
            engine
                .reporter
                .line(&format!("note: {FILE} starts again: {why}"));
            None
        }
    };
    let mut writer = write::Writer::begin(engine, publication)?;
    if let Some(previous) = &mut previous {
        writer.carry(previous)?;
        let new = ClusterFiles::of_run(engine)?;
        let memory = engine.budget.reserve_share(7, 8);
        let job = Job {
            engine,
            old: &previous.clusters,
            new: &new,
            share_bytes: memory.bytes() / 4,
        };
        writer.rows(previous.number, &job, changes(&job)?)?;
    }
    writer.finish()
}

/// The events of all clusters, sorted.
fn changes(job: &Job<'_>) -> Result<SortedWords<Change>, Error> {
    let moves = moves::moves(job)?;
    let mut rows = job.engine.word_sorter(PHASE, "rows", job.share_bytes);
    let flows = old_clusters::compare(job, moves, &mut rows)?;
    new_clusters::compare(job, flows, &mut rows)?;
    rows.finish().map_err(Error::from)
}
