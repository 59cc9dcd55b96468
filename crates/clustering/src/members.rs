//! Clusters of representatives → clusters of documents, and which of each are kept.
//!
//! *Input.* The sets that links join; the weakest link of each lower document; classes; what `keep`
//! ranks by. *Output.* Clusters and members. *Algorithm.* A pass over the documents in order adds
//! up the figures of as many clusters as fit ([`Tallies`]), and so on from the first cluster that
//! did not fit; a last pass writes the members. *Memory.* The figures of a range of clusters: all,
//! or half of the free budget. Two cells a document. *Disk.* Cells that do not fit.

use crate::attributes::{Ranks, ReferenceOrder};
use crate::cluster_writer::ClusterWriter;
use crate::link_joiner::JoinedSets;
use crate::link_policy::PHASE;
use crate::may_stay::MayStay;
use crate::memory;
use crate::partition::{
    Candidate, NUMBER_RANK_BYTES, RANK_BYTES, Tallies, UnionFind, first_bytes, rank_bytes,
};
use crate::star::Standing;
use engine::{
    Classes, Engine, Error, PhaseName, cells::SpillableCells, figures::ClusterSums,
    segments::RevisitDocuments,
};
use format::{ClusterRecord, FileKind, MemberRecord, Sealed};
use model::Cells;
use model::Class;
use sort::Lookup;

/// Documents that are looked at together: what is waited for in memory is waited for together.
const BATCH_DOCUMENTS: u32 = 256;

/// Writes clusters and members; gives both files and the sums of the clusters.
pub(super) fn members(
    engine: &Engine<'_>,
    joined: JoinedSets<SpillableCells>,
    may_stay: MayStay,
) -> Result<([Sealed; 2], ClusterSums), Error> {
    // As many bytes of the ranks as tell documents apart.
    match rank_bytes(&engine.config.cluster.keep) {
        0 => ranked::<0>(engine, joined, may_stay),
        1..=NUMBER_RANK_BYTES => ranked::<NUMBER_RANK_BYTES>(engine, joined, may_stay),
        _ => ranked::<RANK_BYTES>(engine, joined, may_stay),
    }
}

fn ranked<const N: usize>(
    engine: &Engine<'_>,
    joined: JoinedSets<SpillableCells>,
    mut may_stay: MayStay,
) -> Result<([Sealed; 2], ClusterSums), Error> {
    let JoinedSets { sets, rows } = joined;
    // The document that each cluster keeps, plus one.
    let mut kept = engine.scratch(PHASE)?.cells("kept")?;
    let (mut tallies, _memory) = tallies::<N>(engine, sets)?;
    let clusters = engine.writer::<ClusterRecord>(PHASE, "clusters", FileKind::Clusters)?;
    let mut clusters = ClusterWriter::new(clusters);
    loop {
        let mut documents = Documents::open(engine)?;
        let mut rows = Lookup::over(rows.read()?)?;
        let mut from = tallies.first();
        while from < documents.end {
            let end = documents.end.min(from.saturating_add(BATCH_DOCUMENTS));
            documents.read(from..end, &mut tallies, &mut may_stay)?;
            tallies.add(&documents.batch)?;
            while let Some(row) = rows.next_if(|row| row.doc < end)? {
                tallies.linked(row.doc, row.link())?;
            }
            from = end;
        }
        for cluster in tallies.clusters() {
            clusters.push(&cluster)?;
            kept.set(cluster.cluster, cluster.kept + 1)?;
        }
        if !tallies.next_range() {
            break;
        }
    }
    let (clusters, sums) = clusters.finish()?;
    let members = write_members(engine, &mut tallies, &mut may_stay, &mut kept)?;
    Ok(([clusters, members], sums))
}

/// Figures of all clusters, or of as many as fit half of the free budget.
fn tallies<const N: usize>(
    engine: &Engine<'_>,
    sets: UnionFind<SpillableCells>,
) -> Result<(Tallies<SpillableCells, N>, sort::Reservation), Error> {
    let bytes_each = Tallies::<SpillableCells, N>::BYTES;
    // A class has two documents at least.
    let others = engine.sealed(PhaseName::Distinct, "classes")?.records / 2;
    let others = usize::try_from(others).unwrap_or(usize::MAX);
    let all_bytes = others
        .saturating_add(sets.sets() as usize)
        .saturating_mul(bytes_each);
    let budget = &engine.budget;
    let memory = match budget.reserve("a sum for each cluster", all_bytes) {
        Ok(memory) => memory,
        Err(_) => budget.take(memory::TALLIES),
    };
    Ok((Tallies::new(sets, memory.bytes() / bytes_each), memory))
}

/// The facts that are known of documents, in order.
struct Documents<'a, const N: usize> {
    end: u32,
    classes: Classes,
    ranks: Ranks<'a>,
    references: ReferenceOrder<'a>,
    revisited: RevisitDocuments,
    batch: Vec<Candidate<N>>,
}

impl<'a, const N: usize> Documents<'a, N> {
    fn open(engine: &'a Engine<'a>) -> Result<Documents<'a, N>, Error> {
        let segments = engine.segments()?;
        Ok(Documents {
            end: segments.documents(),
            classes: engine.classes()?,
            ranks: Ranks::new(engine.config, &segments),
            references: ReferenceOrder::new(&engine.inputs, &segments),
            revisited: segments.revisited(),
            batch: Vec::with_capacity(BATCH_DOCUMENTS as usize),
        })
    }

    /// Replaces the batch by those of these documents that are in clusters.
    fn read(
        &mut self,
        docs: std::ops::Range<u32>,
        tallies: &mut Tallies<SpillableCells, N>,
        may_stay: &mut MayStay,
    ) -> Result<(), Error> {
        self.batch.clear();
        for doc in docs {
            let class = self.classes.of(doc)?;
            let lowest = class.lowest;
            if lowest == [Class::NONE; 3] && tallies.is_alone(doc)? {
                continue;
            }
            let representative = class.representative();
            let Standing {
                is_excluded,
                is_kept,
            } = may_stay.of(representative)?;
            let rank = match N {
                0 => [0; N],
                _ => first_bytes(&self.ranks.of(doc)?),
            };
            // A copy without a body is kept only where there is none with it.
            let excluded = self.references.of(doc)?
                + 2 * u8::from(is_excluded)
                + u8::from(self.revisited.has(doc)?);
            self.batch.push(Candidate {
                doc,
                lowest,
                excluded,
                rank,
                is_kept_class: is_kept && representative == doc,
            });
        }
        Ok(())
    }
}

/// Writes the members of all clusters.
fn write_members<const N: usize>(
    engine: &Engine<'_>,
    tallies: &mut Tallies<SpillableCells, N>,
    may_stay: &mut MayStay,
    kept: &mut SpillableCells,
) -> Result<Sealed, Error> {
    let mut writer = engine.writer::<MemberRecord>(PHASE, "members", FileKind::Members)?;
    let mut classes = engine.classes()?;
    for doc in 0..engine.segments()?.documents() {
        let Some(cluster) = tallies.cluster_of(doc)? else {
            continue;
        };
        let of_class = match may_stay {
            MayStay::Stars(stars) => stars.kept(classes.of(doc)?.representative())?,
            MayStay::NotContained(_) => None,
        };
        let kept = match of_class {
            Some(kept) => kept,
            None => kept.get(cluster)? - 1,
        };
        writer.push(&MemberRecord { doc, cluster, kept })?;
    }
    Ok(writer.finish()?)
}
