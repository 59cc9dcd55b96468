//! Clusters of representatives → clusters of documents, and which one of each is kept: in memory.
//!
//! *Input.* [`ClustersInMemory`]; classes; what `keep` ranks by. *Output.* Clusters and members, as
//! [`members_by_sort`](super::members_by_sort) writes them. *Algorithm.* One pass over the
//! documents in order adds up what is known of each cluster ([`Tallies`]), another one writes the
//! members. *Memory.* What [`ClustersInMemory`] has reserved. *Disk.* None of its own.

use crate::attributes::{Ranks, ReferenceOrder};
use crate::cluster_writer::ClusterWriter;
use crate::clusters::ClustersInMemory;
use crate::link_policy::PHASE;
use cluster::{Candidate, Member, NUMBER_RANK_BYTES, RANK_BYTES, Tallies, first_bytes, rank_bytes};
use engine::Classes;
use engine::Engine;
use engine::figures::ClusterSums;
use format::{ClusterRecord, FileKind, MemberRecord, Sealed};
use model::Class;
use runtime::Error;

/// Documents that are looked at together: what is waited for in memory is waited for together.
const BATCH_DOCUMENTS: u32 = 256;

/// Writes members and clusters; gives both files and what was counted.
pub(super) fn members(
    engine: &Engine<'_>,
    clusters: ClustersInMemory,
) -> Result<([Sealed; 2], ClusterSums), Error> {
    match rank_bytes(&engine.config.cluster.keep) {
        0 => ranked::<0>(engine, clusters),
        1..=NUMBER_RANK_BYTES => ranked::<NUMBER_RANK_BYTES>(engine, clusters),
        _ => ranked::<RANK_BYTES>(engine, clusters),
    }
}

/// The same, with as many bytes of the ranks as tell documents apart.
fn ranked<const N: usize>(
    engine: &Engine<'_>,
    clusters: ClustersInMemory,
) -> Result<([Sealed; 2], ClusterSums), Error> {
    let documents = engine.segments()?.documents();
    let (tallies, _memory) = tally::<N>(engine, clusters)?;
    let mut clusters = ClusterWriter::new(engine.writer::<ClusterRecord>(
        PHASE,
        "clusters",
        FileKind::Clusters,
    )?);
    for (cluster, weakest) in tallies.clusters() {
        clusters.push(&cluster, weakest)?;
    }
    let (clusters, counts) = clusters.finish()?;
    let mut writer = engine.writer::<MemberRecord>(PHASE, "members", FileKind::Members)?;
    let mut batch = Vec::new();
    for from in (0..documents).step_by(BATCH_DOCUMENTS as usize) {
        let members = (from..documents.min(from.saturating_add(BATCH_DOCUMENTS)))
            .filter_map(|doc| tallies.member(doc));
        batch.clear();
        let record = |Member { doc, cluster, kept }| MemberRecord { doc, cluster, kept };
        batch.extend(members.map(record));
        writer.push_all(&batch)?;
    }
    Ok(([clusters, writer.finish()?], counts))
}

/// Adds up what is known of each cluster; gives what is reserved, too.
fn tally<const N: usize>(
    engine: &Engine<'_>,
    clusters: ClustersInMemory,
) -> Result<(Tallies<N>, [sort::Reservation; 2]), Error> {
    let documents = engine.segments()?.documents();
    let ClustersInMemory {
        sets,
        mut rows,
        contained,
        others,
        memory,
    } = clusters;
    let mut tallies = Tallies::<N>::new(sets, others);
    let (mut classes, mut ranks) = (Classes::open(engine)?, Ranks::open(engine)?);
    let mut references = ReferenceOrder::open(engine)?;
    let mut revisited = engine.segments()?.revisited();
    // What is part of another one is so with all that it stands for.
    let is_contained = |doc: u32| {
        contained
            .get(doc as usize / 64)
            .is_some_and(|word| word >> (doc % 64) & 1 == 1)
    };
    let mut row = rows.next()?;
    let mut batch: Vec<Candidate<N>> = Vec::with_capacity(BATCH_DOCUMENTS as usize);
    for from in (0..documents).step_by(BATCH_DOCUMENTS as usize) {
        let end = documents.min(from.saturating_add(BATCH_DOCUMENTS));
        batch.clear();
        for doc in from..end {
            let class = classes.of(doc)?;
            let lowest = class.lowest;
            if lowest == [Class::NONE; 3] && tallies.is_alone(doc) {
                continue;
            }
            let rank = if N == 0 {
                [0; N]
            } else {
                first_bytes(&ranks.of(doc)?)
            };
            // A copy without a body is kept only where there is none with it.
            let excluded = references.of(doc)?
                + 2 * u8::from(is_contained(class.representative()))
                + u8::from(revisited.has(doc)?);
            batch.push(Candidate {
                cluster: doc,
                star: 0,
                excluded,
                rank,
                doc,
                lowest,
            });
        }
        tallies.add(&mut batch);
        while let Some((doc, link)) = row.filter(|(doc, _)| *doc < end) {
            tallies.linked(doc, link);
            row = rows.next()?;
        }
    }
    Ok((tallies, memory))
}

/// Bytes of what is added up of a cluster in memory.
pub(super) fn tally_bytes(engine: &Engine<'_>) -> usize {
    match rank_bytes(&engine.config.cluster.keep) {
        0 => Tallies::<0>::BYTES,
        1..=NUMBER_RANK_BYTES => Tallies::<NUMBER_RANK_BYTES>::BYTES,
        _ => Tallies::<RANK_BYTES>::BYTES,
    }
}
