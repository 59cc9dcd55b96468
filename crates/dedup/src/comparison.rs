//! Compares every document about to be removed with the one kept in its favour, by all their
//! shingles.
//!
//! *Input.* Removals that were decided by estimate, in document order; the texts. *Output.* The
//! same removals with exact counts, modulus 1, in document order. *Algorithm.* Every shingle
//! counts, common ones too. Documents of equal bodies with the same kept document are compared
//! once, by the crate `exact`. *Memory.* Two sorts of a share, and what `exact` takes. *Disk.* As
//! `exact`, and 44 bytes a removal, if they do not fit.

use engine::{Classes, Error, segments::RevisitDocuments};
use exact::{SetOverlap, Texts};
use model::{Keyed, keyed, record, word_record};
use publication::removals::removal::RemovalRecord;
use publication::removals::task::RemovalTask;
use sort::{Lookup, SortedWords, WordSorter};

/// A removal that is to be compared, in the order of the bodies that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Proposal {
    /// The lowest document of equal bodies.
    lowest: u32,
    kept: u32,
    /// 1 if the text is that of another document.
    has_no_body: u32,
    doc: u32,
    relation: u32,
    links: u32,
}

record! {
    Proposal { lowest, kept, has_no_body, doc, relation, links },
    |proposal| u64::from(proposal.lowest) << 32
}

word_record! { Proposal { lowest, kept, has_no_body, doc, relation, links } }
keyed! { Proposal: [u32; 2] = |proposal| [proposal.lowest, proposal.kept] }

/// Collects removals that are to be compared.
pub(super) struct RemovalComparison<'a> {
    task: &'a RemovalTask<'a>,
    proposals: WordSorter<Proposal>,
    classes: Classes,
    revisited: RevisitDocuments,
}

impl<'a> RemovalComparison<'a> {
    pub(super) fn open(task: &'a RemovalTask<'a>) -> Result<RemovalComparison<'a>, Error> {
        let segments = task.engine.segments()?;
        Ok(RemovalComparison {
            task,
            proposals: task.by_document("proposals"),
            classes: task.engine.classes()?,
            revisited: segments.revisited(),
        })
    }

    /// Adds a removal; in document order.
    pub(super) fn push(&mut self, removal: &RemovalRecord) -> Result<(), Error> {
        let proposal = Proposal {
            lowest: self.classes.of(removal.doc)?.lowest_of_equal_bodies(),
            kept: removal.kept,
            has_no_body: u32::from(self.revisited.has(removal.doc)?),
            doc: removal.doc,
            relation: removal.relation,
            links: removal.links,
        };
        self.proposals.push(proposal).map_err(Error::from)
    }

    /// Reads the texts and compares. Where one of the two could not be read, all counts are 0.
    pub(super) fn finish(self, texts: &dyn Texts) -> Result<SortedWords<RemovalRecord>, Error> {
        let task = self.task;
        let mut by_bodies = task.scratch.file::<Proposal>("by-bodies.run-file")?;
        let mut comparison = exact::PairComparison::begin(&task.workplace())?;
        let mut proposals = self.proposals.finish()?;
        let mut last = None;
        while let Some(proposal) = proposals.next()? {
            let pair = proposal.key();
            // Proposals that have a body come first.
            if last.replace(pair) != Some(pair) && proposal.has_no_body == 0 {
                comparison.push_read_from(pair, [proposal.doc, proposal.kept])?;
            }
            by_bodies.push(&proposal)?;
        }
        drop(proposals);
        let by_bodies = by_bodies.finish()?;
        let mut proposals = Lookup::over(by_bodies.read()?)?;
        let mut compared = task.by_document("compared");
        // The removals before the pair of the counts have none.
        let mut take = |pair: [u32; 2], counts: Option<SetOverlap>| -> Result<(), Error> {
            while let Some(proposal) = proposals.next_if(|next| next.key() <= pair)? {
                let counts = counts
                    .filter(|_| proposal.key() == pair)
                    .unwrap_or_default();
                compared.push(RemovalRecord {
                    doc: proposal.doc,
                    kept: proposal.kept,
                    relation: proposal.relation,
                    shared: counts.shared,
                    size: counts.size_a,
                    kept_size: counts.size_b,
                    modulus: 1,
                    links: proposal.links,
                })?;
            }
            Ok(())
        };
        comparison.finish(texts, &mut take)?;
        take([u32::MAX; 2], None)?;
        compared.finish().map_err(Error::from)
    }
}
