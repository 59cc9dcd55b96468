//! Evidence: the shared shingles, sizes and links of a removed document and the one kept for it.
//!
//! *Input.* [`RemovalCandidate`]s in the order of pair counts. *Output.* A [`RemovalRecord`] for
//! each, in document order. *Algorithm.* Candidates of one class share all of their sketch. Where
//! the two are linked, all counts are those of the link, which may be exact. Those of all others
//! are the stored ones ([`PairOverlaps`]); so a containment is that of the stored sketches, as
//! `cluster` estimates it. *Memory.* Three sorts of two shares. *Limits.* A chain of two links or
//! more is not counted: its removal has no number of links.

use super::candidate::{RemovalCandidate, SIMILAR};
use super::overlaps::PairOverlaps;
use super::removal::{NOT_COUNTED, RemovalRecord};
use super::task::RemovalTask;
use clustering::reached;
use engine::{Error, PhaseName};
use format::{FileKind, LinkRecord};
use model::Overlap;
use sort::{Lookup, SortedWords};

/// Counts the shared shingles and the sizes of all candidates.
pub fn removals(
    task: &RemovalTask<'_>,
    mut candidates: SortedWords<RemovalCandidate>,
) -> Result<SortedWords<RemovalRecord>, Error> {
    let engine = task.engine;
    let mut removals = task.by_document::<RemovalRecord>("fates");
    let mut others = PairOverlaps::open(task)?;
    let mut sizes = engine.sizes()?;
    let links = engine.reader::<LinkRecord>(PhaseName::Cluster, "links", FileKind::Links)?;
    let (mut links, policy) = (Lookup::over(links)?, engine.config.cluster.link_policy());
    while let Some(candidate) = candidates.next()? {
        let RemovalCandidate { pair, relation } = candidate;
        if pair.lower == pair.higher {
            let (level, size) = sizes.of(pair.lower)?.own_size();
            let overlap = Overlap {
                shared: size,
                size_a: size,
                size_b: size,
                modulus: engine.config.sketch.sampling.modulus_at(level),
            };
            removals.push(RemovalRecord::new(&pair, relation, overlap, 0))?;
        } else if let Some(link) = links.of([pair.lower, pair.higher])? {
            let links = match policy.joins(reached(&link)) {
                true => 1,
                false => NOT_COUNTED,
            };
            let overlap = pair.overlap(link.overlap());
            removals.push(RemovalRecord::new(&pair, SIMILAR, overlap, links))?;
        } else {
            others.push(pair, true)?;
        }
    }
    drop((candidates, links, sizes));
    others.finish(|pair, overlap| {
        Ok(removals.push(RemovalRecord::new(pair, SIMILAR, overlap, NOT_COUNTED))?)
    })?;
    removals.finish().map_err(Error::from)
}
