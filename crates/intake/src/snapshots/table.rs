//! `snapshots.toml`: what stands there of each snapshot, written and read.
//!
//! *Format.* TOML: the version, the highest number, then a table for each snapshot with the name
//! of its list of files and what that list has to add up to. *Checks.* A file that was cut, put
//! together from two, or edited so that its numbers mean something else is refused with its line:
//! the highest number stands at the head, numbers follow one another, names occur once, and
//! `files` is the last key of each table. Version 1, which held the lists themselves, is still
//! read; see [`super::version1`].

use super::entry::{Document, Entry, entries_of, micros, parse};
use super::list_file::{self, LINE_BYTES_MAX, Lines, List, ReadError};
use super::snapshot::Snapshot;
use super::version1;
use serde::{Deserialize, Serialize};
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

/// One snapshot. Keys are written in this order.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
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

/// The text of the file. `lists` are the names of the lists of files, one a snapshot. Arrays stand
/// on one line each, unless one would be too long to be read: then their elements do.
///
/// # Errors
/// When a line is too long nevertheless.
pub(super) fn to_text(snapshots: &[Snapshot], lists: &[Option<String>]) -> io::Result<String> {
    let table = |(snapshot, list): (&Snapshot, &Option<String>)| Table {
        number: snapshot.number,
        name: snapshot.name.clone(),
        date: snapshot
            .date
            .and_then(|date| output::rfc3339(date).parse().ok()),
        paths: snapshot.paths.clone(),
        documents: snapshot.documents,
        revisit_sources: snapshot.revisit_sources.clone(),
        dropped: snapshot.dropped,
        roots: snapshot.roots.clone(),
        list: list.clone(),
        bytes: snapshot.bytes(),
        unreadable: snapshot.rejected.len() as u64,
        files: snapshot.files.len() as u64,
    };
    let document = Document {
        version: VERSION,
        last_number: snapshots.last().map_or(0, |last| last.number),
        snapshot: snapshots.iter().zip(lists).map(table).collect(),
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

/// Reads the file.
///
/// # Errors
/// When it cannot be read, or was not written by this program.
pub(super) fn read(from: impl BufRead) -> Result<Vec<Entry>, ReadError> {
    let mut text = String::new();
    let mut lines = Lines::new(from);
    let mut lists = version1::Lists::default();
    while lines.next()?.is_some() {
        let line = lines.text()?;
        if lists.take(lines.number, line)? {
            // The lines that stay keep their numbers.
            text.push('\n');
        } else {
            text.push_str(line);
        }
    }
    let entries = match parse::<Version>(&text)?.version {
        1 => version1::entries(&text, lists)?,
        VERSION => {
            let document: Document<Spanned<Table>> = parse(&text)?;
            entries_of(&text, document, Table::into_entry)?
        }
        other => {
            let message = format!("version is {other}, and this program reads versions 1 and 2");
            return Err(ReadError::Wrong(1, 1, message));
        }
    };
    Ok(entries)
}

impl Table {
    fn into_entry(self) -> Result<Entry, String> {
        let snapshot = Snapshot {
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
        let list = match self.list {
            Some(name) if list_file::is_name_of(&name, &snapshot) => Some(List {
                name,
                files: self.files,
                unreadable: self.unreadable,
                bytes: self.bytes,
            }),
            Some(name) => {
                let (number, own) = (snapshot.number, &snapshot.name);
                return Err(format!(
                    "list: expected {number}-{own}-CHECKSUM.jsonl, got {name:?}"
                ));
            }
            None if snapshot.dropped && self.files == 0 => None,
            None => return Err("missing field `list`".to_owned()),
        };
        Ok(Entry { snapshot, list })
    }
}
