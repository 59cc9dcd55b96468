//! A run along the straight line: what has to be done, whether there is room for it, the phases one
//! after the other, and what is told of them.

mod index;
mod line;
mod metrics;
pub mod plan;
mod preflight;
mod report;
mod status;
mod steps;
mod verify;

pub use status::{Status, status};
pub use steps::{RunOptions, RunOutcome, run};
pub use verify::{Verification, verify};
