//! Versions in no class together → what they share, as `cluster` counts it, by those that represent
//! them: exactly, where phase `settle` compared them; else what their sketches share at the coarser
//! of the two moduli, or their compared sketches.

use super::job::Job;
use super::outcome::{Outcome, UNEQUAL};
use crate::removals::overlaps::{DocumentPair, PairOverlaps};
use crate::removals::task::RemovalTask;
use engine::Error;
use model::Overlap;
use sort::{SortedWords, WordSorter};

/// Gives the outcomes of pairs of an older version and a newer one.
pub(super) fn estimate(
    job: &Job<'_>,
    mut requests: SortedWords<DocumentPair>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<(), Error> {
    let mut push = |pair: &DocumentPair, overlap: Overlap| {
        let outcome = Outcome::version(pair.doc, UNEQUAL, pair.other, overlap);
        outcomes.push(outcome).map_err(Error::from)
    };
    let task = RemovalTask {
        engine: job.engine,
        scratch: job.scratch.clone(),
        share_bytes: job.share_bytes,
    };
    let mut others = PairOverlaps::open(&task)?;
    let mut compared = job.engine.compared_pairs()?;
    let mut settled = job.engine.settled_pairs()?;
    while let Some(pair) = requests.next()? {
        let both = [pair.lower, pair.higher];
        let exact = settled.of(both)?.map(|found| found.overlap());
        let known = match (exact, &mut compared) {
            (None, Some(compared)) => compared.of(both)?.map(|found| found.overlap()),
            (exact, _) => exact,
        };
        match known {
            Some(overlap) => push(&pair, pair.overlap(overlap))?,
            // Compared sketches are all that there are.
            None => others.push(pair, compared.is_none())?,
        }
    }
    drop(requests);
    others.finish(push)
}
