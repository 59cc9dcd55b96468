//! Whether enough of the input could be used.

use engine::Engine;
use runtime::{Error, PhaseName};

/// Fails when no document is usable, or more records were rejected than is allowed.
///
/// # Errors
/// [`Error::NoDocuments`] and [`Error::TooManyRejected`].
pub(crate) fn check_rejected(engine: &Engine<'_>, strict: bool) -> Result<(), Error> {
    let manifest = engine.manifest();
    let Some(record) = manifest.phases.get(PhaseName::Sketch.name()) else {
        return Ok(());
    };
    let sum = |prefix: &str| {
        record
            .counts
            .iter()
            .filter(|(name, _)| name.starts_with(prefix))
            .map(|(_, n)| n)
            .sum()
    };
    let (rejected, skipped): (u64, u64) = (sum("rejected."), sum("skipped."));
    let documents = record.counts.get("documents").copied().unwrap_or(0);
    let last = engine
        .inputs
        .snapshots
        .last()
        .map_or(0, |snapshot| snapshot.number);
    let see = engine
        .dir(PhaseName::Sketch)
        .join(engine::document_tables::rejected_work(last));
    if documents == 0 {
        return Err(Error::NoDocuments {
            rejected,
            skipped,
            see,
        });
    }
    let records = documents + rejected;
    let share = engine.config.input.max_rejected;
    let allowed = if strict && rejected > 0 {
        "--strict allows".to_owned()
    } else if rejected as f64 > share * records as f64 {
        format!("input.max-rejected = {:.6} % allows", share * 100.0)
    } else {
        return Ok(());
    };
    Err(Error::TooManyRejected {
        rejected,
        records,
        allowed,
        see,
    })
}
