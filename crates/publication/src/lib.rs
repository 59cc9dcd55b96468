//! The publication: the tables and the query index of a run, and the switch of `out` to them.
//!
//! *Input.* The files of all phases before. *Output.* A directory of its own, complete before the
//! link `out` shows it. *Algorithm.* [`removals`] pairs removed and kept documents; [`tables`] and
//! its neighbours write the tables, [`maps`] the index, [`history`] changes and journal;
//! [`publish`] shows all of it. *Memory.* Sorts of a share of `work.memory`.

pub mod clusters;
pub mod documents;
pub mod figures;
mod held;
pub mod history;
mod host_pairs;
mod hosts;
pub mod leading_passages;
pub mod maps;
pub mod membership;
mod memory;
pub mod origin;
pub mod passages;
pub mod publish;
pub mod removals;
pub mod removed;
pub mod tables;
pub mod thresholds;
pub mod urls;

use engine::PhaseName;
pub use held::HeldPublication;

/// The phase that publishes.
pub const PHASE: PhaseName = PhaseName::Index;

/// The rejected records of all snapshots.
const REJECTED: &str = "rejected.jsonl";

/// The document table of a snapshot, by its name.
pub fn documents_table(snapshot: &str) -> String {
    format!("documents/{snapshot}.parquet")
}
