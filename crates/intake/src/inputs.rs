//! The files of all snapshots of a run, as one list in document order.
//!
//! *Input.* The snapshots that are not dropped. *Output.* [`Inputs`]: their files one after the
//! other, and which are whose. *Limits.* Documents of a snapshot keep their numbers within it; what
//! is given out for all of them counts the snapshots before.

use crate::snapshots::{Intake, SnapshotInput};
use config::Config;
use format::{InputFile, Manifest, PhaseRecord, SnapshotRecord};
use input::{Listing, SourceFile};
use runtime::error::more_files;
use runtime::{Error, parameters};
use std::collections::BTreeMap;
use std::ops::Range;

/// What a run reads.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The files of all snapshots.
    pub listing: Listing,
    /// The snapshots, oldest first.
    pub snapshots: Vec<LiveSnapshot>,
}

/// A snapshot that is not dropped, or that has bodies for revisits of one that is not.
#[derive(Clone, Debug, Default)]
pub struct LiveSnapshot {
    /// 0 where no snapshots are kept: then it is what it is today. Others never change.
    pub number: u32,
    /// `default` where snapshots are not named.
    pub name: String,
    /// Microseconds since 1970, if it was given one.
    pub date: Option<i64>,
    /// It is dropped, and read only for the bodies that revisits of later ones refer to.
    pub lent: bool,
    /// Its files in the listing.
    pub files: Range<usize>,
    /// What of it is listed but cannot be read.
    pub rejected: Range<usize>,
    /// Digests its files had when they were read first; empty ones where they were not.
    pub digests: Vec<String>,
    /// Files that are not as they were, with what is different: an error for who has to read them.
    pub different: Vec<(String, String)>,
}

impl Inputs {
    /// The files of what a run takes in; those that were listed go from there to here.
    ///
    /// # Errors
    /// When there is nothing to take in.
    pub fn of(intake: &mut Intake, config: &Config) -> Result<Inputs, Error> {
        let mut inputs = Inputs::default();
        let digests = intake.digests();
        for (snapshot, digests) in intake.take_live(config)?.into_iter().zip(digests) {
            let SnapshotInput {
                number,
                name,
                date,
                lent,
                listing,
                different,
            } = snapshot;
            let (files, rejected) = (inputs.listing.files.len(), inputs.listing.rejected.len());
            let files = files..files + listing.files.len();
            let rejected = rejected..rejected + listing.rejected.len();
            inputs.snapshots.push(LiveSnapshot {
                number,
                name,
                date,
                lent,
                files,
                rejected,
                digests,
                different,
            });
            inputs.listing.files.extend(listing.files);
            inputs.listing.rejected.extend(listing.rejected);
            if number == 0 {
                inputs.listing.refused = listing.refused;
            }
        }
        Ok(inputs)
    }

    /// What somebody should know: files that are no longer what was read.
    pub fn notes(&self) -> impl Iterator<Item = String> + '_ {
        self.snapshots
            .iter()
            .filter(|live| !live.lent)
            .filter_map(|live| {
                let (file, what) = live.different.first()?;
                let more = more_files(live.different.len() - 1);
                Some(format!(
                    "snapshot {}: {file:?} {what}{more}; it could not be read again",
                    live.name
                ))
            })
    }

    /// Whether a file of the listing is read only for revisits.
    pub fn is_lent(&self, file: usize) -> bool {
        self.snapshots
            .iter()
            .any(|snapshot| snapshot.lent && snapshot.has(file))
    }

    /// What the configuration names today; what the manifest knows is taken as it was.
    ///
    /// # Errors
    /// When it cannot be listed, or there is nothing.
    pub fn look(config: &Config, manifest: &Manifest) -> Result<Inputs, Error> {
        Inputs::of(&mut Intake::look(config, manifest)?, config)
    }
}

impl LiveSnapshot {
    /// Its files.
    pub fn files<'a>(&self, listing: &'a Listing) -> &'a [SourceFile] {
        &listing.files[self.files.clone()]
    }

    /// For who has to read its files.
    ///
    /// # Errors
    /// When one of them is not what was added.
    pub fn check(&self) -> Result<(), Error> {
        self.changed(
            self.different
                .iter()
                .map(|(file, what)| (file.as_str(), what.as_str())),
        )
    }

    /// For who has read its files.
    ///
    /// # Errors
    /// When one of them has other bytes than when it was read first.
    pub fn check_read(&self, files: &[InputFile]) -> Result<(), Error> {
        let is_other =
            |(read, known): &(&InputFile, &String)| !known.is_empty() && read.digest != **known;
        let other = files.iter().zip(&self.digests).filter(is_other);
        self.changed(other.map(|(file, _)| {
            (
                file.name.as_str(),
                "has other bytes than when it was read first",
            )
        }))
    }

    fn changed<'a>(
        &self,
        mut different: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), Error> {
        let Some((file, what)) = different.next() else {
            return Ok(());
        };
        let (snapshot, file, what) = (self.name.clone(), file.to_owned(), what.to_owned());
        Err(Error::SnapshotChanged {
            snapshot,
            file,
            what,
            more: different.count(),
        })
    }

    /// Whether a file of the listing is of it.
    pub fn has(&self, file: usize) -> bool {
        self.files.contains(&file)
    }

    /// Whether its files may become others.
    pub fn may_change(&self) -> bool {
        self.number == 0
    }
}

/// A listed file as the manifest has it, not yet read.
pub fn input_file(file: &SourceFile) -> InputFile {
    InputFile {
        name: file.name.clone(),
        format: format_name(file),
        bytes: file.bytes,
        modified_ns: file.modified_ns.to_string(),
        changed_ns: file.changed_ns.to_string(),
        inode: file.inode,
        digest: String::new(),
    }
}

/// The format of a file as the manifest has it.
pub fn format_name(file: &SourceFile) -> String {
    file.format.name().to_owned()
}

/// Whether times or inode of a file of the same name and size differ, so that its bytes have to be
/// looked at.
pub fn is_touched(old: &InputFile, new: &InputFile) -> bool {
    (&old.modified_ns, &old.changed_ns, old.inode) != (&new.modified_ns, &new.changed_ns, new.inode)
}

/// What stands for the files that were listed but cannot be read, where that may change.
pub fn unreadable(inputs: &Inputs) -> String {
    let mut text = String::new();
    for live in inputs.snapshots.iter().filter(|live| live.may_change()) {
        for (name, rejection) in &inputs.listing.rejected[live.rejected.clone()] {
            text += &format!("{name} {} {}\n", rejection.reason, rejection.detail);
        }
    }
    parameters::hex(parameters::fingerprint(&text))
}

/// The files of each snapshot as the manifest has them, by number.
pub fn files_of(manifest: &Manifest) -> BTreeMap<u32, &[InputFile]> {
    let mut from = 0;
    let mut of = BTreeMap::new();
    for snapshot in &manifest.snapshots {
        let to = (from + snapshot.files as usize).min(manifest.inputs.len());
        of.insert(snapshot.number, &manifest.inputs[from..to]);
        from = to;
    }
    of
}

/// What stands for the content of files that were read; none if not all were.
pub fn content_of(files: &[InputFile]) -> Option<String> {
    let mut text = String::new();
    for file in files {
        if file.digest.is_empty() {
            return None;
        }
        text += &format!(
            "{} {} {} {}\n",
            file.name, file.format, file.bytes, file.digest
        );
    }
    Some(parameters::hex(parameters::fingerprint(&text)))
}

/// Puts the inputs of now in the manifest; of files and snapshots that are as they were, what is
/// known of them stays.
pub fn take_stock(manifest: &mut Manifest, inputs: &Inputs, parameters: &str) {
    let before = files_of(manifest);
    let same_unreadable = manifest.unreadable == unreadable(inputs);
    let (mut files, mut snapshots) = (Vec::new(), Vec::new());
    for live in &inputs.snapshots {
        let known = before.get(&live.number).copied().unwrap_or_default();
        let now = files_now(known, live, &inputs.listing);
        let content = content_of(&now);
        let sketched = manifest
            .snapshots
            .iter()
            .find(|record| record.number == live.number);
        let sketched = sketched.filter(|record| {
            let same = same_unreadable || !live.may_change();
            same && record.sketched.parameters == parameters
                && content.as_ref() == Some(&record.sketched.inputs)
        });
        let fresh = || SnapshotRecord {
            number: live.number,
            sketched: PhaseRecord::default(),
            ..Default::default()
        };
        let record = sketched.cloned().unwrap_or_else(fresh);
        let (name, files_count) = (live.name.clone(), now.len() as u32);
        snapshots.push(SnapshotRecord {
            name,
            lent: live.lent,
            files: files_count,
            ..record
        });
        files.extend(now);
    }
    manifest.inputs = files;
    manifest.snapshots = snapshots;
    manifest.unreadable = unreadable(inputs);
}

/// The files of a snapshot as the manifest keeps them; digests of files that are as they were stay.
fn files_now(before: &[InputFile], live: &LiveSnapshot, listing: &Listing) -> Vec<InputFile> {
    let mut before = before.iter().peekable();
    let mut now: Vec<InputFile> = live.files(listing).iter().map(input_file).collect();
    for file in &mut now {
        while before.next_if(|old| old.name < file.name).is_some() {}
        let is_same = |old: &&InputFile| {
            old.name == file.name
                && old.bytes == file.bytes
                && !(live.may_change() && is_touched(old, file))
        };
        if let Some(old) = before.next_if(is_same) {
            file.digest.clone_from(&old.digest);
        }
    }
    now
}

/// The first difference between the files of a snapshot that were read and those of now, by name,
/// size and format.
pub fn listed_difference(before: &[InputFile], now: &[SourceFile]) -> Option<String> {
    for (old, new) in before.iter().zip(now) {
        if old.name != new.name {
            let (name, what) = if old.name < new.name {
                (&old.name, "is gone")
            } else {
                (&new.name, "is new")
            };
            return Some(format!("input {name} {what}"));
        }
        if old.bytes != new.bytes || old.format != format_name(new) {
            return Some(format!("input {} changed", old.name));
        }
    }
    match before.len().cmp(&now.len()) {
        std::cmp::Ordering::Less => Some(format!("input {} is new", now[before.len()].name)),
        std::cmp::Ordering::Greater => Some(format!("input {} is gone", before[now.len()].name)),
        std::cmp::Ordering::Equal => None,
    }
}
