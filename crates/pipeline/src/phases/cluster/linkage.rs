//! Links → clusters of representatives.

use super::{PHASE, reached, union};
use crate::Error;
use crate::cells::Store;
use crate::engine::Engine;
use crate::phases::words::{Weakest, Words};
use cluster::{LinkPolicy, Part, UnionFind};
use format::{FileKind, LinkRecord, RecordReader, Sealed};
use sort::{Distinct, Sorted};

/// Representatives in clusters of two or more, however they were joined.
pub(super) struct Joined {
    /// ⟨representative, cluster, 1 if it must not be kept⟩, in order.
    pub(super) assigned: Sorted<Words<3>, Distinct>,
    /// ⟨cluster, shared, union⟩ of the weakest link of each cluster, in order.
    pub(super) weakest: Sorted<Words<3>, Weakest>,
}

/// Opens the links just written.
pub(super) fn read_links(engine: &Engine<'_>, links: &Sealed) -> Result<RecordReader<LinkRecord>, Error> {
    let dir = engine.dir(PHASE);
    RecordReader::open_sealed(&engine.disk, &dir, links, FileKind::Links).map_err(Error::work(PHASE))
}

/// Connected components of the joining links.
pub(super) fn components(engine: &Engine<'_>, policy: &LinkPolicy, links: &Sealed) -> Result<Joined, Error> {
    let work = Error::work(PHASE);
    let documents = engine.segments()?.documents();
    let path = engine.dir(PHASE).join("parents.run-cells");
    let cells = Store::create(&engine.disk, &path, documents as usize, &engine.budget).map_err(work)?;
    let mut sets = UnionFind::new(cells);
    let mut reader = read_links(engine, links)?;
    while let Some(link) = reader.next().map_err(work)? {
        if policy.joins(reached(&link)) {
            sets.union(link.a, link.b).map_err(work)?;
        }
    }
    let memory = engine.budget.reserve_share(3, 4);
    let share = memory.bytes() / 3;
    let mut parts = engine.sorter::<Words<1>, _>(PHASE, "parts", share, Distinct);
    let mut weakest = engine.sorter::<Words<3>, _>(PHASE, "weakest", share, Weakest);
    let mut reader = read_links(engine, links)?;
    while let Some(link) = reader.next().map_err(work)? {
        let root = sets.find(link.a).map_err(work)?;
        if root != sets.find(link.b).map_err(work)? {
            continue;
        }
        let reached = reached(&link);
        if policy.joins(reached) {
            weakest.push(Words([root, link.shared, union(&link)])).map_err(work)?;
        }
        match reached.one_way() {
            Some(Part::A) => parts.push(Words([link.a])).map_err(work)?,
            Some(Part::B) => parts.push(Words([link.b])).map_err(work)?,
            None => {}
        }
    }
    let mut parts = parts.finish().map_err(work)?;
    let mut part = parts.next().map_err(work)?;
    let mut assigned = engine.sorter::<Words<3>, _>(PHASE, "assigned", share, Distinct);
    // The root is entered once for each other member and, if it is part of one, once more with that mark; only entries
    // of one document that differ stay apart, and the higher one holds.
    for doc in 0..documents {
        let is_part = part == Some(Words([doc]));
        if is_part {
            part = parts.next().map_err(work)?;
        }
        let root = sets.find(doc).map_err(work)?;
        if root != doc {
            assigned.push(Words([doc, root, u32::from(is_part)])).map_err(work)?;
            assigned.push(Words([root, root, 0])).map_err(work)?;
        } else if is_part {
            assigned.push(Words([doc, doc, 1])).map_err(work)?;
        }
    }
    drop(sets);
    let joined = Joined { assigned: assigned.finish().map_err(work)?, weakest: weakest.finish().map_err(work)? };
    Ok(joined)
}
