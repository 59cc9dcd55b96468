//! Sketches without pages: a work directory as the phase `sketch` leaves it.
//!
//! *Input.* A [`Collection`], as the model is one, and a [`Spec`]. *Output.* A directory with
//! `pipeline.toml` and a work directory whose manifest has the phase `sketch` done; every later
//! phase but `index` runs on it with the real program. *Algorithm.* The program itself sketches a
//! placeholder of one document, which fills the manifest with what only it knows: parameters and
//! the listing. Then the placeholder's segment is replaced by the model's, and the manifest says
//! so. A document's shingles are random numbers, as fingerprints are; near-copies and pages of one
//! template draw theirs from the same stream, and the sampling keeps what it keeps of real ones.
//! *Memory.* A document and five blocks a thread. *Disk.* About 260 bytes a document at modulus 25.
//! *Limits.* Documents have no address and no place, so there is no document table and `index`
//! cannot run.

use super::plan::SHINGLE_WORDS;
use crate::bench::files;
use anyhow::{Context, Result};
use engine::figures::SketchFigures;
use engine::segments::SegmentFiles;
use engine::{PhaseName, Reporter};
use format::PhaseFigures;
use format::{Disk, DocumentRow, Fingerprint, Manifest, Mark, Sealed, segment_name};
use model::Sampling;
use rayon::prelude::*;
use run::RunOptions;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testkit::random::mix;
use twox_hash::XxHash3_128;

/// Documents of a segment.
const SEGMENT_DOCUMENTS: u64 = 1 << 18;

/// Bytes of a page for each of its words: 5 KB for 600.
const BYTES_A_WORD: f64 = 8.4;

/// The method of the paper as the configuration has it.
pub(crate) const MODULUS_25: &str = "{ kind = \"modulus\", modulus = 25 }";

/// The default method as the configuration has it.
pub(crate) const ADAPTIVE: &str = "{ kind = \"adaptive-modulus\", target = 128, coarsest = 32 }";

/// Where and how.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    /// An empty directory, or one that is not there yet.
    pub(crate) dir: PathBuf,
    /// `input.paths`.
    pub(crate) input: &'static str,
    /// `sketch.method`, in TOML.
    pub(crate) method: String,
    /// `work.memory` of the runs to come.
    pub(crate) memory: String,
    /// `work.threads` of the runs to come.
    pub(crate) threads: usize,
}

/// The files that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Written {
    /// Documents.
    pub(crate) documents: u64,
    /// Their shingles.
    pub(crate) shingles: u64,
    /// Shingles that were kept.
    pub(crate) sampled: u64,
    /// Bytes of all files.
    pub(crate) bytes: u64,
    /// Bytes of the pages that the sketches stand for.
    pub(crate) page_bytes: u64,
}

/// The name of the placeholder for pages.
pub(crate) const PLACEHOLDER_NAME: &str = "placeholder.jsonl";

/// The content of the placeholder for pages.
const PLACEHOLDER: &str =
    "{\"id\": \"placeholder\", \"text\": \"the sketches beside this file were generated\"}\n";

impl Spec {
    /// Writes the configuration. May be done again with other memory and threads: they decide no
    /// result. Generated sketches have no texts that phase `settle` could read.
    pub(crate) fn write_configuration(&self) -> Result<PathBuf> {
        let path = self.dir.join("pipeline.toml");
        let text = format!(
            "version = 1\n[input]\npaths = [\"{}\"]\n[work]\nmemory = \"{}\"\nthreads = {}\n\
             [sketch]\nseed = \"altavista\"\nmethod = {}\n[cluster]\nsettle = \"off\"\n",
            self.input, self.memory, self.threads, self.method
        );
        files::make_dir(&self.dir)?;
        files::write(&path, text)?;
        Ok(path)
    }

    /// Writes sketches of all documents of a collection, segments on all threads of the pool it is
    /// called in.
    pub(crate) fn write(&self, collection: &impl Collection) -> Result<Written> {
        let config = config::load(&self.write_configuration()?)?;
        files::write(&self.dir.join(self.input), PLACEHOLDER)?;
        let options = RunOptions {
            only: Some(PhaseName::Sketch),
            ..RunOptions::default()
        };
        run::run(&config, &options, &Reporter::silent())?;

        let (disk, work) = (Disk::default(), &config.work.dir);
        let dir = work.join(PhaseName::Sketch.name());
        // Not from the placeholder, so that a seed always gives the same bytes.
        let (seed, documents) = (collection.seed(), collection.documents());
        let made_from = format!("{seed} {documents} {}", self.method);
        let maker = Maker {
            collection,
            sampling: config.sketch.sampling,
            fingerprint: XxHash3_128::oneshot(made_from.as_bytes()).to_le_bytes(),
            dir: &dir,
        };
        let segments = (0..documents.div_ceil(SEGMENT_DOCUMENTS)).into_par_iter();
        let segments = segments.map(|segment| maker.segment(&disk, segment));
        let segments = segments.collect::<Result<Vec<Segment>>>()?;
        disk.sync_dir(&dir)?;
        record(&disk, work, segments)
    }
}

/// Puts segments in the place of the placeholder's in the manifest; gives their sums.
fn record(disk: &Disk, work: &Path, segments: Vec<Segment>) -> Result<Written> {
    let manifest = Manifest::load(disk, work)?;
    let mut manifest = manifest.context("failed to find the manifest of the placeholder's run")?;
    let record = manifest.phases.get_mut(PhaseName::Sketch.name());
    let record = record.context("failed to find the phase sketch")?;
    let snapshot = manifest.snapshots.first_mut();
    let snapshot = snapshot.context("failed to find the snapshot of the placeholder's run")?;
    snapshot.segments = u32::try_from(segments.len())?;
    let (mut sum, mut outputs) = (Written::default(), BTreeMap::new());
    for Segment { sealed, written } in segments {
        sum.documents += written.documents;
        sum.shingles += written.shingles;
        sum.sampled += written.sampled;
        sum.bytes += sealed.iter().map(|file| file.bytes).sum::<u64>();
        sum.page_bytes += written.page_bytes;
        outputs.extend(sealed.map(|file| (file.name.clone(), file)));
    }
    let figures = PhaseFigures::of(&SketchFigures {
        bytes: sum.page_bytes,
        documents: sum.documents,
        shingles: sum.shingles,
        sampled: sum.sampled,
        ..SketchFigures::default()
    });
    snapshot.documents = u32::try_from(sum.documents)?;
    (snapshot.sketched.outputs, snapshot.sketched.figures) = (outputs.clone(), figures.clone());
    (record.outputs, record.figures) = (outputs, figures);
    manifest.store(disk, work)?;
    Ok(sum)
}

/// Documents that have sketches without having pages.
pub(crate) trait Collection: Sync {
    /// The seed that it was made from.
    fn seed(&self) -> u64;
    /// How many.
    fn documents(&self) -> u64;
    /// Fills in the sketch of a document, sorted; returns its other properties.
    fn sketch(&self, number: u64, sampling: Sampling, sketch: &mut Vec<u64>) -> Sketched;
}

/// The properties of a document that stand beside its sketch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sketched {
    /// Words of its text.
    pub(crate) words: u64,
    /// The level that its sketch was sampled at.
    pub(crate) level: u8,
    /// Stands for its body.
    pub(crate) identity: u64,
    /// Stands for its words.
    pub(crate) lexical: u64,
}

/// A segment's files and sums.
struct Segment {
    sealed: [Sealed; 5],
    written: Written,
}

struct Maker<'a, C> {
    collection: &'a C,
    sampling: Sampling,
    fingerprint: Fingerprint,
    dir: &'a Path,
}

impl<C: Collection> Maker<'_, C> {
    fn segment(&self, disk: &Disk, segment: u64) -> Result<Segment> {
        let stem = self.dir.join(segment_name(0, segment as u32));
        let mut files = SegmentFiles::create(disk, &stem, self.fingerprint)?;
        let first = segment * SEGMENT_DOCUMENTS;
        let last = (first + SEGMENT_DOCUMENTS).min(self.collection.documents());
        let (mut sketch, mut written) = (Vec::new(), Written::default());
        for number in first..last {
            let sketched = self.collection.sketch(number, self.sampling, &mut sketch);
            let (mark, level) = (mark(&sketched, &sketch), usize::from(sketched.level));
            let row = DocumentRow {
                bytes: u64::from(mark.bytes),
                words: mark.words,
                shingles: (mark.words + 1).saturating_sub(SHINGLE_WORDS),
                sketch_size: mark.sketch_size,
                modulus: self.sampling.modulus_at(level),
                ..DocumentRow::default()
            };
            let sizes = self.sampling.sizes_by_level(level, &sketch);
            files.push(&row, &mark, sizes, &sketch)?;
            written.documents += 1;
            written.shingles += row.shingles;
            written.sampled += u64::from(row.sketch_size);
            written.page_bytes += row.bytes;
        }
        let sealed = files.finish()?;
        Ok(Segment { sealed, written })
    }
}

fn mark(of: &Sketched, sketch: &[u64]) -> Mark {
    let mut digest = XxHash3_128::new();
    digest.write(&u64::from(of.level).to_le_bytes());
    for fingerprint in sketch {
        digest.write(&fingerprint.to_le_bytes());
    }
    Mark {
        identity: u128::from(mix(of.identity ^ 1)) << 64 | u128::from(mix(of.identity ^ 2)),
        lexical: mix(of.lexical ^ 3),
        sketch: digest.finish_128(),
        words: of.words,
        sketch_size: sketch.len() as u32,
        level: of.level,
        bytes: (of.words as f64 * BYTES_A_WORD) as u32,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bench::altavista::{ALTAVISTA, Model};
    use crate::bench::costs::measured::counts;

    /// A run in `run` below a directory.
    pub(in super::super) fn spec(dir: &Path) -> Spec {
        Spec {
            dir: dir.join("run"),
            input: PLACEHOLDER_NAME,
            method: MODULUS_25.to_owned(),
            memory: "64MiB".to_owned(),
            threads: 2,
        }
    }

    /// Runs the phases from `distinct` to `cluster` on sketches; gives the counts of all,
    /// `phase.name`.
    pub(in super::super) fn counts_of_a_run(spec: &Spec, more: &str) -> BTreeMap<String, u64> {
        let path = spec.write_configuration().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let config = config::parse(&(text + more), &path).unwrap();
        let options = RunOptions {
            from: Some(PhaseName::Distinct),
            until: Some(PhaseName::Cluster),
            ..RunOptions::default()
        };
        run::run(&config, &options, &Reporter::silent()).unwrap();
        let manifest = Manifest::load(&Disk::default(), &spec.dir.join("work")).unwrap();
        counts(&manifest.unwrap())
    }

    #[test]
    fn the_real_phases_count_what_they_counted_in_1996() {
        let dir = tempfile::tempdir().unwrap();
        let spec = spec(dir.path());
        let documents = ALTAVISTA.documents / 300;
        let written = spec.write(&Model::of_sketches(3, documents)).unwrap();
        let counts = counts_of_a_run(&spec, "");
        assert_eq!(counts["sketch.documents"], documents);
        assert_eq!(counts["sketch.sampled"], written.sampled);
        let of = &ALTAVISTA;
        let clusters = of.identical_clusters + of.mixed_clusters;
        let clustered = of.identical_documents + of.mixed_documents;
        for (name, then, per_cent) in [
            ("pairs.postings", of.shingles, 3.0),
            // A few templates of hundreds of pages decide, and how many of a template's shingles
            // are kept is chance.
            ("pairs.increments", of.increments, 20.0),
            ("cluster.clusters.clusters", clusters, 3.0),
            ("cluster.clusters.documents", clustered, 3.0),
        ] {
            let off = (counts[name] as f64 / (then as f64 / 300.0) - 1.0) * 100.0;
            assert!(off.abs() <= per_cent, "{name} is {off:.1} % off");
        }
        assert!(
            counts["pairs.common_postings"] > 0 && counts["distinct.classes.lexical.documents"] > 0
        );
        // Without a floor every pair is counted, and the clusters are the same.
        let all = counts_of_a_run(&spec, "[pairs]\nfloor = 0\n");
        assert!(counts["pairs.pairs"] < all["pairs.pairs"] / 5);
        for name in ["links.links", "clusters.clusters", "clusters.documents"] {
            let name = format!("cluster.{name}");
            assert_eq!(counts[&name], all[&name], "{name}");
        }
    }
}
