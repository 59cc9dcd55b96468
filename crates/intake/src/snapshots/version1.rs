//! Version 1 of `snapshots.toml`, which held the lists of files themselves. It is read, and
//! written as version 2 by the next command that changes it.
//!
//! *Algorithm.* A list of a million files would take gigabytes as one tree of TOML. So the lines
//! between `files = [` or `rejected = [` and `]` are read one by one, and the rest, a few lines a
//! snapshot, as a whole. The lines of these lists always stood alone, as the program wrote them.

use super::entry::{self, Document, Entry, entries_of};
use super::list_file::ReadError;
use super::snapshot::{RejectedFile, Snapshot, SnapshotFile};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use toml::Spanned;
use toml::value::Datetime;

/// The lists of files of all snapshots, taken out of the text.
#[derive(Default)]
pub(super) struct Lists {
    of: Vec<Files>,
    open: Option<Kind>,
}

/// The lists of one snapshot; a file with the number of its line.
#[derive(Default)]
struct Files {
    files: Vec<(usize, SnapshotFile)>,
    rejected: Vec<RejectedFile>,
}

#[derive(Clone, Copy)]
enum Kind {
    Files,
    Rejected,
}

/// A line of a list, made a document of its own.
#[derive(Deserialize)]
struct Line<T> {
    line: Vec<T>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    number: u32,
    name: String,
    date: Option<Datetime>,
    paths: Vec<String>,
    documents: Option<u64>,
    took: Option<String>,
    #[serde(default)]
    dropped: bool,
    roots: Option<Vec<String>>,
    #[serde(default)]
    unreadable: usize,
    files: Option<Vec<IgnoredAny>>,
    #[serde(default, rename = "rejected")]
    _rejected: Vec<IgnoredAny>,
}

impl Lists {
    /// Takes a line if it is of a list; says whether it was.
    pub(super) fn take(&mut self, number: usize, line: &str) -> Result<bool, ReadError> {
        let word = line.trim();
        if let Some(kind) = self.open {
            if word.starts_with(']') {
                self.open = None;
                return Ok(false);
            }
            let Some(files) = self.of.last_mut() else {
                return Ok(false);
            };
            match kind {
                Kind::Files => {
                    let found = parse(number, line)?.into_iter();
                    files.files.extend(found.map(|file| (number, file)));
                }
                Kind::Rejected => files.rejected.extend(parse(number, line)?),
            }
            return Ok(true);
        }
        match word {
            "[[snapshot]]" => self.of.push(Files::default()),
            "files = [" => self.open = Some(Kind::Files),
            "rejected = [" => self.open = Some(Kind::Rejected),
            _ => {}
        }
        Ok(false)
    }
}

/// The snapshots of a text whose lists were taken out.
pub(super) fn entries(text: &str, lists: Lists) -> Result<Vec<Entry>, ReadError> {
    let document: Document<Spanned<Table>> = entry::parse(text)?;
    let mut lists = lists.of.into_iter();
    entries_of(text, document, |table| {
        table.into_entry(lists.next().unwrap_or_default())
    })
}

fn parse<T: DeserializeOwned>(number: usize, line: &str) -> Result<Vec<T>, ReadError> {
    let document: Line<T> =
        entry::parse(&format!("line = [\n{line}\n]")).map_err(|error| match error {
            ReadError::Wrong(_, column, message) => ReadError::Wrong(number, column, message),
            error => error,
        })?;
    Ok(document.line)
}

impl Table {
    fn into_entry(self, lists: Files) -> Result<Entry, String> {
        let has_files = self.files.is_some();
        if !has_files && !self.dropped {
            return Err("missing field `files`".to_owned());
        }
        if self.unreadable != lists.rejected.len() {
            let (told, found) = (self.unreadable, lists.rejected.len());
            return Err(format!(
                "unreadable is {told}, and {found} are in the list: it was cut or edited"
            ));
        }
        let sources = self.took.iter().flat_map(|took| took.split(' '));
        let sources: Result<Vec<u32>, _> = sources.map(str::parse).collect();
        let mut snapshot = Snapshot {
            number: self.number,
            name: self.name,
            date: self.date.map(entry::micros).transpose()?,
            paths: self.paths,
            roots: self.roots.unwrap_or_default(),
            rejected: lists.rejected,
            documents: self.documents,
            revisit_sources: sources.map_err(|_| "took: expected numbers".to_owned())?,
            dropped: self.dropped,
            ..Snapshot::default()
        };
        for (line, file) in lists.files {
            let pushed = snapshot.push_file(file);
            pushed.map_err(|message| format!("line {line}: {message}"))?;
        }
        let list = None;
        Ok(Entry { snapshot, list })
    }
}
