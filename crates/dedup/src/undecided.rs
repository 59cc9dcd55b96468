//! Documents that `--lossless` has not decided: no document that contains them is found yet.
//!
//! *Input.* [`Undecided`] records, in document order. *Output.* [`UndecidedDocument`]s, by class.
//! *Memory.* One sort.

use cluster::Rank;
use clustering::Ranks;
use format::RecordReader;
use model::{Words, word_record};
use publication::removals::task::Task;
use runtime::Error;
use sort::SortedWords;
use std::path::Path;

/// ⟨document, the lowest of the documents decided together, a document that does not contain it or
/// [`NONE`](publication::removals::candidate::NONE)⟩, in document order.
pub(super) type Undecided = Words<3>;

/// An undecided document, to be sorted within its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UndecidedDocument {
    /// First the representative and 1 without a body; later the length, the longest first.
    pub(super) order: [u32; 2],
    pub(super) rank: Rank,
    pub(super) doc: u32,
}

word_record! { UndecidedDocument { order, rank, doc } }

/// The undecided documents by class; in a class by `keep`, those without a body last.
pub(super) fn by_class(
    task: &Task<'_>,
    left: &Path,
) -> Result<SortedWords<UndecidedDocument>, Error> {
    let engine = task.engine;
    let mut members = task.by_document::<UndecidedDocument>("of-classes", task.share_bytes)?;
    let mut ranks = Ranks::open(engine)?;
    let mut left: RecordReader<Undecided> = task.read(left)?;
    let mut revisited = engine.segments()?.revisited();
    while let Some(Words([doc, class, _])) = left.next()? {
        let order = [class, u32::from(revisited.has(doc)?)];
        let rank = ranks.of(doc)?;
        members.push(UndecidedDocument { order, rank, doc })?;
    }
    members.finish().map_err(Error::from)
}
