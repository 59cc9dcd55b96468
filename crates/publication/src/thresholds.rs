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
use model::{Cells, Leading, Ratio};
use output::{ComparedPair, FiguresAtThreshold, RESEMBLANCE_BINS, ThresholdFigures};
use std::cmp::Reverse;

/// Pairs shown on each side of the configured threshold.
const SHOWN: usize = 10;

/// Looks at all thresholds. `removed_bytes` are those of the documents that go at the configured
/// one.
pub fn thresholds(engine: &Engine<'_>, removed_bytes: u64) -> Result<ThresholdFigures, Error> {
    let scratch = engine.scratch(PHASE)?;
    let mut highest = scratch.cells("highest")?;
    let threshold = engine.config.cluster.resemblance;
    // Of equal ones those of the lowest documents.
    let (mut below, mut above) = (Leading::of(SHOWN), Leading::of(SHOWN));
    let mut failed = Ok(());
    let steps = threshold_steps(engine.config, &[]);
    let counts = sweep(engine, &steps, &mut |reached, link| {
        // a link by containment alone says nothing of the highest resemblance
        if reached == 0 {
            return;
        }
        let ratio = link.overlap().shared_of_union();
        let pair = [link.a, link.b];
        match threshold.reached_by(ratio) {
            true => above.offer((ratio, pair), || (pair, ratio)),
            false => below.offer((Reverse(ratio), pair), || (pair, ratio)),
        }
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
    let pairs = |nearest: Vec<([u32; 2], Ratio)>| {
        let pairs = nearest.into_iter().map(|([a, b], ratio)| ComparedPair {
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
        below: pairs(below.sorted()),
        above: pairs(above.sorted()),
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
