//! One file a phase: how its crate's algorithm is fed from and into the work directory.

pub(crate) mod cluster;
pub(crate) mod distinct;
pub(crate) mod identity;
pub(crate) mod index;
pub(crate) mod pairs;
pub(crate) mod segment;
pub(crate) mod sketch;
pub(crate) mod sort;
pub(crate) mod tables;
pub(crate) mod words;

use engine::Engine;
use format::PhaseRecord;
use runtime::{Error, PhaseName};

/// Runs a phase whose inputs are there; gives its outputs and counts.
pub(crate) fn run(phase: PhaseName, engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    match phase {
        PhaseName::Sketch => {
            engine.forget_segments();
            sketch::run(engine)
        }
        PhaseName::Distinct => distinct::run(engine),
        PhaseName::Sort => sort::run(engine),
        PhaseName::Pairs => pairs::run(engine),
        PhaseName::Cluster => cluster::run(engine),
        PhaseName::Index => crate::index::run(engine),
    }
}
