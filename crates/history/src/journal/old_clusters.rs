//! Old clusters and where their documents went → which died or shrunk; the new clusters they meet.
//!
//! An old cluster may meet any number of new ones, and what is to be said of each depends on all:
//! so its flows are written and read by two readers, of which one goes ahead to sum up.

use super::cluster_files::ClusterSizes;
use super::job::{Job, NONE};
use super::moves::Moves;
use super::records::{
    AddNewClusterFlows, Change, DIED, Flow, IS_HEIR, IS_SPLIT, NewClusterFlow, OldClusterFlow,
    SHRUNK,
};
use format::{FileKind, RecordReader, RecordSpec, RecordWriter};
use model::Words;
use runtime::Error;
use sort::{Sorted, WordSorter};

/// What the flows of an old cluster come to.
#[derive(Default)]
struct Sum {
    /// Documents that are in no cluster.
    left: u32,
    /// New clusters that it meets, without that of its id.
    met: u32,
    /// The lowest document that is in one of them.
    lowest: u32,
}

/// Pushes the rows that follow from the old clusters alone; gives the flows into new clusters.
pub(super) fn compare(
    job: &Job<'_>,
    moves: Moves,
    rows: &mut WordSorter<Change>,
) -> Result<Sorted<NewClusterFlow, AddNewClusterFlows>, Error> {
    let Moves { by_old, mut by_new } = moves;
    let path = write_flows(job, by_old)?;
    let open = || {
        RecordReader::<OldClusterFlow>::open(&job.engine.disk, &path, FileKind::Run)
            .map_err(Error::from)
    };
    let (mut ahead, mut behind) = (open()?, open()?);
    let (mut next, mut flow) = (ahead.next()?, behind.next()?);
    let (mut sizes, mut new_sizes): (ClusterSizes<'_>, ClusterSizes<'_>) =
        (job.old.sizes()?, job.new.sizes()?);
    while let Some(Flow([old, ..])) = next {
        let mut sum = Sum {
            lowest: NONE,
            ..Sum::default()
        };
        while let Some(Flow([_, new, lowest, documents])) = next.filter(|next| next.0[0] == old) {
            if new == NONE {
                sum.left = documents;
            } else {
                sum.met += 1;
                sum.lowest = sum.lowest.min(lowest);
            }
            next = ahead.next()?;
        }
        let before = sizes.of(old)?;
        let same = new_sizes.of_id(job.old.ids.get(old))?;
        match same {
            Some((new, after)) if sum.left > 0 => {
                rows.push(Words([old, new, SHRUNK, before, after, sum.left]))?;
            }
            None if sum.met == 0 => rows.push(Words([old, NONE, DIED, before, 0, before]))?,
            _ => {}
        }
        let is_split = sum.met + u32::from(same.is_some()) > 1;
        while let Some(Flow([_, new, lowest, documents])) = flow.filter(|flow| flow.0[0] == old) {
            if new != NONE {
                let is_heir = same.is_none() && lowest == sum.lowest;
                let left = if is_heir { sum.left } else { 0 };
                let bits = u32::from(is_heir) * IS_HEIR + u32::from(is_split) * IS_SPLIT;
                by_new.push(Flow([new, lowest + 1, old, documents, before, left, bits]))?;
            }
            flow = behind.next()?;
        }
    }
    drop((ahead, behind));
    job.engine.disk.remove(&path)?;
    by_new.finish().map_err(Error::from)
}

fn write_flows(
    job: &Job<'_>,
    mut by_old: Sorted<OldClusterFlow, super::records::AddOldClusterFlows>,
) -> Result<std::path::PathBuf, Error> {
    let path = job.path("flows");
    let spec = RecordSpec::scratch(path.clone(), 16 << 10);
    let mut writer = RecordWriter::<OldClusterFlow>::create(&job.engine.disk, spec)?;
    while let Some(flow) = by_old.next()? {
        writer.push(&flow)?;
    }
    writer.finish()?;
    Ok(path)
}
