//! The directory of copies: whose it is, what of it is finished, what its files are called.
//!
//! | name | holds |
//! |---|---|
//! | `data/` | the copies, by the names of the input |
//! | `removed.parquet` | what went, and why |
//! | `files.jsonl` | every file of the input: bytes, documents, what went |
//! | `dedup.json` | the counts; written last |
//! | `.pipeline-dedup` | which run and which options made it |
//! | `.journal`, `.staging/` | finished files, files under way; gone at the end |
//!
//! *Algorithm.* A copy is written in `.staging`, synced, and renamed to its name; then it is put down in the journal. So no
//! half file ever has a final name, and who starts again goes on behind the files that are done.

use super::outcome::{DedupCounts, DedupOutcome};
use super::prepare::Prepared;
use crate::phases::index::table_error;
use crate::{Error, PhaseName, parameters};
use format::{Access, AtomicFile, Disk};
use input::SourceFile;
use output::{CopiedFile, Journal};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where the copies are.
pub(super) const DATA: &str = "data";
const MARKER: &str = ".pipeline-dedup";
const JOURNAL: &str = ".journal";
const STAGING: &str = ".staging";
const FILES: &str = "files.jsonl";
const SUMMARY: &str = "dedup.json";

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

fn outside(e: format::FormatError) -> Error {
    Error::from_format(None, e)
}

impl Target {
    /// Takes a directory that is free, or one in which the same call was interrupted or finished.
    pub(super) fn open(prepared: &Prepared, dir: &Path) -> Result<Target, Error> {
        let refuse = |why: &str| {
            let dir = dir.display();
            Err(Error::Usage(format!("failed to use {dir}: it {why}; name another directory, or empty it")))
        };
        let disk = prepared.copies.clone();
        let fingerprint = parameters::hex(prepared.fingerprint) + "\n";
        if dir.symlink_metadata().is_ok() && !dir.is_dir() {
            return refuse("is no directory");
        }
        match disk.read_text(&dir.join(MARKER)).map_err(outside)? {
            Some(known) if known == fingerprint => {}
            Some(_) => return refuse("holds copies made from another run, or with other options"),
            None => {
                let begun = format!("{MARKER}.part");
                let mut entries = disk.list(dir).map_err(outside)?;
                entries.retain(|entry| entry.file_name() != Some(OsStr::new(&begun)));
                if !entries.is_empty() {
                    return refuse("is not empty, and was not made by this program");
                }
                disk.create_dir(dir, Access::Shared).map_err(outside)?;
                AtomicFile::replace(&disk, &dir.join(MARKER), fingerprint.as_bytes()).map_err(outside)?;
            }
        }
        let staging = dir.join(STAGING);
        if staging.is_dir() {
            disk.remove_tree(&staging).map_err(outside)?;
        }
        let done = done(&disk, dir)?;
        // A line that was torn would spoil those appended to it.
        let lines: String = done.values().map(CopiedFile::line).collect();
        AtomicFile::replace(&disk, &dir.join(JOURNAL), lines.as_bytes()).map_err(outside)?;
        let journal = Journal::open(&dir.join(JOURNAL)).map_err(table_error(PhaseName::Cluster))?;
        disk.create_dir(&dir.join(DATA), Access::Shared).map_err(outside)?;
        disk.create_dir(&staging, Access::Shared).map_err(outside)?;
        let (dir, journal, records) = (dir.to_owned(), Mutex::new(journal), Mutex::default());
        Ok(Target { disk, dir, done, journal, records })
    }

    /// The counts of a call that was finished, if all it made is still there.
    pub(super) fn finished(&self) -> Result<Option<DedupCounts>, Error> {
        let summary = self.disk.read_text(&self.dir.join(SUMMARY)).map_err(outside)?;
        let listed = self.disk.read_text(&self.dir.join(FILES)).map_err(outside)?.unwrap_or_default();
        let whole = CopiedFile::parse_all(&listed).len() == self.done.len() && self.removed_table().is_file();
        let counts = summary.filter(|_| whole).and_then(|text| serde_json::from_str(&text).ok());
        if counts.is_some() {
            self.clear()?;
        } else {
            self.disk.remove(&self.dir.join(SUMMARY)).map_err(outside)?;
        }
        Ok(counts)
    }

    pub(super) fn disk(&self) -> &Disk {
        &self.disk
    }

    pub(super) fn removed_table(&self) -> PathBuf {
        self.dir.join("removed.parquet")
    }

    /// A file that is finished.
    pub(super) fn done(&self, name: &Path) -> Option<&CopiedFile> {
        self.done.get(&shown(name))
    }

    /// Starts a copy.
    pub(super) fn begin(&self, index: usize) -> Result<AtomicFile, Error> {
        AtomicFile::create(&self.disk, &self.staged(index)).map_err(outside)
    }

    fn staged(&self, index: usize) -> PathBuf {
        self.dir.join(STAGING).join(index.to_string())
    }

    /// Gives a finished copy its name.
    pub(super) fn publish(&self, index: usize, name: &Path) -> Result<(), Error> {
        let path = self.dir.join(DATA).join(name);
        let parent = path.parent().unwrap_or(&self.dir);
        if !parent.is_dir() {
            self.disk.create_dir(parent, Access::Shared).map_err(outside)?;
        }
        self.disk.rename(&self.staged(index), &path).map_err(outside)?;
        self.disk.sync_dir(parent).map_err(outside)
    }

    /// Puts down what became of a file.
    pub(super) fn record(&self, index: usize, copied: CopiedFile) -> Result<(), Error> {
        if !self.done.contains_key(&copied.file) {
            let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
            journal.add(&copied).map_err(table_error(PhaseName::Cluster))?;
        }
        self.records.lock().unwrap_or_else(PoisonError::into_inner).push((index, copied));
        Ok(())
    }

    /// Sums of all files put down.
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
        AtomicFile::replace(&self.disk, &self.dir.join(FILES), lines.as_bytes()).map_err(outside)?;
        let summary = DedupOutcome { output: None, ..outcome.clone() };
        let text = serde_json::to_string_pretty(&summary);
        let text = text.map_err(|e| Error::Usage(format!("failed to write {SUMMARY}: {e}")))? + "\n";
        AtomicFile::replace(&self.disk, &self.dir.join(SUMMARY), text.as_bytes()).map_err(outside)?;
        self.clear()
    }

    /// Removes what is only needed on the way.
    fn clear(&self) -> Result<(), Error> {
        self.disk.remove(&self.dir.join(JOURNAL)).map_err(outside)?;
        let staging = self.dir.join(STAGING);
        if staging.is_dir() { self.disk.remove_tree(&staging).map_err(outside) } else { Ok(()) }
    }
}

/// Files that are put down as finished and lie there as they were.
fn done(disk: &Disk, dir: &Path) -> Result<HashMap<String, CopiedFile>, Error> {
    let mut done = HashMap::new();
    for name in [FILES, JOURNAL] {
        let text = disk.read_text(&dir.join(name)).map_err(outside)?.unwrap_or_default();
        for copied in CopiedFile::parse_all(&text) {
            let bytes = disk.size(&dir.join(DATA).join(unshown(&copied.file)));
            if bytes == copied.copied_bytes {
                done.insert(copied.file.clone(), copied);
            }
        }
    }
    Ok(done)
}

/// What the copy of each file is called below `data`: its name in the input. Of several files of one name, and of one that
/// has the name of another's directory, all but the first are put into directories of their own.
pub(super) fn names(files: &[SourceFile]) -> Vec<PathBuf> {
    let plain: Vec<PathBuf> = files.iter().map(plain_name).collect();
    let directories: HashSet<&Path> =
        plain.iter().flat_map(|name| name.ancestors().skip(1)).filter(|dir| !dir.as_os_str().is_empty()).collect();
    let mut taken: HashSet<PathBuf> = HashSet::with_capacity(plain.len());
    let mut names = Vec::with_capacity(plain.len());
    for name in &plain {
        let free = |name: &Path| !directories.contains(name) && !taken.contains(name);
        let others = (2..).map(|number| Path::new(&format!("same-name-{number}")).join(name));
        let found = std::iter::once(name.clone()).chain(others).find(|name| free(name)).unwrap_or_else(|| name.clone());
        taken.insert(found.clone());
        names.push(found);
    }
    names
}

/// As many parts of the path as the name has; never out of the directory.
fn plain_name(file: &SourceFile) -> PathBuf {
    let parts = file.name.split('/').count();
    let normal = |part: Component<'_>| matches!(part, Component::Normal(_)).then(|| PathBuf::from(part.as_os_str()));
    let path: Vec<Component<'_>> = file.path.components().collect();
    path[path.len().saturating_sub(parts)..].iter().filter_map(|part| normal(*part)).collect()
}

/// A name as text; other bytes as `%XX`, and `%` itself, so that it can be read back.
pub(super) fn shown(name: &Path) -> String {
    let mut text = String::new();
    for chunk in name.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

fn unshown(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        let digits = more.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => {
                bytes.push(first);
                rest = more;
            }
        }
    }
    PathBuf::from(OsStr::from_bytes(&bytes))
}
