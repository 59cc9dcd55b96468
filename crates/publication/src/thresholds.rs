//! The effect of other thresholds, for `report.json`: so that a page can show it without the work
//! directory.
//!
//! *Input.* Pair counts, sketch sizes, classes. *Output.* [`ThresholdFigures`]. *Algorithm.*
//! [`clustering::sweep`] over steps of 0.05 hands on every link of the lowest one; each raises the
//! highest resemblance of its two documents. *Memory.* A cell for each document, and those of the
//! sweep. *Disk.* The links of the lowest threshold, in the directory of phase `cluster`, until
//! they are counted.

use crate::PHASE;
use clustering::{ThresholdCounts, sweep, threshold_steps};
use engine::{Engine, Error};
use model::Cells;
use model::Ratio;
use output::{ComparedPair, FiguresAtThreshold, RESEMBLANCE_BINS, ThresholdFigures};
use std::cmp::Ordering;

/// Pairs shown on each side of the configured threshold.
const SHOWN: usize = 10;

/// Looks at all thresholds. `removed_bytes` are those of the documents that go at the configured
/// one.
pub fn thresholds(engine: &Engine<'_>, removed_bytes: u64) -> Result<ThresholdFigures, Error> {
    let scratch = engine.scratch(PHASE)?;
    let mut highest = scratch.cells("highest")?;
    let threshold = engine.config.cluster.resemblance;
    let (mut below, mut above) = (
        NearestPairs(Vec::new(), Ordering::Greater),
        NearestPairs(Vec::new(), Ordering::Less),
    );
    let mut failed = Ok(());
    let steps = threshold_steps(engine.config, &[]);
    let counts = sweep(engine, &steps, &mut |reached, link| {
        // a link by containment alone says nothing of the highest resemblance
        if reached == 0 {
            return;
        }
        let ratio = link.overlap().shared_of_union();
        let side = match threshold.reached_by(ratio) {
            true => &mut above,
            false => &mut below,
        };
        side.offer([link.a, link.b], ratio);
        let bin = ThresholdFigures::bin(ratio) as u32 + 1;
        for doc in [link.a, link.b] {
            let raised = highest.get(doc).and_then(|before| match before < bin {
                true => highest.set(doc, bin),
                false => Ok(()),
            });
            if failed.is_ok() {
                failed = raised;
            }
        }
    })?;
    failed?;
    let mut bins = vec![0; RESEMBLANCE_BINS];
    for doc in 0..scratch.documents {
        if let Some(bin) = highest.get(doc)?.checked_sub(1) {
            bins[bin as usize] += 1;
        }
    }
    let ids = engine.public_ids();
    let pairs = |nearest: NearestPairs| {
        let pairs = nearest.0.into_iter().map(|([a, b], ratio)| ComparedPair {
            a: ids.get(a),
            b: ids.get(b),
            resemblance: ratio.to_f64(),
        });
        pairs.collect()
    };
    Ok(ThresholdFigures {
        configured: threshold.to_f64(),
        highest: bins,
        at: figures(&counts, threshold.to_f64(), removed_bytes),
        below: pairs(below),
        above: pairs(above),
    })
}

/// The sweep counts the bytes of documents that go because links join their classes. What goes
/// within the classes is the same at each threshold.
fn figures(
    counts: &[ThresholdCounts],
    configured: f64,
    removed_bytes: u64,
) -> Vec<FiguresAtThreshold> {
    let of_run = counts
        .iter()
        .find(|counts| counts.resemblance.to_f64() == configured);
    let joined_bytes = of_run.map_or(0, |counts| counts.joined_bytes);
    let figures = counts.iter().map(|counts| FiguresAtThreshold {
        resemblance: counts.resemblance.to_f64(),
        links: counts.links,
        clusters: counts.clusters,
        removed: counts.removed,
        bytes: (removed_bytes + counts.joined_bytes).saturating_sub(joined_bytes),
        largest: counts.largest,
    });
    figures.collect()
}

/// The pairs that come first by resemblance: with `Greater` the highest, with `Less` the lowest. Of
/// equal ones those of the lowest documents.
struct NearestPairs(Vec<([u32; 2], Ratio)>, Ordering);

impl NearestPairs {
    fn offer(&mut self, pair: [u32; 2], ratio: Ratio) {
        let first = self.1;
        let place = self
            .0
            .partition_point(|(_, other)| ratio.cmp(other) != first);
        if place < SHOWN {
            self.0.truncate(SHOWN - 1);
            self.0.insert(place, (pair, ratio));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_pairs_come_first_and_of_equal_ones_the_lowest() {
        let (mut highest, mut lowest) = (
            NearestPairs(Vec::new(), Ordering::Greater),
            NearestPairs(Vec::new(), Ordering::Less),
        );
        for n in 0..40 {
            let ratio = Ratio::new(n % 20, 20);
            highest.offer([n as u32, 100], ratio);
            lowest.offer([n as u32, 100], ratio);
        }
        let first = |nearest: &NearestPairs| {
            let docs = nearest.0.iter().map(|([a, _], _)| *a);
            docs.collect::<Vec<u32>>()
        };
        assert_eq!(first(&highest), [19, 39, 18, 38, 17, 37, 16, 36, 15, 35]);
        assert_eq!(first(&lowest), [0, 20, 1, 21, 2, 22, 3, 23, 4, 24]);
    }
}
