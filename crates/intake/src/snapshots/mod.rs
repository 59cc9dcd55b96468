//! The list of snapshots, and what a run takes in.
//!
//! *Input.* `snapshots.toml` beside the configuration, `[snapshots]`, the directories it finds;
//! without both, `paths`. *Output.* An [`Intake`]: the snapshots that are not dropped with their
//! files as they are; the list anew. *Algorithm.* What was taken in is believed: one stat a file
//! tells whether it is as it was. A new snapshot is listed like `paths`, once, and what was found
//! is put down, formats and what cannot be read included: so it is the same whenever it is read
//! again. *Memory.* What is put down of every file of a live snapshot, beside its listing. *Files.*
//! `snapshots.toml`, replaced as a whole; files of the input are looked at. *Limits.* 2^31 − 1
//! snapshots, ever.

mod find;
mod lend;
mod name;
mod note;
mod parse;
mod path;
mod record;
mod scan;
mod store;
mod take;
#[cfg(test)]
mod tests;
mod verbs;
mod write;

use crate::listing;
use config::Config;
use format::Manifest;
use input::{Format, Listing, Rejection};
use runtime::Error;
use sort::{MemoryBudget, Reservation};

pub(crate) use store::SnapshotList;
pub use verbs::{
    SnapshotAdd, SnapshotRow, SnapshotState, SnapshotTable, snapshot_add, snapshot_drop,
    snapshot_list,
};

/// The name of what there is where snapshots are not named. No snapshot is called so.
pub(crate) const DEFAULT: &str = "default";

/// A public id is a number × 2^32 and has to fit 63 bits.
const NUMBER_MAX: u32 = (1 << 31) - 1;

/// What a run works on: the snapshots that are not dropped, oldest first.
#[derive(Debug)]
pub struct Intake {
    /// The list as it is to be; `None` where `[input]` names the files.
    pub(crate) list: Option<SnapshotList>,
    /// What is to be read, or was.
    pub(crate) live: Vec<SnapshotInput>,
    /// What somebody should know: what is new, what is dropped, what was passed over.
    pub notes: Vec<String>,
}

/// One snapshot and its files as they are.
#[derive(Debug)]
pub(crate) struct SnapshotInput {
    /// From 1; 0 where `[input]` names the files.
    pub number: u32,
    /// Its name; `default` where `[input]` names the files.
    pub name: String,
    /// Microseconds since 1970, as dates of documents.
    pub date: Option<i64>,
    /// Its files, in input order; those taken in before with size and format as they were then.
    pub listing: Listing,
    /// It is dropped, and has bodies for revisits of others.
    pub lent: bool,
    /// Files that are gone or changed since they were taken in, and what is different. An error for
    /// who has to read them.
    pub different: Vec<(String, String)>,
}

/// A snapshot as the list has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// From 1, in the order of the list; never used again.
    pub number: u32,
    /// Never used again.
    pub name: String,
    /// Microseconds since 1970.
    pub date: Option<i64>,
    /// What was added, as it was named; relative paths to the configuration.
    pub paths: Vec<String>,
    /// Where names of files begin, in the same way.
    pub roots: Vec<String>,
    /// In input order. None of a dropped one.
    pub(crate) files: Vec<SnapshotFile>,
    /// What lay there and could not be read, in the order of a listing.
    pub rejected: Vec<(String, Rejection)>,
    /// How many documents a run found in it; `None`: no run has read it.
    pub documents: Option<u64>,
    /// Numbers of the snapshots before it that its revisits found their bodies in; known once a run
    /// has read it.
    pub took: Vec<u32>,
    /// It is no longer part of anything. One that has files nevertheless has bodies for revisits of
    /// later ones.
    pub dropped: bool,
}

/// A file of a snapshot, as it was when it was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotFile {
    /// As tables show it.
    pub name: String,
    /// The bytes of its name where they are no UTF-8.
    pub raw: Option<Vec<u8>>,
    /// Which of the roots it is relative to.
    pub root: u32,
    /// Its format.
    pub format: Format,
    /// Its size.
    pub bytes: u64,
    /// Digest of its bytes, 16 hex digits; empty until a run has read it.
    pub digest: String,
}

impl Intake {
    /// What a run would take in now. Changes nothing. What the manifest knows is not looked into
    /// again.
    ///
    /// # Errors
    /// When the list is damaged, or the input cannot be listed.
    pub fn look(config: &Config, manifest: &Manifest) -> Result<Intake, Error> {
        let list = match (store::load(&store::path(config))?, &config.snapshots) {
            (Some(list), _) => list,
            (None, Some(_)) => SnapshotList::default(),
            (None, None) => return Intake::of_paths(config, manifest),
        };
        if !config.input.paths.is_empty() {
            return Err(Error::Usage(format!(
                "failed to start: {} names snapshots, and paths in [input] are named, too; take paths out",
                store::path(config).display()
            )));
        }
        take::in_new_ones(config, list)
    }

    /// Where `[input]` names the files.
    fn of_paths(config: &Config, manifest: &Manifest) -> Result<Intake, Error> {
        let listing = listing::discover_after(config, manifest)?;
        let different = Vec::new();
        let only = SnapshotInput {
            number: 0,
            name: DEFAULT.to_owned(),
            date: None,
            listing,
            lent: false,
            different,
        };
        Ok(Intake {
            list: None,
            live: vec![only],
            notes: Vec::new(),
        })
    }

    /// Makes what was found durable: the list is replaced if it is no longer as it was read.
    ///
    /// # Errors
    /// When it cannot be written, or somebody else has changed it since it was read.
    pub fn settle(&self, config: &Config) -> Result<(), Error> {
        self.list
            .as_ref()
            .map_or(Ok(()), |list| list.settle(&store::path(config)))
    }

    /// Whether the list is still what it was when it was read: another process may have changed it
    /// before the lock was had.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn is_current(&self, config: &Config) -> Result<bool, Error> {
        self.list
            .as_ref()
            .map_or(Ok(true), |list| list.is_current(&store::path(config)))
    }

    /// Takes what the list holds out of the budget, if it is much.
    pub fn reserve(&self, budget: &MemoryBudget) -> Result<Option<Reservation>, Error> {
        let file =
            |file: &SnapshotFile| size_of::<SnapshotFile>() + file.name.len() + file.digest.len();
        let snapshots = self.list.iter().flat_map(|list| &list.snapshots);
        let held: usize = snapshots
            .flat_map(|snapshot| &snapshot.files)
            .map(file)
            .sum();
        let is_much = held > listing::LISTED_FREE_BYTES;
        Ok(is_much
            .then(|| budget.reserve("the list of snapshots", held))
            .transpose()?)
    }

    /// The snapshots with their files, for who reads them.
    ///
    /// # Errors
    /// When there is no snapshot.
    pub(crate) fn take_live(&mut self, config: &Config) -> Result<Vec<SnapshotInput>, Error> {
        if self.live.is_empty() {
            return Err(find::nothing(config));
        }
        Ok(std::mem::take(&mut self.live))
    }

    /// The digests of the files of each live snapshot, as far as they were read.
    pub fn digests(&self) -> Vec<Vec<String>> {
        let known = |live: &SnapshotInput| {
            let snapshots = self.list.iter().flat_map(|list| &list.snapshots);
            let snapshot = snapshots
                .into_iter()
                .find(|snapshot| snapshot.number == live.number);
            snapshot.map_or_else(Vec::new, |one| {
                one.files.iter().map(|file| file.digest.clone()).collect()
            })
        };
        self.live.iter().map(known).collect()
    }
}

impl Snapshot {
    /// Takes it out of everything; its number and name stay taken.
    fn drop_it(&mut self) {
        self.dropped = true;
        self.release();
    }

    /// Forgets its files.
    fn release(&mut self) {
        self.took = Vec::new();
        self.roots = Vec::new();
        self.files = Vec::new();
        self.rejected = Vec::new();
    }

    /// Bytes of its files.
    fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}
