//! Pairs each document to remove with the document that is kept in its favour.
//!
//! *Input.* Members and classes, in document order. *Output.* A [`RemovalCandidate`] for each
//! document to remove. *Algorithm.* A sort brings the members of a cluster together, the kept one
//! first. *Memory.* Two sorts.

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

/// A member of a cluster. As a record: ⟨cluster, 0 if kept else 2, plus 1 without a body of its
/// own, document, its lowest documents by class⟩.
type Member = Words<6>;

/// The members of all clusters, by cluster, the kept one first.
fn by_cluster(task: &Task<'_>) -> Result<SortedWords<Member>, Error> {
    let engine = task.engine;
    let mut grouped = task.by_document::<Member>("grouped", task.share_bytes)?;
    let mut classes = Classes::open(engine)?;
    let mut revisited = engine.segments()?.revisited();
    let mut members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    while let Some(member) = members.next()? {
        let Class { doc, lowest } = classes.of(member.doc)?;
        let [identical, lexical, shingle] = lowest;
        let order = 2 * u32::from(member.keep == 0) + u32::from(revisited.has(doc)?);
        let member = [member.cluster, order, doc, identical, lexical, shingle];
        grouped.push(Words(member))?;
    }
    grouped.finish().map_err(Error::from)
}

/// The member of a cluster that is kept.
#[derive(Clone, Copy)]
struct KeptMember {
    cluster: u32,
    class: Class,
    /// It is a revisit, so it has no body of its own.
    is_bodiless: bool,
}

/// Which members of a cluster go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// All but the kept one, as `keep` in the table `membership` has it.
    NotKept,
    /// The same without documents with a body whose cluster keeps one without: copies would lose
    /// the body.
    NotKeptAndCopied,
}

/// Pairs members of a cluster that `may_go` with the kept one, which is no candidate itself.
/// `kept_cells` gets a 1 for each representative of a kept document.
pub fn from_clusters<C: Cells<Error = format::FormatError>>(
    task: &Task<'_>,
    members: Members,
    may_go: impl Fn(u32) -> bool,
    mut kept_cells: Option<&mut C>,
) -> Result<SortedWords<RemovalCandidate>, Error> {
    let mut grouped = by_cluster(task)?;
    let mut candidates = task.by_document::<RemovalCandidate>("wants", task.share_bytes)?;
    let mut kept: Option<KeptMember> = None;
    while let Some(Words([cluster, order, doc, identical, lexical, shingle])) = grouped.next()? {
        let class = Class {
            doc,
            lowest: [identical, lexical, shingle],
        };
        if order < 2 {
            kept = Some(KeptMember {
                cluster,
                class,
                is_bodiless: order == 1,
            });
            continue;
        }
        let Some(kept) = kept.filter(|kept| kept.cluster == cluster) else {
            return Err(Error::Usage(format!(
                "failed to read cluster {cluster}: it keeps no document; run again"
            )));
        };
        let would_lose_a_body = kept.is_bodiless && order == 2;
        if !may_go(doc) || members == Members::NotKeptAndCopied && would_lose_a_body {
            continue;
        }
        let candidate = candidate(&class, &kept.class);
        let is_of_one_class = candidate.0[0] == candidate.0[1];
        if let Some(cells) = kept_cells.as_deref_mut()
            && !is_of_one_class
        {
            cells.set(kept.class.representative(), 1)?;
        }
        candidates.push(candidate)?;
    }
    drop(grouped);
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
