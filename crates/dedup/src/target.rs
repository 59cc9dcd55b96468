//! The directory of copies: which call made it, and which of its files are finished.
//!
//! | name | holds |
//! |---|---|
//! | `data/` | the copies, by the names of the input |
//! | the table of [`TargetNames`] | every removed document, with the evidence |
//! | `files.jsonl` | every file of the input: bytes, documents, removals, the checksum of the copy |
//! | its summary | the counts |
//! | `.pipeline-dedup` | the run and the options that made the directory |
//! | `.journal` | the finished files; of a finished call also size and checksum of the three above |
//! | `.staging/` | unfinished files; removed at the end |
//!
//! *Algorithm.* A copy is written in `.staging`, synced, and gets its name; then it is added to the
//! journal, a JSON object a line, each behind its own XXH3-64. So no unfinished file ever has a
//! final name, and a second call resumes after the finished files. It reads their copies, and makes
//! one anew if its bytes have changed. *Limits.* The journal is synced at the end only. A file
//! whose line was lost in a power cut, or is damaged, is copied again.

use super::journal::{CopiedFile, JournalEntry};
use super::names::{DATA, shown};
use crate::copy_counts::CopyCounts;
use crate::{memory, output_lock};
use engine::{Engine, Error, runtime::parameters, runtime::threads::in_threads};
use format::{Access, AtomicFile, Disk, Fingerprint, FormatError, Sealed};
use model::Unpoisoned;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

const FILES: &str = "files.jsonl";
const MARKER: &str = ".pipeline-dedup";
const JOURNAL: &str = ".journal";
const STAGING: &str = ".staging";

/// The names of the files that tell of a call, beside the copies.
#[derive(Clone, Copy)]
pub(super) struct TargetNames {
    /// The table of the documents that the call found.
    pub(super) table: &'static str,
    /// The counts.
    pub(super) summary: &'static str,
}

/// The names of `dedup`.
pub(super) const DEDUP: TargetNames = TargetNames {
    table: "removed.parquet",
    summary: "dedup.json",
};

/// The names of `dedup --passages`.
pub(super) const PASSAGES: TargetNames = TargetNames {
    table: "cuts.parquet",
    ..DEDUP
};

impl TargetNames {
    /// Every file that a call may write beside the copies.
    pub(super) fn own_files(self) -> impl Iterator<Item = PathBuf> {
        let own = [self.table, FILES, self.summary, MARKER, JOURNAL];
        own.into_iter()
            .flat_map(|name| [PathBuf::from(format!("{name}.part")), PathBuf::from(name)])
    }
}

/// Bytes of a thread: blocks to read, decode, encode and write.
const THREAD_BYTES: usize = 8 << 20;

/// The threads that read or write so many files, by the memory that is free.
pub(super) fn threads(engine: &Engine<'_>, files: usize) -> usize {
    let wanted = engine.config.work.threads.min(files).max(1);
    (engine.budget.free_bytes() / THREAD_BYTES).clamp(1, wanted)
}

/// A directory of copies under way.
pub(super) struct CopyTarget {
    disk: Disk,
    dir: PathBuf,
    /// Held as long as this call writes there.
    _lock: File,
    names: TargetNames,
    /// Files that an earlier call finished, by name.
    done: HashMap<String, CopiedFile>,
    /// Of an earlier call that was finished.
    seals: Option<[Sealed; 3]>,
    records: Mutex<CopyRecords>,
}

/// The files that this call has finished.
#[derive(Default)]
struct CopyRecords {
    /// Open from the first of them on.
    journal: Option<File>,
    /// By their place in the input.
    files: Vec<(usize, CopiedFile)>,
}

impl CopyTarget {
    /// Takes a directory that is free, or one in which the same call was interrupted or finished.
    pub(super) fn open(
        disk: &Disk,
        fingerprint: Fingerprint,
        dir: &Path,
        names: TargetNames,
    ) -> Result<CopyTarget, Error> {
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
        let is_new = dir.symlink_metadata().is_err();
        if is_new {
            disk.create_dir(dir, Access::Shared)?;
        }
        let lock = output_lock::lock(dir)?;
        match disk.read_text(&dir.join(MARKER))? {
            Some(known) if known == fingerprint => {}
            Some(_) => {
                return refuse(
                    "holds copies of another run or other input, or copies made with other options",
                );
            }
            None => {
                let begun = format!("{MARKER}.part");
                let mut entries = disk.list(dir)?;
                entries.retain(|entry| entry.file_name() != Some(OsStr::new(&begun)));
                if !entries.is_empty() {
                    return refuse("is not empty, and was not made by this program");
                }
                AtomicFile::replace(disk, &dir.join(MARKER), fingerprint.as_bytes())?;
            }
        }
        let (mut done, mut seals) = (HashMap::new(), None);
        let journal = disk.read_text(&dir.join(JOURNAL))?.unwrap_or_default();
        for entry in journal.lines().filter_map(JournalEntry::parse) {
            match entry {
                JournalEntry::Copied(file) => drop(done.insert(file.file.clone(), file)),
                JournalEntry::Finished(of_call) => seals = Some(of_call),
            }
        }
        Ok(CopyTarget {
            disk: disk.clone(),
            dir: dir.to_owned(),
            _lock: lock,
            names,
            done,
            seals,
            records: Mutex::default(),
        })
    }

    /// The summary of a call that was finished, if all it made is still there and sound. For that,
    /// the copies are read again. Else makes the directory ready for copies; `names` are those of
    /// all of them.
    pub(super) fn finished<T: DeserializeOwned>(
        &self,
        engine: &Engine<'_>,
        names: &[Option<PathBuf>],
    ) -> Result<Option<T>, Error> {
        let (staging, summary) = (self.dir.join(STAGING), self.dir.join(self.names.summary));
        if staging.is_dir() {
            self.disk.remove_tree(&staging)?;
        }
        if self.is_sound(engine, names)? {
            let text = self.disk.read_text(&summary)?;
            let finished = text.and_then(|text| serde_json::from_str(&text).ok());
            if finished.is_some() {
                return Ok(finished);
            }
        }
        // Without its last line, and without torn ones: those would spoil the next one appended.
        let lines = self.done.values().cloned();
        let lines: String = lines
            .map(|file| JournalEntry::Copied(file).line())
            .collect();
        AtomicFile::replace(&self.disk, &self.dir.join(JOURNAL), lines.as_bytes())?;
        self.disk.remove(&summary)?;
        self.disk.create_dir(&self.dir.join(DATA), Access::Shared)?;
        self.disk.create_dir(&staging, Access::Shared)?;
        Ok(None)
    }

    /// Whether a call was finished, and nothing that it made has changed.
    fn is_sound(&self, engine: &Engine<'_>, names: &[Option<PathBuf>]) -> Result<bool, Error> {
        let Some(seals) = &self.seals else {
            return Ok(false);
        };
        for seal in seals {
            if !self.has(&self.dir.join(&seal.name), seal)? {
                return Ok(false);
            }
        }
        let threads = threads(engine, names.len());
        let _memory = engine.budget.take(memory::COPIES);
        let bytes = self.done.values().filter_map(|one| one.copied_bytes).sum();
        let progress = engine.reporter.task_named("copies", "bytes", bytes);
        let (next, is_sound) = (AtomicUsize::new(0), AtomicBool::new(true));
        in_threads(threads, "copies", || {
            while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed))
                && is_sound.load(Ordering::Relaxed)
            {
                engine.disk.check_interrupt()?;
                let Some(name) = name else { continue };
                let copied = self.done(name)?;
                is_sound.fetch_and(copied.is_some(), Ordering::Relaxed);
                progress.add(copied.and_then(|copied| copied.copied_bytes).unwrap_or(0));
            }
            Ok::<(), Error>(())
        })?;
        progress.finish();
        Ok(is_sound.into_inner())
    }

    fn has(&self, path: &Path, seal: &Sealed) -> Result<bool, Error> {
        match AtomicFile::verify(&self.disk, path, seal) {
            Ok(()) => Ok(true),
            Err(FormatError::Interrupted) => Err(FormatError::Interrupted.into()),
            // A file that cannot be read is made again.
            Err(_) => Ok(false),
        }
    }

    /// The record of a file that an earlier call finished, if its copy has the bytes that were
    /// written.
    pub(super) fn done(&self, name: &Path) -> Result<Option<&CopiedFile>, Error> {
        let Some(copied) = self.done.get(&shown(name)) else {
            return Ok(None);
        };
        let is_sound = match (copied.copied_bytes, copied.checksum.clone()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(bytes), Some(checksum)) => {
                let seal = Sealed {
                    name: copied.file.clone(),
                    bytes,
                    records: 0,
                    checksum,
                };
                self.has(&self.dir.join(DATA).join(name), &seal)?
            }
        };
        Ok(is_sound.then_some(copied))
    }

    /// The directory of unfinished files, there from the time when it was found that the call is
    /// not finished.
    pub(super) fn staging(&self) -> PathBuf {
        self.dir.join(STAGING)
    }

    /// Starts the table.
    pub(super) fn table(&self) -> Result<AtomicFile, Error> {
        let path = self.dir.join(self.names.table);
        AtomicFile::create(&self.disk, &path).map_err(Error::from)
    }

    pub(super) fn begin(&self, index: usize) -> Result<AtomicFile, Error> {
        let path = self.dir.join(STAGING).join(index.to_string());
        AtomicFile::create(&self.disk, &path).map_err(Error::from)
    }

    /// Gives a finished copy its name.
    pub(super) fn publish(&self, mut copy: AtomicFile, name: &Path) -> Result<Sealed, Error> {
        let path = self.dir.join(DATA).join(name);
        let parent = path.parent().unwrap_or(&self.dir);
        if !parent.is_dir() {
            self.disk.create_dir(parent, Access::Shared)?;
        }
        copy.rename(path.clone());
        let sealed = copy.commit(0)?;
        self.disk.sync_dir(parent)?;
        Ok(sealed)
    }

    fn records(&self) -> MutexGuard<'_, CopyRecords> {
        self.records.lock().unpoisoned()
    }

    pub(super) fn record(&self, index: usize, copied: CopiedFile) -> Result<(), Error> {
        let mut records = self.records();
        // The journal already has the copies that were found sound.
        if self.done.get(&copied.file) != Some(&copied) {
            let path = self.dir.join(JOURNAL);
            let failed = |action| Error::io(format!("{action} {}", path.display()));
            let journal = match &mut records.journal {
                Some(journal) => journal,
                none => {
                    let file = OpenOptions::new().append(true).create(true).open(&path);
                    none.insert(file.map_err(failed("open"))?)
                }
            };
            let line = JournalEntry::Copied(copied.clone()).line();
            journal
                .write_all(line.as_bytes())
                .map_err(failed("write"))?;
        }
        records.files.push((index, copied));
        Ok(())
    }

    /// The recorded files from which nothing went, although `wanted` says that something was to go.
    pub(super) fn copied_whole(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let records = self.records();
        let whole = records.files.iter();
        let whole =
            whole.filter(|(index, copied)| copied.removed + copied.cut == 0 && wanted(*index));
        whole.map(|(index, _)| *index).collect()
    }

    /// The sums of all recorded files.
    pub(super) fn counts(&self) -> CopyCounts {
        let mut counts = CopyCounts::default();
        for (_, copied) in &self.records().files {
            counts.source_files += 1;
            counts.files += u64::from(copied.copied_bytes.is_some());
            counts.source_bytes += copied.source_bytes;
            counts.copied_bytes += copied.copied_bytes.unwrap_or(0);
            counts.belonging_records += copied.belonging_records;
            counts.lost_bytes += copied.lost_bytes;
        }
        counts
    }

    /// Writes the list and the summary, and then the journal with the seals.
    pub(super) fn finish(self, summary: &impl Serialize, table: Sealed) -> Result<(), Error> {
        let mut records = self.records();
        records.files.sort_unstable_by_key(|(index, _)| *index);
        let failed =
            |error| Error::Usage(format!("failed to write {}: {error}", self.names.summary));
        let (mut lines, mut journal) = (String::new(), String::new());
        for (_, copied) in records.files.drain(..) {
            lines += &(serde_json::to_string(&copied).map_err(failed)? + "\n");
            journal += &JournalEntry::Copied(copied).line();
        }
        let put = |name: &str, text: &str| {
            let path = self.dir.join(name);
            let mut file = AtomicFile::create(&self.disk, &path)?;
            let written = file.write_all(text.as_bytes());
            written.map_err(Error::io(format!("write {}", path.display())))?;
            let sealed = file.commit(0)?;
            self.disk.sync_dir(&self.dir)?;
            Ok::<Sealed, Error>(sealed)
        };
        let files = put(FILES, &lines)?;
        let text = serde_json::to_string_pretty(summary).map_err(failed)?;
        let summary = put(self.names.summary, &(text + "\n"))?;
        journal += &JournalEntry::Finished([table, files, summary]).line();
        put(JOURNAL, &journal)?;
        let staging = self.dir.join(STAGING);
        self.disk.remove_tree(&staging).map_err(Error::from)
    }
}
