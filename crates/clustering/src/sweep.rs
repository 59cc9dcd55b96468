//! The clusters of one run at many thresholds, from its stored pair counts.
//!
//! *Input.* Pair counts, sketch sizes and classes of a finished run, thresholds in ascending order.
//! *Output.* What a run with each of them would count, and every link that reaches the lowest,
//! handed to whoever asks. *Algorithm.* The pairs are judged once, by the lowest threshold.
//! Components: see [`sweep_components`](crate::sweep_components). Stars: for each threshold, the
//! classes are numbered, and the links that join there are sorted and gone through. *Memory.* As
//! the phase. *Disk.* 25 bytes a link of the lowest threshold, twice with leaders; 8 of each that
//! joins.

use crate::kept_documents::{KeptDocuments, cells};
use crate::link_policy::{PHASE, overlap_of, policy, reached};
use crate::linkage::read_links;
use crate::resemblances;
use crate::star::{JoiningLinks, LINKED, assign};
use crate::sweep_components::components;
use cluster::{Cells, LinkPolicy, Linkage, ThresholdsMet};
use engine::Engine;
use engine::cells::SpillableCells;
use format::{Durability, FileKind, LinkRecord, RecordSpec, RecordWriter, Sealed};
use model::{Class, Threshold};
use runtime::{Error, PhaseName};

/// The counts of a run with one threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdCounts {
    /// The threshold.
    pub resemblance: Threshold,
    /// Links that reach the resemblance.
    pub links: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents in them.
    pub documents: u64,
    /// Documents of the largest; 0 without clusters.
    pub largest: u64,
    /// Bytes of the documents that go because links join their classes. Those that go within their
    /// class do not count.
    pub joined_bytes: u64,
}

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
        ..policy(engine)
    };
    let mut writer = scratch::<LinkRecord>(engine, "tune.run-links", FileKind::Links)?;
    resemblances::write_links_of_sweep(engine, &loosest, &mut writer)?;
    let links = writer.finish().map_err(Error::work(PHASE))?;
    let bands = Bands {
        thresholds,
        policy: loosest,
    };
    let reaching = bands.count(engine, &links, on_link)?;
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

/// A file that lives no longer than this.
pub(super) fn scratch<R: model::Record>(
    engine: &Engine<'_>,
    name: &str,
    kind: FileKind,
) -> Result<RecordWriter<R>, Error> {
    let (path, block_bytes, durability) =
        (engine.dir(PHASE).join(name), 16 << 10, Durability::Scratch);
    let spec = RecordSpec {
        path,
        kind,
        fingerprint: [0; 16],
        block_bytes,
        durability,
    };
    RecordWriter::create(&engine.disk, spec).map_err(Error::work(PHASE))
}

/// The thresholds, and what else decides a link.
pub(super) struct Bands<'a> {
    pub(super) thresholds: &'a [Threshold],
    pub(super) policy: LinkPolicy,
}

impl Bands<'_> {
    /// How many of the thresholds a link reaches.
    fn reached(&self, link: &LinkRecord) -> usize {
        let ratio = overlap_of(link).shared_of_union();
        self.thresholds
            .partition_point(|threshold| threshold.reached_by(ratio))
    }

    /// At how many of them, from the lowest on, it joins clusters.
    pub(super) fn joining(&self, link: &LinkRecord) -> usize {
        let directed = ThresholdsMet {
            resemblance: false,
            ..reached(link)
        };
        let joins = (directed.a_in_b || directed.b_in_a) && self.policy.joins(directed);
        if joins {
            self.thresholds.len()
        } else {
            self.reached(link)
        }
    }

    /// What a link reaches, if it joins clusters at this threshold.
    pub(super) fn joins_at(&self, band: usize, link: &LinkRecord) -> Option<ThresholdsMet> {
        (self.joining(link) > band).then(|| reached(link))
    }

    /// The links of a run with this threshold, where it matters to clusters which of two
    /// resemblances a link has: a leader takes the class that it resembles most, and the link of a
    /// pair has common shingles only where it does not reach the threshold without them.
    fn links_of_leaders(&self, engine: &Engine<'_>, band: usize) -> Result<Option<Sealed>, Error> {
        if engine.config.cluster.linkage != Linkage::Leader || !engine.config.has_crowds() {
            return Ok(None);
        }
        let policy = LinkPolicy {
            resemblance: self.thresholds[band],
            ..self.policy
        };
        let mut writer = scratch::<LinkRecord>(engine, "tune-band.run-links", FileKind::Links)?;
        resemblances::write_links_of_run(engine, &policy, &mut writer)?;
        writer.finish().map(Some).map_err(Error::work(PHASE))
    }

    /// Links that reach each threshold.
    fn count(
        &self,
        engine: &Engine<'_>,
        links: &Sealed,
        on_link: &mut dyn FnMut(usize, &LinkRecord),
    ) -> Result<Vec<u64>, Error> {
        let mut counts = vec![0; self.thresholds.len()];
        let mut reader = read_links(engine, links)?;
        while let Some(link) = reader.next().map_err(Error::work(PHASE))? {
            let reached = self.reached(&link);
            counts[..reached].iter_mut().for_each(|count| *count += 1);
            on_link(reached, &link);
        }
        Ok(counts)
    }

    pub(super) fn figures(&self, at: usize, tally: Tally) -> ThresholdCounts {
        let Tally {
            clusters,
            documents,
            largest,
            joined_bytes,
        } = tally;
        ThresholdCounts {
            resemblance: self.thresholds[at],
            links: 0,
            clusters,
            documents,
            largest,
            joined_bytes,
        }
    }
}

/// Clusters of two or more documents, added up.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    clusters: u64,
    documents: u64,
    largest: u64,
    pub(super) joined_bytes: u64,
}

impl Tally {
    pub(super) fn add(&mut self, documents: u64) {
        if documents > 1 {
            self.clusters += 1;
            self.documents += documents;
            self.largest = self.largest.max(documents);
        }
    }

    /// Takes one away. The largest never shrinks: sets are only joined.
    pub(super) fn remove(&mut self, documents: u64) {
        if documents > 1 {
            self.clusters -= 1;
            self.documents -= documents;
        }
    }
}

/// Documents that each representative stands for. Cells hold those besides itself, or that it is
/// none.
pub(super) struct ClusterSizes {
    cells: SpillableCells,
    pub(super) documents: u32,
}

const REPRESENTED: u32 = u32::MAX;

impl ClusterSizes {
    pub(super) fn of(engine: &Engine<'_>) -> Result<ClusterSizes, Error> {
        let work = Error::work(PHASE);
        let documents = engine.segments()?.documents();
        let mut cells = cells(engine, "tune-sizes.run-cells")?;
        let mut classes =
            engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
        while let Some(class) = classes.next()? {
            let representative = class.representative();
            if representative != class.doc {
                let before = cells.get(representative).map_err(work)?;
                cells.set(representative, before + 1).map_err(work)?;
                cells.set(class.doc, REPRESENTED).map_err(work)?;
            }
        }
        Ok(ClusterSizes { cells, documents })
    }

    /// 0 for a document that another one represents.
    pub(super) fn get(&mut self, doc: u32) -> Result<u64, Error> {
        let cell = self.cells.get(doc).map_err(Error::work(PHASE))?;
        Ok(if cell == REPRESENTED {
            0
        } else {
            u64::from(cell) + 1
        })
    }

    pub(super) fn set(&mut self, doc: u32, documents: u64) -> Result<(), Error> {
        let besides = u32::try_from(documents - 1).unwrap_or(u32::MAX - 1);
        self.cells.set(doc, besides).map_err(Error::work(PHASE))
    }
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
        let of_band = bands.links_of_leaders(engine, band)?;
        let links = of_band.as_ref().unwrap_or(links);
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
        if let Some(of_band) = &of_band {
            let path = engine.dir(PHASE).join(&of_band.name);
            engine.disk.remove(&path).map_err(work)?;
        }
    }
    Ok(figures)
}
