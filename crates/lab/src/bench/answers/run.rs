//! One run of the program in a directory of its own, and its cost.
//!
//! *Input.* A corpus, a seed, values of `--set`. *Output.* [`Run`]: the publication, the
//! configuration that made it, and the resources that it used. *Disk.* Work files and publication,
//! in the temporary directory, until the run is dropped.

use crate::bench::child::Usage;
use crate::bench::files;
use anyhow::{Context, Result, ensure};
use config::{self, Config, InputFrom};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A run that has ended.
pub(super) struct Run {
    /// Number of the seed; the seed itself is a word with this number.
    pub(super) seed: u32,
    /// The configuration of the run.
    pub(super) config: Config,
    /// The resources that it used.
    pub(super) usage: Usage,
    /// Its phases, in their order.
    pub(super) phases: Vec<Phase>,
    /// Holds work files and publication until this is dropped.
    directory: TempDir,
}

/// A phase in `run.json`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Phase {
    /// Its name.
    pub(super) name: String,
    /// User and system time in seconds.
    pub(super) cpu_s: f64,
    /// Records that it took or made.
    pub(super) records: u64,
}

#[derive(Deserialize)]
struct Account {
    phases: Vec<Phase>,
}

impl Run {
    /// The directory of the publication.
    pub(super) fn out(&self) -> PathBuf {
        self.directory.path().join("out")
    }

    /// The work directory.
    pub(super) fn work(&self) -> PathBuf {
        self.directory.path().join("work")
    }
}

/// Writes a configuration for a file, a directory or a glob, runs the program with it by `start`,
/// and reads the account of the run.
pub(super) fn run(
    corpus: &str,
    seed: u32,
    set: &[String],
    start: &dyn Fn(&Path) -> Result<Usage>,
) -> Result<Run> {
    let directory = tempfile::tempdir().context("failed to make a temporary directory")?;
    let corpus = std::env::current_dir()?.join(corpus);
    let paths = toml::Value::String(corpus.to_string_lossy().into_owned());
    let path = directory.path().join("pipeline.toml");
    let text =
        format!("version = 1\n[input]\npaths = [{paths}]\n[sketch]\nseed = \"answers {seed}\"\n");
    files::write(&path, text)?;
    let config = config::load_with(&path, InputFrom::Paths, set)?;
    ensure!(
        config.work.output == directory.path().join("out"),
        "`--set` must leave work.dir and work.output as they are"
    );
    let usage = start(&path)?;
    let account = files::read(&directory.path().join("out/run.json"))?;
    let account: Account = serde_json::from_str(&account).context("failed to parse run.json")?;
    Ok(Run {
        seed,
        config,
        usage,
        phases: account.phases,
        directory,
    })
}
