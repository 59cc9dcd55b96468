//! What both versions of `snapshots.toml` share: the document, its tables checked one behind the
//! other, and errors with their place.

use super::list_file::{List, ReadError};
use super::name;
use super::snapshot::Snapshot;
use config::position;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use toml::Spanned;
use toml::value::Datetime;

/// All of `snapshots.toml`; `T` is the table of one snapshot.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Document<T> {
    /// 1 or 2.
    pub(super) version: u32,
    /// The highest number, which tells whether the file was cut.
    pub(super) last_number: u32,
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    /// The tables, in the order of the numbers.
    pub(super) snapshot: Vec<T>,
}

/// A snapshot of `snapshots.toml`.
pub(super) struct Entry {
    /// Without files, unless the version is 1.
    pub(super) snapshot: Snapshot,
    /// `None` if it has no list of its own.
    pub(super) list: Option<List>,
}

/// The snapshots of a document, each turned by `entry` and checked behind those before it.
pub(super) fn entries_of<T>(
    text: &str,
    document: Document<Spanned<T>>,
    mut entry: impl FnMut(T) -> Result<Entry, String>,
) -> Result<Vec<Entry>, ReadError> {
    let mut entries: Vec<Entry> = Vec::with_capacity(document.snapshot.len());
    let mut names = HashSet::new();
    let mut before = 0;
    for table in document.snapshot {
        let start = table.span().start;
        let checked = entry(table.into_inner()).and_then(|entry| {
            let has_files = entry.list.is_some() || !entry.snapshot.files.is_empty();
            entry.snapshot.check(before, has_files)?;
            let Snapshot { number, name, .. } = &entry.snapshot;
            if !names.insert(name.clone()) {
                return Err(format!("snapshot {number}: the name {name:?} occurs twice"));
            }
            Ok(entry)
        });
        let entry = checked.map_err(|message| wrong(text, start, message))?;
        before = entry.snapshot.number;
        entries.push(entry);
    }
    let last = document.last_number;
    if last != before {
        let message =
            format!("the file ends with snapshot {before}, and last-number is {last}: it was cut");
        return Err(wrong(text, text.trim_end().len(), message));
    }
    Ok(entries)
}

/// Reads TOML.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        wrong(text, start, error.message().replace('\n', ", "))
    })
}

/// A date, as it is written or as a day that a user put there.
pub(super) fn micros(date: Datetime) -> Result<i64, String> {
    let text = date.to_string();
    name::day(&text)
        .ok_or_else(|| format!("date: expected a day, or a time with Z behind it, got {text}"))
}

fn wrong(text: &str, at: usize, message: String) -> ReadError {
    let (line, column) = position(text.as_bytes(), at);
    ReadError::Wrong(line, column, message)
}
