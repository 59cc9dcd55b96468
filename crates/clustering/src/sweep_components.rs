//! Connected components at many thresholds.
//!
//! *Input.* The links of the lowest threshold. *Output.* What a run with each threshold would
//! count. *Algorithm.* The links are divided by bands between thresholds, and joined from the
//! strongest band to the weakest into one union-find, which is read off after each. Where
//! containment is looked for, the links and the documents are gone through once more for each
//! threshold: a document that another one of its set contains goes before the others. *Memory.* Up
//! to seven cells a document, in memory or on disk. *Disk.* 8 bytes for each link that joins.

use crate::bands::{SweptLinks, ThresholdCounts, ThresholdTally};
use crate::cluster_sizes::ClusterSizes;
use crate::kept_documents::{KeptOfClasses, KeptOfSets};
use crate::link_policy::reached;
use crate::partition::UnionFind;
use engine::{Error, cells::SpillableCells};
use format::{LinkRecord, ScratchFile, ScratchWriter};
use model::record;
use model::{ContainedDocument, ThresholdsMet};

pub(super) fn components(
    swept: &SweptLinks<'_>,
    sizes: ClusterSizes,
) -> Result<Vec<ThresholdCounts>, Error> {
    let kept = Kept::of(swept)?;
    let files = divide(swept)?;
    let mut sets = BandSets {
        sets: UnionFind::new(swept.scratch.cells("tune-parents")?),
        sizes,
        kept,
        tally: ThresholdTally::default(),
    };
    for doc in 0..sets.sizes.documents {
        sets.tally.add(sets.sizes.get(doc)?);
    }
    let mut figures = Vec::new();
    for (band, links_of_band) in files.into_iter().enumerate().rev() {
        sets.join(&links_of_band)?;
        drop(links_of_band);
        sets.look_for_contained(swept, band)?;
        figures.push(swept.bands.figures(band, sets.tally));
    }
    figures.reverse();
    Ok(figures)
}

/// Two documents that a link joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct JoiningPair {
    a: u32,
    b: u32,
}

record! { JoiningPair { a, b } }

/// The links that join, by the highest threshold at which they do: a file for each.
fn divide(swept: &SweptLinks<'_>) -> Result<Vec<ScratchFile<JoiningPair>>, Error> {
    let SweptLinks { scratch, bands, .. } = swept;
    let mut writers = Vec::new();
    for band in 0..bands.thresholds.len() {
        writers.push(scratch.file(&format!("tune.run-band-{band:02}"))?);
    }
    let mut reader = swept.links.read()?;
    while let Some(link) = reader.next()? {
        if let Some(band) = bands.joining(&link).checked_sub(1) {
            let (a, b) = (link.a, link.b);
            writers[band].push(&JoiningPair { a, b })?;
        }
    }
    let files = writers.into_iter().map(ScratchWriter::finish);
    Ok(files.collect::<Result<_, _>>()?)
}

/// Which documents stay.
enum Kept {
    ByKeep(KeptOfClasses),
    NotContained(KeptOfSets),
    /// Undecided here: by stars or leaders, documents that stay are counted elsewhere.
    OfStars,
}

impl Kept {
    fn of(swept: &SweptLinks<'_>) -> Result<Kept, Error> {
        if swept.engine.config.cluster.linkage.is_direct() {
            return Ok(Kept::OfStars);
        }
        // By `keep` alone: which documents others of their set contain shows once they are joined.
        let joining = |link: &LinkRecord| {
            let joins = swept.bands.joins_at(0, link).is_some();
            joins.then(ThresholdsMet::default)
        };
        let kept = KeptOfClasses::of(swept, &joining)?;
        Ok(match swept.bands.policy.containment {
            None => Kept::ByKeep(kept),
            Some(_) => Kept::NotContained(KeptOfSets::new(&swept.scratch, kept)?),
        })
    }
}

/// The sets at one threshold.
struct BandSets {
    sets: UnionFind<SpillableCells>,
    sizes: ClusterSizes,
    kept: Kept,
    tally: ThresholdTally,
}

impl BandSets {
    /// Joins the links of a file.
    fn join(&mut self, links: &ScratchFile<JoiningPair>) -> Result<(), Error> {
        let mut reader = links.read()?;
        let BandSets {
            sets,
            sizes,
            kept,
            tally,
        } = self;
        while let Some(JoiningPair { a, b }) = reader.next()? {
            let (a, b) = (sets.find(a)?, sets.find(b)?);
            if sets.union(a, b)? {
                let (size_a, size_b) = (sizes.get(a)?, sizes.get(b)?);
                tally.remove(size_a);
                tally.remove(size_b);
                tally.add(size_a + size_b);
                sizes.set(a.min(b), size_a + size_b)?;
                if let Kept::ByKeep(kept) = kept {
                    tally.joined_bytes += kept.join(a.min(b), a.max(b))?;
                }
            }
        }
        Ok(())
    }

    /// Counts the bytes that go, where documents that others contain go first.
    fn look_for_contained(&mut self, swept: &SweptLinks<'_>, band: usize) -> Result<(), Error> {
        let BandSets {
            sets, kept, tally, ..
        } = self;
        let Kept::NotContained(kept) = kept else {
            return Ok(());
        };
        let mut reader = swept.links.read()?;
        while let Some(link) = reader.next()? {
            let Some(contained) = reached(&link).contained_document() else {
                continue;
            };
            let is_of_set = swept.bands.joins_at(band, &link).is_some()
                || sets.find(link.a)? == sets.find(link.b)?;
            if is_of_set {
                let doc = match contained {
                    ContainedDocument::A => link.a,
                    ContainedDocument::B => link.b,
                };
                kept.contain(doc)?;
            }
        }
        tally.joined_bytes = kept.joined_bytes(&swept.scratch, sets)?;
        Ok(())
    }
}
