//! `run.json`: what a run cost. Differs from run to run, so nothing that is compared may depend on
//! it.

use serde::{Deserialize, Serialize};

/// The cost of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of the program.
    pub version: String,
    /// When it began: see [`crate::rfc3339`].
    pub started: String,
    /// When it ended, in the same form.
    pub ended: String,
    /// The work directory, below the directory of `out` or as an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
    /// The configuration, in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// The phases, in their order.
    pub phases: Vec<PhaseRun>,
    /// The whole run.
    pub totals: RunTotals,
}

/// The cost of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseRun {
    /// Its name.
    pub name: String,
    /// Whether it ran.
    pub state: PhaseState,
    /// Why it ran or was skipped.
    pub why: String,
    /// Seconds by the clock.
    pub wall_s: f64,
    /// Seconds of all threads, user and system.
    pub cpu_s: f64,
    /// Bytes read from files.
    pub bytes_read: u64,
    /// Bytes written to files.
    pub bytes_written: u64,
    /// Records it went through: documents, postings, pairs.
    pub records: u64,
    /// Largest resident memory while it ran.
    pub peak_memory_bytes: u64,
}

/// Whether a phase ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseState {
    /// It ran to its end.
    Done,
    /// Its results were there and up to date.
    Skipped,
}

/// The cost of the whole run, what lies between the phases included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTotals {
    /// Seconds by the clock.
    pub wall_s: f64,
    /// Seconds of all threads, user and system.
    pub cpu_s: f64,
    /// Bytes read from files.
    pub bytes_read: u64,
    /// Bytes written to files.
    pub bytes_written: u64,
    /// Largest resident memory.
    pub peak_memory_bytes: u64,
    /// Largest size of the work directory; `null` if it was not watched.
    pub peak_disk_bytes: Option<u64>,
}

impl PhaseRun {
    /// A phase that was not run.
    pub fn skipped(name: &str, why: &str) -> PhaseRun {
        PhaseRun {
            name: name.to_owned(),
            state: PhaseState::Skipped,
            why: why.to_owned(),
            wall_s: 0.0,
            cpu_s: 0.0,
            bytes_read: 0,
            bytes_written: 0,
            records: 0,
            peak_memory_bytes: 0,
        }
    }
}
