//! Whether enough of the input could be used.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use engine::Engine;
use engine::figures::SketchFigures;
use input::Listing;
use output::{RejectedExample, Report};
use runtime::{Error, PhaseName};
use serde::Deserialize;

/// Bytes of the published list that are looked through for examples.
const EXAMPLES_WITHIN: u64 = 4 << 20;

/// The reasons of which examples are given.
const EXAMPLES: usize = 3;

/// A row of a list of rejected records.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Rejected {
    source: String,
    byte: u64,
    pub(crate) reason: String,
    detail: String,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rejected {
            source,
            byte,
            reason,
            detail,
        } = self;
        let colon = if detail.is_empty() { "" } else { ": " };
        write!(
            f,
            "; the first is {source}, byte {byte}: {reason}{colon}{detail}"
        )
    }
}

impl Rejected {
    /// A rejected record.
    pub(crate) fn new(source: &str, byte: u64, reason: &str, detail: &str) -> Rejected {
        let [source, reason, detail] = [source, reason, detail].map(str::to_owned);
        Rejected {
            source,
            byte,
            reason,
            detail,
        }
    }
}

/// Place and reason of the first row of a list of rejected records; nothing if it cannot be read,
/// as the figures are enough to fail.
fn first_rejected(list: &Path) -> String {
    let mut line = String::new();
    let read =
        input::open_regular(list).and_then(|(file, _)| BufReader::new(file).read_line(&mut line));
    let row = read.ok().and_then(|_| serde_json::from_str(&line).ok());
    row.map_or_else(String::new, |row: Rejected| row.to_string())
}

/// What there is instead of documents: the types of skipped records, most frequent first, three at
/// most.
pub(crate) fn skipped_types(counts: &BTreeMap<String, u64>) -> String {
    let mut types: Vec<(&String, u64)> = counts.iter().map(|(kind, n)| (kind, *n)).collect();
    // Stable: equal counts stay in the order of their names.
    types.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown = types.iter().take(EXAMPLES);
    let shown: Vec<String> = shown
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    if shown.is_empty() {
        return "; the files that were read hold no record".to_owned();
    }
    format!("; these are no pages: {}", shown.join(", "))
}

/// The commonest reasons for which records were rejected, each with the first record of the
/// published list.
pub(crate) fn examples(output: &Path, report: Option<&Report>) -> Vec<RejectedExample> {
    let counts = report.map(|report| &report.input.rejected);
    let mut reasons: Vec<(&String, u64)> = counts
        .into_iter()
        .flatten()
        .map(|(reason, count)| (reason, *count))
        .collect();
    // Stable: equal counts stay in the order of their names.
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    reasons.truncate(EXAMPLES);
    let mut examples: Vec<RejectedExample> = reasons
        .into_iter()
        .map(|(reason, records)| RejectedExample {
            reason: reason.clone(),
            records,
            ..RejectedExample::default()
        })
        .collect();
    let list = (!examples.is_empty()).then(|| input::open_regular(&output.join("rejected.jsonl")));
    let lines = list.and_then(Result::ok).into_iter();
    let lines = lines.flat_map(|(list, _)| BufReader::new(list.take(EXAMPLES_WITHIN)).lines());
    for line in lines.map_while(Result::ok) {
        if examples.iter().all(|known| !known.source.is_empty()) {
            break;
        }
        let row: Rejected = serde_json::from_str(&line).unwrap_or_default();
        let mut open = examples.iter_mut().filter(|known| known.source.is_empty());
        if let Some(example) = open.find(|known| known.reason == row.reason) {
            (example.source, example.byte) = (row.source, row.byte);
            example.detail = row.detail;
        }
    }
    examples
}

/// Fails when there is no file to read: what earlier runs made is better left as it is.
///
/// # Errors
/// [`Error::NoDocuments`].
pub(crate) fn check_listing(listing: &Listing) -> Result<(), Error> {
    if !listing.files.is_empty() {
        return Ok(());
    }
    let (mut skipped, mut first, mut rejected) = (BTreeMap::new(), None, 0);
    for file in &listing.rejected {
        if file.reason == input::NOT_A_PAGE {
            *skipped.entry(file.detail.clone()).or_insert(0) += 1;
        } else {
            rejected += 1;
            first = first.or(Some(file));
        }
    }
    let why = first.map(|file| Rejected::new(&file.name, 0, file.reason, &file.detail));
    Err(Error::NoDocuments {
        rejected,
        skipped: skipped.values().sum(),
        why: why.map_or_else(|| skipped_types(&skipped), |first| first.to_string()),
    })
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
    let figures: SketchFigures = record.figures.read();
    let rejected = figures.rejected.values().sum();
    let (skipped, documents) = (figures.skipped.values().sum(), figures.documents);
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
            why: if rejected > 0 {
                let first = first_rejected(&see);
                format!("{first}; for the reasons see {}", see.display())
            } else {
                skipped_types(&figures.skipped)
            },
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
