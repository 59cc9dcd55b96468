//! A run along the straight line: judges which phases are out of date, checks that there is room,
//! runs them one after the other, and reports.

mod damage;
mod dry_run;
mod estimate;
mod hooks;
mod index;
mod judge;
mod kept_figures;
mod line;
mod metrics;
mod options;
mod outcome;
mod preflight;
mod rejected;
mod report;
mod shard;
mod sources;
mod status;
mod steps;
mod verify;

pub use estimate::{CostForecast, ForecastSource, PhaseForecast};
pub use hooks::RunHooks;
pub use judge::PhaseJudge;
pub use options::{OnInput, RunOptions};
pub use outcome::RunOutcome;
pub use rejected::check_listing;
pub use shard::{ShardOutcome, sketch_shard};
pub use sources::{
    check as check_documents, check_listing as check_sources, empty_data, empty_source,
    note_unread, note_words,
};
pub use status::{Status, status};
pub use steps::{open_disk, run, run_with};
pub use verify::{Verification, verify};
