//! The clusters of one run at many thresholds, from its stored pair counts.
//!
//! *Input.* Pair counts, sketch sizes and classes of a finished run, thresholds in ascending order.
//! *Output.* What a run with each of them would count, and every link that reaches the lowest,
//! handed to whoever asks. *Algorithm.* The pairs are judged once, by the lowest threshold.
//! Clusters: see [`sweep_components`](crate::sweep_components). What goes for a document that it is
//! linked to: see [`taken`](crate::taken). *Memory.* As the phase. *Disk.* 25 bytes a link of the
//! lowest threshold; 12 of each that joins.

use crate::bands::{Bands, SweptLinks, ThresholdCounts};
use crate::cluster_sizes::ClusterSizes;
use crate::link_policy::PHASE;
use crate::resemblances;
use crate::sweep_components::components;
use crate::taken::taken;
use engine::{Engine, Error, PhaseName};
use format::{FileKind, LinkRecord};
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
    let policy = LinkPolicy {
        resemblance: lowest,
        ..engine.config.cluster.link_policy()
    };
    let scratch = engine.scratch(PHASE)?;
    let mut links = scratch.file("tune.run-links")?;
    resemblances::write_links(engine, &policy, links.as_writer())?;
    let swept = SweptLinks {
        engine,
        scratch,
        bands: Bands { thresholds, policy },
        links: links.finish()?,
    };
    // Links that reach each threshold.
    let mut reaching = vec![0; thresholds.len()];
    let mut reader = swept.links.read()?;
    while let Some(link) = reader.next()? {
        let reached = swept.bands.reached(&link);
        reaching[..reached].iter_mut().for_each(|count| *count += 1);
        on_link(reached, &link);
    }
    let classes = engine.reader(PhaseName::Distinct, "classes", FileKind::Classes)?;
    let sizes = ClusterSizes::of(classes, &swept.scratch)?;
    let represented = sizes.represented;
    let mut figures = components(&swept, sizes)?;
    for (figures, reaching) in figures.iter_mut().zip(reaching) {
        figures.links = reaching;
    }
    if engine.config.cluster.linkage.is_direct() {
        for (figures, taken) in figures.iter_mut().zip(taken(&swept)?) {
            (figures.removed, figures.joined_bytes) = (represented + taken.classes, taken.bytes);
        }
    }
    Ok(figures)
}
