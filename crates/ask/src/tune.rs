//! `pipeline tune`: what other thresholds would do, from the stored counts of one run.
//!
//! *Input.* Pair counts, sketch sizes, classes and document rows of a finished run; `[cluster]` as
//! it stands in the configuration now; judgements of a person. *Output.* [`Tuning`]: for each
//! resemblance what a run with it would count, how the judgements agree with it, and links between
//! one threshold and the next to look at: so just below and just above each. *Algorithm.*
//! [`clustering::sweep`]; the sample between two thresholds are the links with the smallest digests
//! of their two documents, keyed by the seed of the run: drawn at random, but the same whatever the
//! threads. *Memory.* As phase `cluster`, within `work.memory`.
//! *Disk.* Scratch files of the links in `work/cluster`, gone afterwards. *Limits.* Not while a run
//! is under way: it takes the same lock.

mod judged;
mod text;
mod tree;

pub use judged::{JudgedThreshold, Judgement, Judgements};

use clustering::{ThresholdCounts, sweep, threshold_steps};
use config::Config;
use engine::{
    Engine, Error, PhaseName, Reading, Reporter,
    runtime::threads::thread_pool,
    runtime::{lock, parameters, signals},
    work_dir,
};
use format::{Disk, DiskOptions, Faults, LinkRecord, Manifest, PublicIds};
use model::Threshold;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use twox_hash::XxHash3_64;

pub use tree::{TreeForm, tree};

/// The options of `tune`.
#[derive(Clone, Debug, Default)]
pub struct TuneOptions {
    /// Links between two thresholds that are shown, at most.
    pub sample: usize,
    /// Thresholds to look at besides; if there are any, links are shown only next to these.
    pub at: Vec<f64>,
    /// A file of judgements.
    pub judged: Option<PathBuf>,
}

/// The effect of other thresholds.
#[derive(Clone, Debug, Serialize)]
pub struct Tuning {
    /// `linkage` of the configuration.
    pub linkage: &'static str,
    /// Shingles that a link must share.
    pub min_shared: u32,
    /// Documents in all.
    pub documents: u64,
    /// By threshold, ascending.
    pub thresholds: Vec<TunedThreshold>,
    /// How judgements agree with each threshold, if there are judgements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<JudgedThreshold>,
    /// Judged pairs that were left out, because a document of theirs is not in the corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged_unknown: Option<u64>,
    /// Links between one threshold and the next, ascending.
    pub between: Vec<Band>,
}

/// The counts of a run with this threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TunedThreshold {
    /// `resemblance`.
    pub resemblance: f64,
    /// Whether it is the one in the configuration.
    pub configured: bool,
    /// Links of at least this resemblance.
    pub links: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents in them.
    pub documents: u64,
    /// Documents that would go if one of each cluster stayed.
    pub removed: u64,
    /// Documents of the largest cluster.
    pub largest: u64,
}

/// Pairs between two thresholds: links at the lower one, none at the upper.
#[derive(Clone, Debug, Serialize)]
pub struct Band {
    /// Their resemblance is at least this.
    pub from: f64,
    /// And less than this; 1 is included in the last band.
    pub to: f64,
    /// How many there are.
    pub links: u64,
    /// Some of them, strongest first.
    pub sample: Vec<SampledLink>,
}

/// A pair of documents to look at.
#[derive(Clone, Debug, Serialize)]
pub struct SampledLink {
    /// The lower document.
    pub a: i64,
    /// The higher document.
    pub b: i64,
    /// Estimate.
    pub resemblance: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// URL of `a`.
    pub url_a: Option<String>,
    /// URL of `b`.
    pub url_b: Option<String>,
    /// Id of `a` in the input.
    pub id_a: Option<String>,
    /// Id of `b` in the input.
    pub id_b: Option<String>,
}

/// Looks at other thresholds.
///
/// # Errors
/// [`Error::NotFound`] without a finished run, [`Error::Usage`] if the configuration is no longer
/// that of its counts, [`Error::Locked`] if a run took them away, and what reading and writing
/// work files meets.
pub fn tune(config: &Config, options: &TuneOptions, reporter: &Reporter) -> Result<Tuning, Error> {
    let at = asked(options)?;
    over_counts(config, &at, reporter, |engine| {
        let read = |path| Judgements::read_known(path, &engine.public_ids());
        let judged = options.judged.as_deref().map(read).transpose()?;
        let mut tuning = tuning(engine, &at, options.sample)?;
        if let Some((judgements, unknown)) = judged {
            let at = tuning.thresholds.iter();
            tuning.judged = at.map(|row| judgements.at(row.resemblance)).collect();
            tuning.judged_unknown = Some(unknown);
        }
        Ok(tuning)
    })
}

/// Calls `f` with the counts of the last run, which must reach down to the thresholds `at`.
fn over_counts<T: Send>(
    config: &Config,
    at: &[Threshold],
    reporter: &Reporter,
    f: impl FnOnce(&Engine<'_>) -> Result<T, Error> + Send,
) -> Result<T, Error> {
    check_floor(config, at)?;
    let work = &config.work.dir;
    if work.is_dir() {
        lock::check_private(&config.work)?;
    }
    let disk = Disk::new(DiskOptions {
        faults: Faults::from_environment(),
        io: format::IoMode::default(),
        stop: signals::stop_flag(),
        limit_bytes: config.work.disk_bytes,
        used_bytes: work_dir::directory_bytes(work),
    });
    let pool = thread_pool(config.work.threads)?;
    let reading = Reading::open(config, &disk)?.ok_or_else(|| {
        Error::NotFound(format!(
            "failed to find counts in {}: there was no run; run `pipeline run` first",
            work.display()
        ))
    })?;
    let manifest = reading.manifest();
    check_parameters(config, &manifest).map_err(|error| lock::or_at_work(work, error))?;
    let engine = Engine::over(reading.config(), disk, manifest, reporter);
    pool.install(|| f(&engine))
        .map_err(|error| reading.told(error))
}

/// The counts must be those that the configuration asks for.
fn check_parameters(config: &Config, manifest: &Manifest) -> Result<(), Error> {
    for phase in [
        PhaseName::Sketch,
        PhaseName::Distinct,
        PhaseName::Sort,
        PhaseName::Pairs,
    ] {
        let Some(record) = manifest.phases.get(phase.name()) else {
            return Err(Error::Usage(format!(
                "failed to find the counts of {phase} in {}; run `pipeline run` first",
                config.work.dir.display()
            )));
        };
        if let Some(what) =
            parameters::difference(&record.parameters, &parameters::of(phase, config))
        {
            return Err(Error::Usage(format!(
                "failed to tune: the counts were made with other parameters ({what}); run `pipeline run` first"
            )));
        }
    }
    Ok(())
}

/// The thresholds asked about.
fn asked(options: &TuneOptions) -> Result<Vec<Threshold>, Error> {
    let refuse = |error| Error::Usage(format!("failed to tune: --at takes a resemblance; {error}"));
    let at = options.at.iter();
    at.map(|at| Threshold::from_f64(*at).map_err(refuse))
        .collect()
}

/// Pairs below the floor were not counted.
fn check_floor(config: &Config, at: &[Threshold]) -> Result<(), Error> {
    let floor = config.floor().map_or(0.0, |floor| floor.to_f64());
    let below = |at: &&Threshold| at.to_f64() < floor;
    match at.iter().find(below) {
        None => Ok(()),
        Some(at) => Err(Error::Usage(format!(
            "failed to tune: --at {0} is below the floor of the pairs that were counted; set `floor = {0}` in [pairs] and \
             run `pipeline run` first",
            at.to_f64()
        ))),
    }
}

/// The figures and samples of an engine whose counts are there.
pub(crate) fn tuning(
    engine: &Engine<'_>,
    at: &[Threshold],
    sample: usize,
) -> Result<Tuning, Error> {
    let thresholds = threshold_steps(engine.config, at);
    let asked: Vec<f64> = at.iter().map(|at| at.to_f64()).collect();
    let mut samples = Samples::new(thresholds.len(), sample, digest_seed(engine.config));
    let figures = sweep(engine, &thresholds, &mut |reached, link| {
        samples.offer(reached, link);
    })?;
    let configured = engine.config.cluster.resemblance.to_f64();
    let shown = |resemblance: f64| {
        resemblance == configured || resemblance >= 0.3 || asked.contains(&resemblance)
    };
    let tuned = |counts: &ThresholdCounts| TunedThreshold {
        resemblance: counts.resemblance.to_f64(),
        configured: counts.resemblance.to_f64() == configured,
        links: counts.links,
        clusters: counts.clusters,
        documents: counts.documents,
        removed: counts.removed,
        largest: counts.largest,
    };
    let names = samples.names(engine)?;
    let ids = engine.public_ids();
    let mut between = Vec::new();
    for (at, from) in thresholds.iter().enumerate() {
        let links = figures[at].links - figures.get(at + 1).map_or(0, |next| next.links);
        let to = thresholds.get(at + 1).map_or(1.0, |next| next.to_f64());
        if !asked.is_empty() && !asked.contains(&from.to_f64()) && !asked.contains(&to) {
            continue;
        }
        between.push(Band {
            from: from.to_f64(),
            to,
            links,
            sample: samples.band(at, &names, &ids),
        });
    }
    Ok(Tuning {
        linkage: match engine.config.cluster.linkage {
            model::Linkage::Components => "components",
            model::Linkage::Star => "star",
            model::Linkage::Leader => "leader",
        },
        min_shared: engine.config.cluster.min_shared,
        documents: u64::from(engine.segments()?.documents()),
        thresholds: figures
            .iter()
            .map(tuned)
            .filter(|tuned| shown(tuned.resemblance))
            .collect(),
        judged: Vec::new(),
        judged_unknown: None,
        between,
    })
}

/// The key of the digests of links: the seed of the run.
fn digest_seed(config: &Config) -> u64 {
    let digest = config.sketch.keys.digest();
    digest
        .iter()
        .take(8)
        .fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}

/// For each number of thresholds reached, the links with the smallest digests.
struct Samples {
    limit: usize,
    seed: u64,
    bands: Vec<BTreeMap<(u64, u32, u32), LinkRecord>>,
}

impl Samples {
    fn new(thresholds: usize, limit: usize, seed: u64) -> Samples {
        Samples {
            limit,
            seed,
            bands: vec![BTreeMap::new(); thresholds],
        }
    }

    fn offer(&mut self, reached: usize, link: &LinkRecord) {
        let Some(band) = reached
            .checked_sub(1)
            .and_then(|band| self.bands.get_mut(band))
        else {
            return;
        };
        let documents = [link.a.to_le_bytes(), link.b.to_le_bytes()].concat();
        let digest = XxHash3_64::oneshot_with_seed(self.seed, &documents);
        let is_full = band.len() >= self.limit;
        let last = band.last_key_value().map(|((last, ..), _)| *last);
        if is_full && last.is_none_or(|last| last <= digest) {
            return;
        }
        band.insert((digest, link.a, link.b), *link);
        if is_full {
            band.pop_last();
        }
    }

    /// URL and id of all documents in the samples.
    fn names(&self, engine: &Engine<'_>) -> Result<BTreeMap<u32, [Option<String>; 2]>, Error> {
        let links = self.bands.iter().flat_map(BTreeMap::values);
        let wanted: BTreeSet<u32> = links.flat_map(|link| [link.a, link.b]).collect();
        engine.segments()?.names(&wanted)
    }

    fn band(
        &self,
        band: usize,
        names: &BTreeMap<u32, [Option<String>; 2]>,
        ids: &PublicIds,
    ) -> Vec<SampledLink> {
        let mut links: Vec<&LinkRecord> = self.bands[band].values().collect();
        let ratio = |link: &LinkRecord| link.overlap().shared_of_union();
        links.sort_by_key(|link| (Reverse(ratio(link)), link.a, link.b));
        let sampled = links.into_iter().map(|link| {
            let estimate = link.overlap().resemblance();
            let name = |doc: u32| names.get(&doc).cloned().unwrap_or_default();
            let ([url_a, id_a], [url_b, id_b]) = (name(link.a), name(link.b));
            SampledLink {
                a: ids.get(link.a),
                b: ids.get(link.b),
                resemblance: estimate.ratio.to_f64(),
                low: estimate.interval.low,
                high: estimate.interval.high,
                url_a,
                url_b,
                id_a,
                id_b,
            }
        });
        sampled.collect()
    }
}
