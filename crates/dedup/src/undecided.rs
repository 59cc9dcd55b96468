//! Documents that `--lossless` keeps for now: what they may go for is still to be found.
//!
//! *Input.* [`Undecided`] records, in document order. *Output.* [`UndecidedDocument`]s, by class. *Memory.* One
//! sort.

use super::task::Task;
use cluster::Rank;
use format::RecordReader;
use model::record;
use phases::cluster::Ranks;
use phases::words::Words;
use runtime::{Error, PhaseName};
use sort::{Keep, Prefixes, Sorted};
use std::path::Path;

/// ⟨document, the lowest of those that are decided together, a document that does not contain it or
/// [`NONE`](super::candidate::NONE)⟩, in document order.
pub(super) type Undecided = Words<3>;

/// A document of a class that is left over, to be sorted by its place in it. 45 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UndecidedDocument {
    /// By representative first, what has no body last; later by length, the longest first.
    pub(super) order: [u32; 2],
    pub(super) rank: Rank,
    pub(super) doc: u32,
}

record! {
    UndecidedDocument { rank, order, doc },
    |candidate| u64::from(candidate.order[0]) << 32 | u64::from(candidate.order[1])
}

/// What is left over, by class: what has no body last, else by `keep`.
pub(super) fn by_class(
    task: &Task<'_>,
    left: &Path,
) -> Result<Sorted<UndecidedDocument, Keep>, Error> {
    let (engine, work) = (task.engine, Error::work(PhaseName::Cluster));
    let range = Prefixes::documents(engine.segments()?.documents());
    let mut members = task
        .sorter::<UndecidedDocument>("of-classes", task.share_bytes)
        .expecting(range);
    let mut ranks = Ranks::open(engine)?;
    let mut left: RecordReader<Undecided> = task.read(left)?;
    let mut revisited = engine.segments()?.revisited();
    while let Some(Words([doc, class, _])) = left.next().map_err(|e| Error::from_format(None, e))? {
        let order = [class, u32::from(revisited.has(doc)?)];
        let rank = ranks.of(doc)?;
        members
            .push(UndecidedDocument { order, rank, doc })
            .map_err(work)?;
    }
    members.finish().map_err(work)
}
