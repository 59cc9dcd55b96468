//! Adds the new snapshots that `[snapshots]` finds, and drops those beyond `keep`.
//!
//! *Algorithm.* New snapshots get the next numbers in byte order of their names, and each is listed
//! once. The oldest live snapshots beyond `keep` are dropped: by date if all have one, else by
//! number. A new snapshot that would be dropped at once is recorded but not listed, so that it is
//! not found again. A complete directory with nothing to read is passed over, so that one bad night
//! does not stop the next.

use super::find::{self, NewDirectory};
use super::record::{self, UNREADABLE};
use super::snapshot::Snapshot;
use super::store::SnapshotList;
use super::{name, retained};
use crate::Error;
use config::{Config, SnapshotPath, SnapshotsConfig};
use input::{InputError, Listing, RejectedFile};
use output::thousands;
use std::collections::{BTreeMap, HashSet};

/// Adds the new snapshots to the list, and says so in `notes`. Returns their listings by number.
pub(super) fn add_new(
    config: &Config,
    wanted: &SnapshotsConfig,
    list: &mut SnapshotList,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<u32, Listing>, Error> {
    let mut listings = BTreeMap::new();
    let Some(path) = &wanted.path else {
        return Ok(listings);
    };
    let known: HashSet<&str> = list.names().collect();
    let newest = known.iter().max().copied().unwrap_or_default().to_owned();
    let found = find::new_directories(config, path, &known, notes)?;
    let keep = wanted.keep.map_or(usize::MAX, |keep| keep as usize);
    for (mut snapshot, outcome) in list_new(config, path, found, keep, list)? {
        snapshot.number = list.next_number()?;
        let shown = format!("snapshot {} (number {})", snapshot.name, snapshot.number);
        match outcome {
            SnapshotDecision::TooOld => {
                snapshot.drop_now();
                notes.push(format!(
                    "{shown} is not read: keep = {keep} in [snapshots], and as many are newer"
                ));
            }
            SnapshotDecision::Listed(listing) => {
                notes.push(format!("{shown} is new: {}", size(&snapshot)));
                notes.extend(record::unreadable(&snapshot));
                listings.insert(snapshot.number, listing);
                if snapshot.name < newest {
                    notes.push(format!(
                        "{shown} is added after {newest}, although its name sorts before it"
                    ));
                }
            }
            SnapshotDecision::Empty => {
                let directory = &snapshot.paths[0];
                notes.push(format!(
                    "{directory:?} is skipped: no file in it can be read"
                ));
                continue;
            }
        }
        list.change().push(snapshot);
    }
    Ok(listings)
}

/// The decision about a new snapshot.
enum SnapshotDecision {
    /// It is added.
    Listed(Listing),
    /// It has no file to read.
    Empty,
    /// As many snapshots as are kept are newer.
    TooOld,
}

/// Lists new snapshots, the newest first; returns them, without numbers, the oldest first.
fn list_new(
    config: &Config,
    path: &SnapshotPath,
    found: Vec<NewDirectory>,
    keep: usize,
    list: &SnapshotList,
) -> Result<Vec<(Snapshot, SnapshotDecision)>, Error> {
    let live = || list.snapshots.iter().filter(|snapshot| !snapshot.dropped);
    let by_date = live().all(|snapshot| snapshot.date.is_some())
        && found.iter().all(|new| name::date_of(&new.name).is_some());
    let (mut listed, mut added) = (Vec::new(), 0);
    for directory in found.into_iter().rev() {
        let mut snapshot = Snapshot {
            date: name::date_of(&directory.name),
            name: directory.name,
            paths: vec![directory.path],
            ..Snapshot::default()
        };
        let newer = live().filter(|other| by_date && other.date > snapshot.date);
        let outcome = if added + newer.count() >= keep {
            SnapshotDecision::TooOld
        } else if let Some(listing) = record_new(config, path, &mut snapshot)? {
            added += 1;
            SnapshotDecision::Listed(listing)
        } else {
            SnapshotDecision::Empty
        };
        listed.push((snapshot, outcome));
    }
    listed.reverse();
    Ok(listed)
}

/// Lists the directory of a new snapshot and records its files; `None` if it has none.
fn record_new(
    config: &Config,
    path: &SnapshotPath,
    snapshot: &mut Snapshot,
) -> Result<Option<Listing>, Error> {
    let listing = list_directory(config, &snapshot.paths[0], &path.ready)?;
    if let Some(listing) = &listing {
        record::record_listing(listing, &config.base, snapshot)?;
    }
    Ok(listing)
}

/// Its files and bytes, for a note.
fn size(snapshot: &Snapshot) -> String {
    let files = snapshot.files.len();
    let word = if files == 1 { "file" } else { "files" };
    let (files, bytes) = (thousands(files as u64), thousands(snapshot.bytes()));
    format!("{files} {word}, {bytes} bytes")
}

/// The files of a directory but the ready file; `None` if there is nothing to read.
fn list_directory(config: &Config, directory: &str, ready: &str) -> Result<Option<Listing>, Error> {
    let discovery = config.discovery(vec![directory.to_owned()]);
    let mut listing = match input::discover(&discovery) {
        Ok(listing) => listing,
        Err(InputError::NothingMatches { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    listing.files.retain(|file| file.name != ready);
    listing.rejected.retain(|file| file.name != ready);
    // A file that cannot be opened now is something to read another day.
    let is_unread = |file: &RejectedFile| file.reason == UNREADABLE;
    let has_input = !listing.files.is_empty() || listing.rejected.iter().any(is_unread);
    Ok(has_input.then_some(listing))
}

/// Drops the oldest live snapshots beyond `keep`.
pub(super) fn drop_oldest(
    wanted: &SnapshotsConfig,
    list: &mut SnapshotList,
    notes: &mut Vec<String>,
) {
    let Some(keep) = wanted.keep else { return };
    let live = list.snapshots.iter().enumerate();
    let mut live: Vec<(usize, &Snapshot)> = live.filter(|(_, one)| !one.dropped).collect();
    let beyond = live.len().saturating_sub(keep as usize);
    if beyond == 0 {
        return;
    }
    if live.iter().all(|(_, snapshot)| snapshot.date.is_some()) {
        live.sort_by_key(|(_, snapshot)| snapshot.date);
    }
    let oldest: Vec<usize> = live.iter().take(beyond).map(|(at, _)| *at).collect();
    for at in oldest {
        let snapshot = &mut list.change()[at];
        snapshot.dropped = true;
        let Snapshot { name, number, .. } = snapshot;
        notes.push(format!(
            "snapshot {name} (number {number}) is dropped for good: keep = {keep} in [snapshots]"
        ));
    }
    retained::release(list);
}
