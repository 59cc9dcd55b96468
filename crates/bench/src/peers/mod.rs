//! Other tools for near-duplicates beside ours: the same file, comparable parameters, CPU seconds,
//! memory, recall.
//!
//! *Input.* JSONL with `text` or `html`, and the tools where they are installed (see [`tools`]).
//! *Output.* A table and JSON lines. *Algorithm.* The file is first turned into plain words parted
//! by single spaces ([`corpus`]), so that a word means the same to all. On it every tool runs twice
//! over: on the file itself, where its clusters are held against exact sets of shingles ([`exact`],
//! [`score`]); and on copies of it, each respelt so that copies share no words, which is large
//! enough to time. *Limits.* A tool that is not installed is skipped by name; one that takes too
//! long is killed and says so.

pub mod corpus;
pub mod exact;
pub mod score;
pub mod tools;

use crate::child::Usage;
use anyhow::{Context, Result};
use corpus::Corpus;
use exact::Truth;
use score::Score;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tools::{Install, Labels, Tool};

/// Shingles of more different documents than this are common: the default of ours. Other tools have
/// no such rule, so all are scored both ways, with all shingles and without these.
const COMMON_LIMIT: u32 = 1000;

/// What to compare.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// JSONL to begin with.
    pub source: PathBuf,
    /// An empty directory to work in.
    pub dir: PathBuf,
    /// Copies in the large file, 1 to 26.
    pub copies: u8,
    /// Threads for each tool.
    pub threads: usize,
    /// Tools to run; all if empty.
    pub only: Vec<String>,
    /// Time allowed for one run of one tool.
    pub limit: Duration,
}

/// What a tool did on the two files.
struct Outcome {
    version: String,
    small: Usage,
    labels: Labels,
    large: Result<Usage>,
}

/// How it went with a tool.
enum Ended {
    /// It is not installed.
    Skipped(String),
    /// It failed on the small file, or took too long.
    Failed(anyhow::Error),
    /// It ran.
    Ran(Outcome),
}

impl Comparison {
    /// Runs all tools, then prints.
    ///
    /// # Errors
    /// When the files cannot be made, or `out` or `raw` not be written. A tool that fails is a line
    /// of the table.
    pub fn run(&self, out: &mut dyn Write, raw: &mut dyn Write) -> Result<()> {
        let small = corpus::plain_words(&self.source, &self.dir.join("small.jsonl"))?;
        let large = corpus::respelt(&small, &self.dir.join("large.jsonl"), self.copies)?;
        // Only then the exact answer: it is large, and the peak of a program counts from the memory
        // of who starts it.
        let outcomes = self.outcomes(&small, &large);
        let truth = |common_limit| {
            Truth::of(
                &small,
                exact::Params {
                    shingle_size: 10,
                    threshold: 0.5,
                    common_limit,
                },
            )
        };
        let truths = [truth(u32::MAX)?, truth(COMMON_LIMIT)?];
        writeln!(
            out,
            "small: {} documents, {:.1} MB; large: {} documents, {:.1} MB, {} respelt copies; {} threads",
            small.documents,
            small.bytes as f64 / 1e6,
            large.documents,
            large.bytes as f64 / 1e6,
            self.copies,
            self.threads
        )?;
        for (name, truth) in ["all", "own"].iter().zip(&truths) {
            writeln!(
                out,
                "{name}: {} exact pairs of documents at resemblance 0.5 or more, sets of 10 words without {} common ones; \
                 {} documents are redundant",
                truth.pairs(),
                truth.common(),
                truth.redundant()
            )?;
        }
        writeln!(
            out,
            "{:<30}{:>8}{:>9}{:>8}{:>9}{:>9}{:>9}{:>9}{:>10}{:>8}{:>10}",
            "", "all", "all", "own", "own", "", "small", "large", "large", "large", "large"
        )?;
        writeln!(
            out,
            "{:<30}{:>8}{:>9}{:>8}{:>9}{:>9}{:>9}{:>9}{:>10}{:>8}{:>10}",
            "tool",
            "recall",
            "precis.",
            "recall",
            "precis.",
            "removed",
            "CPU-s",
            "CPU-s",
            "MB/CPU-s",
            "wall s",
            "peak MiB"
        )?;
        for (tool, ended) in outcomes {
            let line = match ended {
                Ended::Skipped(how) => format!("{:<30}skipped: {how}", tool.name()),
                Ended::Failed(error) => format!("{:<30}FAILED: {error:#}", tool.name()),
                Ended::Ran(outcome) => {
                    let scores = truths.each_ref().map(|truth| truth.score(&outcome.labels));
                    writeln!(
                        raw,
                        "{}",
                        raw_line(&tool, &outcome, &scores, [&small, &large])
                    )?;
                    row(&tool, &outcome, &scores, &large)
                }
            };
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn outcomes(&self, small: &Corpus, large: &Corpus) -> Vec<(Tool, Ended)> {
        let wanted = |tool: &Tool| {
            self.only.is_empty() || self.only.iter().any(|name| tool.name().contains(name))
        };
        let one = |tool: Tool| {
            let ended = match tool.install() {
                Install::Missing(how) => Ended::Skipped(how),
                Install::Here(install) => match self.one(&tool, &install, small, large) {
                    Ok(outcome) => Ended::Ran(outcome),
                    Err(error) => Ended::Failed(error),
                },
            };
            (tool, ended)
        };
        tools::all().into_iter().filter(wanted).map(one).collect()
    }

    fn one(&self, tool: &Tool, install: &Path, small: &Corpus, large: &Corpus) -> Result<Outcome> {
        let run = |corpus: &Corpus, purpose| {
            let dir = self.dir.join("run");
            if dir.exists() {
                std::fs::remove_dir_all(&dir)
                    .with_context(|| format!("failed to empty {}", dir.display()))?;
            }
            std::fs::create_dir(&dir)
                .with_context(|| format!("failed to make {}", dir.display()))?;
            let dir = dir
                .canonicalize()
                .with_context(|| format!("failed to find {}", dir.display()))?;
            let job = tools::Job {
                install,
                corpus,
                dir: &dir,
                threads: self.threads,
                limit: self.limit,
                purpose,
            };
            tool.run(&job)
        };
        let (usage, labels) = run(small, tools::Purpose::Clusters)?;
        let large = run(large, tools::Purpose::Time).map(|(usage, _)| usage);
        Ok(Outcome {
            version: tool.version(install),
            small: usage,
            labels,
            large,
        })
    }
}

fn row(tool: &Tool, outcome: &Outcome, scores: &[Score; 2], large: &Corpus) -> String {
    let Outcome {
        small,
        large: usage,
        ..
    } = outcome;
    let [all, own] = scores;
    let head = format!(
        "{:<30}{:>8.4}{:>9.4}{:>8.4}{:>9.4}{:>9}{:>9.2}",
        tool.name(),
        all.recall(),
        all.precision(),
        own.recall(),
        own.precision(),
        all.removed,
        small.cpu_s()
    );
    match usage {
        Ok(usage) => format!(
            "{head}{:>9.2}{:>10.1}{:>8.1}{:>10.1}",
            usage.cpu_s(),
            large.bytes as f64 / 1e6 / usage.cpu_s().max(0.01),
            usage.wall_s,
            usage.peak_bytes as f64 / f64::from(1 << 20)
        ),
        Err(error) => format!("{head}  large: {error:#}"),
    }
}

fn raw_line(
    tool: &Tool,
    outcome: &Outcome,
    scores: &[Score; 2],
    files: [&Corpus; 2],
) -> serde_json::Value {
    let sizes = files.map(|corpus| json!({ "documents": corpus.documents, "bytes": corpus.bytes }));
    json!({
        "tool": tool.name(),
        "version": outcome.version,
        "configured": tool.configured(),
        "files": sizes,
        "small": outcome.small,
        "score_all": scores[0],
        "score_own": scores[1],
        "large": outcome.large.as_ref().ok(),
        "large_failed": outcome.large.as_ref().err().map(|error| format!("{error:#}")),
    })
}
