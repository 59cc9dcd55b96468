//! The near-duplicates of a web crawl, found on one machine: the face that the command line and
//! other programs call. Everything here is a re-export of the crate that does the work.
//!
//! A program runs a configuration, opens the publication, and asks it:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let words = "a page of some words that stay as they are ".repeat(3);
//! # let page = |url: &str| format!("{{\"url\":\"{url}\",\"text\":\"{words}\"}}\n");
//! # let pages = page("http://a.example/") + &page("http://b.example/");
//! # std::fs::write(dir.path().join("crawl.jsonl"), pages)?;
//! # let text = "version = 1\n[input]\npaths = [\"crawl.jsonl\"]\n[sketch]\nseed = \"secret\"\n";
//! # std::fs::write(dir.path().join("pipeline.toml"), text)?;
//! # let path = dir.path().join("pipeline.toml");
//! use pipeline::{Reporter, RunOptions, config, query};
//!
//! let config = config::load(&path)?;
//! let outcome = pipeline::run(&config, &RunOptions::default(), &Reporter::silent())?;
//! assert_eq!(outcome.report.expect("all phases are done").clusters.clusters, 1);
//!
//! let index = query::open(&config)?;
//! let answer = query::by_url(&index, "http://b.example/", 10)?;
//! assert_eq!(answer.members.len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! | a program that wants to | calls |
//! |---|---|
//! | read or make a configuration | [`config::load`], [`config::parse`], [`config::default_toml`] |
//! | know what an input is taken for | [`InputSummary`] |
//! | run it, or say what would run | [`run()`], [`run_with`], [`status`], [`verify`] |
//! | sketch a share of the input, for a run on another machine | [`sketch_shard`] |
//! | keep several crawls | [`snapshot_add`], [`snapshot_drop`], [`snapshot_list`] |
//! | ask the publication | [`query::open`] and the functions beside it, [`LikeRequest`], [`explain`] |
//! | know what changed since the last snapshot | [`changes()`] |
//! | compare two documents | [`compare`] |
//! | try other thresholds | [`tune`] |
//! | write tables or copies | [`export`], [`dedup()`], [`cut_passages`] |
//! | know whether a benchmark is inside | [`decontaminate()`] |
//!
//! Nothing here installs a signal handler but [`answer_signals`]. Errors are [`Error`];
//! [`Error::exit_code`] gives the code that the command line ends with.

/// pipeline.toml: keys, defaults, checks.
pub use config;

pub use phases::sketch::{Shard, memory_minimum_bytes};
pub use run::{
    CostForecast, ForecastSource, OnInput, PhaseForecast, RunHooks, RunOptions, RunOutcome,
    ShardOutcome, Status, Verification, run, run_with, sketch_shard, status, verify,
};

pub use engine::intake::snapshots::{
    SnapshotAdd, SnapshotRow, SnapshotState, SnapshotTable, snapshot_add, snapshot_drop,
    snapshot_list,
};
pub use engine::intake::summary::InputSummary;
pub use input::{InputError, entry_end, objects};

pub use ask::changes::{CHANGE_CLASSES, ChangedUrl, ChangesRequest, changes, published_at};
pub use ask::compare::{CompareOptions, Comparison, compare};
pub use ask::explain::{
    ClusterExplanation, ClusterLink, ClusteringReason, Contained, DifferenceKind, DifferentWords,
    ExplainRequest, ExplainView, ExplainedDocument, Explanation, LinkChain, PassageColumns,
    PassageInDocument, SharedPassage, ShownDifference, StarCentre, Style, TextDifference, explain,
    explain_cluster, render,
};
pub use ask::export::{
    HeldPublication, TableFiles, check_written, export, intact_files, published_tables,
    table_files, table_names,
};
pub use ask::inspect::{Inspection, inspect};
pub use ask::like::{
    ContainingDocuments, LikeAnswer, LikeRequest, LikeRow, LikeSearch, LikeWanted,
};
pub use ask::query;
pub use ask::shingles::shingles;
pub use ask::tokens::{default_config, tokens};
pub use ask::tune::{
    Band, JudgedThreshold, Judgement, Judgements, SampledLink, TreeForm, TuneOptions,
    TunedThreshold, Tuning, tree, tune,
};
pub use ask::{Basis, CompareRequest, ComparedText, Figure, Figures, PairFigures, RepeatedPart};
pub use dedup::{
    CopyCounts, CutCounts, CutOutcome, CutRequest, DedupCounts, DedupOutcome, DedupRequest,
    Deliver, ListOutcome, cut_passages, dedup,
};
pub use dedup::{
    DecontaminateOutcome, DecontaminateRequest, DeliverClean, Example, LeftOut, ReferenceOutcome,
    decontaminate,
};
pub use model::Linkage;

pub use engine::runtime::allocator::{Allocator, return_large_blocks};
pub use engine::runtime::commands::{config_options, set_config_options, with_config_options};
pub use engine::runtime::cost::now_rfc3339 as now;
pub use engine::runtime::error::{Error, memory_advice, out_of_resources};
pub use engine::runtime::log::{
    Level, LogForm, LogLine, escaped, json_escaped, log_form, set_log_form,
};
pub use engine::runtime::phase::{PhaseName, PhasePlan, Verdict};
pub use engine::runtime::progress::{Progress, Task, TaskProgress};
pub use engine::runtime::signals::{
    has_come as signal_has_come, install as answer_signals, outlive_file_limit,
    received as received_signal,
};
pub use engine::{Holder, Reporter};
