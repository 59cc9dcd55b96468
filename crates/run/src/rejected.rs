//! Whether enough of the input could be used.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use engine::{Engine, Error, PhaseName, figures::SketchFigures};
use input::{Listing, RejectedFile};
use output::{RejectedExample, Report, most_frequent};

/// Bytes of the published list that are looked through for examples.
const EXAMPLES_WITHIN: u64 = 4 << 20;

/// The reasons of which examples are given.
const EXAMPLES: usize = 3;

/// A rejected record, to be read after the number of them.
pub(crate) fn told(first: &RejectedExample) -> String {
    let RejectedExample {
        source,
        byte,
        reason,
        detail,
        ..
    } = first;
    let colon = if detail.is_empty() { "" } else { ": " };
    format!("; the first is {source}, byte {byte}: {reason}{colon}{detail}")
}

/// A file that is not read, as a rejected record.
pub(crate) fn of_file(file: &RejectedFile) -> RejectedExample {
    RejectedExample {
        source: file.name.clone(),
        reason: file.reason.to_owned(),
        detail: file.detail.clone(),
        ..RejectedExample::default()
    }
}

/// Place and reason of the first row of a list of rejected records; nothing if it cannot be read,
/// as the figures are enough to fail.
fn first_rejected(list: &Path) -> String {
    let mut line = String::new();
    let read =
        input::open_regular(list).and_then(|(file, _)| BufReader::new(file).read_line(&mut line));
    let row = read.ok().and_then(|_| serde_json::from_str(&line).ok());
    row.map_or_else(String::new, |row| told(&row))
}

/// The types of skipped records in place of documents: the most frequent first, three at most.
pub(crate) fn skipped_types(counts: &BTreeMap<String, u64>) -> String {
    let types = most_frequent(counts).into_iter().take(EXAMPLES);
    let types: Vec<String> = types
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    if types.is_empty() {
        return "; the files that were read hold no record".to_owned();
    }
    format!("; these are no pages: {}", types.join(", "))
}

/// The commonest reasons for which records were rejected, each with the first record of the
/// published list.
pub(crate) fn examples(output: &Path, report: Option<&Report>) -> Vec<RejectedExample> {
    let Some(report) = report else {
        return Vec::new();
    };
    let reasons = most_frequent(&report.input.rejected).into_iter();
    let mut examples: Vec<RejectedExample> = reasons
        .take(EXAMPLES)
        .map(|(reason, records)| RejectedExample {
            reason: reason.to_owned(),
            records,
            ..RejectedExample::default()
        })
        .collect();
    let list = (!examples.is_empty()).then(|| input::open_regular(&output.join("rejected.jsonl")));
    let lines = list.and_then(Result::ok).into_iter();
    let lines = lines.flat_map(|(list, _)| BufReader::new(list.take(EXAMPLES_WITHIN)).lines());
    for line in lines.map_while(Result::ok) {
        let row: RejectedExample = serde_json::from_str(&line).unwrap_or_default();
        let mut open = examples.iter_mut().filter(|known| known.source.is_empty());
        if let Some(example) = open.find(|known| known.reason == row.reason) {
            let records = example.records;
            *example = RejectedExample { records, ..row };
        }
        if examples.iter().all(|known| !known.source.is_empty()) {
            break;
        }
    }
    examples
}

/// Fails when there is no file to read: what earlier runs made is better left as it is.
pub fn check_listing(listing: &Listing) -> Result<(), Error> {
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
    let why = first.map(|file| told(&of_file(file)));
    Err(Error::NoDocuments {
        rejected,
        skipped: skipped.values().sum(),
        why: why.unwrap_or_else(|| skipped_types(&skipped)),
    })
}

/// Fails when no document is usable, or more records were rejected than is allowed.
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
