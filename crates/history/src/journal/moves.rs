//! Members of both publications → documents whose clusters differ, by old cluster and by new one.

use super::cluster_files::ClusterFiles;
use super::job::{Job, NONE};
use super::records::{
    AddNewClusterFlows, AddOldClusterFlows, Flow, NewClusterFlow, OldClusterFlow,
};
use format::{MemberRecord, RecordReader};
use runtime::Error;
use sort::{Sorted, Sorter};

/// Documents that are no longer in the cluster of the same id.
pub(super) struct Moves {
    /// Those that were in a cluster, counted.
    pub(super) by_old: Sorted<OldClusterFlow, AddOldClusterFlows>,
    /// Those that came from none; what else meets a new cluster joins them.
    pub(super) by_new: Sorter<NewClusterFlow, AddNewClusterFlows>,
}

/// Members with their public ids, in order.
struct Members<'a> {
    reader: RecordReader<MemberRecord>,
    clusters: &'a ClusterFiles,
    next: Option<Member>,
}

#[derive(Clone, Copy)]
struct Member {
    doc_id: i64,
    cluster_id: i64,
    doc: u32,
    cluster: u32,
}

impl<'a> Members<'a> {
    fn open(clusters: &'a ClusterFiles) -> Result<Members<'a>, Error> {
        let mut members = Members {
            reader: clusters.members()?,
            clusters,
            next: None,
        };
        members.advance()?;
        Ok(members)
    }

    fn advance(&mut self) -> Result<(), Error> {
        let next = self.reader.next()?;
        let ids = &self.clusters.ids;
        self.next = next.map(|MemberRecord { doc, cluster, .. }| Member {
            doc_id: ids.get(doc),
            cluster_id: ids.get(cluster),
            doc,
            cluster,
        });
        Ok(())
    }

    /// The one of this document, if it is in a cluster; documents are asked for in ascending order.
    fn take(&mut self, doc_id: i64) -> Result<Option<Member>, Error> {
        let found = self.next.filter(|next| next.doc_id == doc_id);
        if found.is_some() {
            self.advance()?;
        }
        Ok(found)
    }
}

pub(super) fn moves(job: &Job<'_>) -> Result<Moves, Error> {
    let mut by_old = job.sorter::<4, _>("parted", AddOldClusterFlows);
    let mut by_new = job.sorter::<7, _>("joined", AddNewClusterFlows);
    let (mut old, mut new) = (Members::open(job.old)?, Members::open(job.new)?);
    loop {
        let lower = [&old, &new]
            .into_iter()
            .filter_map(|members| members.next)
            .map(|member| member.doc_id)
            .min();
        let Some(doc_id) = lower else { break };
        match (old.take(doc_id)?, new.take(doc_id)?) {
            (Some(old), Some(new)) if old.cluster_id == new.cluster_id => {}
            (Some(old), Some(new)) => {
                by_old.push(Flow([old.cluster, new.cluster, new.doc, 1]))?;
            }
            (Some(old), None) => by_old.push(Flow([old.cluster, NONE, NONE, 1]))?,
            (None, Some(new)) => by_new.push(Flow([new.cluster, 0, NONE, 1, 0, 0, 0]))?,
            (None, None) => break,
        }
    }
    Ok(Moves {
        by_old: by_old.finish()?,
        by_new,
    })
}
