//! Adds the new snapshots that `[snapshots]` finds, and drops those beyond `keep`.
//!
//! *Algorithm.* New snapshots get the next numbers in byte order of their names, and each is listed
//! once. The oldest live snapshots beyond `keep` are dropped. If more than `keep` new snapshots
//! appear at once, the oldest are recorded but not listed, so that they are not found again. A
//! complete directory with nothing to read is passed over, so that one bad night does not stop the
//! next.

use super::find;
use super::record::{self, UNREADABLE};
use super::snapshot::Snapshot;
use super::store::SnapshotList;
use super::{name, retained};
use config::{Config, SnapshotPath, SnapshotsConfig};
use input::{Discovery, InputError, Listing, Rejection};
use output::thousands;
use runtime::Error;
use std::collections::{BTreeMap, HashSet};

/// Adds the new snapshots to the list, and says so in `notes`. Returns their listings by number.
///
/// # Errors
/// When the directory of snapshots or the files of a new one cannot be listed.
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
    let left_out = found.len().saturating_sub(keep);
    for (at, directory) in found.into_iter().enumerate() {
        let mut snapshot = Snapshot {
            number: list.next_number()?,
            date: name::date_of(&directory.name),
            name: directory.name,
            paths: vec![directory.path],
            ..Snapshot::default()
        };
        let shown = format!("snapshot {} (number {})", snapshot.name, snapshot.number);
        if at < left_out {
            snapshot.drop_now();
            notes.push(format!("{shown} is not read: keep = {keep} in [snapshots]"));
        } else if let Some(listing) = record_new(config, path, &mut snapshot)? {
            notes.push(format!("{shown} is new: {}", size(&snapshot)));
            notes.extend(record::unreadable(&snapshot));
            listings.insert(snapshot.number, listing);
        } else {
            let directory = &snapshot.paths[0];
            notes.push(format!(
                "{directory:?} is skipped: no file in it can be read"
            ));
            continue;
        }
        if snapshot.name < newest {
            notes.push(format!(
                "{shown} is added after {newest}, although its name sorts before it"
            ));
        }
        list.change().push(snapshot);
    }
    Ok(listings)
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
    let discovery = Discovery {
        paths: vec![directory.to_owned()],
        base: config.base.clone(),
        format: config.input.format,
        passed_over: config::passed_over(config),
    };
    let mut listing = match input::discover(&discovery) {
        Ok(listing) => listing,
        Err(InputError::NothingMatches { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    listing.files.retain(|file| file.name != ready);
    listing.rejected.retain(|(name, _)| name != ready);
    // A file that cannot be opened now is something to read another day.
    let is_unread = |(_, rejection): &(String, Rejection)| rejection.reason == UNREADABLE;
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
    let live = list
        .snapshots
        .iter()
        .filter(|snapshot| !snapshot.dropped)
        .count();
    let beyond = live.saturating_sub(keep as usize);
    if beyond == 0 {
        return;
    }
    let oldest = list
        .change()
        .iter_mut()
        .filter(|snapshot| !snapshot.dropped);
    for snapshot in oldest.take(beyond) {
        snapshot.dropped = true;
        let Snapshot { name, number, .. } = snapshot;
        notes.push(format!(
            "snapshot {name} (number {number}) is dropped: keep = {keep} in [snapshots]"
        ));
    }
    retained::release(list);
}
