//! Pairs each document to remove with the document that is kept in its favour.
//!
//! *Input.* Members and classes, in document order. *Output.* A [`RemovalCandidate`] for each
//! document to remove. *Algorithm.* A sort brings the documents that go for the same one together.
//! *Memory.* Two sorts.

use crate::task::Task;
use cluster::Cells;
use engine::Classes;
use engine::Engine;
use format::{FileKind, MemberRecord};
use model::{Class, Words};
use runtime::{Error, PhaseName};
use sort::SortedWords;

/// ⟨lower representative, higher representative, document to remove, kept document, relation⟩, in
/// the order of pair counts. The relation is the number of the class that both are in, 3 for none,
/// plus [`DOCUMENT_IS_HIGHER`].
pub type RemovalCandidate = Words<5>;

/// Set in a relation if the representative of the document to remove is the higher of the two.
pub const DOCUMENT_IS_HIGHER: u32 = 4;

/// The relation of documents that share no class.
pub const SIMILAR: u32 = 3;

/// Stands for a document that does not exist: with `--drop-all` nothing is kept.
pub const NONE: u32 = u32::MAX;

/// The candidate of a document and the one kept in its favour.
pub fn candidate(document: &Class, kept: &Class) -> RemovalCandidate {
    let both = document
        .lowest
        .iter()
        .zip(kept.lowest)
        .position(|(a, b)| *a != Class::NONE && *a == b);
    let relation = both.map_or(SIMILAR, |class| class as u32);
    let (own, other) = (document.representative(), kept.representative());
    let higher = if own > other { DOCUMENT_IS_HIGHER } else { 0 };
    Words([
        own.min(other),
        own.max(other),
        document.doc,
        kept.doc,
        relation + higher,
    ])
}

/// Makes candidates of ⟨kept document, document to remove, its lowest documents by class⟩, in
/// order.
pub fn pair_up(
    task: &Task<'_>,
    mut going: SortedWords<Words<5>>,
) -> Result<SortedWords<RemovalCandidate>, Error> {
    let engine = task.engine;
    let mut candidates = task.by_document::<RemovalCandidate>("wants", task.share_bytes)?;
    let mut classes = Classes::open(engine)?;
    let mut keeper: Option<Class> = None;
    while let Some(Words([kept, doc, identical, lexical, shingle])) = going.next()? {
        let class = match keeper.filter(|class| class.doc == kept) {
            Some(class) => class,
            None => *keeper.insert(classes.of(kept)?),
        };
        candidates.push(candidate(
            &Class {
                doc,
                lowest: [identical, lexical, shingle],
            },
            &class,
        ))?;
    }
    candidates.finish().map_err(Error::from)
}

/// A document to remove. As a record: ⟨kept document, 1 without a body of its own, document, its
/// lowest documents by class⟩.
type Going = Words<6>;

/// The members of all clusters that go and `may_go`, by the document kept in their favour.
fn by_kept(task: &Task<'_>, may_go: impl Fn(u32) -> bool) -> Result<SortedWords<Going>, Error> {
    let engine = task.engine;
    let mut going = task.by_document::<Going>("going", task.share_bytes)?;
    let mut classes = Classes::open(engine)?;
    let mut revisited = engine.segments()?.revisited();
    let mut members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    while let Some(member) = members.next()? {
        if !member.stays() && may_go(member.doc) {
            let Class { doc, lowest } = classes.of(member.doc)?;
            let [identical, lexical, shingle] = lowest;
            let is_bodiless = u32::from(revisited.has(doc)?);
            going.push(Words([
                member.kept,
                is_bodiless,
                doc,
                identical,
                lexical,
                shingle,
            ]))?;
        }
    }
    going.finish().map_err(Error::from)
}

/// A document in whose favour others go.
#[derive(Clone, Copy)]
struct KeptDocument {
    class: Class,
    /// It is a revisit, so it has no body of its own.
    is_bodiless: bool,
}

/// Which members of a cluster go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// All but the kept ones, as `keep` in the table `membership` has it.
    NotKept,
    /// The same without documents with a body for which one without is kept: copies would lose the
    /// body.
    NotKeptAndCopied,
}

/// Pairs members of clusters that go and `may_go` with the documents kept in their favour.
/// `kept_cells` gets a 1 for each representative of a kept document.
pub fn from_clusters<C: Cells<Error = format::FormatError>>(
    task: &Task<'_>,
    members: Members,
    may_go: impl Fn(u32) -> bool,
    mut kept_cells: Option<&mut C>,
) -> Result<SortedWords<RemovalCandidate>, Error> {
    let mut going = by_kept(task, may_go)?;
    let mut candidates = task.by_document::<RemovalCandidate>("wants", task.share_bytes)?;
    let mut classes = Classes::open(task.engine)?;
    let mut revisited = task.engine.segments()?.revisited();
    let mut last: Option<KeptDocument> = None;
    while let Some(Words([kept, bodiless, doc, identical, lexical, shingle])) = going.next()? {
        let kept = match last.filter(|last| last.class.doc == kept) {
            Some(last) => last,
            None => *last.insert(KeptDocument {
                class: classes.of(kept)?,
                is_bodiless: revisited.has(kept)?,
            }),
        };
        let would_lose_a_body = kept.is_bodiless && bodiless == 0;
        if members == Members::NotKeptAndCopied && would_lose_a_body {
            continue;
        }
        let lowest = [identical, lexical, shingle];
        let candidate = candidate(&Class { doc, lowest }, &kept.class);
        let is_of_one_class = candidate.0[0] == candidate.0[1];
        if let Some(cells) = kept_cells.as_deref_mut()
            && !is_of_one_class
        {
            cells.set(kept.class.representative(), 1)?;
        }
        candidates.push(candidate)?;
    }
    drop(going);
    candidates.finish().map_err(Error::from)
}

/// Hands on every member of a cluster of two or more, in document order.
pub fn all_members(
    engine: &Engine<'_>,
    mut take: impl FnMut(u32) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    while let Some(member) = members.next()? {
        take(member.doc)?;
    }
    Ok(())
}
