//! The function of a caller that progress is reported to.

use std::fmt;
use std::sync::Arc;

/// One thing that a run tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress<'a> {
    /// How far a task is.
    Task(TaskProgress),
    /// A line of text: a note, a warning, a forecast.
    Line(&'a str),
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskProgress {
    /// The name of its phase, or its own.
    pub task: &'static str,
    /// The unit that is counted, such as `bytes`.
    pub unit: &'static str,
    /// How many are done.
    pub done: u64,
    /// How many there are in all.
    pub total: u64,
    /// Whether the task has ended.
    pub is_over: bool,
    /// Seconds until the whole run ends, as far as can be told.
    pub left_seconds: f64,
}

/// A function that threads share.
#[derive(Clone)]
pub(super) struct Callback(Arc<dyn Fn(&Progress<'_>) + Send + Sync>);

impl Callback {
    pub(super) fn new(function: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Callback {
        Callback(Arc::new(function))
    }

    pub(super) fn call(&self, progress: &Progress<'_>) {
        (self.0)(progress);
    }
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Callback")
    }
}
