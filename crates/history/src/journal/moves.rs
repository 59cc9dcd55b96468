//! Members of both publications → documents whose clusters differ, by old cluster and by new one.

use super::job::{Job, NONE};
use super::records::{CountJoined, CountParted, Flow, Joined, Parted};
use super::side::Side;
use format::{MemberRecord, RecordReader};
use publication::PHASE;
use runtime::Error;
use sort::{Sorted, Sorter};

/// Documents that are no longer in the cluster of the same id.
pub(super) struct Moves {
    /// Those that were in a cluster, counted.
    pub(super) parted: Sorted<Parted, CountParted>,
    /// Those that came from none; what else meets a new cluster joins them.
    pub(super) joined: Sorter<Joined, CountJoined>,
}

/// Members with their public ids, in order.
struct Members<'a> {
    reader: RecordReader<MemberRecord>,
    side: &'a Side,
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
    fn open(side: &'a Side) -> Result<Members<'a>, Error> {
        let mut members = Members {
            reader: side.members()?,
            side,
            next: None,
        };
        members.advance()?;
        Ok(members)
    }

    fn advance(&mut self) -> Result<(), Error> {
        let next = self.reader.next().map_err(Error::work(PHASE))?;
        let ids = &self.side.ids;
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
    let work = Error::work(PHASE);
    let mut parted = job.sorter::<4, _>("parted", CountParted);
    let mut joined = job.sorter::<7, _>("joined", CountJoined);
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
                parted
                    .push(Flow([old.cluster, new.cluster, new.doc, 1]))
                    .map_err(work)?;
            }
            (Some(old), None) => parted
                .push(Flow([old.cluster, NONE, NONE, 1]))
                .map_err(work)?,
            (None, Some(new)) => joined
                .push(Flow([new.cluster, 0, NONE, 1, 0, 0, 0]))
                .map_err(work)?,
            (None, None) => break,
        }
    }
    Ok(Moves {
        parted: parted.finish().map_err(work)?,
        joined,
    })
}
