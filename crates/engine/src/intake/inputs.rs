//! The files of all snapshots of a run, as one list in document order.
//!
//! *Input.* The snapshots of a run. *Output.* [`Inputs`]: their files one after the other, and the
//! range of each snapshot. *Limits.* A document keeps its number within its snapshot.

use crate::Error;
use crate::intake::manifest::{OTHER_BYTES, content_of, files_of, input_file, other_content};
use crate::runtime::messages::more_files;
use crate::runtime::parameters;
use format::{Disk, InputFile, Manifest, PhaseRecord, SnapshotRecord};
use input::{LinkedFiles, Listing, SourceFile};
use model::FileStat;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The input of a run.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The files of all snapshots.
    pub listing: Listing,
    /// The snapshots, oldest first.
    pub snapshots: Vec<LiveSnapshot>,
    /// The links that were left out of the directories that were listed now, if there were any.
    pub linked: Vec<LinkedFiles>,
}

/// A snapshot that is not dropped, or that has bodies for revisits of one that is not dropped.
#[derive(Clone, Debug, Default)]
pub struct LiveSnapshot {
    /// From 1; 0 where `[input]` names the files, which may change from run to run.
    pub number: u32,
    /// `default` where snapshots are not named.
    pub name: String,
    /// Microseconds since 1970, if it was given one.
    pub date: Option<i64>,
    /// It is dropped, and read only for the bodies that revisits of later ones refer to.
    pub retained_for_revisits: bool,
    /// The names of the snapshots that need it then.
    pub dependents: Vec<String>,
    /// Its files in the listing.
    pub files: Range<usize>,
    /// Its files that cannot be read, in the listing.
    pub rejected: Range<usize>,
    /// Digests of its files when they were read first; empty for files that were not read.
    pub digests: Vec<String>,
    /// Files that changed since they were recorded, each with the difference. A run that has to
    /// read them fails.
    pub different: Vec<(String, String)>,
}

impl Inputs {
    /// Adds a snapshot behind the others.
    pub(crate) fn push(&mut self, live: LiveSnapshot, mut listing: Listing) {
        if !live.may_change() {
            // It is not listed again, so nothing is to be remembered for that.
            listing
                .rejected
                .iter_mut()
                .for_each(|file| file.stat = None);
        }
        let (files, rejected) = (self.listing.files.len(), self.listing.rejected.len());
        self.listing.files.extend(listing.files);
        self.listing.rejected.extend(listing.rejected);
        self.snapshots.push(LiveSnapshot {
            files: files..self.listing.files.len(),
            rejected: rejected..self.listing.rejected.len(),
            ..live
        });
        if listing.linked.count > 0 {
            self.linked.push(listing.linked);
        }
    }

    /// A file that is written must not take the place of one that is read.
    ///
    /// # Errors
    /// `path` is a file of the input.
    pub fn check_written(&self, path: &Path) -> Result<(), Error> {
        let Ok(found) = path.metadata() else {
            return Ok(());
        };
        let place = (found.dev(), found.ino());
        let mut files = self.listing.files.iter();
        match files.any(|file| (file.stat.device, file.stat.inode) == place) {
            true => Err(Error::Usage(format!(
                "failed to write {}: it is a file of the input; name another one",
                path.display()
            ))),
            false => Ok(()),
        }
    }

    /// Forgets the snapshots that no run reads any more, here and in the manifest. Returns whether
    /// there were any.
    pub fn forget_released(
        &mut self,
        manifest: &mut Manifest,
        is_read: impl Fn(u32) -> bool,
    ) -> bool {
        if manifest.snapshots.iter().all(|known| is_read(known.number)) {
            return false;
        }
        let of = files_of(manifest);
        let kept = of.iter().filter(|(number, _)| is_read(**number));
        let kept = kept.flat_map(|(_, files)| files.iter().cloned()).collect();
        manifest.inputs.replace(kept);
        manifest.snapshots.retain(|known| is_read(known.number));
        // From the last one on, so that the ranges of those before it stay as they are.
        for at in (0..self.snapshots.len()).rev() {
            if is_read(self.snapshots[at].number) {
                continue;
            }
            let LiveSnapshot {
                files, rejected, ..
            } = self.snapshots.remove(at);
            for after in &mut self.snapshots[at..] {
                after.files = moved(&after.files, files.len());
                after.rejected = moved(&after.rejected, rejected.len());
            }
            self.listing.files.drain(files);
            self.listing.rejected.drain(rejected);
        }
        true
    }

    /// Notes for the user: links that are left out, and snapshots with files that are no longer as
    /// they were read.
    pub fn notes(&self) -> impl Iterator<Item = String> + '_ {
        let linked = self
            .linked
            .iter()
            .map(|linked| format!("left out {linked}"));
        let different = self
            .snapshots
            .iter()
            .filter(|live| !live.retained_for_revisits)
            .filter_map(|live| {
                let (file, what) = live.different.first()?;
                let more = more_files(live.different.len() - 1);
                Some(format!(
                    "snapshot {}: {file:?} {what}{more}; the snapshot could not be read again",
                    live.name
                ))
            });
        linked.chain(different)
    }

    /// Whether a file of the listing may be another in the next run.
    pub fn may_change(&self, file: usize) -> bool {
        let mut snapshots = self.snapshots.iter();
        snapshots.any(|live| live.may_change() && live.has(file))
    }

    /// Whether a file of the listing is read only for revisits.
    pub fn is_retained_for_revisits(&self, file: usize) -> bool {
        self.snapshots
            .iter()
            .any(|snapshot| snapshot.retained_for_revisits && snapshot.has(file))
    }
}

/// A range of a list after so many entries before it were removed.
fn moved(range: &Range<usize>, removed: usize) -> Range<usize> {
    range.start - removed..range.end - removed
}

impl LiveSnapshot {
    /// Its files.
    pub fn files<'a>(&self, listing: &'a Listing) -> &'a [SourceFile] {
        &listing.files[self.files.clone()]
    }

    /// Checks before a run reads the files.
    pub fn check(&self) -> Result<(), Error> {
        self.check_again(false)
    }

    /// As [`LiveSnapshot::check`]. If it `is_sketched`, the error says that its results are still
    /// there.
    fn check_again(&self, is_sketched: bool) -> Result<(), Error> {
        let different = self.different.iter();
        let different = different.map(|(file, what)| (file.as_str(), what.as_str()));
        self.changed(different, is_sketched)
    }

    /// Checks after a run has read the files.
    pub fn check_read(&self, files: &[InputFile]) -> Result<(), Error> {
        let is_other =
            |(read, known): &(&InputFile, &String)| !known.is_empty() && read.digest != **known;
        let other = files.iter().zip(&self.digests).filter(is_other);
        self.changed(
            other.map(|(file, _)| (file.name.as_str(), OTHER_BYTES)),
            false,
        )
    }

    fn changed<'a>(
        &self,
        mut different: impl Iterator<Item = (&'a str, &'a str)>,
        is_sketched: bool,
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
            dependents: self.dependents.clone(),
            is_sketched,
        })
    }

    /// Whether a file of the listing belongs to it.
    pub fn has(&self, file: usize) -> bool {
        self.files.contains(&file)
    }

    /// Whether its files may be others in the next run.
    pub fn may_change(&self) -> bool {
        self.number == 0
    }
}

/// A fingerprint of the files that cannot be read, where `[input]` names the files. Those of other
/// snapshots never change.
pub fn unreadable(inputs: &Inputs) -> String {
    let mut text = String::new();
    for live in inputs.snapshots.iter().filter(|live| live.may_change()) {
        for file in &inputs.listing.rejected[live.rejected.clone()] {
            text += &format!("{} {} {}\n", file.name, file.reason, file.detail);
        }
    }
    parameters::hex(parameters::fingerprint(&text))
}

/// Checks the snapshots that a run has to read, before what earlier runs read of them is forgotten.
/// Files of the same size with other times or inodes are read for their digests.
pub fn check_to_read(
    disk: &Disk,
    manifest: &Manifest,
    inputs: &Inputs,
    parameters: &str,
) -> Result<(), Error> {
    let before = files_of(manifest);
    for live in inputs.snapshots.iter().filter(|live| !live.may_change()) {
        let known = before.get(&live.number).copied().unwrap_or_default();
        let files = live.files(&inputs.listing);
        let now = files_now(known, live, &inputs.listing);
        let record = record_of(manifest, live);
        if record.is_some_and(|record| is_reused(record, &now, parameters)) {
            continue;
        }
        let is_sketched = record.is_some_and(|record| !record.sketched.parameters.is_empty());
        live.check_again(is_sketched)?;
        if is_sketched
            && known.len() == files.len()
            && let Some(file) = other_content(disk, known, files, FileStat::is_touched)?
        {
            live.changed([(file, OTHER_BYTES)].into_iter(), is_sketched)?;
        }
    }
    Ok(())
}

fn record_of<'a>(manifest: &'a Manifest, live: &LiveSnapshot) -> Option<&'a SnapshotRecord> {
    let mut records = manifest.snapshots.iter();
    records.find(|record| record.number == live.number)
}

/// Whether these files were read with these parameters.
fn is_reused(record: &SnapshotRecord, now: &[InputFile], parameters: &str) -> bool {
    record.sketched.parameters == parameters
        && content_of(now).as_ref() == Some(&record.sketched.inputs)
}

/// Replaces the inputs of the manifest by those of now. Records of unchanged files and snapshots
/// stay.
pub fn record_inputs(manifest: &mut Manifest, inputs: &Inputs, parameters: &str) {
    let before = files_of(manifest);
    let same_unreadable = manifest.unreadable == unreadable(inputs);
    let (mut files, mut snapshots) = (Vec::new(), Vec::new());
    for live in &inputs.snapshots {
        let known = before.get(&live.number).copied().unwrap_or_default();
        let now = files_now(known, live, &inputs.listing);
        let same = same_unreadable || !live.may_change();
        let sketched =
            record_of(manifest, live).filter(|record| same && is_reused(record, &now, parameters));
        let empty = || SnapshotRecord {
            number: live.number,
            sketched: PhaseRecord::default(),
            ..Default::default()
        };
        let record = sketched.cloned().unwrap_or_else(empty);
        let (name, files_count) = (live.name.clone(), now.len() as u32);
        snapshots.push(SnapshotRecord {
            name,
            retained_for_revisits: live.retained_for_revisits,
            files: files_count,
            ..record
        });
        files.extend(now);
    }
    manifest.inputs.replace(files);
    manifest.snapshots = snapshots;
    manifest.unreadable = unreadable(inputs);
}

/// The files of a snapshot for the manifest; unchanged files keep their digests. Those of a named
/// snapshot stay as they were read, with their times: who reads them again sees that they were
/// touched.
fn files_now(before: &[InputFile], live: &LiveSnapshot, listing: &Listing) -> Vec<InputFile> {
    let mut before = before.iter().peekable();
    let mut now: Vec<InputFile> = live.files(listing).iter().map(input_file).collect();
    for file in &mut now {
        while before.next_if(|old| old.name < file.name).is_some() {}
        let is_same = |old: &&InputFile| {
            old.name == file.name
                && old.stat.bytes == file.stat.bytes
                && !(live.may_change() && old.stat.is_touched(&file.stat))
        };
        if let Some(old) = before.next_if(is_same) {
            match live.may_change() {
                true => file.digest.clone_from(&old.digest),
                false => {
                    *file = InputFile {
                        is_of_source: file.is_of_source,
                        ..old.clone()
                    };
                }
            }
        }
    }
    now
}
