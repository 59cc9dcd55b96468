//! Joins linked representatives into clusters, their connected components.
//!
//! *Input.* Links in order, while they are found or from their file. *Output.* [`Clusters`]: the
//! cluster of each representative, the weakest link of each cluster, and the representatives that
//! must not be kept. *Algorithm.* Union-find in one pass. With the linkage `components`, a second
//! pass finds contained representatives if containment is configured; else see
//! [`star`]. *Memory.* A cell a document with the sizes of its
//! sketch beside it, and the sums of each cluster. If that does not fit: cells alone, in memory or
//! on disk, and sorts. *Disk.* That of [`link_joiner`](super::link_joiner), of cells and of sorts.

use crate::clusters::{ClusterAssignments, Clusters, ClustersInMemory, MayStay, SortedClusters};
use crate::files::{cells, read_links};
use crate::link_joiner::{JoinedSets, LinkJoiner};
use crate::link_policy::{PHASE, reached};
use crate::weakest::Weakest;
use crate::{members_in_memory, resemblances, star};
use cluster::{Cells, ContainedDocument, LinkPolicy, UnionFind, VecCells, WeakestLink};
use engine::Engine;
use engine::cells::SpillableCells;
use engine::figures::LinkFigures;
use format::{FormatError, Sealed};
use model::Words;
use runtime::{Error, PhaseName};
use sort::{Combine, Distinct, Prefixes, Reservation, Sorted, Sorter};

/// Links joined at a time.
const BATCH_LINKS: usize = 256;

/// Links, and the connected components of those that join.
pub(super) fn components(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
) -> Result<((Sealed, LinkFigures), Clusters), Error> {
    let documents = engine.segments()?.documents() as usize;
    let levels = engine.config.sketch.sampling.levels();
    if let Some(memory) = SpillableCells::reserve_beside(&engine.budget, documents, levels) {
        let mut linker = LinkJoiner::new(engine, policy, VecCells::with_words(documents, levels))?;
        let found = resemblances::links(engine, policy, Some(&mut linker))?;
        let linked = linker.finish()?;
        let clusters = clusters(engine, policy, &found.0, linked, memory)?;
        return Ok((found, clusters));
    }
    let found = resemblances::links(engine, policy, None)?;
    let mut linker = LinkJoiner::new(engine, policy, cells(engine, "parents")?)?;
    let mut reader = read_links(engine, &found.0)?;
    while let Some(links) = reader.next_slice()? {
        links
            .chunks(BATCH_LINKS)
            .try_for_each(|links| linker.take(links))?;
    }
    let joined = sorted(engine, policy, &found.0, linker.finish()?)?;
    Ok((found, Clusters::Sorted(Box::new(joined))))
}

/// Holds clusters in memory if each keeps one document and there is room for what has to be known
/// of them.
fn clusters(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    links: &Sealed,
    linked: JoinedSets<VecCells>,
    memory: Reservation,
) -> Result<Clusters, Error> {
    let documents = engine.segments()?.documents() as usize;
    // A class has two documents at least.
    let others = engine.sealed(PhaseName::Distinct, "classes")?.records / 2;
    let others = usize::try_from(others).unwrap_or(usize::MAX);
    let count = others.saturating_add(linked.sets.sets() as usize);
    // Who is a part: a bit each.
    let bytes = count
        .saturating_mul(members_in_memory::tally_bytes(engine))
        .saturating_add(documents / 8 + 8);
    let JoinedSets { mut sets, rows } = linked;
    let more = match engine.config.cluster.linkage.is_direct() {
        true => None,
        false => engine.budget.reserve("a sum for each cluster", bytes).ok(),
    };
    let Some(more) = more else {
        let sets = sets.map_cells(|cells| SpillableCells::Memory(cells, memory));
        let joined = sorted(engine, policy, links, JoinedSets { sets, rows })?;
        return Ok(Clusters::Sorted(Box::new(joined)));
    };
    let mut contained = Vec::new();
    each_contained(engine, policy, links, &mut sets, |doc| {
        if contained.is_empty() {
            contained.resize(documents.div_ceil(64), 0_u64);
        }
        contained[doc as usize / 64] |= 1 << (doc % 64);
        Ok(())
    })?;
    Ok(Clusters::InMemory(Box::new(ClustersInMemory {
        sets,
        rows,
        contained,
        others,
        memory: [memory, more],
    })))
}

/// The same by sorts: of the weakest link of each set, and of the documents that are part of
/// another one of theirs.
fn sorted(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    links: &Sealed,
    linked: JoinedSets<SpillableCells>,
) -> Result<SortedClusters, Error> {
    let documents = engine.segments()?.documents();
    let JoinedSets { mut sets, mut rows } = linked;
    let stars = match engine.config.cluster.linkage.is_direct() {
        true => Some(star::stars(engine, policy, links)?),
        false => None,
    };
    let memory = engine.budget.reserve_share(1, 2);
    let (share, range) = (memory.bytes() / 2, Prefixes::documents(documents));
    let may_stay = match stars {
        Some(stars) => MayStay::Stars(stars),
        None => not_contained(engine, policy, links, &mut sets, share)?,
    };
    let mut sets = sets.flatten(documents)?;
    let mut weakest = WeakestLinks::new(
        engine
            .sorter(PHASE, "weakest", share, Weakest)
            .expecting(range),
    );
    while let Some((doc, WeakestLink { shared, union })) = rows.next()? {
        if let Some(root) = sets.of(doc)? {
            weakest.push(Words([root, shared, union]))?;
        }
    }
    Ok(SortedClusters {
        assigned: ClusterAssignments::new(sets, documents, may_stay),
        weakest: weakest.finish()?,
        memory,
    })
}

/// Sorts the documents that another one of their set contains.
fn not_contained(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    links: &Sealed,
    sets: &mut UnionFind<SpillableCells>,
    share: usize,
) -> Result<MayStay, Error> {
    let mut contained = engine
        .sorter::<Words<1>, _>(PHASE, "parts", share, Distinct)
        .expecting(Prefixes::documents(engine.segments()?.documents()));
    each_contained(engine, policy, links, sets, |doc| {
        contained.push(Words([doc])).map_err(Error::from)
    })?;
    let mut contained = contained.finish()?;
    let next = contained.next()?.map(|Words([doc])| doc);
    Ok(MayStay::NotContained { contained, next })
}

/// Hands on the documents that another one of their set contains, once or more often, in no order.
fn each_contained<C: Cells<Error: Into<FormatError>>>(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    links: &Sealed,
    sets: &mut UnionFind<C>,
    mut take: impl FnMut(u32) -> Result<(), Error>,
) -> Result<(), Error> {
    if policy.containment.is_none() {
        return Ok(());
    }
    let mut find = |doc: u32| sets.find(doc).map_err(|e| Error::from(e.into()));
    let mut reader = read_links(engine, links)?;
    while let Some(links) = reader.next_slice()? {
        for link in links {
            let reached = reached(link);
            let Some(contained) = reached.contained_document() else {
                continue;
            };
            // Two documents of a link that joins are in one set.
            if policy.joins(reached) || find(link.a)? == find(link.b)? {
                take(if contained == ContainedDocument::A {
                    link.a
                } else {
                    link.b
                })?;
            }
        }
    }
    Ok(())
}

/// Slots of the links held back; a power of two.
const HELD_LINKS: usize = 1 << 12;

/// Holds back the weakest link of the sets met last, so that the sort gets few of each set instead
/// of all.
struct WeakestLinks {
    held: Vec<Option<Words<3>>>,
    sorter: Sorter<Words<3>, Weakest>,
}

impl WeakestLinks {
    fn new(sorter: Sorter<Words<3>, Weakest>) -> WeakestLinks {
        WeakestLinks {
            held: vec![None; HELD_LINKS],
            sorter,
        }
    }

    #[inline]
    fn push(&mut self, link: Words<3>) -> Result<(), FormatError> {
        let slot = &mut self.held[link.0[0] as usize % HELD_LINKS];
        if let Some(held) = slot
            && Weakest.absorb(held, &link)
        {
            return Ok(());
        }
        slot.replace(link)
            .map_or(Ok(()), |held| self.sorter.push(held))
    }

    fn finish(mut self) -> Result<Sorted<Words<3>, Weakest>, FormatError> {
        for held in self.held.drain(..).flatten() {
            self.sorter.push(held)?;
        }
        self.sorter.finish()
    }
}
