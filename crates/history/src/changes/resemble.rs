//! Versions in no class together → what they share, as `cluster` counts it, by those that represent
//! them, common shingles left out: exactly, where phase `settle` compared them; else what their
//! sketches share at the coarser of the two moduli, or their compared sketches; nothing, where
//! there is no pair count.

use super::job::Job;
use super::outcome::{Outcome, UNEQUAL, counted};
use super::version_classes::EstimateRequest;
use engine::merge_levels::PairLookup;
use engine::{ComparedPairs, SettledPairs, SizeLookup};
use model::{Overlap, Sampling, SizesByLevel, Words};
use publication::PHASE;
use runtime::Error;
use sort::{SortedWords, WordSorter};

/// ⟨higher representative, older document, newer one, whether the older one's is the higher,
/// shared, sizes of the lower⟩.
type Half = Words<{ 5 + Sampling::LEVELS_MAX }>;

/// Merges with pair counts and sizes of the lower representative, then with sizes of the higher
/// one.
pub(super) fn estimate(
    job: &Job<'_>,
    mut requests: SortedWords<EstimateRequest>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let mut halves = job.sorter::<Half>("halves");
    let (mut counts, mut sizes) = (PairLookup::open(job.engine)?, SizeLookup::open(job.engine)?);
    let mut compared = ComparedPairs::open(job.engine)?;
    let mut settled = SettledPairs::open(job.engine)?;
    while let Some(Words([lower, higher, old, newer, is_higher])) = requests.next().map_err(work)? {
        let known = match (settled.of(lower, higher)?, &mut compared) {
            (None, Some(compared)) => {
                let pair = compared.of(lower, higher)?;
                pair.map(|pair| pair.overlap())
            }
            (exact, _) => exact,
        };
        if let Some(overlap) = known {
            let overlap = match is_higher {
                0 => overlap,
                _ => overlap.reversed(),
            };
            let outcome = counted([old, UNEQUAL, newer, 1], overlap);
            outcomes.push(outcome).map_err(work)?;
            continue;
        }
        let mut half = [0; 5 + Sampling::LEVELS_MAX];
        half[..5].copy_from_slice(&[higher, old, newer, is_higher, counts.of(lower, higher)?]);
        half[5..].copy_from_slice(&sizes.of(lower)?.sizes);
        halves.push(Words(half)).map_err(work)?;
    }
    drop(requests);
    let (mut halves, mut sizes) = (
        halves.finish().map_err(work)?,
        SizeLookup::open(job.engine)?,
    );
    let sampling = job.engine.config.sketch.sampling;
    while let Some(Words(half)) = halves.next().map_err(work)? {
        let [higher, old, newer, is_higher, shared] = [0, 1, 2, 3, 4].map(|at| half[at]);
        let of_higher = sizes.of(higher)?;
        let common =
            SizesByLevel::common_level_of(&half[5..], &of_higher.sizes).unwrap_or_default();
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
        outcomes
            .push(counted([old, UNEQUAL, newer, 1], overlap))
            .map_err(work)?;
    }
    Ok(())
}
