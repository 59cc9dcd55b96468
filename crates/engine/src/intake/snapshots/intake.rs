//! The input of a run: the snapshots that are not dropped, with their files as they are now.

use super::name::DEFAULT;
use super::record;
use super::retained;
use super::snapshot::{Snapshot, SnapshotFile};
use super::store::{self, SnapshotList};
use super::take;
use crate::Error;
use crate::intake::inputs::{Inputs, LiveSnapshot};
use crate::intake::listing;
use config::Config;
use format::Manifest;
use input::RejectedFile;
use sort::{MemoryBudget, Reservation};
use std::collections::BTreeMap;

/// The snapshots of a run, oldest first.
#[derive(Debug)]
pub struct Intake {
    /// The list with the changes of this run; `None` where `[input]` names the files.
    pub(super) list: Option<SnapshotList>,
    /// The snapshots to read with their files, until `take_inputs` hands them over.
    pub(super) inputs: Inputs,
    /// Notes for the user: snapshots that are new, dropped, or passed over.
    pub notes: Vec<String>,
    /// Files of `paths` that no manifest knew as they are: they were opened to know their formats.
    pub unknown_files: u64,
}

impl Intake {
    /// Finds the input of a run that starts now. Changes nothing on disk. A file that the manifest
    /// knows is not opened.
    pub fn scan(config: &Config, manifest: &Manifest) -> Result<Intake, Error> {
        Intake::scan_beside(config, manifest, None)
    }

    /// As [`Intake::scan`]. A file that a shard to adopt knows, by its manifest, is not opened
    /// either.
    pub fn scan_beside(
        config: &Config,
        manifest: &Manifest,
        shard: Option<&Manifest>,
    ) -> Result<Intake, Error> {
        let path = store::path(config);
        let mut list = match (store::load(&path)?, &config.snapshots) {
            (Some(list), _) => list,
            (None, Some(_)) => SnapshotList::default(),
            (None, None) => return Intake::of_paths(config, manifest, shard),
        };
        if !config.input.paths.is_empty() {
            return Err(Error::Usage(format!(
                "failed to start: {} lists snapshots, and [input] has paths, too; \
                 remove paths",
                path.display()
            )));
        }
        let (mut notes, mut listings) = (Vec::new(), BTreeMap::new());
        if let Some(wanted) = &config.snapshots {
            listings = take::add_new(config, wanted, &mut list, &mut notes)?;
            take::drop_oldest(wanted, &mut list, &mut notes);
        }
        let mut inputs = Inputs::default();
        for snapshot in list.snapshots.iter().filter(|snapshot| is_read(snapshot)) {
            let new = listings.remove(&snapshot.number);
            let again = || record::scan_again(snapshot, &config.base);
            let (listing, different) = new.map_or_else(again, |listing| (listing, Vec::new()));
            let retained_for_revisits = snapshot.dropped;
            let dependents =
                retained_for_revisits.then(|| retained::dependents(&list, snapshot.number));
            let digests = snapshot.files.iter().map(|file| file.digest.clone());
            let live = LiveSnapshot {
                number: snapshot.number,
                name: snapshot.name.clone(),
                date: snapshot.date,
                retained_for_revisits,
                dependents: dependents.unwrap_or_default(),
                digests: digests.collect(),
                different,
                ..LiveSnapshot::default()
            };
            inputs.push(live, listing);
        }
        Ok(Intake {
            list: Some(list),
            inputs,
            notes,
            unknown_files: 0,
        })
    }

    /// The input where `[input]` names the files.
    fn of_paths(
        config: &Config,
        manifest: &Manifest,
        shard: Option<&Manifest>,
    ) -> Result<Intake, Error> {
        let (listing, unknown_files) = listing::discover_after(config, manifest, shard)?;
        let live = LiveSnapshot {
            name: DEFAULT.to_owned(),
            ..LiveSnapshot::default()
        };
        let mut inputs = Inputs::default();
        inputs.push(live, listing);
        Ok(Intake {
            list: None,
            inputs,
            notes: Vec::new(),
            unknown_files,
        })
    }

    /// Replaces the files of the list if they differ from it, durably.
    ///
    /// # Errors
    /// When they cannot be written, or another process has changed them since they were read.
    pub fn persist(&mut self, config: &Config) -> Result<(), Error> {
        let list = self.list.as_mut();
        list.map_or(Ok(()), |list| list.persist(&store::path(config)))
    }

    /// Whether the list on disk is the one that was read: another process may have changed it
    /// before this one got the lock.
    pub fn is_current(&self, config: &Config) -> Result<bool, Error> {
        let list = self.list.as_ref();
        list.map_or(Ok(true), |list| list.is_current(&store::path(config)))
    }

    /// Reserves the memory of the list, if it is much.
    pub fn reserve(&self, budget: &MemoryBudget) -> Result<Option<Reservation>, Error> {
        let of_file =
            |file: &SnapshotFile| size_of::<SnapshotFile>() + file.name.len() + file.digest.len();
        let of_rejected =
            |file: &RejectedFile| size_of::<RejectedFile>() + file.name.len() + file.detail.len();
        let of_snapshot = |snapshot: &Snapshot| {
            snapshot.files.iter().map(of_file).sum::<usize>()
                + snapshot.rejected.iter().map(of_rejected).sum::<usize>()
        };
        let snapshots = self.list.iter().flat_map(|list| &list.snapshots);
        let held: usize = snapshots.map(of_snapshot).sum();
        let is_much = held > listing::LISTED_FREE_BYTES;
        Ok(is_much
            .then(|| budget.reserve("the list of snapshots", held))
            .transpose()?)
    }

    /// Whether a run reads a snapshot: it is not dropped, or its files are kept for revisits.
    pub fn is_read(&self, number: u32) -> bool {
        let list = self.list.as_ref();
        let known = list.and_then(|list| Some(&list.snapshots[list.place_of(number)?]));
        known.is_none_or(is_read)
    }

    /// Hands over the snapshots with their files.
    pub fn take_inputs(&mut self, config: &Config) -> Result<Inputs, Error> {
        if self.inputs.snapshots.is_empty() {
            return Err(no_snapshot(config));
        }
        Ok(std::mem::take(&mut self.inputs))
    }
}

impl Inputs {
    /// Finds the input of a run that starts now; see [`Intake::scan`].
    pub fn scan(config: &Config, manifest: &Manifest) -> Result<Inputs, Error> {
        Intake::scan(config, manifest)?.take_inputs(config)
    }
}

/// Whether a run reads it.
fn is_read(snapshot: &Snapshot) -> bool {
    !snapshot.dropped || !snapshot.files.is_empty()
}

/// The error of a run without any snapshot.
fn no_snapshot(config: &Config) -> Error {
    let path = config
        .snapshots
        .as_ref()
        .and_then(|snapshots| snapshots.path.as_ref());
    Error::NotFound(match path {
        Some(path) => format!(
            "failed to find a snapshot: no directory {:?} has the file {:?}, and no snapshot was \
             added; add one with `pipeline snapshot add NAME PATH`",
            path.written, path.ready
        ),
        None => {
            "failed to find a snapshot: add one with `pipeline snapshot add NAME PATH`".to_owned()
        }
    })
}
