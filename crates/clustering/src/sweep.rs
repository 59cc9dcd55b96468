//! The clusters of one run at many thresholds, from its stored pair counts.
//!
//! *Input.* Pair counts, sketch sizes and classes of a finished run, thresholds in ascending order.
//! *Output.* What a run with each of them would count, and every link that reaches the lowest,
//! handed to whoever asks. *Algorithm.* The pairs are judged once, by the lowest threshold.
//! Components: see [`sweep_components`](crate::sweep_components). Stars: for each threshold, the
//! classes are numbered, and the links that join there are sorted and gone through. *Memory.* As
//! the phase. *Disk.* 25 bytes a link of the lowest threshold; 8 of each that joins.

use crate::bands::{Bands, Tally, ThresholdCounts};
use crate::cluster_sizes::ClusterSizes;
use crate::kept_documents::{KeptDocuments, cells};
use crate::link_policy::PHASE;
use crate::linkage::read_links;
use crate::resemblances::{self, scratch};
use crate::star::{JoiningLinks, LINKED, assign};
use crate::sweep_components::components;
use cluster::{Cells, LinkPolicy, Linkage};
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
    let mut sizes = ClusterSizes::of(engine)?;
    let mut figures = match engine.config.cluster.linkage {
        Linkage::Components => components(engine, &bands, &links, sizes)?,
        Linkage::Star | Linkage::Leader => stars(engine, &bands, &links, &mut sizes)?,
    };
    for (figures, links) in figures.iter_mut().zip(reaching) {
        figures.links = links;
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

/// Stars anew at each threshold.
fn stars(
    engine: &Engine<'_>,
    bands: &Bands<'_>,
    links: &Sealed,
    sizes: &mut ClusterSizes,
) -> Result<Vec<ThresholdCounts>, Error> {
    let work = Error::work(PHASE);
    let documents = sizes.documents;
    let mut figures = Vec::new();
    for band in 0..bands.thresholds.len() {
        let joining = |link: &LinkRecord| bands.joins_at(band, link);
        let mut kept = KeptDocuments::of(engine, links, &joining)?;
        let memory = engine.budget.reserve_share(3, 4);
        let mut joining = JoiningLinks {
            links,
            numbers: &mut kept.numbers,
            share: memory.bytes(),
            joining: &joining,
        };
        let takers = cells(engine, "tune-takers.run-cells")?;
        let mut keepers = assign(engine, takers, &mut joining, &mut |_| Ok(()))?;
        let mut totals = cells(engine, "tune-totals.run-cells")?;
        let mut tally = Tally::default();
        let mut ranks = 0;
        for doc in 0..documents {
            let (number, size) = (kept.numbers.get(doc).map_err(work)?, sizes.get(doc)?);
            if number <= LINKED {
                tally.add(size);
                continue;
            }
            ranks += 1;
            let rank = number - LINKED - 1;
            let keeper = keepers.of(rank).map_err(work)?;
            if keeper != rank {
                tally.joined_bytes += u64::from(kept.bytes.get(rank).map_err(work)?);
            }
            let total = u64::from(totals.get(keeper).map_err(work)?) + size;
            totals
                .set(keeper, u32::try_from(total).unwrap_or(u32::MAX))
                .map_err(work)?;
        }
        for rank in 0..ranks {
            tally.add(u64::from(totals.get(rank).map_err(work)?));
        }
        figures.push(bands.figures(band, tally));
    }
    Ok(figures)
}
