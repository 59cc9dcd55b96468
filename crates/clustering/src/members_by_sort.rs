//! Clusters of representatives → clusters of documents, and which of each are kept: by sorts.

use crate::attributes::{Ranks, ReferenceOrder};
use crate::cluster_writer::ClusterWriter;
use crate::clusters::{ClusterAssignments, Placed, SortedClusters};
use crate::link_policy::PHASE;
use cluster::{
    Candidate, Cluster, ClusterFold, Member, NUMBER_RANK_BYTES, RANK_BYTES, WeakestLink,
    first_bytes, rank_bytes,
};
use engine::Classes;
use engine::Engine;
use engine::figures::ClusterSums;
use format::{ClusterRecord, FileKind, MemberRecord, Sealed};
use model::{Class, Words};
use runtime::{Error, PhaseName};
use sort::{Prefixes, SortedWords};

/// Writes members and clusters; gives both files and what was counted.
pub(super) fn members(
    engine: &Engine<'_>,
    joined: SortedClusters,
) -> Result<([Sealed; 2], ClusterSums), Error> {
    match rank_bytes(&engine.config.cluster.keep) {
        0 => ranked::<0>(engine, joined),
        1..=NUMBER_RANK_BYTES => ranked::<NUMBER_RANK_BYTES>(engine, joined),
        _ => ranked::<RANK_BYTES>(engine, joined),
    }
}

/// The same, with as many bytes of the ranks as tell documents apart.
fn ranked<const N: usize>(
    engine: &Engine<'_>,
    joined: SortedClusters,
) -> Result<([Sealed; 2], ClusterSums), Error> {
    let documents = Prefixes::documents(engine.segments()?.documents());
    let SortedClusters {
        assigned,
        weakest,
        memory: _joined,
    } = joined;
    let placing = engine.budget.reserve_share(1, 3);
    let mut placed = place(engine, assigned, placing.bytes() / 2)?;
    let memory = engine.budget.reserve_share(3, 4);
    let share = memory.bytes() / 2;
    let mut candidates = engine
        .word_sorter::<Candidate<N>>(PHASE, "candidates", share)
        .expecting(documents);
    let mut classes = Classes::open(engine)?;
    let mut ranks = Ranks::open(engine)?;
    let mut references = ReferenceOrder::open(engine)?;
    let mut revisited = engine.segments()?.revisited();
    while let Some(Placed {
        doc,
        cluster,
        star,
        is_excluded,
    }) = placed.next()?
    {
        let lowest = classes.of(doc)?.lowest;
        let rank = first_bytes(&ranks.of(doc)?);
        // A copy without a body is kept only where there is none with it.
        let excluded = references.of(doc)? + 2 * is_excluded + u8::from(revisited.has(doc)?);
        candidates.push(Candidate {
            cluster,
            star,
            excluded,
            rank,
            doc,
            lowest,
        })?;
    }
    drop((placed, placing));
    let mut candidates = candidates.finish()?;
    let mut members = engine
        .word_sorter::<MemberRecord>(PHASE, "members", share)
        .expecting(documents);
    let writer = engine.writer::<ClusterRecord>(PHASE, "clusters", FileKind::Clusters)?;
    let (mut weakest, mut clusters) = (weakest, ClusterWriter::new(writer));
    // Clusters come in order; every one with a link has exactly one weakest one.
    let mut write = |cluster: &Cluster| {
        let link = if cluster.distinct > 1 {
            weakest.next()?
        } else {
            None
        };
        clusters.push(
            cluster,
            link.map(|Words([_, shared, union])| WeakestLink { shared, union }),
        )
    };
    let mut fold = ClusterFold::default();
    while let Some(candidate) = candidates.next()? {
        let (member, complete) = fold.push(&candidate);
        let Member { doc, cluster, kept } = member;
        members.push(MemberRecord { doc, cluster, kept })?;
        if let Some(cluster) = complete {
            write(&cluster)?;
        }
    }
    if let Some(cluster) = fold.finish() {
        write(&cluster)?;
    }
    drop(candidates);
    let mut sorted = members.finish()?;
    let mut writer = engine.writer::<MemberRecord>(PHASE, "members", FileKind::Members)?;
    while let Some(member) = sorted.next()? {
        writer.push(&member)?;
    }
    let (clusters, counts) = clusters.finish()?;
    Ok(([clusters, writer.finish()?], counts))
}

/// Joins the representatives with the classes: every document that is in a cluster of two or more,
/// in order of documents.
fn place(
    engine: &Engine<'_>,
    mut assigned: ClusterAssignments,
    share: usize,
) -> Result<SortedWords<Placed>, Error> {
    let documents = Prefixes::documents(engine.segments()?.documents());
    let mut represented = engine
        .word_sorter::<Words<2>>(PHASE, "represented", share)
        .expecting(documents);
    let mut classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    while let Some(class) = classes.next()? {
        represented.push(Words([class.representative(), class.doc]))?;
    }
    let mut represented = represented.finish()?;
    let mut placed = engine
        .word_sorter::<Placed>(PHASE, "placed", share)
        .expecting(documents);
    let mut linked = assigned.next()?;
    let mut member = represented.next()?;
    loop {
        let lower = [
            linked.map(|linked| linked.doc),
            member.map(|words| words.0[0]),
        ]
        .into_iter()
        .flatten()
        .min();
        let Some(representative) = lower else { break };
        let entry = linked.filter(|linked| linked.doc == representative);
        let place = entry.unwrap_or(Placed {
            doc: representative,
            cluster: representative,
            star: 0,
            is_excluded: 0,
        });
        if member.is_none_or(|words| words.0[0] != representative) {
            placed.push(place)?;
        }
        while let Some(Words([_, doc])) = member.filter(|words| words.0[0] == representative) {
            placed.push(Placed { doc, ..place })?;
            member = represented.next()?;
        }
        if entry.is_some() {
            linked = assigned.next()?;
        }
    }
    placed.finish().map_err(Error::from)
}
