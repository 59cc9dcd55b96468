//! The directory of copies: which call made it, and which of its files are finished.
//!
//! [`layout`](super::layout) has the names.
//!
//! *Algorithm.* A copy is written in `.staging`, synced, and renamed to its name; then it is
//! recorded in the journal. So no unfinished file ever has a final name, and a second call resumes
//! after the finished files.

use super::layout::{DATA, FILES, JOURNAL, MARKER, REMOVED_TABLE, STAGING, SUMMARY};
use super::names::{shown, unshown};
use super::outcome::{DedupCounts, DedupOutcome};
use format::{Access, AtomicFile, Disk, Fingerprint};
use output::{CopiedFile, Journal};
use runtime::{Error, parameters};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A directory of copies under way.
pub(super) struct Target {
    disk: Disk,
    dir: PathBuf,
    /// Files that are finished, by name.
    done: HashMap<String, CopiedFile>,
    journal: Mutex<Journal>,
    /// All files by name, in the order of the input, once they are finished.
    records: Mutex<Vec<(usize, CopiedFile)>>,
}

impl Target {
    /// Takes a directory that is free, or one in which the same call was interrupted or finished.
    pub(super) fn open(disk: &Disk, fingerprint: Fingerprint, dir: &Path) -> Result<Target, Error> {
        let refuse = |why: &str| {
            let dir = dir.display();
            Err(Error::Usage(format!(
                "failed to use {dir}: it {why}; name another directory, or empty it"
            )))
        };
        let fingerprint = parameters::hex(fingerprint) + "\n";
        if dir.symlink_metadata().is_ok() && !dir.is_dir() {
            return refuse("is not a directory");
        }
        match disk.read_text(&dir.join(MARKER))? {
            Some(known) if known == fingerprint => {}
            Some(_) => {
                return refuse("holds copies of another run, or copies made with other options");
            }
            None => {
                let begun = format!("{MARKER}.part");
                let mut entries = disk.list(dir)?;
                entries.retain(|entry| entry.file_name() != Some(OsStr::new(&begun)));
                if !entries.is_empty() {
                    return refuse("is not empty, and was not made by this program");
                }
                disk.create_dir(dir, Access::Shared)?;
                AtomicFile::replace(disk, &dir.join(MARKER), fingerprint.as_bytes())?;
            }
        }
        let staging = dir.join(STAGING);
        if staging.is_dir() {
            disk.remove_tree(&staging)?;
        }
        let done = done(disk, dir)?;
        // A torn line would spoil the next one appended.
        let lines: String = done.values().map(CopiedFile::line).collect();
        AtomicFile::replace(disk, &dir.join(JOURNAL), lines.as_bytes())?;
        let journal = Journal::open(&dir.join(JOURNAL))?;
        disk.create_dir(&dir.join(DATA), Access::Shared)?;
        disk.create_dir(&staging, Access::Shared)?;
        let (dir, journal, records) = (dir.to_owned(), Mutex::new(journal), Mutex::default());
        Ok(Target {
            disk: disk.clone(),
            dir,
            done,
            journal,
            records,
        })
    }

    /// The counts of a call that was finished, if all it made is still there.
    pub(super) fn finished(&self) -> Result<Option<DedupCounts>, Error> {
        let summary = self.disk.read_text(&self.dir.join(SUMMARY))?;
        let listed = self
            .disk
            .read_text(&self.dir.join(FILES))?
            .unwrap_or_default();
        let whole = CopiedFile::parse_all(&listed).len() == self.done.len()
            && self.removed_table().is_file();
        let counts = summary
            .filter(|_| whole)
            .and_then(|text| serde_json::from_str(&text).ok());
        if counts.is_some() {
            self.clear()?;
        } else {
            self.disk.remove(&self.dir.join(SUMMARY))?;
        }
        Ok(counts)
    }

    pub(super) fn disk(&self) -> &Disk {
        &self.disk
    }

    pub(super) fn removed_table(&self) -> PathBuf {
        self.dir.join(REMOVED_TABLE)
    }

    /// A file that is finished.
    pub(super) fn done(&self, name: &Path) -> Option<&CopiedFile> {
        self.done.get(&shown(name))
    }

    /// Starts a copy.
    pub(super) fn begin(&self, index: usize) -> Result<AtomicFile, Error> {
        AtomicFile::create(&self.disk, &self.staged(index)).map_err(Error::from)
    }

    fn staged(&self, index: usize) -> PathBuf {
        self.dir.join(STAGING).join(index.to_string())
    }

    /// Gives a finished copy its name.
    pub(super) fn publish(&self, index: usize, name: &Path) -> Result<(), Error> {
        let path = self.dir.join(DATA).join(name);
        let parent = path.parent().unwrap_or(&self.dir);
        if !parent.is_dir() {
            self.disk.create_dir(parent, Access::Shared)?;
        }
        self.disk.rename(&self.staged(index), &path)?;
        self.disk.sync_dir(parent).map_err(Error::from)
    }

    /// Records a finished file.
    pub(super) fn record(&self, index: usize, copied: CopiedFile) -> Result<(), Error> {
        if !self.done.contains_key(&copied.file) {
            let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
            journal.add(&copied)?;
        }
        self.records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((index, copied));
        Ok(())
    }

    /// Sums of all recorded files.
    pub(super) fn counts(&self) -> DedupCounts {
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts = DedupCounts::default();
        for (_, copied) in records.iter() {
            counts.files += u64::from(copied.copied_bytes.is_some());
            counts.source_bytes += copied.source_bytes;
            counts.copied_bytes += copied.copied_bytes.unwrap_or(0);
            counts.belonging_records += copied.belonging_records;
            counts.lost_bytes += copied.lost_bytes;
        }
        counts
    }

    /// Writes the summaries, the last of them last.
    pub(super) fn finish(&self, outcome: &DedupOutcome) -> Result<(), Error> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.sort_unstable_by_key(|(index, _)| *index);
        let lines: String = records.iter().map(|(_, copied)| copied.line()).collect();
        AtomicFile::replace(&self.disk, &self.dir.join(FILES), lines.as_bytes())?;
        let summary = DedupOutcome {
            output: None,
            ..outcome.clone()
        };
        let text = serde_json::to_string_pretty(&summary);
        let text =
            text.map_err(|e| Error::Usage(format!("failed to write {SUMMARY}: {e}")))? + "\n";
        AtomicFile::replace(&self.disk, &self.dir.join(SUMMARY), text.as_bytes())?;
        self.clear()
    }

    /// Removes the files that are only needed until the end.
    fn clear(&self) -> Result<(), Error> {
        self.disk.remove(&self.dir.join(JOURNAL))?;
        let staging = self.dir.join(STAGING);
        if staging.is_dir() {
            self.disk.remove_tree(&staging).map_err(Error::from)
        } else {
            Ok(())
        }
    }
}

/// Files that are recorded as finished and have their recorded size.
fn done(disk: &Disk, dir: &Path) -> Result<HashMap<String, CopiedFile>, Error> {
    let mut done = HashMap::new();
    for name in [FILES, JOURNAL] {
        let text = disk.read_text(&dir.join(name))?.unwrap_or_default();
        for copied in CopiedFile::parse_all(&text) {
            let bytes = disk.size(&dir.join(DATA).join(unshown(&copied.file)));
            if bytes == copied.copied_bytes {
                done.insert(copied.file.clone(), copied);
            }
        }
    }
    Ok(done)
}
