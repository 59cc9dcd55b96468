//! `pipeline snapshot`: the list shown and changed by hand.

use super::find::Found;
use super::{Snapshot, find, lend, name, path, record, store};
use config::Config;
use input::{Discovery, InputError};
use output::thousands;
use runtime::Reporter;
use runtime::{Error, lock};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use unicode_width::UnicodeWidthStr;

/// What is to be added.
#[derive(Clone, Debug)]
pub struct SnapshotAdd {
    /// What it is to be called.
    pub name: String,
    /// Files, directories, globs, `@lists`; relative to the current directory. At least one.
    pub paths: Vec<PathBuf>,
    /// Its date: RFC 3339, or a day; without it the day that the name begins with, if it does.
    pub date: Option<String>,
}

/// How far a snapshot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotState {
    /// Its directory is complete; the next run takes it in.
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
    /// What was added.
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

/// Adds a snapshot to the list, which is made if there is none. Shows it.
///
/// # Errors
/// When its name or its date cannot be used, nothing can be read at a path, or a run is active.
pub fn snapshot_add(
    config: &Config,
    add: &SnapshotAdd,
    reporter: &Reporter,
) -> Result<SnapshotTable, Error> {
    let refuse = |why: &str| {
        Err(Error::Usage(format!(
            "failed to add snapshot {:?}: {why}",
            add.name
        )))
    };
    if let Some(problem) = name::problem(&add.name) {
        return refuse(&format!("this name cannot be used, {problem}"));
    }
    let date = match &add.date {
        Some(text) => match name::day(text) {
            None => {
                return refuse(&format!(
                    "{text:?} is no date; write 2026-01-31, or 2026-01-31T03:15:00Z"
                ));
            }
            date => date,
        },
        None => name::date_of(&add.name),
    };
    let paths = add
        .paths
        .iter()
        .map(|given| path::stored(config, given))
        .collect::<Result<Vec<String>, Error>>()?;
    if paths.is_empty() {
        return refuse("name what is to be read");
    }
    let _lock = locked(config)?;
    let mut list = store::load(&store::path(config))?.unwrap_or_default();
    if let Some(taken) = list
        .snapshots
        .iter()
        .find(|snapshot| snapshot.name == add.name)
    {
        let was = if taken.dropped {
            "was, and is dropped; "
        } else {
            "is; "
        };
        return refuse(&format!(
            "that is what number {} {was}names are never used again",
            taken.number
        ));
    }
    let snapshot = Snapshot {
        number: list.next_number()?,
        name: add.name.clone(),
        date,
        paths,
        ..Snapshot::default()
    };
    let snapshot = listed(config, snapshot)?;
    if let Some(note) = record::unreadable(&snapshot) {
        reporter.line(&format!("note: {note}"));
    }
    let row = SnapshotRow::of(&snapshot);
    list.change().push(snapshot);
    list.settle(&store::path(config))?;
    Ok(SnapshotTable {
        snapshots: vec![row],
    })
}

/// Lists the files of a snapshot; refuses one without any.
fn listed(config: &Config, mut snapshot: Snapshot) -> Result<Snapshot, Error> {
    let (paths, base, format) = (
        snapshot.paths.clone(),
        config.base.clone(),
        config.input.format,
    );
    let nothing = |what: String| {
        Error::NotFound(format!(
            "failed to add snapshot {:?}: {what}",
            snapshot.name
        ))
    };
    let listing = input::discover(&Discovery {
        paths,
        base,
        format,
    })
    .map_err(|error| match error {
        InputError::Missing { path, .. } => nothing(format!("{} is not there", path.display())),
        InputError::NothingMatches { pattern } => {
            nothing(format!("there is no file at {pattern:?}"))
        }
        InputError::BadPattern { pattern, reason } => Error::Usage(format!(
            "failed to add snapshot {:?}: {pattern:?} is no file, directory or glob ({reason})",
            snapshot.name
        )),
        error => error.into(),
    })?;
    record::put_down(&listing, &config.base, &mut snapshot)?;
    if snapshot.files.is_empty() {
        let why = record::unreadable(&snapshot).unwrap_or_default();
        return Err(Error::NotFound(format!(
            "failed to add snapshot {:?}: nothing can be read; {why}",
            snapshot.name
        )));
    }
    Ok(snapshot)
}

/// Marks a snapshot as dropped: the next run takes its documents out. Shows it.
///
/// # Errors
/// When there is none of this name, or a run is active.
pub fn snapshot_drop(config: &Config, name: &str) -> Result<SnapshotTable, Error> {
    let _lock = locked(config)?;
    let mut list = store::load(&store::path(config))?.unwrap_or_default();
    let Some(at) = list
        .snapshots
        .iter()
        .position(|snapshot| snapshot.name == name)
    else {
        let live = list.snapshots.iter().filter(|snapshot| !snapshot.dropped);
        let known: Vec<&str> = live.map(|snapshot| snapshot.name.as_str()).collect();
        let known = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("known: {}", known.join(", "))
        };
        return Err(Error::NotFound(format!(
            "failed to find a snapshot {name:?}; {known}"
        )));
    };
    if list.snapshots[at].lends() {
        let takers = lend::takers(&list, list.snapshots[at].number);
        if !takers.is_empty() {
            return Err(Error::Usage(format!(
                "failed to forget the files of snapshot {name:?}, which is dropped: pages that were found unchanged in {} \
                 have their text there; drop those first",
                takers.join(", ")
            )));
        }
        lend::forget(&mut list, at);
    } else if list.snapshots[at].dropped {
        return Err(Error::Usage(format!(
            "failed to drop snapshot {name:?}: it is dropped already"
        )));
    }
    lend::drop(&mut list, at);
    let row = SnapshotRow::of(&list.snapshots[at]);
    list.settle(&store::path(config))?;
    Ok(SnapshotTable {
        snapshots: vec![row],
    })
}

/// All snapshots: those of the list, and those that the next run will take in. Changes nothing.
///
/// # Errors
/// When the list is damaged, or a directory of `[snapshots]` cannot be listed.
pub fn snapshot_list(config: &Config, reporter: &Reporter) -> Result<SnapshotTable, Error> {
    let list = store::load(&store::path(config))?.unwrap_or_default();
    let mut snapshots: Vec<SnapshotRow> = list.snapshots.iter().map(SnapshotRow::of).collect();
    if let Some(path) = config
        .snapshots
        .as_ref()
        .and_then(|wanted| wanted.path.as_ref())
    {
        let known: HashSet<&str> = list
            .snapshots
            .iter()
            .map(|snapshot| snapshot.name.as_str())
            .collect();
        let mut notes = Vec::new();
        snapshots.extend(
            find::new_ones(config, path, &known, &mut notes)?
                .into_iter()
                .map(SnapshotRow::from),
        );
        notes
            .iter()
            .for_each(|note| reporter.line(&format!("note: {note}")));
    }
    Ok(SnapshotTable { snapshots })
}

/// The lock of the work directory, so that nothing changes under a run; none where there is no work
/// directory yet.
fn locked(config: &Config) -> Result<Option<lock::Lock>, Error> {
    if !config.work.dir.is_dir() {
        return Ok(None);
    }
    lock::check_ours(&config.work.dir)?;
    lock::acquire(&config.work.dir).map(Some)
}

impl SnapshotRow {
    fn of(snapshot: &Snapshot) -> SnapshotRow {
        let live = |number: u64| (!snapshot.dropped).then_some(number);
        SnapshotRow {
            number: Some(snapshot.number),
            name: snapshot.name.clone(),
            date: snapshot.date.map(output::rfc3339),
            paths: snapshot.paths.clone(),
            files: live(snapshot.files.len() as u64),
            unreadable: live(snapshot.rejected.len() as u64),
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

impl From<Found> for SnapshotRow {
    fn from(found: Found) -> SnapshotRow {
        let (number, date, files, unreadable, bytes, documents) =
            (None, None, None, None, None, None);
        let (name, paths, state) = (found.name, vec![found.path], SnapshotState::Found);
        SnapshotRow {
            number,
            name,
            date,
            paths,
            files,
            unreadable,
            bytes,
            documents,
            state,
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
                "{number:>6}  {name}{:fill$}  {date:dates$}  {files:>9}  {bytes:>17}  {documents:>13}  {state}",
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
