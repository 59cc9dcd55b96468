//! Evidence: the shared shingles, sizes and links of a removed document and the one kept for it.
//!
//! *Input.* [`RemovalCandidate`]s in the order of pair counts. *Output.* A [`RemovalRecord`] for
//! each, in document order. *Algorithm.* The candidates are merged with the pair counts and with
//! the sketch sizes of the lower representative, then sorted and merged with the sizes of the
//! higher one. So a containment is that of the stored sketches, as `cluster` estimates it. Where
//! the two are linked, all counts are those of the link, which may be exact. Pairs below the floor
//! have no pair count; they are counted now (`recount`). *Memory.* Three sorts of
//! two shares. *Limits.* A chain of two links or more is not counted: its removal has no number of
//! links.

use super::candidate::{RemovalCandidate, SIMILAR};
use super::recount::{Recount, RepresentativePair, recount};
use super::removal::{NOT_COUNTED, RemovalRecord};
use super::task::RemovalTask;
use clustering::reached;
use engine::{Error, PhaseName};
use format::{FileKind, LinkRecord};
use model::{Sampling, SizesByLevel, Words, word_record};
use sort::{Lookup, SortedWords, WordSorter};

/// A candidate of two classes that are not linked, with what is known of the lower representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HalfCandidate {
    higher: u32,
    lower: u32,
    doc: u32,
    kept: u32,
    /// 1 if the representative of the document to remove is the higher one.
    is_higher: u8,
    /// Their pair count.
    shared: u32,
    /// Sizes of the lower one.
    sizes: [u32; Sampling::LEVELS_MAX],
}

word_record! { HalfCandidate { higher, lower, doc, kept, is_higher, shared, sizes } }

/// Counts the shared shingles and the sizes of all candidates.
pub fn removals(
    task: &RemovalTask<'_>,
    candidates: SortedWords<RemovalCandidate>,
) -> Result<SortedWords<RemovalRecord>, Error> {
    let mut removals = task.by_document::<RemovalRecord>("fates");
    let mut missing = task
        .in_parts(2)
        .by_document::<RepresentativePair>("missing");
    let halves = with_lower(task, candidates, &mut missing, &mut removals)?;
    let recounted = recount(task, missing.finish()?)?;
    with_higher(task, halves, recounted, &mut removals)?;
    removals.finish().map_err(Error::from)
}

/// Adds the sizes of the lower representative and the pair count. Candidates of one class and
/// linked ones are complete and go to `removals`. Pairs whose count the run does not know go to
/// `missing`.
fn with_lower(
    task: &RemovalTask<'_>,
    mut candidates: SortedWords<RemovalCandidate>,
    missing: &mut WordSorter<RepresentativePair>,
    removals: &mut WordSorter<RemovalRecord>,
) -> Result<SortedWords<HalfCandidate>, Error> {
    let engine = task.engine;
    let mut halves = task.in_parts(2).by_document::<HalfCandidate>("halves");
    let (mut counts, mut sizes) = (engine.pair_lookup()?, engine.sizes()?);
    let links = engine.reader::<LinkRecord>(PhaseName::Cluster, "links", FileKind::Links)?;
    let (mut links, policy) = (Lookup::over(links)?, engine.config.cluster.link_policy());
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
        if let Some(link) = links.of([lower, higher])? {
            let [size, kept_size] = candidate.own_and_kept([link.size_a, link.size_b]);
            removals.push(RemovalRecord {
                relation: SIMILAR,
                shared: link.shared,
                size,
                kept_size,
                modulus: link.modulus,
                links: match policy.joins(reached(&link)) {
                    true => 1,
                    false => NOT_COUNTED,
                },
                ..removal
            })?;
            continue;
        }
        let shared = counts.of(lower, higher)?;
        if shared.is_none() {
            missing.push(Words([lower, higher]))?;
        }
        halves.push(HalfCandidate {
            higher,
            lower,
            doc: candidate.doc,
            kept: candidate.kept,
            is_higher: candidate.is_higher,
            shared: shared.unwrap_or(0),
            sizes: sizes.of(lower)?.sizes,
        })?;
    }
    halves.finish().map_err(Error::from)
}

/// Adds the sizes of the higher representative, and the counts of pairs that had none.
fn with_higher(
    task: &RemovalTask<'_>,
    mut halves: SortedWords<HalfCandidate>,
    recounted: SortedWords<Recount>,
    removals: &mut WordSorter<RemovalRecord>,
) -> Result<(), Error> {
    let mut sizes = task.engine.sizes()?;
    let mut recounted = Lookup::over(recounted)?;
    while let Some(half) = halves.next()? {
        let found = recounted.of([half.higher, half.lower])?;
        let (shared, counted, modulus) = match found {
            Some(Recount {
                shared,
                sizes,
                modulus,
                ..
            }) if modulus > 0 => (shared, sizes, modulus),
            found => {
                let of_higher = sizes.of(half.higher)?;
                let common = SizesByLevel::common_level_of(&half.sizes, &of_higher.sizes);
                let common = common.unwrap_or_default();
                let modulus = task.engine.config.sketch.sampling.modulus_at(common.level);
                let shared = found.map_or(0, |found| found.shared);
                (shared, [common.size_a, common.size_b], modulus)
            }
        };
        let [size, kept_size] = match half.is_higher {
            0 => counted,
            _ => [counted[1], counted[0]],
        };
        removals.push(RemovalRecord {
            doc: half.doc,
            kept: half.kept,
            relation: SIMILAR,
            shared: half.shared.max(shared),
            size,
            kept_size,
            modulus,
            links: NOT_COUNTED,
        })?;
    }
    Ok(())
}
