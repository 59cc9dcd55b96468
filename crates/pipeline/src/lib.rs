//! The engine: configuration → plan → phases → manifest → publication.
//!
//! *Input.* A [`config::Config`]. *Output.* The work directory and the publication. *Algorithm.*
//! [`PhaseName::ALL`] is the one straight line; [`run`] goes along it and does what is missing or
//! out of date. *Memory.* One [`sort::MemoryBudget`] a run, `work.memory`. *Disk.* Everything
//! through [`format::Disk`]. *Limits.* 2^32 − 2 documents.

pub use ask::query;

pub use ask::compare::{Comparison, compare};
pub use ask::explain::{
    ClusterExplanation, ClusterLink, ClusteringReason, Columns, ExplainRequest, ExplainedDocument,
    Explanation, LinkChain, PassageInDocument, SharedCommonShingle, SharedPassage, StarCentre,
    Style, explain, explain_cluster, render,
};
pub use ask::export::{export, table_names};
pub use ask::inspect::{Inspection, inspect};
pub use ask::like::{LikeAnswer, LikeRequest, LikeRow, LikeSearch, LikeWanted, SameDocument};
pub use ask::tokens::{default_config, tokens};
pub use ask::tune::{Band, SampledLink, TuneOptions, TunedThreshold, Tuning, tune};
pub use ask::{CompareRequest, Figure, Figures, PairFigures};
pub use cluster::Linkage;
pub use config;
pub use dedup::{DedupCounts, DedupOutcome, DedupRequest, Deliver, dedup};
pub use estimate::{CostForecast, ForecastSource, PhaseForecast};
pub use intake::snapshots::{
    SnapshotAdd, SnapshotRow, SnapshotState, SnapshotTable, snapshot_add, snapshot_drop,
    snapshot_list,
};
pub use phases::sketch::memory_minimum_bytes;
pub use run::{RunOptions, RunOutcome, Status, Verification, run, status, verify};
pub use runtime::Holder;
pub use runtime::PhaseName;
pub use runtime::Reporter;
pub use runtime::cost::now_rfc3339 as now;
pub use runtime::error::{Error, out_of_space};
pub use runtime::log::{Level, LogForm, LogLine, escaped, log_form, set_log_form};
pub use runtime::phase::{PhasePlan, Verdict};
