//! Compares every document about to be removed with the one kept in its favour, by all their
//! shingles.
//!
//! *Input.* Removals that were decided by estimate, in document order; the texts. *Output.* The
//! same removals with exact counts, modulus 1, in document order. *Algorithm.* Every shingle
//! counts, common ones too. Documents of equal bodies with the same kept document are compared
//! once, by the crate `exact`. *Memory.* Two sorts of a share, and what `exact` takes. *Disk.* As
//! `exact`, and 44 bytes a removal, if they do not fit.

use engine::Classes;
use engine::segments::RevisitDocuments;
use exact::Texts;
use format::RecordReader;
use model::Words;
use removals::removal::RemovalRecord;
use removals::task::Task;
use runtime::Error;
use sets::SetOverlap;
use sort::{SortedWords, WordSorter};

/// ⟨lowest document of equal bodies, kept document, 1 if the text is that of another document,
/// removal⟩.
type Proposal = Words<11>;

/// Collects removals that are to be compared.
pub(super) struct RemovalComparison<'a> {
    task: &'a Task<'a>,
    proposals: WordSorter<Proposal>,
    classes: Classes,
    revisited: RevisitDocuments,
}

impl<'a> RemovalComparison<'a> {
    pub(super) fn open(task: &'a Task<'a>) -> Result<RemovalComparison<'a>, Error> {
        let segments = task.engine.segments()?;
        Ok(RemovalComparison {
            task,
            proposals: task.by_document("proposals", task.share_bytes)?,
            classes: Classes::open(task.engine)?,
            revisited: segments.revisited(),
        })
    }

    /// Adds a removal; in document order.
    pub(super) fn push(&mut self, removal: &RemovalRecord) -> Result<(), Error> {
        let Words([doc, kept, relation, shared, own, other, modulus, links]) = *removal;
        let lowest = self.classes.of(doc)?.lowest_of_equal_bodies();
        let has_no_body = u32::from(self.revisited.has(doc)?);
        self.proposals
            .push(Words([
                lowest,
                kept,
                has_no_body,
                doc,
                kept,
                relation,
                shared,
                own,
                other,
                modulus,
                links,
            ]))
            .map_err(Error::from)
    }

    /// Reads the texts and compares. Where one of the two could not be read, all counts are 0.
    pub(super) fn finish(self, texts: &dyn Texts) -> Result<SortedWords<RemovalRecord>, Error> {
        let task = self.task;
        let path = task.dir.join("by-bodies.run-0");
        let mut by_bodies = task.write::<Proposal>(&path)?;
        let mut comparison = exact::Comparison::begin(&task.workplace())?;
        let mut proposals = self.proposals.finish()?;
        let mut last = None;
        while let Some(proposal) = proposals.next()? {
            let Words([lowest, kept, has_no_body, doc, ..]) = proposal;
            let is_first = last.replace((lowest, kept)) != Some((lowest, kept));
            // Those that have a body come first.
            if is_first && has_no_body == 0 {
                comparison.push_read_from([lowest, kept], [doc, kept])?;
            }
            by_bodies.push(&proposal)?;
        }
        drop(proposals);
        by_bodies.finish()?;
        let mut counted = CountedProposals {
            next: None,
            proposals: task.read(&path)?,
            compared: task.by_document("compared", task.share_bytes)?,
        };
        counted.next = counted.proposals.next()?;
        comparison.finish(texts, |pair, counts| counted.take(pair, counts))?;
        counted.take([u32::MAX; 2], None)?;
        counted.compared.finish().map_err(Error::from)
    }
}

/// Joins the counts with the removals that they are for.
struct CountedProposals {
    proposals: RecordReader<Proposal>,
    next: Option<Proposal>,
    compared: WordSorter<RemovalRecord>,
}

impl CountedProposals {
    /// Takes the counts of a pair; the removals of pairs before it have none.
    fn take(&mut self, pair: [u32; 2], counts: Option<SetOverlap>) -> Result<(), Error> {
        while let Some(Words([lowest, kept, _, doc, _, relation, .., links])) =
            self.next.filter(|next| next.0[..2] <= pair[..])
        {
            let counts = counts.filter(|_| [lowest, kept] == pair);
            let SetOverlap {
                shared,
                size_a: own,
                size_b: other,
            } = counts.unwrap_or_default();
            self.compared
                .push(Words([doc, kept, relation, shared, own, other, 1, links]))?;
            self.next = self.proposals.next()?;
        }
        Ok(())
    }
}
