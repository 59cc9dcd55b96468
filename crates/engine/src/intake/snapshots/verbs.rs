//! `pipeline snapshot`: shows the list, adds to it, and drops from it.

use super::rows::{SnapshotRow, SnapshotTable};
use super::snapshot::Snapshot;
use super::{find, name, path, record, retained, store};
use crate::runtime::lock;
use crate::{Error, Reporter};
use config::Config;
use input::InputError;
use std::path::PathBuf;

/// A snapshot to add.
#[derive(Clone, Debug)]
pub struct SnapshotAdd {
    /// Its name.
    pub name: String,
    /// Files, directories, globs, `@lists`; relative to the current directory. At least one.
    pub paths: Vec<PathBuf>,
    /// Its date: RFC 3339, or a day; without it the day that the name begins with, if it does.
    pub date: Option<String>,
}

/// Adds a snapshot to the list, which is made if there is none. Returns its row.
pub fn snapshot_add(
    config: &Config,
    add: &SnapshotAdd,
    reporter: &Reporter,
) -> Result<SnapshotTable, Error> {
    if let Some(problem) = name::problem(&add.name) {
        return Err(refused(add, &format!("the name cannot be used: {problem}")));
    }
    let date = date_of(add)?;
    let paths = add.paths.iter().map(|given| path::stored(config, given));
    let paths = paths.collect::<Result<Vec<String>, Error>>()?;
    if paths.is_empty() {
        return Err(refused(add, "name at least one path"));
    }
    let _lock = locked(config)?;
    let mut list = store::load(&store::path(config))?.unwrap_or_default();
    let mut known = list.snapshots.iter();
    if let Some(taken) = known.find(|snapshot| snapshot.name == add.name) {
        let was = if taken.dropped {
            "had this name, and it was dropped; "
        } else {
            "has this name; "
        };
        let number = taken.number;
        return Err(refused(
            add,
            &format!("snapshot {number} {was}a name is never used again"),
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
    list.persist(&store::path(config))?;
    Ok(SnapshotTable {
        snapshots: vec![row],
    })
}

/// The date that was given, or else the day that the name begins with.
fn date_of(add: &SnapshotAdd) -> Result<Option<i64>, Error> {
    let Some(text) = &add.date else {
        return Ok(name::date_of(&add.name));
    };
    match name::day(text) {
        Some(date) => Ok(Some(date)),
        None => Err(refused(
            add,
            &format!("{text:?} is not a date; write 2026-01-31 or 2026-01-31T03:15:00Z"),
        )),
    }
}

fn refused(add: &SnapshotAdd, why: &str) -> Error {
    Error::Usage(format!("failed to add snapshot {:?}: {why}", add.name))
}

/// Lists the files of a snapshot; refuses one without any.
fn listed(config: &Config, mut snapshot: Snapshot) -> Result<Snapshot, Error> {
    let discovery = config.discovery(snapshot.paths.clone());
    let nothing = |what: String| {
        Error::NotFound(format!(
            "failed to add snapshot {:?}: {what}",
            snapshot.name
        ))
    };
    let listing = input::discover(&discovery).map_err(|error| match error {
        InputError::Missing { path, .. } => nothing(format!("{} does not exist", path.display())),
        InputError::NothingMatches { pattern } => nothing(format!("no file matches {pattern:?}")),
        InputError::BadPattern { pattern, reason } => Error::Usage(format!(
            "failed to add snapshot {:?}: {pattern:?} is not a file, directory or glob ({reason})",
            snapshot.name
        )),
        error => error.into(),
    })?;
    record::record_listing(&listing, &config.base, &mut snapshot)?;
    if snapshot.files.is_empty() {
        let why = record::unreadable(&snapshot).unwrap_or_default();
        return Err(Error::NotFound(format!(
            "failed to add snapshot {:?}: no file can be read; {why}",
            snapshot.name
        )));
    }
    Ok(snapshot)
}

/// Marks a snapshot as dropped: the next run takes its documents out. Returns its row.
pub fn snapshot_drop(config: &Config, name: &str) -> Result<SnapshotTable, Error> {
    let _lock = locked(config)?;
    let mut list = store::load(&store::path(config))?.unwrap_or_default();
    let Some(at) = list.names().position(|known| known == name) else {
        let live = list.snapshots.iter().filter(|snapshot| !snapshot.dropped);
        let known: Vec<&str> = live.map(|snapshot| snapshot.name.as_str()).collect();
        let known = if known.is_empty() {
            "there are no snapshots".to_owned()
        } else {
            format!("known snapshots: {}", known.join(", "))
        };
        return Err(Error::NotFound(format!(
            "failed to find snapshot {name:?}; {known}"
        )));
    };
    if list.snapshots[at].is_retained_for_revisits() {
        let dependents = retained::dependents(&list, list.snapshots[at].number);
        if !dependents.is_empty() {
            return Err(Error::Usage(format!(
                "failed to forget the files of snapshot {name:?}, which is dropped: pages \
                 that were found unchanged in {} have their text there; drop those first",
                dependents.join(", ")
            )));
        }
        retained::forget(&mut list, at);
    } else if list.snapshots[at].dropped {
        return Err(Error::Usage(format!(
            "failed to drop snapshot {name:?}: it is already dropped"
        )));
    }
    retained::drop(&mut list, at);
    let row = SnapshotRow::of(&list.snapshots[at]);
    list.persist(&store::path(config))?;
    Ok(SnapshotTable {
        snapshots: vec![row],
    })
}

/// All snapshots: those of the list, and those that the next run will add. Changes nothing.
pub fn snapshot_list(config: &Config, reporter: &Reporter) -> Result<SnapshotTable, Error> {
    let list = store::load(&store::path(config))?.unwrap_or_default();
    let mut snapshots: Vec<SnapshotRow> = list.snapshots.iter().map(SnapshotRow::of).collect();
    let wanted = config.snapshots.as_ref();
    if let Some(path) = wanted.and_then(|wanted| wanted.path.as_ref()) {
        let (known, mut notes) = (list.names().collect(), Vec::new());
        let found = find::new_directories(config, path, &known, &mut notes)?;
        snapshots.extend(found.into_iter().map(SnapshotRow::from));
        for note in notes {
            reporter.line(&format!("note: {note}"));
        }
    }
    Ok(SnapshotTable { snapshots })
}

/// Reads the list of snapshots and the lists of their files, as a run does that begins.
pub fn check_lists(config: &Config) -> Result<(), Error> {
    store::load(&store::path(config)).map(drop)
}

/// The lock of the work directory, so that nothing changes under a run; none where there is no work
/// directory yet.
fn locked(config: &Config) -> Result<Option<lock::Lock>, Error> {
    if !config.work.dir.is_dir() {
        return Ok(None);
    }
    lock::check_ours(&config.work.dir)?;
    lock::check_private(&config.work)?;
    lock::acquire(&config.work.dir).map(Some)
}
