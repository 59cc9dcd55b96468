//! Links → clusters of representatives.

use super::{PHASE, reached, union};
use crate::Error;
use crate::cells::Store;
use crate::engine::Engine;
use crate::phases::words::{Weakest, Words};
use cluster::{LinkPolicy, Part, Sets, UnionFind};
use format::{FileKind, FormatError, LinkRecord, RecordReader, Sealed};
use sort::{Combine, Distinct, Prefixes, Reservation, Sorted, Sorter};

/// Representatives in clusters of two or more, however they were joined.
pub(super) struct Joined {
    /// ⟨representative, cluster, 1 if it must not be kept⟩, one of each, in order.
    pub(super) assigned: Assigned,
    /// ⟨cluster, shared, union⟩ of the weakest link of each cluster, in order.
    pub(super) weakest: Sorted<Words<3>, Weakest>,
    /// What both take of the budget.
    pub(super) memory: Reservation,
}

/// Opens the links just written.
pub(super) fn read_links(engine: &Engine<'_>, links: &Sealed) -> Result<RecordReader<LinkRecord>, Error> {
    let dir = engine.dir(PHASE);
    RecordReader::open_sealed(&engine.disk, &dir, links, FileKind::Links).map_err(Error::work(PHASE))
}

/// Where the cluster of each representative comes from.
pub(super) enum Assigned {
    /// The sets themselves, and which documents are part of another, in order.
    Components { sets: Sets<Store>, documents: u32, next: u32, parts: Sorted<Words<1>, Distinct>, part: Option<u32> },
    /// A sorted list.
    Stars(Sorted<Words<3>, Distinct>),
}

impl Assigned {
    /// The next representative.
    pub(super) fn next(&mut self) -> Result<Option<Words<3>>, FormatError> {
        match self {
            Assigned::Stars(sorted) => sorted.next(),
            Assigned::Components { sets, documents, next, parts, part } => {
                while next < documents {
                    let doc = *next;
                    *next += 1;
                    let is_part = *part == Some(doc);
                    if is_part {
                        *part = parts.next()?.map(|Words([doc])| doc);
                    }
                    if let Some(root) = sets.of(doc)? {
                        return Ok(Some(Words([doc, root, u32::from(is_part)])));
                    }
                }
                Ok(None)
            }
        }
    }
}

/// Links joined at a time.
const BATCH_LINKS: usize = 1024;

/// Connected components of the joining links.
pub(super) fn components(engine: &Engine<'_>, policy: &LinkPolicy, links: &Sealed) -> Result<Joined, Error> {
    let work = Error::work(PHASE);
    let documents = engine.segments()?.documents();
    let path = engine.dir(PHASE).join("parents.run-cells");
    let cells = Store::create(&engine.disk, &path, documents as usize, &engine.budget).map_err(work)?;
    let mut sets = UnionFind::new(cells);
    let mut reader = read_links(engine, links)?;
    let mut batch = Vec::with_capacity(BATCH_LINKS);
    while let Some(links) = reader.next_slice().map_err(work)? {
        for links in links.chunks(BATCH_LINKS) {
            batch.clear();
            batch.extend(links.iter().filter(|link| policy.joins(reached(link))).map(|link| (link.a, link.b)));
            sets.union_all(&batch).map_err(work)?;
        }
    }
    let mut sets = sets.flatten(documents).map_err(work)?;
    let memory = engine.budget.reserve_share(1, 2);
    let (weakest, mut parts) = weakest_and_parts(engine, policy, links, (&mut sets, memory.bytes() / 2))?;
    let part = parts.next().map_err(work)?.map(|Words([doc])| doc);
    Ok(Joined { assigned: Assigned::Components { sets, documents, next: 0, parts, part }, weakest, memory })
}

/// The weakest link of each set and the documents that are part of another one of their set, each sorted with a share of the memory.
#[expect(clippy::type_complexity, reason = "the two are parted at once")]
fn weakest_and_parts(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    links: &Sealed,
    (sets, share): (&mut Sets<Store>, usize),
) -> Result<(Sorted<Words<3>, Weakest>, Sorted<Words<1>, Distinct>), Error> {
    let work = Error::work(PHASE);
    let range = Prefixes::documents(engine.segments()?.documents());
    let mut parts = engine.sorter::<Words<1>, _>(PHASE, "parts", share, Distinct).expecting(range);
    let mut weakest = WeakestLinks::new(engine.sorter(PHASE, "weakest", share, Weakest).expecting(range));
    let mut reader = read_links(engine, links)?;
    while let Some(links) = reader.next_slice().map_err(work)? {
        // Links come in the order of their lower document, and those of one that join are all of one set.
        for links in links.chunk_by(|one, next| one.a == next.a) {
            let root = sets.of(links[0].a).map_err(work)?;
            let mut least: Option<Words<3>> = None;
            for link in links {
                let reached = reached(link);
                let (joins, one_way) = (policy.joins(reached), reached.one_way());
                // Two documents of a link that joins are in one set.
                if !joins && (one_way.is_none() || root.is_none() || root != sets.of(link.b).map_err(work)?) {
                    continue;
                }
                if let Some(root) = root.filter(|_| joins) {
                    let link = Words([root, link.shared, union(link)]);
                    match &mut least {
                        Some(least) => _ = Weakest.absorb(least, &link),
                        None => least = Some(link),
                    }
                }
                match one_way {
                    Some(Part::A) => parts.push(Words([link.a])).map_err(work)?,
                    Some(Part::B) => parts.push(Words([link.b])).map_err(work)?,
                    None => {}
                }
            }
            if let Some(least) = least {
                weakest.push(least).map_err(work)?;
            }
        }
    }
    Ok((weakest.finish().map_err(work)?, parts.finish().map_err(work)?))
}

/// Slots of the links held back; a power of two.
const HELD_LINKS: usize = 1 << 12;

/// Holds back the weakest link of the sets met last, so that the sort gets few of each set instead of all.
struct WeakestLinks {
    held: Vec<Option<Words<3>>>,
    sorter: Sorter<Words<3>, Weakest>,
}

impl WeakestLinks {
    fn new(sorter: Sorter<Words<3>, Weakest>) -> WeakestLinks {
        WeakestLinks { held: vec![None; HELD_LINKS], sorter }
    }

    #[inline]
    fn push(&mut self, link: Words<3>) -> Result<(), FormatError> {
        let slot = &mut self.held[link.0[0] as usize % HELD_LINKS];
        if let Some(held) = slot
            && Weakest.absorb(held, &link)
        {
            return Ok(());
        }
        slot.replace(link).map_or(Ok(()), |held| self.sorter.push(held))
    }

    fn finish(mut self) -> Result<Sorted<Words<3>, Weakest>, FormatError> {
        for held in self.held.drain(..).flatten() {
            self.sorter.push(held)?;
        }
        self.sorter.finish()
    }
}
