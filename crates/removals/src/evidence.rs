//! Evidence: the shared shingles, sizes and links of a removed document and the one kept for it.
//!
//! *Input.* [`RemovalCandidate`]s in the order of pair counts. *Output.* A [`RemovalRecord`] for
//! each, in document order. *Algorithm.* The candidates are merged with the pair counts and with
//! the sketch sizes of the lower representative, then sorted and merged with the sizes of the
//! higher one. So a containment is that of the stored sketches, as `cluster` estimates it. Where
//! the two are linked, all counts are those of the link, which may be exact. Pairs below the floor
//! have no pair count; they are counted now (`recount`). *Memory.* Three sorts of
//! two shares, and one cell a document if chains of links are asked for.

use crate::candidate::{DOCUMENT_IS_HIGHER, RemovalCandidate, SIMILAR};
use crate::recount::{Pair, Recount, recount};
use crate::removal::{NOT_COUNTED, RemovalRecord};
use crate::task::Task;
use cluster::LinkPolicy;
use clustering::reached;
use engine::SizeLookup;
use engine::merge_levels::PairLookup;
use engine::{Engine, Output};
use format::{FileKind, LinkRecord};
use model::{Sampling, SizesByLevel, Words};
use runtime::{Error, PhaseName};
use sort::{SortedWords, WordSorter};

/// ⟨higher representative, lower, document, kept, relation, shared, links, sizes of the lower
/// representative⟩.
type Half = Words<{ HALF + Sampling::LEVELS_MAX }>;
const HALF: usize = 7;

/// Counts the links between a representative and the kept one.
pub trait Links {
    /// Counts for two representatives; calls are in the order of pairs. `removed` is the one of the
    /// two that is removed.
    fn between(&mut self, lower: u32, higher: u32, removed: u32) -> Result<u32, Error>;
}

/// For clusters in which every removed representative is linked to the kept one.
pub struct AllLinked;

impl Links for AllLinked {
    fn between(&mut self, _: u32, _: u32, _: u32) -> Result<u32, Error> {
        Ok(1)
    }
}

/// The links of the run, looked up in order.
struct LinkLookup {
    reader: Output<LinkRecord>,
    next: Option<LinkRecord>,
}

impl LinkLookup {
    fn open(engine: &Engine<'_>) -> Result<LinkLookup, Error> {
        let mut reader =
            engine.reader::<LinkRecord>(PhaseName::Cluster, "links", FileKind::Links)?;
        Ok(LinkLookup {
            next: reader.next()?,
            reader,
        })
    }

    /// The link of two representatives, if there is one.
    fn of(&mut self, lower: u32, higher: u32) -> Result<Option<LinkRecord>, Error> {
        while self
            .next
            .is_some_and(|link| (link.a, link.b) < (lower, higher))
        {
            self.next = self.reader.next()?;
        }
        Ok(self.next.filter(|link| (link.a, link.b) == (lower, higher)))
    }
}

/// Only a link between the two counts, no chain.
pub struct DirectLinks {
    policy: LinkPolicy,
    links: LinkLookup,
}

impl DirectLinks {
    /// Opens the links of a finished phase `cluster`.
    pub fn open(engine: &Engine<'_>) -> Result<DirectLinks, Error> {
        Ok(DirectLinks {
            policy: engine.config.cluster.link_policy(),
            links: LinkLookup::open(engine)?,
        })
    }
}

impl Links for DirectLinks {
    fn between(&mut self, lower: u32, higher: u32, _: u32) -> Result<u32, Error> {
        let link = self.links.of(lower, higher)?;
        Ok(
            if link.is_some_and(|link| self.policy.joins(reached(&link))) {
                1
            } else {
                NOT_COUNTED
            },
        )
    }
}

/// Counts the shared shingles and the sizes of all candidates.
pub fn removals(
    task: &Task<'_>,
    candidates: SortedWords<RemovalCandidate>,
    links: &mut dyn Links,
) -> Result<SortedWords<RemovalRecord>, Error> {
    let mut removals = task.by_document::<RemovalRecord>("fates", task.share_bytes)?;
    let mut missing = task.by_document::<Pair>("missing", task.share_bytes / 2)?;
    let halves = with_lower(task, candidates, links, &mut missing, &mut removals)?;
    let recounted = recount(task, missing.finish()?)?;
    with_higher(task, halves, recounted, &mut removals)?;
    removals.finish().map_err(Error::from)
}

/// Adds the sizes of the lower representative and the pair count. Candidates of one class and
/// linked ones are complete and go to `removals`. Pairs whose count the run does not know go to
/// `missing`.
fn with_lower(
    task: &Task<'_>,
    mut candidates: SortedWords<RemovalCandidate>,
    links: &mut dyn Links,
    missing: &mut WordSorter<Pair>,
    removals: &mut WordSorter<RemovalRecord>,
) -> Result<SortedWords<Half>, Error> {
    let engine = task.engine;
    let mut halves = task.by_document::<Half>("halves", task.share_bytes / 2)?;
    let (mut counts, mut sizes) = (PairLookup::open(engine)?, SizeLookup::open(engine)?);
    let mut linked = LinkLookup::open(engine)?;
    while let Some(Words([lower, higher, doc, kept, relation])) = candidates.next()? {
        if lower == higher {
            let (level, size) = sizes.of(lower)?.own_size();
            let modulus = engine.config.sketch.sampling.modulus_at(level);
            removals.push(RemovalRecord {
                doc,
                kept,
                relation: relation & 3,
                shared: size,
                size,
                kept_size: size,
                modulus,
                links: 0,
            })?;
            continue;
        }
        let representative = if relation & DOCUMENT_IS_HIGHER == 0 {
            lower
        } else {
            higher
        };
        let chain = links.between(lower, higher, representative)?;
        if let Some(link) = linked.of(lower, higher)? {
            let (size, kept_size) = if relation & DOCUMENT_IS_HIGHER == 0 {
                (link.size_a, link.size_b)
            } else {
                (link.size_b, link.size_a)
            };
            removals.push(RemovalRecord {
                doc,
                kept,
                relation: SIMILAR,
                shared: link.shared,
                size,
                kept_size,
                modulus: link.modulus,
                links: chain,
            })?;
            continue;
        }
        let shared = counts.of(lower, higher)?;
        if shared.is_none() {
            missing.push(Words([lower, higher]))?;
        }
        let shared = shared.unwrap_or(0);
        let mut half = [0; HALF + Sampling::LEVELS_MAX];
        half[..HALF].copy_from_slice(&[higher, lower, doc, kept, relation, shared, chain]);
        half[HALF..].copy_from_slice(&sizes.of(lower)?.sizes);
        halves.push(Words(half))?;
    }
    halves.finish().map_err(Error::from)
}

/// Adds the sizes of the higher representative, and the counts of pairs that had none.
fn with_higher(
    task: &Task<'_>,
    mut halves: SortedWords<Half>,
    mut recounted: SortedWords<Recount>,
    removals: &mut WordSorter<RemovalRecord>,
) -> Result<(), Error> {
    let mut sizes = SizeLookup::open(task.engine)?;
    let mut next = recounted.next()?;
    while let Some(Words(half)) = halves.next()? {
        let [higher, lower, doc, kept, relation, counted, chain] =
            [0, 1, 2, 3, 4, 5, 6].map(|at| half[at]);
        while next.is_some_and(|Words([a, b, ..])| (a, b) < (higher, lower)) {
            next = recounted.next()?;
        }
        let (recounted, mut sizes_and_modulus) = next
            .filter(|Words([a, b, ..])| (*a, *b) == (higher, lower))
            .map_or((0, [0; 3]), |Words([_, _, n, a, b, modulus])| {
                (n, [a, b, modulus])
            });
        if sizes_and_modulus[2] == 0 {
            let of_higher = sizes.of(higher)?;
            let common =
                SizesByLevel::common_level_of(&half[HALF..], &of_higher.sizes).unwrap_or_default();
            let modulus = task.engine.config.sketch.sampling.modulus_at(common.level);
            sizes_and_modulus = [common.size_a, common.size_b, modulus];
        }
        let [lower, higher, modulus] = sizes_and_modulus;
        let (size, kept_size) = if relation & DOCUMENT_IS_HIGHER == 0 {
            (lower, higher)
        } else {
            (higher, lower)
        };
        removals.push(RemovalRecord {
            doc,
            kept,
            relation: SIMILAR,
            shared: counted.max(recounted),
            size,
            kept_size,
            modulus,
            links: chain,
        })?;
    }
    Ok(())
}
