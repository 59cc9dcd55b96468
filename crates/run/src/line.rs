//! The straight line: which crate runs which phase.

use engine::Engine;
use format::PhaseRecord;
use runtime::{Error, PhaseName};

/// Runs a phase whose inputs are there; gives its outputs and counts.
pub fn run(phase: PhaseName, engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    match phase {
        PhaseName::Sketch => {
            engine.forget_segments();
            phases::sketch::run(engine)
        }
        PhaseName::Distinct => phases::distinct::run(engine),
        PhaseName::Sort => phases::sort::run(engine),
        PhaseName::Pairs => phases::pairs::run(engine),
        PhaseName::Cluster => phases::cluster::run(engine),
        PhaseName::Index => crate::index::run(engine),
    }
}
