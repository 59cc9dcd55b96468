//! New clusters and where their documents came from → which were born, grew, merged, were split off
//! or renamed.
//!
//! What meets a new cluster comes in order of the lowest document that is in both, after what came
//! from none: so the first one is the one that it may continue, and whether there are others is
//! known from the next.

use super::job::{Job, NONE};
use super::records::{
    AddNewClusterFlows, BORN, Change, Flow, GROWN, IS_HEIR, IS_SPLIT, MERGED, NewClusterFlow,
    RENAMED, SHRUNK, SPLIT,
};
use model::Words;
use runtime::Error;
use sort::{Sorted, WordSorter};

/// Pushes all rows that are not there yet.
pub(super) fn compare(
    job: &Job<'_>,
    mut flows: Sorted<NewClusterFlow, AddNewClusterFlows>,
    rows: &mut WordSorter<Change>,
) -> Result<(), Error> {
    let (mut sizes, mut old_sizes) = (job.new.sizes()?, job.old.sizes()?);
    let mut next = flows.next()?;
    while let Some(first) = next {
        let new = first.0[0];
        let after = sizes.of(new)?;
        // It and the one of its id continue each other.
        let same = old_sizes.of_id(job.new.ids.get(new))?;
        let mut cluster = Cluster {
            new,
            after,
            continued: same,
            met: u32::from(same.is_some()),
            came: 0,
        };
        if first.0[2] == NONE {
            cluster.came = first.0[3];
            next = flows.next()?;
        }
        while let Some(flow) = next.filter(|next| next.0[0] == new) {
            next = flows.next()?;
            let more = next.is_some_and(|next| next.0[0] == new);
            cluster.meet(&flow, more, rows)?;
        }
        cluster.end(rows)?;
    }
    Ok(())
}

struct Cluster {
    new: u32,
    after: u32,
    /// ⟨number, documents⟩ of the old cluster that it continues.
    continued: Option<(u32, u32)>,
    /// Old clusters that it has met so far.
    met: u32,
    /// Documents that were in none.
    came: u32,
}

impl Cluster {
    /// An old cluster, and whether there are more.
    fn meet(
        &mut self,
        flow: &NewClusterFlow,
        more: bool,
        rows: &mut WordSorter<Change>,
    ) -> Result<(), Error> {
        let Flow([new, _, old, documents, before, left, bits]) = *flow;
        let is_first = self.met == 0;
        self.met += 1;
        let mut push = |event| {
            rows.push(Words([old, new, event, before, self.after, documents]))
                .map_err(Error::from)
        };
        let continues = is_first && bits & IS_HEIR != 0;
        if continues {
            push(RENAMED)?;
            self.continued = Some((old, before));
        } else {
            if !is_first || more {
                push(MERGED)?;
            }
            if bits & IS_SPLIT != 0 {
                push(SPLIT)?;
            }
        }
        if left > 0 {
            let (new, after) = if continues {
                (new, self.after)
            } else {
                (NONE, 0)
            };
            rows.push(Words([old, new, SHRUNK, before, after, left]))?;
        }
        Ok(())
    }

    fn end(&self, rows: &mut WordSorter<Change>) -> Result<(), Error> {
        if self.came == 0 {
            return Ok(());
        }
        let (old, before) = self.continued.unwrap_or((NONE, 0));
        let event = if self.met == 0 { BORN } else { GROWN };
        rows.push(Words([old, self.new, event, before, self.after, self.came]))
            .map_err(Error::from)
    }
}
