//! The files of the list, and the snapshots that a run adds.

mod bytes;
mod damaged;
mod intake;

use super::snapshot::Snapshot;
use super::store::{self, SnapshotList};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The texts of all lists of files beside the configuration, by name.
fn lists(base: &Path) -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir(base.join("snapshots.d")) else {
        return BTreeMap::new();
    };
    let list = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read_to_string(entry.path()).unwrap())
    };
    entries.map(list).collect()
}

/// Writes the snapshots, and returns the text of `snapshots.toml`.
fn write(base: &Path, snapshots: &[Snapshot]) -> String {
    let path = base.join("snapshots.toml");
    let mut list = store::load(&path).unwrap().unwrap_or_default();
    *list.change() = snapshots.to_vec();
    list.persist(&path).unwrap();
    fs::read_to_string(path).unwrap()
}

/// The snapshots on disk, or the error.
fn read(base: &Path) -> Result<Vec<Snapshot>, String> {
    let loaded = store::load(&base.join("snapshots.toml"));
    let list: SnapshotList = loaded
        .map_err(|error| {
            assert_eq!(error.exit_code(), 2, "{error}");
            let place = format!("{}/", base.display());
            error.to_string().replace(&place, "")
        })?
        .unwrap();
    let mut snapshots = list.snapshots;
    snapshots.iter_mut().for_each(|one| one.list = None);
    Ok(snapshots)
}
