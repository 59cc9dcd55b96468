//! Evidence: the shared shingles, sizes and links of a removed document and the one kept for it.
//!
//! *Input.* [`RemovalCandidate`]s in the order of pair counts. *Output.* A [`RemovalRecord`] for
//! each, in document order. *Algorithm.* The candidates are merged with the pair counts and with
//! the sketch sizes of the lower representative, then sorted and merged with the sizes of the
//! higher one. So a containment is that of the stored sketches, as `cluster` estimates it. Where
//! the two are linked, all counts are those of the link, which may be exact. Pairs below the floor
//! have no pair count; they are counted now (`recount`). *Memory.* Three sorts of
//! two shares, and one cell a document if chains of links are asked for.

use super::candidate::{RemovalCandidate, SIMILAR};
use super::recount::{Pair, Recount, recount};
use super::removal::{NOT_COUNTED, RemovalRecord};
use super::task::Task;
use cluster::LinkPolicy;
use clustering::reached;
use engine::Engine;
use engine::SizeLookup;
use engine::merge_levels::PairLookup;
use format::{FileKind, LinkRecord, RecordReader};
use model::{Sampling, SizesByLevel, Words, word_record};
use runtime::{Error, PhaseName};
use sort::{SortedWords, WordSorter};

/// A candidate of two classes that are not linked, with what is known of the lower representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Half {
    higher: u32,
    lower: u32,
    doc: u32,
    kept: u32,
    /// 1 if the representative of the document to remove is the higher one.
    is_higher: u8,
    /// Their pair count.
    shared: u32,
    links: u32,
    /// Sizes of the lower one.
    sizes: [u32; Sampling::LEVELS_MAX],
}

word_record! { Half { higher, lower, doc, kept, is_higher, shared, links, sizes } }

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
    reader: RecordReader<LinkRecord>,
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
    while let Some(candidate) = candidates.next()? {
        let RemovalCandidate { lower, higher, .. } = candidate;
        let removal = RemovalRecord {
            doc: candidate.doc,
            kept: candidate.kept,
            relation: candidate.relation,
            ..RemovalRecord::default()
        };
        if lower == higher {
            let (level, size) = sizes.of(lower)?.own_size();
            removals.push(RemovalRecord {
                shared: size,
                size,
                kept_size: size,
                modulus: engine.config.sketch.sampling.modulus_at(level),
                ..removal
            })?;
            continue;
        }
        let [own, _] = candidate.own_and_kept([lower, higher]);
        let chain = links.between(lower, higher, own)?;
        if let Some(link) = linked.of(lower, higher)? {
            let [size, kept_size] = candidate.own_and_kept([link.size_a, link.size_b]);
            removals.push(RemovalRecord {
                relation: SIMILAR,
                shared: link.shared,
                size,
                kept_size,
                modulus: link.modulus,
                links: chain,
                ..removal
            })?;
            continue;
        }
        let shared = counts.of(lower, higher)?;
        if shared.is_none() {
            missing.push(Words([lower, higher]))?;
        }
        halves.push(Half {
            higher,
            lower,
            doc: candidate.doc,
            kept: candidate.kept,
            is_higher: candidate.is_higher,
            shared: shared.unwrap_or(0),
            links: chain,
            sizes: sizes.of(lower)?.sizes,
        })?;
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
    while let Some(half) = halves.next()? {
        let pair = (half.higher, half.lower);
        while next.is_some_and(|next| (next.higher, next.lower) < pair) {
            next = recounted.next()?;
        }
        let found = next.filter(|next| (next.higher, next.lower) == pair);
        let counted = match found {
            Some(found) if found.modulus > 0 => found,
            found => {
                let of_higher = sizes.of(half.higher)?;
                let common = SizesByLevel::common_level_of(&half.sizes, &of_higher.sizes);
                let common = common.unwrap_or_default();
                Recount {
                    higher: half.higher,
                    lower: half.lower,
                    shared: found.map_or(0, |found| found.shared),
                    sizes: [common.size_a, common.size_b],
                    modulus: task.engine.config.sketch.sampling.modulus_at(common.level),
                }
            }
        };
        let [size, kept_size] = match half.is_higher {
            0 => counted.sizes,
            _ => [counted.sizes[1], counted.sizes[0]],
        };
        removals.push(RemovalRecord {
            doc: half.doc,
            kept: half.kept,
            relation: SIMILAR,
            shared: half.shared.max(counted.shared),
            size,
            kept_size,
            modulus: counted.modulus,
            links: half.links,
        })?;
    }
    Ok(())
}
