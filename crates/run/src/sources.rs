//! Whether every named source has a document: one that was not read would be a reference that
//! removes nothing.
//!
//! *Input.* The sources of the configuration; the listing; segments. *Output.* An error that names
//! the first source without a document, with the reason. *Algorithm.* Segments are in the order of
//! files, so that only those are read that may have a file of a source which no segment before has.
//! *Memory.* A number for each segment.

use crate::rejected::{Rejected, skipped_types};
use config::Config;
use engine::Engine;
use engine::segments::{SegmentFile, Segments};
use input::{Discovery, Listing};
use runtime::Error;
use std::collections::BTreeMap;

/// Fails if no file of a source can be read: what earlier runs made is better left as it is.
///
/// # Errors
/// [`Error::EmptySource`].
pub(crate) fn check_listing(config: &Config, listing: &Listing) -> Result<(), Error> {
    let has_file = |name: &str| listing.files.iter().any(|file| file.is_of(name));
    let names = names(config);
    let empty = names.into_iter().find(|name| !has_file(name));
    empty.map_or(Ok(()), |name| Err(empty_source(config, name, None)?))
}

/// Fails if no document of a source could be read.
///
/// # Errors
/// [`Error::EmptySource`], and when a work file cannot be read.
pub(crate) fn check(engine: &Engine<'_>) -> Result<(), Error> {
    let mut missing = names(engine.config);
    if missing.is_empty() {
        return Ok(());
    }
    let segments = engine.segments()?;
    let documents = |segment: usize| segments.rows_of(segment, SegmentFile::Documents);
    // ⟨segment, file of its first document⟩
    let mut firsts = Vec::new();
    for segment in (0..segments.count()).filter(|one| segments.documents_of(*one) > 0) {
        if let Some((_, row)) = documents(segment).next_document()? {
            firsts.push((segment, row.file as usize));
        }
    }
    let files = &engine.inputs.listing.files;
    let last = files.len().saturating_sub(1);
    for (at, &(segment, first)) in firsts.iter().enumerate() {
        let next = firsts.get(at + 1).map_or(last, |(_, file)| *file);
        let range = files.get(first..=next).unwrap_or_default();
        if !range
            .iter()
            .any(|file| missing.iter().any(|name| file.is_of(name)))
        {
            continue;
        }
        let mut rows = documents(segment);
        while let Some((_, row)) = rows.next_document()? {
            let file = files.get(row.file as usize);
            missing.retain(|name| !file.is_some_and(|file| file.is_of(name)));
        }
    }
    let empty = missing.first();
    empty.map_or(Ok(()), |name| {
        Err(empty_source(engine.config, name, Some(engine))?)
    })
}

fn names(config: &Config) -> Vec<&str> {
    let sources = config.input.sources.iter();
    sources.map(|one| one.source.name.as_str()).collect()
}

/// The error of a source without a document.
///
/// # Errors
/// When its files cannot be listed again, or what was rejected of them cannot be read.
pub fn empty_source(
    config: &Config,
    name: &str,
    engine: Option<&Engine<'_>>,
) -> Result<Error, Error> {
    let mut reasons = BTreeMap::new();
    let mut first = None;
    let mut count = |rejected: Rejected| {
        *reasons.entry(rejected.reason.clone()).or_insert(0_u64) += 1;
        first.get_or_insert(rejected);
    };
    let mut left_out = BTreeMap::new();
    if let Some(source) = config.input.source(name) {
        // Of files that are not read, a listing has the names alone.
        let listing = input::discover(&Discovery {
            format: source.source.format,
            ..config.discovery(source.paths.clone())
        })?;
        for (name, rejection) in listing.rejected {
            if rejection.reason == input::NOT_A_PAGE {
                let kind = format!("skipped.{}", rejection.detail);
                *left_out.entry(kind).or_insert(0) += 1;
            } else {
                count(Rejected::new(&name, 0, rejection.reason, &rejection.detail));
            }
        }
    }
    if let Some(engine) = engine {
        each_rejected(engine, &engine.segments()?, name, &mut count)?;
    }
    let rejected: u64 = reasons.values().sum();
    let why = match first {
        Some(first) if reasons.len() == 1 => first.to_string(),
        Some(first) => {
            let counts = reasons
                .iter()
                .map(|(reason, count)| format!("{count} {reason}"));
            let counts: Vec<String> = counts.collect();
            format!(" ({}){first}", counts.join(", "))
        }
        None if left_out.is_empty() => "; what was read of it is no page and no row".to_owned(),
        None => skipped_types(&left_out),
    };
    let mend = match config.has_snapshots {
        true => "run with the keys of [input] by which it can be read, or drop the snapshot",
        false => "mend its paths, format or fields in [[input.source]], or remove it",
    };
    let name = name.to_owned();
    Ok(Error::EmptySource {
        name,
        rejected,
        why,
        mend,
    })
}

/// Hands on what was rejected of the listed files of a source, or of a snapshot that is one.
fn each_rejected(
    engine: &Engine<'_>,
    segments: &Segments,
    name: &str,
    take: &mut dyn FnMut(Rejected),
) -> Result<(), Error> {
    let files = &engine.inputs.listing.files;
    let mut snapshots = engine.inputs.snapshots.iter();
    let snapshot = snapshots.find(|live| !live.may_change() && live.name == name);
    let of_snapshot = |file| snapshot.is_some_and(|live| live.has(file));
    let mut rows = segments.rows(SegmentFile::Rejected);
    while let Some(row) = rows.next_rejected()? {
        // A file that was not listed has no place in the listing.
        let at = row.file as usize;
        let file = files.get(at).filter(|_| row.name.is_none());
        if let Some(file) = file.filter(|file| file.is_of(name) || of_snapshot(at)) {
            take(Rejected::new(
                &file.name, row.offset, row.reason, row.detail,
            ));
        }
    }
    Ok(())
}
