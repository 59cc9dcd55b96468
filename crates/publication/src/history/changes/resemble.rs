//! Versions in no class together → what they share, as `cluster` counts it, by those that represent
//! them: exactly, where phase `settle` compared them; else what their sketches share at the coarser
//! of the two moduli, or their compared sketches.

use super::job::Job;
use super::outcome::{Outcome, UNEQUAL};
use super::version_classes::EstimateRequest;
use crate::removals::recount::{RepresentativePair, recount};
use crate::removals::task::RemovalTask;
use engine::Error;
use model::{Overlap, Sampling, SizesByLevel, Words, word_record};
use sort::{Lookup, SortedWords, WordSorter};

/// A request with what is known of the lower representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HalfRequest {
    higher: u32,
    lower: u32,
    old: u32,
    newer: u32,
    old_is_higher: bool,
    shared: u32,
    sizes_of_lower: [u32; Sampling::LEVELS_MAX],
}

word_record! { HalfRequest { higher, lower, old, newer, old_is_higher, shared, sizes_of_lower } }

/// Merges with pair counts and sizes of the lower representative, then with sizes of the higher
/// one.
pub(super) fn estimate(
    job: &Job<'_>,
    mut requests: SortedWords<EstimateRequest>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<(), Error> {
    // `overlap` is that of the lower representative and the higher one.
    let mut push = |old, newer, old_is_higher, overlap: Overlap| {
        let overlap = match old_is_higher {
            true => overlap.reversed(),
            false => overlap,
        };
        outcomes.push(Outcome::version(old, UNEQUAL, newer, overlap))
    };
    let mut halves = job.sorter("halves");
    let (mut counts, mut sizes) = (job.engine.pair_lookup()?, job.engine.sizes()?);
    let mut compared = job.engine.compared_pairs()?;
    let mut settled = job.engine.settled_pairs()?;
    let task = RemovalTask {
        engine: job.engine,
        scratch: job.scratch.clone(),
        share_bytes: job.share_bytes,
    };
    let mut missing = task.by_document::<RepresentativePair>("missing");
    while let Some(request) = requests.next()? {
        let EstimateRequest {
            lower,
            higher,
            old,
            newer,
            old_is_higher,
        } = request;
        let pair = [lower, higher];
        let exact = settled.of(pair)?.map(|pair| pair.overlap());
        let known = match (exact, &mut compared) {
            (None, Some(compared)) => compared.of(pair)?.map(|pair| pair.overlap()),
            (exact, _) => exact,
        };
        if let Some(overlap) = known {
            push(old, newer, old_is_higher, overlap)?;
            continue;
        }
        let shared = counts.of(lower, higher)?;
        // Compared sketches are all that there are.
        if shared.is_none() && compared.is_none() {
            missing.push(Words([lower, higher]))?;
        }
        halves.push(HalfRequest {
            higher,
            lower,
            old,
            newer,
            old_is_higher,
            shared: shared.unwrap_or(0),
            sizes_of_lower: sizes.of(lower)?.sizes,
        })?;
    }
    drop(requests);
    let (mut halves, mut sizes) = (halves.finish()?, job.engine.sizes()?);
    let mut recounted = Lookup::over(recount(&task, missing.finish()?)?)?;
    let sampling = job.engine.config.sketch.sampling;
    while let Some(half) = halves.next()? {
        let recount = recounted.of([half.higher, half.lower])?;
        let sizes = sizes.of(half.higher)?.sizes;
        let common = SizesByLevel::common_level_of(&half.sizes_of_lower, &sizes);
        let common = common.unwrap_or_default();
        let overlap = Overlap {
            shared: recount.map_or(half.shared, |recount| recount.shared),
            size_a: common.size_a,
            size_b: common.size_b,
            modulus: sampling.modulus_at(common.level),
        };
        push(half.old, half.newer, half.old_is_higher, overlap)?;
    }
    Ok(())
}
