//! Versions in no class together → what they share, as `cluster` counts it, by those that represent
//! them: exactly, where phase `settle` compared them; else what their sketches share at the coarser
//! of the two moduli, or their compared sketches.

use super::job::Job;
use super::outcome::{Outcome, UNEQUAL, counted};
use super::version_classes::EstimateRequest;
use engine::merge_levels::PairLookup;
use engine::{SizeLookup, compared_pairs, settled_pairs};
use model::{Overlap, Sampling, SizesByLevel, Words};
use publication::PHASE;
use publication::removals::recount::{Pair, recount};
use publication::removals::task::Task;
use runtime::Error;
use sort::{SortedWords, WordSorter};

/// Words before the sizes.
const HALF: usize = 6;

/// ⟨higher representative, lower one, older document, newer one, whether the older one's is the
/// higher, shared, sizes of the lower⟩.
type Half = Words<{ HALF + Sampling::LEVELS_MAX }>;

/// Merges with pair counts and sizes of the lower representative, then with sizes of the higher
/// one.
pub(super) fn estimate(
    job: &Job<'_>,
    mut requests: SortedWords<EstimateRequest>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<(), Error> {
    let mut halves = job.sorter::<Half>("halves");
    let (mut counts, mut sizes) = (PairLookup::open(job.engine)?, SizeLookup::open(job.engine)?);
    let mut compared = compared_pairs(job.engine)?;
    let mut settled = settled_pairs(job.engine)?;
    let task = Task {
        engine: job.engine,
        dir: job.engine.dir(PHASE),
        share_bytes: job.share_bytes,
    };
    let mut missing = task.by_document::<Pair>("missing", job.share_bytes)?;
    while let Some(Words([lower, higher, old, newer, is_higher])) = requests.next()? {
        let pair = [lower, higher];
        let exact = settled.of(pair)?.map(|pair| pair.overlap());
        let known = match (exact, &mut compared) {
            (None, Some(compared)) => compared.of(pair)?.map(|pair| pair.overlap()),
            (exact, _) => exact,
        };
        if let Some(overlap) = known {
            let overlap = match is_higher {
                0 => overlap,
                _ => overlap.reversed(),
            };
            let outcome = counted([old, UNEQUAL, newer, 1], overlap);
            outcomes.push(outcome)?;
            continue;
        }
        let shared = counts.of(lower, higher)?;
        // Compared sketches are all that there are.
        if shared.is_none() && compared.is_none() {
            missing.push(Words([lower, higher]))?;
        }
        let mut half = [0; HALF + Sampling::LEVELS_MAX];
        let shared = shared.unwrap_or(0);
        half[..HALF].copy_from_slice(&[higher, lower, old, newer, is_higher, shared]);
        half[HALF..].copy_from_slice(&sizes.of(lower)?.sizes);
        halves.push(Words(half))?;
    }
    drop(requests);
    let (mut halves, mut sizes) = (halves.finish()?, SizeLookup::open(job.engine)?);
    let mut recounted = recount(&task, missing.finish()?)?;
    let mut next = recounted.next()?;
    let sampling = job.engine.config.sketch.sampling;
    while let Some(Words(half)) = halves.next()? {
        let [higher, lower, old, newer, is_higher, mut shared] =
            [0, 1, 2, 3, 4, 5].map(|at| half[at]);
        while next.is_some_and(|next| (next.higher, next.lower) < (higher, lower)) {
            next = recounted.next()?;
        }
        if let Some(recounted) = next.filter(|next| (next.higher, next.lower) == (higher, lower)) {
            shared = recounted.shared;
        }
        let of_higher = sizes.of(higher)?;
        let common =
            SizesByLevel::common_level_of(&half[HALF..], &of_higher.sizes).unwrap_or_default();
        let (size_a, size_b) = if is_higher == 0 {
            (common.size_a, common.size_b)
        } else {
            (common.size_b, common.size_a)
        };
        let overlap = Overlap {
            shared,
            size_a,
            size_b,
            modulus: sampling.modulus_at(common.level),
        };
        outcomes.push(counted([old, UNEQUAL, newer, 1], overlap))?;
    }
    Ok(())
}
