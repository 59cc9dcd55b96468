//! The tools, how each is called, and where its clusters are read.
//!
//! | tool | found by | what |
//! |---|---|---|
//! | pipeline | beside this program, or `PIPELINE` | ours |
//! | fastdedup | `FASTDEDUP`, or on the path | Rust, MinHash in memory, greedy, estimates verified |
//! | duplodocus | `DUPLODOCUS`, or on the path | Rust, MinHash on disk, union-find, nothing verified |
//! | text-dedup | `TEXT_DEDUP_PYTHON`: a Python that has it | Python, MinHash, verified |
//! | datatrove | `DATATROVE_PYTHON`: a Python that has it | Python, MinHash, nothing verified |
//!
//! All count runs of ten words, or what comes nearest, and look for a resemblance of 0.5, or the
//! bands that come nearest: 25 bands of 5 rows have their threshold at (1/25)^(1/5) = 0.53. The
//! tools' own defaults, for higher thresholds, stand beside them. Each writes what it writes to
//! users: ours tables, the others a copy of the file without the duplicates; so ours is also
//! measured with such a copy made from its tables.

mod ours;
mod python;
mod rust;

use super::corpus::Corpus;
use crate::child::Usage;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub use ours::copy_kept;

/// Labels of documents; `None` is alone.
pub type Labels = Vec<Option<u64>>;

/// A tool in one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Ours.
    Pipeline(Method),
    /// MinHash with so many bands and rows.
    FastDedup(Bands),
    /// MinHash with so many bands and rows.
    Duplodocus(Bands),
    /// MinHash, verified.
    TextDedup,
    /// MinHash.
    Datatrove,
}

/// How ours is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// As it comes.
    Adaptive,
    /// The same, and the lines that are kept are copied.
    AdaptiveCopied,
    /// Common shingles make pairs as all others do.
    NoCommonLimit,
    /// As in 1996.
    Modulus,
}

/// Bands of a MinHash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bands {
    /// How many.
    pub bands: u32,
    /// Hashes in each.
    pub rows: u32,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Its clusters are read.
    Clusters,
    /// Only what it takes counts: the tool does what it does for users.
    Time,
}

/// One run of one tool.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The program, or the Python that has it.
    pub install: &'a Path,
    /// The file.
    pub corpus: &'a Corpus,
    /// An empty directory; absolute.
    pub dir: &'a Path,
    /// Threads.
    pub threads: usize,
    /// Time allowed.
    pub limit: Duration,
    /// What for.
    pub purpose: Purpose,
}

/// Whether a tool is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Install {
    /// The program, or the Python that has it.
    Here(PathBuf),
    /// How to say where it is.
    Missing(String),
}

/// All tools, in the order of the table.
pub fn all() -> [Tool; 10] {
    let near = Bands { bands: 25, rows: 5 };
    [
        Tool::Pipeline(Method::Adaptive),
        Tool::Pipeline(Method::AdaptiveCopied),
        Tool::Pipeline(Method::NoCommonLimit),
        Tool::Pipeline(Method::Modulus),
        Tool::FastDedup(near),
        Tool::FastDedup(Bands { bands: 16, rows: 8 }),
        Tool::Duplodocus(near),
        Tool::Duplodocus(Bands { bands: 14, rows: 8 }),
        Tool::TextDedup,
        Tool::Datatrove,
    ]
}

impl Tool {
    /// What it is called in the table.
    pub fn name(&self) -> String {
        match self {
            Tool::Pipeline(Method::Adaptive) => "pipeline".to_owned(),
            Tool::Pipeline(Method::AdaptiveCopied) => "pipeline, kept lines copied".to_owned(),
            Tool::Pipeline(Method::NoCommonLimit) => "pipeline, no common limit".to_owned(),
            Tool::Pipeline(Method::Modulus) => "pipeline, modulus 25".to_owned(),
            Tool::FastDedup(Bands { bands, rows }) => format!("fastdedup {bands} x {rows}"),
            Tool::Duplodocus(Bands { bands, rows }) => format!("duplodocus {bands} x {rows}"),
            Tool::TextDedup => "text-dedup 25 x 5".to_owned(),
            Tool::Datatrove => "datatrove 25 x 5".to_owned(),
        }
    }

    /// How it is configured, for the record.
    pub fn configured(&self) -> String {
        match self {
            Tool::Pipeline(_) => "10 words, resemblance 0.5, memory 1 GiB".to_owned(),
            Tool::FastDedup(_) => {
                "10 words, estimate of 0.5 or more; clusters: all relations it reports".to_owned()
            }
            Tool::Duplodocus(_) => {
                "19 pieces of Unicode segmentation: 10 words and the spaces between".to_owned()
            }
            Tool::TextDedup => "10 words, candidates verified at 0.5".to_owned(),
            Tool::Datatrove => "10 words, 64-bit xxhash, English word tokenizer".to_owned(),
        }
    }

    /// Whether it is there.
    pub fn install(&self) -> Install {
        match self {
            Tool::Pipeline(_) => found("PIPELINE", "pipeline"),
            Tool::FastDedup(_) => found("FASTDEDUP", "fastdedup"),
            Tool::Duplodocus(_) => found("DUPLODOCUS", "duplodocus"),
            Tool::TextDedup => python::found("TEXT_DEDUP_PYTHON", "text_dedup"),
            Tool::Datatrove => python::found("DATATROVE_PYTHON", "datatrove"),
        }
    }

    /// The version it gives itself.
    pub fn version(&self, install: &Path) -> String {
        let mut command = Command::new(install);
        match self {
            Tool::TextDedup => command.args(["-c", &python::version_of("text-dedup")]),
            Tool::Datatrove => command.args(["-c", &python::version_of("datatrove")]),
            _ => command.arg("--version"),
        };
        let said = command
            .output()
            .map(|ended| String::from_utf8_lossy(&ended.stdout).trim().to_owned());
        said.ok()
            .filter(|said| !said.is_empty())
            .unwrap_or_else(|| "says none".to_owned())
    }

    /// Runs it. Labels are empty unless they are what the run is for.
    ///
    /// # Errors
    /// When it fails, takes too long, or leaves something unexpected behind.
    pub fn run(&self, job: &Job<'_>) -> Result<(Usage, Labels)> {
        match *self {
            Tool::Pipeline(method) => ours::run(job, method),
            Tool::FastDedup(bands) => rust::fastdedup(job, bands),
            Tool::Duplodocus(bands) => rust::duplodocus(job, bands),
            Tool::TextDedup => python::text_dedup(job),
            Tool::Datatrove => python::datatrove(job),
        }
    }
}

/// A program by environment variable, beside this one, or on the path.
fn found(variable: &str, name: &str) -> Install {
    if let Some(path) = std::env::var_os(variable).map(PathBuf::from) {
        return match path.canonicalize() {
            Ok(path) => Install::Here(path),
            Err(error) => Install::Missing(format!("{variable}={}: {error}", path.display())),
        };
    }
    let beside = std::env::current_exe()
        .ok()
        .map(|this| this.with_file_name(name));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|dir| dir.join(name));
    match beside
        .into_iter()
        .chain(on_path)
        .find(|path| path.is_file())
    {
        Some(path) => Install::Here(path),
        None => Install::Missing(format!("set {variable} to the program {name}")),
    }
}
