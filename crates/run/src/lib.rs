//! A run along the straight line: what has to be done, whether there is room for it, the phases one
//! after the other, and what is told of them.

mod dry_run;
mod hooks;
mod index;
mod line;
mod metrics;
mod options;
mod outcome;
pub mod plan;
mod preflight;
mod rejected;
mod report;
mod shard;
mod status;
mod steps;
mod verify;

pub use hooks::RunHooks;
pub use options::{OnInput, RunOptions};
pub use outcome::RunOutcome;
pub use shard::{ShardOutcome, sketch_shard};
pub use status::{Status, status};
pub use steps::{run, run_with};
pub use verify::{Verification, verify};
