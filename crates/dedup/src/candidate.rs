//! Clusters → which documents go, and in favour of which.
//!
//! *Input.* Members and classes, in document order. *Output.* A [`RemovalCandidate`] for each document that
//! goes. *Algorithm.* The members of a cluster are brought together by a sort, the kept one first.
//! *Memory.* Two sorts.

use super::task::Task;
use cluster::Cells;
use engine::Engine;
use format::{FileKind, MemberRecord};
use model::Class;
use phases::cluster::Classes;
use phases::words::Words;
use runtime::{Error, PhaseName};
use sort::{Keep, Prefixes, Sorted};

/// ⟨lower representative, higher representative, document that goes, document kept, how they are
/// related⟩: in the order of pair counts. The relation is the number of the class both are in, 3
/// for none, plus [`DOCUMENT_IS_HIGHER`].
pub(super) type RemovalCandidate = Words<5>;

/// Set in a relation if the representative of the document that goes is the higher of the two.
pub(super) const DOCUMENT_IS_HIGHER: u32 = 4;

/// The relation of documents that share no class.
pub(super) const SIMILAR: u32 = 3;

/// Stands for a document that does not exist: with `--drop-all` nothing is kept.
pub(super) const NONE: u32 = u32::MAX;

/// The want for a document and the one it goes in favour of.
pub(super) fn candidate(document: &Class, kept: &Class) -> RemovalCandidate {
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

/// ⟨document kept, document that goes, its lowest documents by class⟩ in order → wants.
pub(super) fn pair_up(
    task: &Task<'_>,
    mut going: Sorted<Words<5>, Keep>,
) -> Result<Sorted<RemovalCandidate, Keep>, Error> {
    let (engine, work) = (task.engine, Error::work(PhaseName::Cluster));
    let range = Prefixes::documents(engine.segments()?.documents());
    let mut candidates = task
        .sorter::<RemovalCandidate>("wants", task.share_bytes)
        .expecting(range);
    let mut classes = Classes::open(engine)?;
    let mut keeper: Option<Class> = None;
    while let Some(Words([kept, doc, identical, lexical, shingle])) = going.next().map_err(work)? {
        let class = match keeper.filter(|class| class.doc == kept) {
            Some(class) => class,
            None => *keeper.insert(classes.of(kept)?),
        };
        candidates
            .push(candidate(
                &Class {
                    doc,
                    lowest: [identical, lexical, shingle],
                },
                &class,
            ))
            .map_err(work)?;
    }
    candidates.finish().map_err(work)
}

/// Every member of a cluster but the one that is kept goes. `kept_cells` gets a 1 for each
/// representative of a kept one.
pub(super) fn from_clusters<C: Cells<Error = format::FormatError>>(
    task: &Task<'_>,
    mut kept_cells: Option<&mut C>,
) -> Result<Sorted<RemovalCandidate, Keep>, Error> {
    let (engine, work) = (task.engine, Error::work(PhaseName::Cluster));
    let documents = Prefixes::documents(engine.segments()?.documents());
    let share = task.share_bytes;
    // ⟨cluster, 0 if kept else 2, plus 1 without a body of its own, document, its lowest documents
    // by class⟩
    let mut grouped = task
        .sorter::<Words<6>>("grouped", share)
        .expecting(documents);
    let mut classes = Classes::open(engine)?;
    let mut revisited = engine.segments()?.revisited();
    let mut members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    while let Some(member) = members.next()? {
        let Class {
            doc,
            lowest: [identical, lexical, shingle],
        } = classes.of(member.doc)?;
        let removed = 2 * u32::from(member.keep == 0) + u32::from(revisited.has(doc)?);
        grouped
            .push(Words([
                member.cluster,
                removed,
                doc,
                identical,
                lexical,
                shingle,
            ]))
            .map_err(work)?;
    }
    let mut grouped = grouped.finish().map_err(work)?;
    let mut candidates = task
        .sorter::<RemovalCandidate>("wants", share)
        .expecting(documents);
    let mut kept: Option<(u32, Class, bool)> = None;
    while let Some(Words([cluster, removed, doc, identical, lexical, shingle])) =
        grouped.next().map_err(work)?
    {
        let class = Class {
            doc,
            lowest: [identical, lexical, shingle],
        };
        if removed < 2 {
            kept = Some((cluster, class, removed == 1));
            continue;
        }
        let Some((_, keeper, is_bodiless)) = kept.filter(|(of, ..)| *of == cluster) else {
            return Err(Error::Usage(format!(
                "failed to read cluster {cluster}: it keeps no document; run again"
            )));
        };
        // What has a body never goes for what has none.
        if is_bodiless && removed == 2 {
            continue;
        }
        let wanted = candidate(&class, &keeper);
        if let Some(cells) = kept_cells
            .as_deref_mut()
            .filter(|_| wanted.0[0] != wanted.0[1])
        {
            cells.set(keeper.representative(), 1).map_err(work)?;
        }
        candidates.push(wanted).map_err(work)?;
    }
    drop(grouped);
    candidates.finish().map_err(work)
}

/// Hands on every member of a cluster of two or more, in document order.
pub(super) fn all_members(
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
