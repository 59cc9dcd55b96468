//! The clusters of one run at many thresholds, from its stored pair counts.
//!
//! *Input.* Pair counts, sketch sizes and classes of a finished run, thresholds in ascending order.
//! *Output.* What a run with each of them would count, and every link that reaches the lowest,
//! handed to whoever asks. *Algorithm.* The pairs are judged once, by the lowest threshold.
//! Clusters: see [`sweep_components`](crate::sweep_components). Where stars say what goes: for each
//! threshold, the links that join there are sorted and gone through. The classes are numbered once,
//! or for each threshold where containment is looked for.
//! *Memory.* As the phase. *Disk.* 25 bytes a link of the lowest threshold; 8 of each that joins.

use crate::bands::{Bands, ThresholdCounts};
use crate::cluster_sizes::ClusterSizes;
use crate::files::{cells, read_links};
use crate::kept_documents::KeptDocuments;
use crate::link_policy::PHASE;
use crate::resemblances::{self, scratch};
use crate::star::{Joining, JoiningLinks, LINKED, assign};
use crate::sweep_components::components;
use cluster::{Cells, LinkPolicy};
use engine::Engine;
use format::{FileKind, LinkRecord, Sealed};
use model::Threshold;
use runtime::Error;

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
    let links = writer.finish().map_err(Error::work(PHASE))?;
    let bands = Bands {
        thresholds,
        policy: loosest,
    };
    let reaching = count(engine, &bands, &links, on_link)?;
    let sizes = ClusterSizes::of(engine)?;
    let represented = sizes.represented;
    let mut figures = components(engine, &bands, &links, sizes)?;
    let mut kept = None;
    for ((band, figures), reaching) in figures.iter_mut().enumerate().zip(reaching) {
        figures.links = reaching;
        if engine.config.cluster.linkage.is_direct() {
            let joining = |link: &LinkRecord| bands.joins_at(band, link);
            let mut ranked = match kept.take() {
                Some(kept) => kept,
                None => KeptDocuments::of(engine, &links, &joining)?,
            };
            let [taken, bytes] = taken(engine, &links, &joining, &mut ranked)?;
            (figures.removed, figures.joined_bytes) = (represented + taken, bytes);
            // Which documents are contained in others, and so come last, depends on the threshold.
            kept = bands.policy.containment.is_none().then_some(ranked);
        }
    }
    let links = engine.dir(PHASE).join(&links.name);
    engine.disk.remove(&links).map_err(Error::work(PHASE))?;
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
    while let Some(link) = reader.next().map_err(Error::work(PHASE))? {
        let reached = bands.reached(&link);
        counts[..reached].iter_mut().for_each(|count| *count += 1);
        on_link(reached, &link);
    }
    Ok(counts)
}

/// The classes that others keep, where these links join, and the bytes of their documents.
fn taken(
    engine: &Engine<'_>,
    links: &Sealed,
    joining: Joining<'_>,
    kept: &mut KeptDocuments,
) -> Result<[u64; 2], Error> {
    let work = Error::work(PHASE);
    let takers = cells(engine, "tune-takers")?;
    let memory = engine.budget.reserve_share(3, 4);
    let joining = &mut JoiningLinks {
        links,
        numbers: &mut kept.numbers,
        last_reference: kept.last_reference,
        share: memory.bytes(),
        joining,
    };
    let mut keepers = assign(engine, takers, joining)?;
    let [mut taken, mut bytes] = [0, 0];
    for doc in 0..engine.segments()?.documents() {
        let number = kept.numbers.get(doc).map_err(work)?;
        if number <= LINKED {
            continue;
        }
        let own = number - LINKED - 1;
        if keepers.of(own).map_err(work)? != own {
            taken += 1;
            bytes += u64::from(kept.bytes.get(own).map_err(work)?);
        }
    }
    Ok([taken, bytes])
}
