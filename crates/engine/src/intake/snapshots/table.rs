//! `snapshots.toml`: what stands there of each snapshot, written and read.
//!
//! *Format.* TOML: the version, the highest number, then a table for each snapshot with the name
//! of its list of files and what that list has to add up to. *Checks.* A file that was cut, put
//! together from two, or edited so that its numbers mean something else is refused with its line:
//! the highest number stands at the head, numbers follow one another, names occur once, and
//! `files` is the last key of each table.

use super::list_file::{self, LINE_BYTES_MAX, ReadError, TextLines};
use super::name;
use super::snapshot::{FileListEntry, Snapshot};
use config::position;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::{self, BufRead};
use toml::Spanned;
use toml::value::Datetime;

const HEAD: &str = "\
# The snapshots, in the order in which they were added. The directory beside this file has a list of
# the files of each, as they were when it was added. Written by `pipeline snapshot` and by
# `pipeline run`. Both belong to the input: numbers and names are never used again, so keep them in
# your backups, and change nothing here but a `date`.

";

const VERSION: u32 = 2;

/// Reads the version alone.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// All of the file; `T` is the table of one snapshot.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SnapshotsFile<T> {
    version: u32,
    /// The highest number, which tells whether the file was cut.
    last_number: u32,
    /// The tables, in the order of the numbers.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    snapshot: Vec<T>,
}

/// One snapshot. Keys are written in this order.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct OneSnapshot {
    number: u32,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<Datetime>,
    paths: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    revisit_sources: Vec<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    dropped: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    roots: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<String>,
    bytes: u64,
    unreadable: u64,
    // The last key: a file that was cut before it has no count, and one that was cut in it has
    // another.
    files: u64,
}

/// The text of the file, of snapshots whose lists are on disk. Arrays stand on one line each,
/// unless one would be too long to be read: then their elements do.
pub(super) fn to_text(snapshots: &[Snapshot]) -> io::Result<String> {
    let document = SnapshotsFile {
        version: VERSION,
        last_number: snapshots.last().map_or(0, |last| last.number),
        snapshot: snapshots.iter().map(OneSnapshot::of).collect(),
    };
    let is_readable = |text: &str| {
        text.lines()
            .all(|line| line.len() as u64 + 1 < LINE_BYTES_MAX)
    };
    let mut text = toml::to_string(&document).map_err(io::Error::other)?;
    if !is_readable(&text) {
        text = toml::to_string_pretty(&document).map_err(io::Error::other)?;
    }
    if !is_readable(&text) {
        return Err(io::Error::other("a path in it is longer than 1 MiB"));
    }
    Ok(HEAD.to_owned() + &text)
}

/// Reads the file: snapshots whose files are still to be read from their lists.
pub(super) fn read(from: impl BufRead) -> Result<Vec<Snapshot>, ReadError> {
    let mut text = String::new();
    let mut lines = TextLines::new(from);
    while lines.next()?.is_some() {
        text.push_str(lines.text()?);
    }
    match parse::<Version>(&text)?.version {
        VERSION => snapshots_of(&text, parse(&text)?),
        other => {
            let message = format!("version is {other}, and this program reads version {VERSION}");
            Err(ReadError::Wrong(1, 1, message))
        }
    }
}

/// The snapshots of a document, each checked behind those before it.
fn snapshots_of(
    text: &str,
    document: SnapshotsFile<Spanned<OneSnapshot>>,
) -> Result<Vec<Snapshot>, ReadError> {
    let mut snapshots: Vec<Snapshot> = Vec::with_capacity(document.snapshot.len());
    let mut names = HashSet::new();
    let mut before = 0;
    for table in document.snapshot {
        let start = table.span().start;
        let checked = table.into_inner().into_snapshot().and_then(|snapshot| {
            snapshot.check(before)?;
            let Snapshot { number, name, .. } = &snapshot;
            match names.insert(name.clone()) {
                true => Ok(snapshot),
                false => Err(format!("snapshot {number}: the name {name:?} occurs twice")),
            }
        });
        let snapshot = checked.map_err(|message| wrong(text, start, message))?;
        before = snapshot.number;
        snapshots.push(snapshot);
    }
    let last = document.last_number;
    if last != before {
        let message =
            format!("the file ends with snapshot {before}, and last-number is {last}: it was cut");
        return Err(wrong(text, text.trim_end().len(), message));
    }
    Ok(snapshots)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        wrong(text, start, error.message().replace('\n', ", "))
    })
}

/// A date, as it is written or as a day that a user put there.
fn micros(date: Datetime) -> Result<i64, String> {
    let text = date.to_string();
    name::day(&text)
        .ok_or_else(|| format!("date: expected a day, or a time with Z behind it, got {text}"))
}

fn wrong(text: &str, at: usize, message: String) -> ReadError {
    let (line, column) = position(text.as_bytes(), at);
    ReadError::Wrong(line, column, message)
}

impl OneSnapshot {
    fn of(snapshot: &Snapshot) -> OneSnapshot {
        let date = snapshot.date.map(output::rfc3339);
        let list = snapshot.list.clone().unwrap_or_default();
        OneSnapshot {
            number: snapshot.number,
            name: snapshot.name.clone(),
            date: date.and_then(|date| date.parse().ok()),
            paths: snapshot.paths.clone(),
            documents: snapshot.documents,
            revisit_sources: snapshot.revisit_sources.clone(),
            dropped: snapshot.dropped,
            roots: snapshot.roots.clone(),
            list: Some(list.name).filter(|name| !name.is_empty()),
            bytes: list.bytes,
            unreadable: list.unreadable,
            files: list.files,
        }
    }

    fn into_snapshot(self) -> Result<Snapshot, String> {
        let mut snapshot = Snapshot {
            number: self.number,
            name: self.name,
            date: self.date.map(micros).transpose()?,
            paths: self.paths,
            roots: self.roots,
            documents: self.documents,
            revisit_sources: self.revisit_sources,
            dropped: self.dropped,
            ..Snapshot::default()
        };
        match self.list {
            Some(name) if list_file::is_name_of(&name, &snapshot) => {
                snapshot.list = Some(FileListEntry {
                    name,
                    files: self.files,
                    unreadable: self.unreadable,
                    bytes: self.bytes,
                });
            }
            Some(name) => {
                let (number, own) = (snapshot.number, &snapshot.name);
                return Err(format!(
                    "list: expected {number}-{own}-CHECKSUM.jsonl, got {name:?}"
                ));
            }
            None if snapshot.dropped && self.files == 0 => {}
            None => return Err("missing field `list`".to_owned()),
        }
        Ok(snapshot)
    }
}
