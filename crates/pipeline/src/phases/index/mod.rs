//! The files of a publication that need only one run: tables, and the query index.

pub(crate) mod changes;
pub(crate) mod documents;
pub(crate) mod journal;
pub(crate) mod maps;
pub(crate) mod membership;
pub(crate) mod tables;

use engine::Engine;
use runtime::PhaseName;

pub(crate) const PHASE: PhaseName = PhaseName::Index;

/// The rejected records of all snapshots.
const REJECTED: &str = "rejected.jsonl";

/// The document table of a snapshot, by its name.
pub(crate) fn documents_table(snapshot: &str) -> String {
    format!("documents/{snapshot}.parquet")
}

/// What goes into the metadata of every table: parameters that decide its content, no times, no
/// paths.
fn metadata(engine: &Engine<'_>) -> Vec<(String, String)> {
    vec![(
        "pipeline.parameters".to_owned(),
        runtime::parameters::semantic(engine.config),
    )]
}
