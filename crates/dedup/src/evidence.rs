//! What is known of a document that goes and the one it goes in favour of.
//!
//! *Input.* [`RemovalCandidate`]s in the order of pair counts. *Output.* A [`RemovalRecord`] for each, in document
//! order. *Algorithm.* Merged with the pair counts, and with the sketch sizes of both
//! representatives, each time after a sort: so a containment is that of the stored sketches,
//! whether the two are linked or not, just as `cluster` estimates it. Pairs that may have been left
//! out below the floor are counted now ([`recount`](super::recount)). *Memory.* Three sorts of two
//! shares, and one cell a document if chains of links are asked for.

use super::candidate::{DOCUMENT_IS_HIGHER, RemovalCandidate, SIMILAR};
use super::recount::{Pair, recount};
use super::removal::{NOT_COUNTED, RemovalRecord};
use super::task::Task;
use cluster::{Cells, LinkPolicy};
use engine::merge_levels::PairLookup;
use engine::{Engine, Output};
use format::{FileKind, LinkRecord};
use model::{Overlap, Sampling, SizesByLevel};
use phases::cluster::{Sizes, policy, reached};
use phases::words::Words;
use runtime::{Error, PhaseName};
use sort::{Keep, Prefixes, Sorted};

/// ⟨higher representative, lower, document, kept, relation, shared, links, sizes of the lower
/// representative⟩.
type Half = Words<{ HALF + Sampling::LEVELS_MAX }>;
const HALF: usize = 7;

/// How many links lie between a representative and what is kept.
pub(super) trait Links {
    /// For two representatives that are asked about in order; the third is the one of the two that
    /// goes.
    fn between(&mut self, lower: u32, higher: u32, goes: u32) -> Result<u32, Error>;
}

/// Every one that goes is itself linked to what is kept.
pub(super) struct AllLinked;

impl Links for AllLinked {
    fn between(&mut self, _: u32, _: u32, _: u32) -> Result<u32, Error> {
        Ok(1)
    }
}

/// ChainLengths plus one, by representative.
pub(super) struct ChainLengths<C>(pub(super) C);

impl<C: Cells<Error = format::FormatError>> Links for ChainLengths<C> {
    fn between(&mut self, _: u32, _: u32, goes: u32) -> Result<u32, Error> {
        Ok(self
            .0
            .get(goes)
            .map_err(Error::work(PhaseName::Cluster))?
            .saturating_sub(1))
    }
}

/// Whether the two are linked themselves; chains between others are not looked for.
pub(super) struct DirectLinks {
    policy: LinkPolicy,
    reader: Output<LinkRecord>,
    next: Option<LinkRecord>,
}

impl DirectLinks {
    pub(super) fn open(engine: &Engine<'_>) -> Result<DirectLinks, Error> {
        let mut reader =
            engine.reader::<LinkRecord>(PhaseName::Cluster, "links", FileKind::Links)?;
        Ok(DirectLinks {
            policy: policy(engine),
            next: reader.next()?,
            reader,
        })
    }
}

impl Links for DirectLinks {
    fn between(&mut self, lower: u32, higher: u32, _: u32) -> Result<u32, Error> {
        while self
            .next
            .is_some_and(|link| (link.a, link.b) < (lower, higher))
        {
            self.next = self.reader.next()?;
        }
        let link = self.next.filter(|link| (link.a, link.b) == (lower, higher));
        Ok(
            if link.is_some_and(|link| self.policy.joins(reached(&link))) {
                1
            } else {
                NOT_COUNTED
            },
        )
    }
}

/// Finds the shared shingles and sizes of all wants.
pub(super) fn removals(
    task: &Task<'_>,
    mut candidates: Sorted<RemovalCandidate, Keep>,
    links: &mut dyn Links,
) -> Result<Sorted<RemovalRecord, Keep>, Error> {
    let (engine, work) = (task.engine, Error::work(PhaseName::Pairs));
    let documents = Prefixes::documents(engine.segments()?.documents());
    let sampling = engine.config.sketch.sampling;
    let mut halves = task
        .sorter::<Half>("halves", task.share_bytes / 2)
        .expecting(documents);
    let mut missing = task
        .sorter::<Pair>("missing", task.share_bytes / 2)
        .expecting(documents);
    let mut removals = task
        .sorter::<RemovalRecord>("fates", task.share_bytes)
        .expecting(documents);
    let (mut counts, mut sizes) = (PairLookup::open(engine)?, Sizes::open(engine)?);
    let has_floor = engine.config.floor().is_some();
    while let Some(Words([lower, higher, doc, kept, relation])) = candidates.next().map_err(work)? {
        let ladder = sizes.of(lower)?;
        if lower == higher {
            let level = ladder.own_level().unwrap_or(0);
            let size = ladder
                .sizes
                .get(level)
                .copied()
                .filter(|size| *size != SizesByLevel::UNKNOWN)
                .unwrap_or(0);
            let modulus = sampling.modulus_at(level);
            removals
                .push(Words([
                    doc,
                    kept,
                    relation & 3,
                    size,
                    size,
                    size,
                    modulus,
                    0,
                ]))
                .map_err(work)?;
            continue;
        }
        let representative = if relation & DOCUMENT_IS_HIGHER == 0 {
            lower
        } else {
            higher
        };
        let chain = links.between(lower, higher, representative)?;
        let shared = counts.of(lower, higher)?;
        if shared == 0 && has_floor {
            missing.push(Words([lower, higher])).map_err(work)?;
        }
        let mut half = [0; HALF + Sampling::LEVELS_MAX];
        half[..HALF].copy_from_slice(&[higher, lower, doc, kept, relation, shared, chain]);
        half[HALF..].copy_from_slice(&ladder.sizes);
        halves.push(Words(half)).map_err(work)?;
    }
    drop(candidates);
    let mut recounted = recount(task, missing.finish().map_err(work)?)?;
    let mut next = recounted.next().map_err(work)?;
    let mut halves = halves.finish().map_err(work)?;
    let mut sizes = Sizes::open(engine)?;
    while let Some(Words(half)) = halves.next().map_err(work)? {
        let [higher, lower, doc, kept, relation, counted, chain] =
            [0, 1, 2, 3, 4, 5, 6].map(|at| half[at]);
        while next.is_some_and(|Words([a, b, _])| (a, b) < (higher, lower)) {
            next = recounted.next().map_err(work)?;
        }
        let recounted = next
            .filter(|Words([a, b, _])| (*a, *b) == (higher, lower))
            .map_or(0, |Words([_, _, n])| n);
        let of_higher = sizes.of(higher)?;
        let (level, lower, higher) =
            SizesByLevel::common_level_of(&half[HALF..], &of_higher.sizes).unwrap_or_default();
        let (own, other) = if relation & DOCUMENT_IS_HIGHER == 0 {
            (lower, higher)
        } else {
            (higher, lower)
        };
        let (modulus, shared) = (sampling.modulus_at(level), counted.max(recounted));
        removals
            .push(Words([
                doc, kept, SIMILAR, shared, own, other, modulus, chain,
            ]))
            .map_err(work)?;
    }
    removals.finish().map_err(work)
}
