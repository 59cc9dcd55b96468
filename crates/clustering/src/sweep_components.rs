//! Connected components at many thresholds.
//!
//! *Input.* The links of the lowest threshold. *Output.* What a run with each threshold would
//! count. *Algorithm.* The links are divided by bands between thresholds, and joined from the
//! strongest band to the weakest into one union-find, which is read off after each. Where
//! containment is looked for, the links and the documents are gone through once more for each
//! threshold: a document that another one of its set contains goes before the others. *Memory.* Up
//! to seven cells a document, in memory or on disk. *Disk.* 8 bytes for each link that joins.

use crate::bands::{Bands, Tally, ThresholdCounts};
use crate::cluster_sizes::ClusterSizes;
use crate::files::cells;
use crate::files::read_links;
use crate::kept_documents::{KeptDocuments, KeptOfSets};
use crate::link_policy::{PHASE, reached};
use crate::resemblances::scratch;
use cluster::{ContainedDocument, ThresholdsMet, UnionFind};
use engine::Engine;
use engine::cells::SpillableCells;
use format::{FileKind, LinkRecord, RecordReader, Sealed};
use model::Words;
use runtime::Error;
use std::path::{Path, PathBuf};

pub(super) fn components(
    engine: &Engine<'_>,
    bands: &Bands<'_>,
    links: &Sealed,
    sizes: ClusterSizes,
) -> Result<Vec<ThresholdCounts>, Error> {
    let kept = Kept::of(engine, bands, links)?;
    let files = divide(engine, bands, links)?;
    let mut sets = BandSets {
        sets: UnionFind::new(cells(engine, "tune-parents")?),
        sizes,
        kept,
        tally: Tally::default(),
    };
    for doc in 0..sets.sizes.documents {
        sets.tally.add(sets.sizes.get(doc)?);
    }
    let mut figures = Vec::new();
    for (band, file) in files.iter().enumerate().rev() {
        sets.join(engine, file)?;
        sets.look_for_contained(engine, bands, band, links)?;
        figures.push(bands.figures(band, sets.tally));
    }
    figures.reverse();
    Ok(figures)
}

/// The links that join, by the highest threshold at which they do: a file for each.
fn divide(engine: &Engine<'_>, bands: &Bands<'_>, links: &Sealed) -> Result<Vec<PathBuf>, Error> {
    let name = |band: usize| format!("tune.run-band-{band:02}");
    let mut writers = Vec::new();
    for band in 0..bands.thresholds.len() {
        writers.push(scratch::<Words<2>>(engine, &name(band), FileKind::Run)?);
    }
    let mut reader = read_links(engine, links)?;
    while let Some(link) = reader.next()? {
        if let Some(band) = bands.joining(&link).checked_sub(1) {
            writers[band].push(&Words([link.a, link.b]))?;
        }
    }
    for writer in writers {
        writer.finish()?;
    }
    let dir = engine.dir(PHASE);
    let bands = 0..bands.thresholds.len();
    Ok(bands.map(|band| dir.join(name(band))).collect())
}

/// Which documents stay.
enum Kept {
    ByKeep(KeptDocuments),
    NotContained(KeptOfSets),
    /// Those of stars, which are counted apart.
    OfStars,
}

impl Kept {
    fn of(engine: &Engine<'_>, bands: &Bands<'_>, links: &Sealed) -> Result<Kept, Error> {
        if engine.config.cluster.linkage.is_direct() {
            return Ok(Kept::OfStars);
        }
        // By `keep` alone: which documents others of their set contain shows once they are joined.
        let joining = |link: &LinkRecord| {
            let joins = bands.joins_at(0, link).is_some();
            joins.then(ThresholdsMet::default)
        };
        let kept = KeptDocuments::of(engine, links, &joining)?;
        Ok(match bands.policy.containment {
            None => Kept::ByKeep(kept),
            Some(_) => Kept::NotContained(KeptOfSets::new(engine, kept)?),
        })
    }
}

/// The sets at one threshold.
struct BandSets {
    sets: UnionFind<SpillableCells>,
    sizes: ClusterSizes,
    kept: Kept,
    tally: Tally,
}

impl BandSets {
    /// Joins the links of a file, and removes it.
    fn join(&mut self, engine: &Engine<'_>, file: &Path) -> Result<(), Error> {
        let mut reader = RecordReader::<Words<2>>::open(&engine.disk, file, FileKind::Run)?;
        let BandSets {
            sets,
            sizes,
            kept,
            tally,
        } = self;
        while let Some(Words([a, b])) = reader.next()? {
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
        engine.disk.remove(file).map_err(Error::from)
    }

    /// Counts the bytes that go, where documents that others contain go first.
    fn look_for_contained(
        &mut self,
        engine: &Engine<'_>,
        bands: &Bands<'_>,
        band: usize,
        links: &Sealed,
    ) -> Result<(), Error> {
        let BandSets {
            sets, kept, tally, ..
        } = self;
        let Kept::NotContained(kept) = kept else {
            return Ok(());
        };
        let mut reader = read_links(engine, links)?;
        while let Some(link) = reader.next()? {
            let Some(contained) = reached(&link).contained_document() else {
                continue;
            };
            let is_of_set =
                bands.joins_at(band, &link).is_some() || sets.find(link.a)? == sets.find(link.b)?;
            if is_of_set {
                let doc = match contained {
                    ContainedDocument::A => link.a,
                    ContainedDocument::B => link.b,
                };
                kept.contain(doc)?;
            }
        }
        tally.joined_bytes = kept.joined_bytes(engine, sets)?;
        Ok(())
    }
}
