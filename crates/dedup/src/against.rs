//! `--against NAME`: pairs documents of the other sources with those of NAME.
//!
//! *Input.* Links and classes; which documents are of NAME. *Output.* A [`RemovalCandidate`] for
//! each document of another source that is in a class with one of NAME, or linked to one by a link
//! that joins. *Algorithm.* Of each class the lowest document of NAME is put down; then links are
//! asked whether the other side has one, and the strongest such link of each class counts, of equal
//! ones the lowest. Nothing goes by way of a third document, whatever the linkage, and nothing goes
//! in favour of what is contained in it, unless the two resemble each other. *Memory.* One cell a
//! document, and three sorts.

use super::files::Files;
use cluster::{Cells, ContainedDocument};
use clustering::reached;
use engine::Classes;
use engine::cells::SpillableCells;
use format::{FileKind, LinkRecord};
use model::{Ratio, Words};
use publication::removals::candidate::{Going, RemovalCandidate, pair_up};
use publication::removals::task::Task;
use runtime::{Error, PhaseName};
use sort::{Combine, Prefixes, Sorted, SortedWords};

/// Combines ⟨representative, shared, size, kept document⟩: keeps the highest ratio, of equal ones
/// the lowest document.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrongestLink;

impl Combine<Words<4>> for StrongestLink {
    fn absorb(&self, into: &mut Words<4>, next: &Words<4>) -> bool {
        if into.0[0] != next.0[0] {
            return false;
        }
        let ratio = |words: &Words<4>| Ratio::new(u64::from(words.0[1]), u64::from(words.0[2]));
        let (old, new) = (ratio(into), ratio(next));
        if new
            .cmp(&old)
            .then_with(|| into.0[3].cmp(&next.0[3]))
            .is_gt()
        {
            *into = *next;
        }
        true
    }
}

/// A cell for each representative: the lowest document of NAME in its class, plus one.
pub(super) fn owned(task: &Task<'_>, files: &Files) -> Result<SpillableCells, Error> {
    let engine = task.engine;
    let mut owned = task.cells("against.run-cells", files.documents())?;
    let mut classes = Classes::open(engine)?;
    let mut revisited = engine.segments()?.revisited();
    for doc in files.against() {
        // A document that was found unchanged has no body. Nothing is removed in its favour.
        if revisited.has(doc)? {
            continue;
        }
        let representative = classes.of(doc)?.representative();
        if owned.get(representative)? == 0 {
            owned.set(representative, doc + 1)?;
        }
    }
    Ok(owned)
}

/// The candidates in the other sources.
pub(super) fn from_links(
    task: &Task<'_>,
    files: &Files,
) -> Result<SortedWords<RemovalCandidate>, Error> {
    let engine = task.engine;
    let range = Prefixes::documents(files.documents());
    let mut owned = owned(task, files)?;
    let share = task.share_bytes;
    let policy = engine.config.cluster.link_policy();
    let mut strongest = task
        .combining::<Words<4>, _>("strongest", share, StrongestLink)
        .expecting(range);
    let mut links = engine.reader::<LinkRecord>(PhaseName::Cluster, "links", FileKind::Links)?;
    while let Some(link) = links.next()? {
        let reached = reached(&link);
        if !policy.joins(reached) {
            continue;
        }
        let union = link
            .size_a
            .saturating_add(link.size_b)
            .saturating_sub(link.shared);
        for (goes, stays, contained) in [
            (link.a, link.b, ContainedDocument::B),
            (link.b, link.a, ContainedDocument::A),
        ] {
            let kept = owned.get(stays)?;
            let is_contained = reached.contained_document() == Some(contained);
            if kept != 0 && (reached.resemblance || !is_contained) {
                strongest.push(Words([goes, link.shared, union, kept - 1]))?;
            }
        }
    }
    let mut strongest = strongest.finish()?;
    // ⟨representative, document of NAME⟩ of every class with a candidate, in order.
    for_each_document(task, files, &mut owned, &mut strongest)
}

/// Pairs every document of another source with the document of NAME that is kept for its class.
fn for_each_document(
    task: &Task<'_>,
    files: &Files,
    owned: &mut SpillableCells,
    strongest: &mut Sorted<Words<4>, StrongestLink>,
) -> Result<SortedWords<RemovalCandidate>, Error> {
    let engine = task.engine;
    // A class may be linked to a stronger one of NAME, but its own documents of NAME come first.
    while let Some(Words([representative, _, _, kept])) = strongest.next()? {
        if owned.get(representative)? == 0 {
            owned.set(representative, kept + 1)?;
        }
    }
    let mut going = task.by_document::<Going>("going", task.share_bytes)?;
    let mut classes = Classes::open(engine)?;
    for doc in files.others() {
        let class = classes.of(doc)?;
        let kept = owned.get(class.representative())?;
        if kept != 0 {
            going.push(Going::of(&class, kept - 1))?;
        }
    }
    pair_up(task, going.finish()?)
}
