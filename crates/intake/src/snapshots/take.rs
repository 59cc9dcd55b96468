//! What a run takes in: what is new by `[snapshots]`, and what is beyond `keep`.
//!
//! *Algorithm.* New ones get the next numbers in byte order of their names, each listed once. The
//! oldest live ones beyond `keep` are dropped; of new ones that would be dropped at once only
//! number and name are put down, so that they are not found again. A directory that is complete and
//! holds nothing to read is passed over, so that one bad night stops none of the next.

use super::find::{self, Found};
use super::{Intake, Snapshot, SnapshotInput, SnapshotList, lend, name, record};
use config::{Config, SnapshotsConfig};
use input::{Discovery, InputError, Listing};
use output::thousands;
use runtime::Error;
use std::collections::{BTreeMap, HashSet};

/// The intake of a list.
pub(super) fn in_new_ones(config: &Config, mut list: SnapshotList) -> Result<Intake, Error> {
    let (mut notes, mut fresh) = (Vec::new(), BTreeMap::new());
    if let Some(wanted) = &config.snapshots {
        append(config, wanted, &mut list, (&mut fresh, &mut notes))?;
        drop_oldest(wanted, &mut list, &mut notes);
    }
    let live = list
        .snapshots
        .iter()
        .filter(|snapshot| !snapshot.dropped || snapshot.lends());
    let live: Vec<SnapshotInput> = live
        .map(|snapshot| match fresh.remove(&snapshot.number) {
            Some(listing) => record::input(snapshot, listing, Vec::new()),
            None => record::look_again(snapshot, &config.base),
        })
        .collect();
    Ok(Intake {
        list: Some(list),
        live,
        notes,
    })
}

/// Puts what is new at the end of the list, and its listing aside.
fn append(
    config: &Config,
    wanted: &SnapshotsConfig,
    list: &mut SnapshotList,
    (fresh, notes): (&mut BTreeMap<u32, Listing>, &mut Vec<String>),
) -> Result<(), Error> {
    let Some(path) = &wanted.path else {
        return Ok(());
    };
    let known: HashSet<&str> = list
        .snapshots
        .iter()
        .map(|snapshot| snapshot.name.as_str())
        .collect();
    let newest = known
        .iter()
        .max()
        .map(|name| (*name).to_owned())
        .unwrap_or_default();
    let found = find::new_ones(config, path, &known, notes)?;
    let unread = found
        .len()
        .saturating_sub(wanted.keep.map_or(usize::MAX, |keep| keep as usize));
    for (
        at,
        Found {
            name,
            path: directory,
        },
    ) in found.into_iter().enumerate()
    {
        let number = list.next_number()?;
        let date = name::date_of(&name);
        let mut snapshot = Snapshot {
            number,
            name,
            date,
            paths: vec![directory],
            ..Snapshot::default()
        };
        let shown = format!("snapshot {} (number {number})", snapshot.name);
        if at < unread {
            snapshot.drop_it();
            notes.push(format!(
                "{shown} is left out: keep = {} in [snapshots]",
                wanted.keep.unwrap_or(0)
            ));
        } else {
            let Some(listing) = list_directory(config, &snapshot.paths[0], &path.ready)? else {
                notes.push(format!(
                    "{:?} is passed over: nothing in it can be read",
                    snapshot.paths[0]
                ));
                continue;
            };
            record::put_down(&listing, &config.base, &mut snapshot)?;
            let (files, bytes) = (
                thousands(snapshot.files.len() as u64),
                thousands(snapshot.bytes()),
            );
            let word = if snapshot.files.len() == 1 {
                "file"
            } else {
                "files"
            };
            notes.push(format!("{shown} is new: {files} {word}, {bytes} bytes"));
            notes.extend(record::unreadable(&snapshot));
            fresh.insert(number, listing);
        }
        if snapshot.name < newest {
            notes.push(format!(
                "{shown} comes after {newest}, which was taken in before"
            ));
        }
        list.change().push(snapshot);
    }
    Ok(())
}

/// The files of a directory without the one that says that it is complete; `None` if there is
/// nothing to read.
fn list_directory(config: &Config, directory: &str, ready: &str) -> Result<Option<Listing>, Error> {
    let (paths, base, format) = (
        vec![directory.to_owned()],
        config.base.clone(),
        config.input.format,
    );
    let mut listing = match input::discover(&Discovery {
        paths,
        base,
        format,
    }) {
        Ok(listing) => listing,
        Err(InputError::NothingMatches { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    listing.files.retain(|file| file.name != ready);
    listing.rejected.retain(|(name, _)| name != ready);
    Ok((!listing.files.is_empty()).then_some(listing))
}

/// Drops the oldest live ones beyond `keep`.
fn drop_oldest(wanted: &SnapshotsConfig, list: &mut SnapshotList, notes: &mut Vec<String>) {
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
    for snapshot in list
        .change()
        .iter_mut()
        .filter(|snapshot| !snapshot.dropped)
        .take(beyond)
    {
        snapshot.dropped = true;
        let Snapshot { name, number, .. } = snapshot;
        notes.push(format!(
            "snapshot {name} (number {number}) is dropped: keep = {keep} in [snapshots]"
        ));
    }
    lend::release(list);
}
