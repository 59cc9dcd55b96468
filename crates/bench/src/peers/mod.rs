//! The parts of `scripts/bench-peers` that need our words or are slow in Python: plain words, and
//! scores against exact sets of shingles.

pub mod corpus;
pub mod exact;
pub mod score;

use anyhow::{Context, Result};
use exact::{Params, Truth};
use serde_json::json;
use std::path::PathBuf;

/// Shingles of more different documents than this are common: the default of ours. Other tools have
/// no such rule, so all are scored both ways, with all shingles and without these.
const COMMON_LIMIT: u32 = 1000;

/// The commands below `peers`.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Command {
    /// Turn a file into plain words parted by single spaces.
    Words {
        /// JSONL with `text` or `html`.
        source: PathBuf,
        /// JSONL with `id`, the number of the line, and `text`.
        out: PathBuf,
    },
    /// Score clusters against the exact answer; prints two JSON objects, for all shingles and for
    /// those that are not common.
    Score {
        /// The file that `words` wrote.
        corpus: PathBuf,
        /// JSON lines, one for each tool: the label of each document or null.
        labels: PathBuf,
    },
}

/// Runs a command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(command: &Command) -> Result<()> {
    match command {
        Command::Words { source, out } => corpus::plain_words(source, out),
        Command::Score { corpus, labels } => {
            let mut tools = Vec::new();
            corpus::for_each_line(labels, |line| {
                let labels: Vec<Option<u64>> =
                    serde_json::from_str(line).context("failed to parse labels")?;
                tools.push(labels);
                Ok(())
            })?;
            for common_limit in [u32::MAX, COMMON_LIMIT] {
                let params = Params {
                    shingle_size: 10,
                    threshold: 0.5,
                    common_limit,
                };
                let truth = Truth::of(corpus, params)?;
                let score = |labels: &Vec<Option<u64>>| {
                    let score = truth.score(labels);
                    json!({
                        "counts": score,
                        "recall": score.recall(),
                        "precision": score.precision(),
                    })
                };
                let scores: Vec<_> = tools.iter().map(score).collect();
                let answer = json!({
                    "pairs": truth.pairs.len(),
                    "common": truth.common,
                    "redundant": truth.redundant(),
                    "scores": scores,
                });
                println!("{answer}");
            }
            Ok(())
        }
    }
}
