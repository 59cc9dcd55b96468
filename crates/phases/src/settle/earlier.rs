//! The pairs that an earlier run settled.
//!
//! The counts of a pair follow from its two documents alone. So they are taken over if both are
//! still there.

use engine::{
    Engine, Error, PhaseName,
    merge_levels::{self, KnownPairs},
    runtime::parameters,
};
use format::{FileKind, MergeLevels, SettledRecord};

const PHASE: PhaseName = PhaseName::Settle;

/// The parameters that exact counts depend on.
pub(super) fn parameters(engine: &Engine<'_>) -> String {
    parameters::of(PhaseName::Sketch, engine.config)
}

/// The earlier run that this one goes on from; `None` if it is of other documents.
pub(super) fn earlier_levels(engine: &Engine<'_>) -> Option<MergeLevels> {
    let (levels, now) = (engine.levels(PHASE)?, engine.taken());
    let is_changed = levels.snapshots.iter().any(|then| {
        let one = now.iter().find(|one| one.number == then.number);
        one.is_some_and(|one| one != then)
    });
    (levels.parameters == parameters(engine) && !is_changed).then_some(levels)
}

/// The settled pairs of the earlier run.
pub(super) fn settled(
    engine: &Engine<'_>,
    levels: Option<&MergeLevels>,
) -> Result<KnownPairs<SettledRecord>, Error> {
    let file = levels.and_then(|levels| Some((levels, &levels.files.first()?.sealed)));
    merge_levels::known_pairs(engine, PHASE, FileKind::Settled, file)
}
