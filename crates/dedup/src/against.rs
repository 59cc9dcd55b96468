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
use super::kept_documents::{KeptDocuments, KeptLink};
use clustering::reached;
use engine::{Error, PhaseName};
use format::{FileKind, LinkRecord};
use model::ContainedDocument;
use publication::removals::candidate::{Going, Members, RemovalCandidate, pair_up};
use publication::removals::task::RemovalTask;
use sort::SortedWords;

/// The lowest document of NAME in each class.
pub(super) fn owned(task: &RemovalTask<'_>, files: &Files) -> Result<KeptDocuments, Error> {
    let engine = task.engine;
    let mut owned = KeptDocuments::create(task, false)?;
    let mut classes = engine.classes()?;
    let mut revisited = engine.segments()?.revisited();
    for doc in files.against() {
        // A document that was found unchanged has no body. Nothing is removed in its favour.
        if !revisited.has(doc)? {
            let representative = classes.of(doc)?.representative();
            if owned.is_open(representative)? {
                owned.set(representative, Some(doc))?;
            }
        }
    }
    Ok(owned)
}

/// The candidates in the other sources.
pub(super) fn from_links(
    task: &RemovalTask<'_>,
    files: &Files,
) -> Result<SortedWords<RemovalCandidate>, Error> {
    let engine = task.engine;
    let mut owned = owned(task, files)?;
    let policy = engine.config.cluster.link_policy();
    let mut strongest = task.by_document::<KeptLink>("strongest");
    let mut links = engine.reader::<LinkRecord>(PhaseName::Cluster, "links", FileKind::Links)?;
    while let Some(link) = links.next()? {
        let reached = reached(&link);
        if !policy.joins(reached) {
            continue;
        }
        let both = link.size_a.saturating_add(link.size_b);
        for (goes, stays, contained) in [
            (link.a, link.b, ContainedDocument::B),
            (link.b, link.a, ContainedDocument::A),
        ] {
            let is_contained = reached.contained_document() == Some(contained);
            if let Some(kept) = owned.of(stays)?
                && (reached.resemblance || !is_contained)
            {
                strongest.push(KeptLink {
                    part: goes,
                    kept,
                    shared: link.shared,
                    size: both.saturating_sub(link.shared),
                })?;
            }
        }
    }
    // A class may be linked to a stronger one of NAME, but its own documents of NAME come first.
    owned.set_strongest(strongest.finish()?, KeptDocuments::is_open)?;
    let mut going = task.by_document::<Going>("going");
    let mut classes = engine.classes()?;
    for doc in files.others() {
        let class = classes.of(doc)?;
        if let Some(kept) = owned.of(class.representative())? {
            going.push(Going::of(&class, kept))?;
        }
    }
    pair_up(task, Members::NotKeptAndCopied, going.finish()?)
}
