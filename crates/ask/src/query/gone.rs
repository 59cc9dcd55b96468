//! Follows a cluster that is gone to the clusters of now that came of it.
//!
//! *Input.* The journal of clusters, in order of publications, in each by old cluster. *Output.*
//! The events of the last publication in which the cluster ceased to exist, and the clusters of now
//! that came of it. *Algorithm.* One pass. A cluster has ceased to exist when as many documents
//! left it as it had. From there on the clusters that its documents joined are followed, and those
//! that documents of these joined: the journal counts documents and does not name them. *Memory.*
//! The ids of those clusters, and the answer.

use super::open::damaged;
use super::show::{Escaped, write_more};
use crate::index::Index;
use engine::Error;
use format::Disk;
use output::{ClusterChangeRow, ColumnSelection, TableReader};
use publication::history::journal::sound_journal;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// A cluster that there was, and is no more.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GoneCluster {
    /// Its id.
    pub cluster_id: i64,
    /// The publication since which it is gone, by its number.
    pub publication: i64,
    /// The one before, the last that had it.
    pub previous: i64,
    /// The newest snapshot of the publication since which it is gone.
    pub snapshot: String,
    /// Documents it had.
    pub documents: i64,
    /// Its history then: rows of the journal.
    pub events: Vec<GoneEvent>,
    /// How many there are.
    pub events_total: u64,
    /// The clusters of now that it, or what came of it, went into.
    pub now: Vec<ClusterNow>,
    /// How many there are.
    pub now_total: u64,
}

/// The fate of some of its documents, or all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GoneEvent {
    /// died, merged, renamed, shrunk or split.
    pub event: String,
    /// The cluster they went to; none if to none.
    pub new_cluster_id: Option<i64>,
    /// How many.
    pub documents: i64,
    /// How many that cluster had then.
    pub documents_after: i64,
}

/// A cluster of the publication that is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterNow {
    /// Its id.
    pub cluster_id: i64,
    /// Documents in it.
    pub documents: u64,
}

/// The history of the cluster of this id, with at most `limit` events and clusters; none if there
/// is such a cluster now, or the journal knows of none.
pub fn gone(index: &Index, id: i64, limit: usize) -> Result<Option<GoneCluster>, Error> {
    let documents = |id| -> Result<Option<u64>, Error> {
        let record = index.doc_of(id).map(|doc| index.cluster(doc)).transpose()?;
        Ok(record.flatten().map(|record| u64::from(record.documents)))
    };
    if documents(id)?.is_some() {
        return Ok(None);
    }
    let publication = index.dir().parent().unwrap_or(Path::new("."));
    let journal = sound_journal(&Disk::default(), publication);
    let Some(path) = journal.map_err(damaged)? else {
        return Ok(None);
    };
    let mut story = GoneSearch {
        id,
        limit,
        ..GoneSearch::default()
    };
    let mut reader = TableReader::open(&path, ColumnSelection::All)?;
    while let Some(batch) = reader.next_batch()? {
        for row in batch.iter() {
            story.row(&ClusterChangeRow::of(&row));
        }
    }
    story.end_publication();
    let Some(mut gone) = story.gone else {
        return Ok(None);
    };
    for heir in story.heirs {
        let Some(documents) = documents(heir)? else {
            continue;
        };
        gone.now_total += 1;
        if gone.now.len() < limit {
            gone.now.push(ClusterNow {
                cluster_id: heir,
                documents,
            });
        }
    }
    Ok(Some(gone))
}

/// The state of a search through the published changes.
#[derive(Default)]
struct GoneSearch {
    id: i64,
    limit: usize,
    gone: Option<GoneCluster>,
    /// Clusters that came of it, as of the publication before.
    heirs: BTreeSet<i64>,
    /// Heirs that this publication adds.
    next: BTreeSet<i64>,
    publication: i64,
    group: Option<ClusterChanges>,
}

/// The rows of one old cluster in one publication.
struct ClusterChanges {
    /// The cluster as if it were gone.
    gone: GoneCluster,
    /// Documents that went or left, as far as is known.
    accounted: i64,
    /// The new cluster whose documents are counted already.
    counted: Option<i64>,
    targets: BTreeSet<i64>,
}

impl ClusterChanges {
    fn of(row: &ClusterChangeRow<'_>, cluster_id: i64) -> ClusterChanges {
        ClusterChanges {
            gone: GoneCluster {
                cluster_id,
                publication: row.publication,
                previous: row.previous,
                snapshot: row.snapshot.to_owned(),
                documents: row.documents_before,
                ..GoneCluster::default()
            },
            accounted: 0,
            counted: None,
            targets: BTreeSet::new(),
        }
    }

    fn add(&mut self, row: &ClusterChangeRow<'_>, limit: usize) {
        if row.event == "grown" {
            return;
        }
        // A cluster that merged and was split off at once has two rows, one after the other.
        let is_counted = row.new_cluster_id.is_some()
            && row.event != "shrunk"
            && self.counted == row.new_cluster_id;
        if !is_counted {
            self.accounted += row.documents;
        }
        if row.event != "shrunk" {
            self.counted = row.new_cluster_id;
            self.targets.extend(row.new_cluster_id);
        }
        self.gone.events_total += 1;
        if self.gone.events.len() < limit {
            self.gone.events.push(GoneEvent {
                event: row.event.to_owned(),
                new_cluster_id: row.new_cluster_id,
                documents: row.documents,
                documents_after: row.documents_after,
            });
        }
    }
}

impl GoneSearch {
    fn row(&mut self, row: &ClusterChangeRow<'_>) {
        if row.publication != self.publication {
            self.end_publication();
            self.publication = row.publication;
        }
        let old = self.group.as_ref().map(|group| group.gone.cluster_id);
        if old != row.old_cluster_id {
            // Only then is it known whom to follow.
            self.end_group();
        }
        let Some(old) = row.old_cluster_id else {
            return;
        };
        if old == self.id || self.heirs.contains(&old) {
            let group = self
                .group
                .get_or_insert_with(|| ClusterChanges::of(row, old));
            group.add(row, self.limit);
        }
    }

    fn end_group(&mut self) {
        let Some(ended) = self.group.take() else {
            return;
        };
        let (gone, targets) = (ended.gone, ended.targets);
        let has_ceased = ended.accounted == gone.documents;
        if gone.cluster_id != self.id {
            self.next.extend(targets);
            if has_ceased {
                self.heirs.remove(&gone.cluster_id);
            }
        } else if has_ceased {
            // Whatever came of it earlier: it was there again.
            (self.heirs, self.next) = (BTreeSet::new(), targets);
            self.gone = Some(gone);
        }
    }

    fn end_publication(&mut self) {
        self.end_group();
        self.heirs.append(&mut self.next);
    }
}

impl fmt::Display for GoneCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, publication, had) = (self.cluster_id, self.publication, self.documents);
        let since = format!(
            "gone since publication {publication} ({})",
            Escaped(&self.snapshot)
        );
        writeln!(f, "cluster    {id}, {since}; it had {had} documents")?;
        for one in &self.events {
            let (event, documents, after) = (&one.event, one.documents, one.documents_after);
            write!(f, "{event:<10} {documents} of them went to ")?;
            match one.new_cluster_id {
                Some(new) if event != "shrunk" => {
                    writeln!(f, "{new}, which then had {after} documents")?;
                }
                _ => writeln!(f, "no cluster")?,
            }
        }
        write_more(f, self.events_total, self.events.len())?;
        for now in &self.now {
            let (id, documents) = (now.cluster_id, now.documents);
            writeln!(f, "now        {id}, {documents} documents")?;
        }
        write_more(f, self.now_total, self.now.len())
    }
}

#[cfg(test)]
mod tests;
