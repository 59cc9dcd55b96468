//! The progress that a run reports to its caller while it works, and how the caller stops it.

use engine::{Reporter, runtime::signals};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The connections between a run and its caller.
#[derive(Clone, Debug)]
pub struct RunHooks {
    /// Shows or hands on the progress.
    pub reporter: Reporter,
    /// Once it is set, the run ends at the next safe point with [`engine::Error::Interrupted`].
    pub stop: Arc<AtomicBool>,
}

impl RunHooks {
    /// The hooks of a program: its first signal stops the run, if it installed handlers.
    pub fn of(reporter: &Reporter) -> RunHooks {
        RunHooks {
            reporter: reporter.clone(),
            stop: signals::stop_flag(),
        }
    }
}
