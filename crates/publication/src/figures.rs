//! The figures of phase `index`, as the manifest keeps them.

use output::Report;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The figures of phase `index`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IndexFigures {
    /// The report that was published.
    pub report: Report,
    /// The number of the publication.
    pub generation: u64,
    /// When the run that made it started and ended, as `run.json` says.
    pub run: [String; 2],
    /// Microseconds between each snapshot and the next, by the place of the older one, with which
    /// the changes were published.
    pub intervals: BTreeMap<usize, u64>,
}
