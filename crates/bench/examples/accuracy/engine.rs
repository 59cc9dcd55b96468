//! One run of the engine, in this process, in a directory of its own.
//!
//! *Input.* Paths and a [`Setting`]. *Output.* [`Outcome`]: what the run published. *Algorithm.*
//! The run is made twice. First everything that shares a shingle is listed ([`LISTED_FROM`]), so
//! that estimates below the threshold can be judged too; then `resemblance = 0.5` and `min-shared =
//! 2` are set, which runs `cluster` and `index` again and nothing else. Both publications stay
//! until the outcome is dropped. *Disk.* About 50 bytes a listed pair, in the temporary directory.

use anyhow::{Context, Result, bail, ensure};
use format::{Disk, FileKind, RecordReader};
use model::Class;
use output::{BatchRow, Cell, Report, Selection, TableReader};
use pipeline::{PhaseName, Reporter, RunOptions, RunOutcome, Verdict};
use std::fmt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// `resemblance` of the first publication, which lists estimates.
const LISTED_FROM: &str = "0.01";

/// `common-shingle-limit` where it is not told.
pub(crate) const COMMON_LIMIT: usize = 1000;

/// A sampling rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Method {
    name: &'static str,
    toml: &'static str,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

const MODULUS_25: Method = Method {
    name: "modulus 25",
    toml: r#"{ kind = "modulus", modulus = 25 }"#,
};
const ADAPTIVE_64: Method = Method {
    name: "adaptive 64/32",
    toml: r#"{ kind = "adaptive-modulus", target = 64, coarsest = 32 }"#,
};
/// The default of the program.
pub(crate) const ADAPTIVE_128: Method = Method {
    name: "adaptive 128/32",
    toml: r#"{ kind = "adaptive-modulus", target = 128, coarsest = 32 }"#,
};
const ADAPTIVE_256: Method = Method {
    name: "adaptive 256/32",
    toml: r#"{ kind = "adaptive-modulus", target = 256, coarsest = 32 }"#,
};

/// What is measured.
pub(crate) const METHODS: [Method; 4] = [MODULUS_25, ADAPTIVE_64, ADAPTIVE_128, ADAPTIVE_256];

/// The common shingle limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// None: the sampling error alone.
    Unlimited,
    /// [`COMMON_LIMIT`].
    Default,
}

/// What a run is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) method: Method,
    pub(crate) limit: Limit,
    /// Its number; the seed itself is a word with this number.
    pub(crate) seed: u32,
}

/// What a run says of one document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampled {
    pub(crate) words: u64,
    pub(crate) sketch_size: u32,
    pub(crate) modulus: u32,
    /// The document that stands for it in the pairs.
    pub(crate) representative: u32,
    /// Its cluster.
    pub(crate) cluster: u32,
}

/// A row of `pairs.parquet`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) shared: u32,
    pub(crate) estimate: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Listed {
    /// Whether it is a link at the default thresholds.
    pub(crate) fn is_link(&self) -> bool {
        self.estimate >= 0.5 && self.shared >= 2
    }
}

/// What a run published.
pub(crate) struct Outcome {
    /// Every document.
    pub(crate) documents: Vec<Sampled>,
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
            let listed = Listed {
                a: whole(row, 0)?,
                b: whole(row, 1)?,
                shared: whole(row, 2)?,
                estimate: fraction(row, 3)?,
                low: fraction(row, 4)?,
                high: fraction(row, 5)?,
            };
            take(listed);
            Ok(())
        })
    }
}

/// Runs the engine on `paths`.
pub(crate) fn run(paths: &[String], setting: Setting) -> Result<Outcome> {
    let directory = tempfile::tempdir()?;
    let (work, out) = (directory.path().join("work"), directory.path().join("out"));
    let once = |cluster: &str| -> Result<RunOutcome> {
        let text = configuration(paths, setting, directory.path())? + cluster;
        let config =
            pipeline::config::parse(&text, &std::env::current_dir()?.join("accuracy.toml"))?;
        Ok(pipeline::run(
            &config,
            &RunOptions::default(),
            &Reporter::silent(),
        )?)
    };
    once(&format!("resemblance = {LISTED_FROM}\nmin-shared = 1\n"))?;
    let listed = out.canonicalize()?.join("pairs.parquet");
    let second = once("resemblance = 0.5\nmin-shared = 2\n")?;
    for plan in &second.phases {
        let is_run = plan.verdict != Verdict::UpToDate;
        ensure!(
            is_run == (plan.phase >= PhaseName::Cluster),
            "another threshold: {plan:?}, expected only cluster and index"
        );
    }
    ensure!(
        listed.exists(),
        "the first publication is gone: {}",
        listed.display()
    );
    let documents = documents(&out, &work)?;
    let links = TableReader::open(&out.join("pairs.parquet"), Selection::All)?.rows();
    let report = second.report.context("the run has no report")?;
    Ok(Outcome {
        documents,
        links,
        report,
        listed,
        _directory: directory,
    })
}

/// The configuration, up to the keys of `[cluster]`.
fn configuration(paths: &[String], setting: Setting, directory: &Path) -> Result<String> {
    let Setting {
        method,
        limit,
        seed,
    } = setting;
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let paths: Vec<String> = paths.iter().map(|path| quoted(path)).collect();
    let place = |name: &str| {
        Ok::<_, anyhow::Error>(quoted(
            directory
                .join(name)
                .to_str()
                .context("expected UTF-8 paths")?,
        ))
    };
    let limit = match limit {
        Limit::Unlimited => quoted("unlimited"),
        Limit::Default => COMMON_LIMIT.to_string(),
    };
    Ok(format!(
        "version = 1\n[input]\npaths = [{}]\n[work]\ndir = {}\noutput = {}\n[sketch]\nmethod = {}\nseed = \"accuracy {seed}\"\n\
         [pairs]\ncommon-shingle-limit = {limit}\n[cluster]\n",
        paths.join(", "),
        place("work")?,
        place("out")?,
        method.toml,
    ))
}

/// Every document: its sketch, its representative, its cluster.
fn documents(out: &Path, work: &Path) -> Result<Vec<Sampled>> {
    let mut documents = Vec::new();
    let names = ["words", "sketch_size", "modulus"];
    each_row(&out.join("documents/default.parquet"), &names, &mut |row| {
        let doc = documents.len() as u32;
        let (words, sketch_size, modulus) =
            (u64::from(whole(row, 0)?), whole(row, 1)?, whole(row, 2)?);
        documents.push(Sampled {
            words,
            sketch_size,
            modulus,
            representative: doc,
            cluster: doc,
        });
        Ok(())
    })?;
    let damaged = "a document that is not in the table";
    each_row(
        &out.join("membership.parquet"),
        &["doc_id", "cluster_id"],
        &mut |row| {
            documents
                .get_mut(whole(row, 0)? as usize)
                .context(damaged)?
                .cluster = whole(row, 1)?;
            Ok(())
        },
    )?;
    let mut classes = RecordReader::<Class>::open(
        &Disk::default(),
        &work.join("distinct/classes"),
        FileKind::Classes,
    )?;
    while let Some(class) = classes.next()? {
        documents
            .get_mut(class.doc as usize)
            .context(damaged)?
            .representative = class.representative();
    }
    Ok(documents)
}

fn each_row(
    path: &Path,
    names: &[&str],
    take: &mut dyn FnMut(BatchRow<'_>) -> Result<()>,
) -> Result<()> {
    let mut reader = TableReader::open(path, Selection::Named(names))?;
    while let Some(batch) = reader.next_batch()? {
        batch.iter().try_for_each(&mut *take)?;
    }
    Ok(())
}

/// Ids and counts; public ids of the first snapshot are those within it.
fn whole(row: BatchRow<'_>, column: usize) -> Result<u32> {
    match row.cell(column) {
        Cell::Int32(value) => Ok(u32::try_from(value)?),
        Cell::Int64(value) => Ok(u32::try_from(value)?),
        other => bail!("expected a whole number in column {column}, got {other:?}"),
    }
}

fn fraction(row: BatchRow<'_>, column: usize) -> Result<f64> {
    match row.cell(column) {
        Cell::Double(value) => Ok(value),
        other => bail!("expected a fraction in column {column}, got {other:?}"),
    }
}
