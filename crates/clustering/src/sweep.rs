//! The clusters of one run at many thresholds, from its stored pair counts.
//!
//! *Input.* Pair counts, sketch sizes and classes of a finished run, thresholds in ascending order.
//! *Output.* What a run with each of them would count, and every link that reaches the lowest,
//! handed to whoever asks. *Algorithm.* The pairs are judged once, by the lowest threshold.
//! Clusters: see [`sweep_components`](crate::sweep_components). What goes for a document that it is
//! linked to: see [`taken`](crate::taken). *Memory.* As the phase. *Disk.* 25 bytes a link of the
//! lowest threshold; 12 of each that joins.

use crate::bands::{Bands, ThresholdCounts};
use crate::cluster_sizes::ClusterSizes;
use crate::files::read_links;
use crate::link_policy::PHASE;
use crate::resemblances::{self, scratch};
use crate::sweep_components::components;
use crate::taken::taken;
use engine::{Engine, Error};
use format::{FileKind, LinkRecord, Sealed};
use model::LinkPolicy;
use model::Threshold;

/// Counts at each threshold; hands on each link with the number of thresholds it reaches.
pub fn sweep(
    engine: &Engine<'_>,
    thresholds: &[Threshold],
    on_link: &mut dyn FnMut(usize, &LinkRecord),
) -> Result<Vec<ThresholdCounts>, Error> {
    let Some(&lowest) = thresholds.first() else {
        return Ok(Vec::new());
    };
    let loosest = LinkPolicy {
        resemblance: lowest,
        ..engine.config.cluster.link_policy()
    };
    let mut writer = scratch::<LinkRecord>(engine, "tune.run-links", FileKind::Links)?;
    resemblances::write_links(engine, &loosest, &mut writer)?;
    let links = writer.finish()?;
    let bands = Bands {
        thresholds,
        policy: loosest,
    };
    let reaching = count(engine, &bands, &links, on_link)?;
    let sizes = ClusterSizes::of(engine)?;
    let represented = sizes.represented;
    let mut figures = components(engine, &bands, &links, sizes)?;
    for (figures, reaching) in figures.iter_mut().zip(reaching) {
        figures.links = reaching;
    }
    if engine.config.cluster.linkage.is_direct() {
        for (figures, taken) in figures.iter_mut().zip(taken(engine, &bands, &links)?) {
            (figures.removed, figures.joined_bytes) = (represented + taken.classes, taken.bytes);
        }
    }
    let links = engine.dir(PHASE).join(&links.name);
    engine.disk.remove(&links)?;
    Ok(figures)
}

/// Links that reach each threshold.
fn count(
    engine: &Engine<'_>,
    bands: &Bands<'_>,
    links: &Sealed,
    on_link: &mut dyn FnMut(usize, &LinkRecord),
) -> Result<Vec<u64>, Error> {
    let mut counts = vec![0; bands.thresholds.len()];
    let mut reader = read_links(engine, links)?;
    while let Some(link) = reader.next()? {
        let reached = bands.reached(&link);
        counts[..reached].iter_mut().for_each(|count| *count += 1);
        on_link(reached, &link);
    }
    Ok(counts)
}
