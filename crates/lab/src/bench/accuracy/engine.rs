//! One run of the engine, in this process, in a directory of its own.
//!
//! *Input.* Paths and a [`Setting`]. *Output.* [`Outcome`]: the results that the run published.
//! *Algorithm.* The run is made twice. First everything that shares a shingle is listed, so that
//! estimates below the threshold can be judged too; then `resemblance = 0.5` and `min-shared = 2`
//! are set, which runs `cluster` and `index` again and nothing else. There is no floor, because it
//! follows the threshold and would let `pairs` run again. Both publications stay until the outcome
//! is dropped. *Disk.* About 50 bytes a listed pair, in the temporary directory.

use crate::altavista::sketches;
use crate::published::{PublishedDocument, documents, each_row, fraction, whole};
use anyhow::{Context, Result, ensure};
use model::Interval;
use output::{Report, Selection, TableReader};
use pipeline::{PhaseName, Reporter, RunOptions, RunOutcome, Verdict};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// `common-shingle-limit` where there is one.
pub(crate) const COMMON_LIMIT: usize = 1000;

/// A sampling rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    toml: &'static str,
}

const fn method(name: &'static str, toml: &'static str) -> Method {
    Method { name, toml }
}

/// The default of the program.
pub(crate) const DEFAULT: Method = method("adaptive 128/32", sketches::ADAPTIVE);

/// The rules that are measured.
pub(crate) const METHODS: [Method; 4] = [
    method("modulus 25", sketches::MODULUS_25),
    method(
        "adaptive 64/32",
        r#"{ kind = "adaptive-modulus", target = 64, coarsest = 32 }"#,
    ),
    DEFAULT,
    method(
        "adaptive 256/32",
        r#"{ kind = "adaptive-modulus", target = 256, coarsest = 32 }"#,
    ),
];

/// The configuration of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) method: Method,
    /// Whether there is a common limit. Without one, only the sampling errs.
    pub(crate) is_limited: bool,
    /// Its number; the seed itself is a word with this number.
    pub(crate) seed: u32,
}

/// A row of `pairs.parquet`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) a: u32,
    pub(crate) b: u32,
    shared: u32,
    pub(crate) estimate: f64,
    pub(crate) interval: Interval,
}

impl Listed {
    /// Whether it is a link at the default thresholds.
    pub(crate) fn is_link(&self) -> bool {
        self.estimate >= 0.5 && self.shared >= 2
    }
}

/// The results of a run.
pub(crate) struct Outcome {
    /// Every document.
    pub(crate) documents: Vec<PublishedDocument>,
    /// Links of the second publication.
    pub(crate) links: u64,
    /// Counts of the second publication.
    pub(crate) report: Report,
    /// `pairs.parquet` of the first publication.
    listed: PathBuf,
    /// Holds both publications until this is dropped.
    _directory: TempDir,
}

impl Outcome {
    /// Hands on every listed pair.
    pub(crate) fn each_listed(&self, take: &mut dyn FnMut(Listed)) -> Result<()> {
        let names = [
            "a",
            "b",
            "shared",
            "resemblance",
            "resemblance_low",
            "resemblance_high",
        ];
        each_row(&self.listed, &names, &mut |row| {
            let interval = Interval {
                low: fraction(row, 4)?,
                high: fraction(row, 5)?,
            };
            take(Listed {
                a: whole(row, 0)?,
                b: whole(row, 1)?,
                shared: whole(row, 2)?,
                estimate: fraction(row, 3)?,
                interval,
            });
            Ok(())
        })
    }
}

/// Runs the engine on `paths`.
pub(crate) fn run(paths: &[String], setting: Setting) -> Result<Outcome> {
    let directory = tempfile::tempdir()?;
    let (work, out) = (directory.path().join("work"), directory.path().join("out"));
    let once = |cluster: &str| -> Result<RunOutcome> {
        let text = configuration(paths, setting, [&work, &out]) + cluster;
        let place = std::env::current_dir()?.join("accuracy.toml");
        let config = pipeline::config::parse(&text, &place)?;
        let (options, reporter) = (RunOptions::default(), Reporter::silent());
        Ok(pipeline::run(&config, &options, &reporter)?)
    };
    once("resemblance = 0.01\nmin-shared = 1\n")?;
    let listed = out.canonicalize()?.join("pairs.parquet");
    let second = once("resemblance = 0.5\nmin-shared = 2\n")?;
    for plan in &second.phases {
        let is_run = plan.verdict != Verdict::UpToDate;
        ensure!(
            is_run == (plan.phase >= PhaseName::Cluster),
            "another threshold: {plan:?}, expected only cluster and index"
        );
    }
    Ok(Outcome {
        documents: documents(&out, &work)?,
        links: TableReader::open(&out.join("pairs.parquet"), Selection::All)?.rows(),
        report: second.report.context("the run has no report")?,
        listed,
        _directory: directory,
    })
}

/// The configuration, up to the keys of `[cluster]`.
fn configuration(paths: &[String], setting: Setting, places: [&Path; 2]) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let paths: Vec<String> = paths.iter().map(|path| quoted(path)).collect();
    let [work, out] = places.map(|place| quoted(&place.to_string_lossy()));
    let limit = match setting.is_limited {
        true => COMMON_LIMIT.to_string(),
        false => quoted("unlimited"),
    };
    format!(
        "version = 1\n[input]\npaths = [{}]\n[work]\ndir = {work}\noutput = {out}\n\
         [sketch]\nmethod = {}\nseed = \"accuracy {}\"\n\
         [pairs]\ncommon-shingle-limit = {limit}\nfloor = 0\n[cluster]\nsettle = \"off\"\nlinks = \"all\"\n",
        paths.join(", "),
        setting.method.toml,
        setting.seed,
    )
}
