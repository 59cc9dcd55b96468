//! The engine: configuration → plan → phases → manifest → publication.
//!
//! *Input.* A [`config::Config`]. *Output.* The work directory and the publication. *Algorithm.*
//! [`PhaseName::ALL`] is the one straight line; [`run`] goes along it and does what is missing or
//! out of date. *Memory.* One [`sort::MemoryBudget`] a run, `work.memory`. *Disk.* Everything
//! through [`format::Disk`]. *Limits.* 2^32 − 2 documents.

mod cells;
mod compare;
pub mod config;
mod cost;
mod costs;
mod dedup;
mod engine;
mod error;
mod estimate;
mod explain;
mod export;
#[cfg(test)]
mod history_tests;
mod inputs;
mod inspect;
mod levels;
mod like;
mod listing;
mod lock;
mod log;
mod metrics;
mod named;
#[cfg(test)]
mod oracle_tests;
mod parameters;
mod phase;
mod phases;
mod plan;
mod preflight;
mod progress;
mod publish;
pub mod query;
mod run;
mod segments;
mod signals;
mod snapshots;
mod status;
mod tokens;
mod tune;
mod urls;
mod verify;
mod work_dir;

pub use cluster::Linkage;
pub use compare::{CompareRequest, Comparison, Figure, Figures, compare};
pub use cost::now_rfc3339 as now;
pub use dedup::{DedupCounts, DedupOutcome, DedupRequest, Deliver, dedup};
pub use error::{Error, out_of_space};
pub use estimate::{CostForecast, ForecastSource, PhaseForecast};
pub use explain::{
    Chain, ClusterExplanation, Columns, CommonShown, ExplainRequest, Explanation, Keeper,
    LinkShown, Look, PassageShown, PassageSide, Side, Why, explain, explain_cluster, render,
};
pub use export::{export, table_names};
pub use inspect::{Inspection, inspect};
pub use like::{Asker, LikeAnswer, LikeRequest, LikeRow, LikeWanted, SameDocument};
pub use lock::Holder;
pub use log::{Level, LogForm, LogLine, escaped, log_form, set_log_form};
pub use phase::{PhaseName, PhasePlan, Verdict};
pub use preflight::memory_minimum_bytes;
pub use progress::Reporter;
pub use run::{RunOptions, RunOutcome, run};
pub use snapshots::{
    SnapshotAdd, SnapshotRow, SnapshotState, SnapshotTable, snapshot_add, snapshot_drop,
    snapshot_list,
};
pub use status::{Status, status};
pub use tokens::{default_config, tokens};
pub use tune::{Band, SampledLink, TuneOptions, TunedThreshold, Tuning, tune};
pub use verify::{Verification, verify};
