//! The table of snapshots that `pipeline snapshot` shows.

use super::find::NewDirectory;
use super::snapshot::Snapshot;
use output::thousands;
use serde::Serialize;
use std::fmt;
use unicode_width::UnicodeWidthStr;

/// The progress of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotState {
    /// Its directory is complete; the next run adds it.
    Found,
    /// It is in the list, and no run has read it to the end.
    New,
    /// A run has read it.
    Read,
    /// It is no longer part of the corpus.
    Dropped,
}

/// A snapshot as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SnapshotRow {
    /// From 1; none before a run takes it in.
    pub number: Option<u32>,
    /// Its name.
    pub name: String,
    /// Its date, RFC 3339.
    pub date: Option<String>,
    /// The paths that were added.
    pub paths: Vec<String>,
    /// Files to read; none where they are not listed, or not any more.
    pub files: Option<u64>,
    /// Files that cannot be read.
    pub unreadable: Option<u64>,
    /// Bytes of the files to read.
    pub bytes: Option<u64>,
    /// Documents, once a run has read it.
    pub documents: Option<u64>,
    /// How far it is.
    pub state: SnapshotState,
}

/// Snapshots, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SnapshotTable {
    /// A row each.
    pub snapshots: Vec<SnapshotRow>,
}

impl SnapshotRow {
    pub(super) fn of(snapshot: &Snapshot) -> SnapshotRow {
        let live = |number: u64| (!snapshot.dropped).then_some(number);
        SnapshotRow {
            number: Some(snapshot.number),
            name: snapshot.name.clone(),
            date: snapshot.date.map(output::rfc3339),
            paths: snapshot.paths.clone(),
            files: live(snapshot.files.len() as u64),
            unreadable: live(snapshot.unreadable().count() as u64),
            bytes: live(snapshot.bytes()),
            documents: snapshot.documents,
            state: match (snapshot.dropped, snapshot.documents) {
                (true, _) => SnapshotState::Dropped,
                (false, Some(_)) => SnapshotState::Read,
                (false, None) => SnapshotState::New,
            },
        }
    }
}

impl From<NewDirectory> for SnapshotRow {
    fn from(found: NewDirectory) -> SnapshotRow {
        SnapshotRow {
            number: None,
            name: found.name,
            date: None,
            paths: vec![found.path],
            files: None,
            unreadable: None,
            bytes: None,
            documents: None,
            state: SnapshotState::Found,
        }
    }
}

impl fmt::Display for SnapshotTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.snapshots.is_empty() {
            return writeln!(f, "no snapshots");
        }
        let names = self
            .snapshots
            .iter()
            .map(|row| row.name.width())
            .max()
            .unwrap_or(0)
            .max("name".len());
        let date = |row: &SnapshotRow| {
            let text = row.date.as_deref().unwrap_or("-");
            text.strip_suffix("T00:00:00Z").unwrap_or(text).to_owned()
        };
        let dates = self
            .snapshots
            .iter()
            .map(|row| date(row).len())
            .max()
            .unwrap_or(0)
            .max("date".len());
        writeln!(
            f,
            "number  name{:names$}  {:dates$}  {:>9}  {:>17}  {:>13}  state",
            "",
            "date",
            "files",
            "bytes",
            "documents",
            names = names - "name".len()
        )?;
        for row in &self.snapshots {
            let figure = |number: Option<u64>| number.map_or("-".to_owned(), thousands);
            let number = row
                .number
                .map_or("-".to_owned(), |number| number.to_string());
            let (name, fill) = (&row.name, names - row.name.width());
            let [files, bytes, documents] = [row.files, row.bytes, row.documents].map(figure);
            let (date, state) = (date(row), row.state.word());
            writeln!(
                f,
                "{number:>6}  {name}{:fill$}  {date:dates$}  {files:>9}  {bytes:>17}  \
                 {documents:>13}  {state}",
                ""
            )?;
        }
        Ok(())
    }
}

impl SnapshotState {
    fn word(self) -> &'static str {
        match self {
            SnapshotState::Found => "found",
            SnapshotState::New => "new",
            SnapshotState::Read => "read",
            SnapshotState::Dropped => "dropped",
        }
    }
}
