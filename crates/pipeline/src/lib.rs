//! The engine: configuration → plan → phases → manifest → publication.
//!
//! *Input.* A [`config::Config`]. *Output.* The work directory and the publication. *Algorithm.*
//! [`PhaseName::ALL`] is the one straight line; [`run`] goes along it and does what is missing or
//! out of date. *Memory.* One [`sort::MemoryBudget`] a run, `work.memory`. *Disk.* Everything
//! through [`format::Disk`]. *Limits.* 2^32 − 2 documents.

mod compare;
mod dedup;
mod estimate;
mod explain;
mod export;
#[cfg(test)]
mod history_tests;
mod index;
mod inspect;
mod like;
mod metrics;
mod named;
#[cfg(test)]
mod oracle_tests;
mod phases;
mod plan;
mod preflight;
mod publish;
pub mod query;
mod report;
mod run;
mod status;
mod tokens;
mod tune;
mod urls;
mod verify;

pub use cluster::Linkage;
pub use compare::{CompareRequest, Comparison, Figure, Figures, compare};
pub use config;
pub use dedup::{DedupCounts, DedupOutcome, DedupRequest, Deliver, dedup};
pub use estimate::{CostForecast, ForecastSource, PhaseForecast};
pub use explain::{
    Chain, ClusterExplanation, Columns, CommonShown, ExplainRequest, Explanation, Keeper,
    LinkShown, Look, PassageShown, PassageSide, Side, Why, explain, explain_cluster, render,
};
pub use export::{export, table_names};
pub use inspect::{Inspection, inspect};
pub use intake::snapshots::{
    SnapshotAdd, SnapshotRow, SnapshotState, SnapshotTable, snapshot_add, snapshot_drop,
    snapshot_list,
};
pub use like::{Asker, LikeAnswer, LikeRequest, LikeRow, LikeWanted, SameDocument};
pub use phases::sketch::memory_minimum_bytes;
pub use run::{RunOptions, RunOutcome, run};
pub use runtime::Holder;
pub use runtime::PhaseName;
pub use runtime::Reporter;
pub use runtime::cost::now_rfc3339 as now;
pub use runtime::error::{Error, out_of_space};
pub use runtime::log::{Level, LogForm, LogLine, escaped, log_form, set_log_form};
pub use runtime::phase::{PhasePlan, Verdict};
pub use status::{Status, status};
pub use tokens::{default_config, tokens};
pub use tune::{Band, SampledLink, TuneOptions, TunedThreshold, Tuning, tune};
pub use verify::{Verification, verify};
