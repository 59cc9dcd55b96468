//! Whether enough of the input could be used.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

use engine::Engine;
use runtime::{Error, PhaseName};

/// Place and reason of the first row of a list of rejected records.
fn first_rejected(list: &Path) -> String {
    let mut line = String::new();
    let read = File::open(list).and_then(|file| BufReader::new(file).read_line(&mut line));
    let row: Value = match read {
        Ok(_) => serde_json::from_str(&line).unwrap_or_default(),
        // The figures are enough to fail.
        Err(_) => return String::new(),
    };
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    if row.is_null() {
        return String::new();
    }
    let (source, reason, detail) = (text("source"), text("reason"), text("detail"));
    let colon = if detail.is_empty() { "" } else { ": " };
    let byte = &row["byte"];
    format!("; the first is {source}, byte {byte}: {reason}{colon}{detail}")
}

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
            first: first_rejected(&see),
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
