//! Documents that `--lossless` has not decided: no document that contains them is found yet.
//!
//! *Input.* [`Undecided`] records, in document order. *Output.* [`UndecidedDocument`]s, by class.
//! *Memory.* One sort.

use super::files::Files;
use clustering::Ranks;
use clustering::partition::Rank;
use engine::Error;
use exact::FingerprintedTexts;
use format::ScratchFile;
use model::{Threshold, keyed, record, word_record};
use publication::removals::task::RemovalTask;
use sort::{Lookup, SortedWords};

/// The question of a call with `--lossless`.
pub(super) struct LosslessRule<'a> {
    pub(super) task: &'a RemovalTask<'a>,
    /// The share of a document that must be contained in the kept one.
    pub(super) share: Threshold,
    pub(super) files: &'a Files,
    /// With `--against`: others go in favour of documents of NAME only.
    pub(super) is_against: bool,
    pub(super) texts: &'a dyn FingerprintedTexts,
}

/// A document that is not decided, in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Undecided {
    pub(super) doc: u32,
    /// The lowest of the documents that are decided together.
    pub(super) together: u32,
    /// A document that does not contain it; [`NONE`](publication::removals::candidate::NONE) if
    /// none is known.
    pub(super) refuted: u32,
}

record! { Undecided { doc, together, refuted }, |one| u64::from(one.doc) << 32 }
word_record! { Undecided { doc, together, refuted } }

/// An undecided document, to be sorted within its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UndecidedDocument {
    /// The documents that are decided together.
    pub(super) together: u32,
    /// 1 if it has no body.
    pub(super) is_bodiless: u8,
    pub(super) rank: Rank,
    pub(super) doc: u32,
}

word_record! { UndecidedDocument { together, is_bodiless, rank, doc } }
keyed! { UndecidedDocument: u32 = |document| document.together }

/// The undecided documents by class; in a class by `keep`, those without a body last.
pub(super) fn by_class(
    task: &RemovalTask<'_>,
    left: &ScratchFile<Undecided>,
) -> Result<Lookup<SortedWords<UndecidedDocument>>, Error> {
    let engine = task.engine;
    let mut members = task.by_document::<UndecidedDocument>("of-classes");
    let segments = engine.segments()?;
    let mut ranks = Ranks::new(engine.config, &segments);
    let mut left = left.read()?;
    let mut revisited = segments.revisited();
    while let Some(Undecided { doc, together, .. }) = left.next()? {
        members.push(UndecidedDocument {
            together,
            is_bodiless: u8::from(revisited.has(doc)?),
            rank: ranks.of(doc)?,
            doc,
        })?;
    }
    Ok(Lookup::over(members.finish()?)?)
}
