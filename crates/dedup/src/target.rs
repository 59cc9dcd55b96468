//! The directory of copies: which call made it, and which of its files are finished.
//!
//! [`layout`](super::layout) has the names.
//!
//! *Algorithm.* A copy is written in `.staging`, synced, and renamed to its name; then it is
//! recorded in the journal. So no unfinished file ever has a final name, and a second call resumes
//! after the finished files. It reads their copies, and makes one anew if its bytes have changed.

use super::journal::{CopiedFile, Journal, checked_line, content};
use super::layout::{DATA, FILES, JOURNAL, MARKER, REMOVED_TABLE, SEAL, STAGING, SUMMARY};
use super::names::{shown, unshown};
use super::outcome::{DedupCounts, DedupOutcome, FinishedDedup};
use super::places::RemovalPlaces;
use engine::Engine;
use format::{Access, AtomicFile, Disk, Fingerprint, FormatError, Sealed};
use model::Unpoisoned;
use runtime::threads::in_threads;
use runtime::{Error, parameters};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bytes of a thread: blocks to read, decode, encode and write.
const THREAD_BYTES: usize = 8 << 20;

/// The threads that read or write so many files, by the memory that is free.
pub(super) fn threads(engine: &Engine<'_>, files: usize) -> usize {
    let wanted = engine.config.work.threads.min(files).max(1);
    (engine.budget.free_bytes() / THREAD_BYTES).clamp(1, wanted)
}

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
        let lines = done.values().map(|copied| checked_line(&copied.line()));
        let lines: String = lines.collect();
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

    /// What is known of a call that was finished, if all it made is still there and sound. For
    /// that, the copies are read again.
    pub(super) fn finished(&self, engine: &Engine<'_>) -> Result<Option<FinishedDedup>, Error> {
        if self.is_sound(engine)? {
            let summary = self.disk.read_text(&self.dir.join(SUMMARY))?;
            let finished = summary.and_then(|text| serde_json::from_str(&text).ok());
            if finished.is_some() {
                self.clear()?;
                return Ok(finished);
            }
        }
        for name in [SUMMARY, SEAL] {
            self.disk.remove(&self.dir.join(name))?;
        }
        Ok(None)
    }

    /// Whether a call was finished, and nothing that it made has changed.
    fn is_sound(&self, engine: &Engine<'_>) -> Result<bool, Error> {
        let Some(seals) = seals(&self.disk, &self.dir)? else {
            return Ok(false);
        };
        for seal in &seals {
            if !self.has(&self.dir.join(&seal.name), seal)? {
                return Ok(false);
            }
        }
        let listed = self.disk.read_text(&self.dir.join(FILES))?;
        let listed = CopiedFile::parse_all(&listed.unwrap_or_default());
        if listed.len() != self.done.len() {
            return Ok(false);
        }
        let threads = threads(engine, listed.len());
        let _memory = engine.budget.reserve_share(1, 1);
        let bytes = listed.iter().filter_map(|one| one.copied_bytes).sum();
        let progress = engine.reporter.task_named("dedup", "bytes", bytes);
        let (next, is_sound) = (AtomicUsize::new(0), AtomicBool::new(true));
        in_threads(threads, "dedup", || {
            while let Some(copied) = listed.get(next.fetch_add(1, Ordering::Relaxed))
                && is_sound.load(Ordering::Relaxed)
            {
                engine.disk.check_interrupt()?;
                is_sound.fetch_and(self.has_copy(copied)?, Ordering::Relaxed);
                progress.add(copied.copied_bytes.unwrap_or(0));
            }
            Ok::<(), Error>(())
        })?;
        progress.finish();
        Ok(is_sound.into_inner())
    }

    /// Whether the copy of a finished file has the bytes that were written.
    fn has_copy(&self, copied: &CopiedFile) -> Result<bool, Error> {
        let path = self.dir.join(DATA).join(unshown(&copied.file));
        match (copied.copied_bytes, copied.seal()) {
            (None, _) => Ok(true),
            (Some(_), None) => Ok(false),
            (Some(_), Some(seal)) => self.has(&path, &seal),
        }
    }

    fn has(&self, path: &Path, seal: &Sealed) -> Result<bool, Error> {
        match AtomicFile::verify(&self.disk, path, seal) {
            Ok(()) => Ok(true),
            Err(FormatError::Interrupted) => Err(FormatError::Interrupted.into()),
            // What cannot be read is made again.
            Err(_) => Ok(false),
        }
    }

    pub(super) fn disk(&self) -> &Disk {
        &self.disk
    }

    pub(super) fn removed_table(&self) -> PathBuf {
        self.dir.join(REMOVED_TABLE)
    }

    /// A file that is finished, and whose copy is sound.
    pub(super) fn done(&self, name: &Path) -> Result<Option<&CopiedFile>, Error> {
        match self.done.get(&shown(name)) {
            Some(copied) if self.has_copy(copied)? => Ok(Some(copied)),
            _ => Ok(None),
        }
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
        // The journal already has the copies that were found sound.
        if self.done.get(&copied.file) != Some(&copied) {
            let mut journal = self.journal.lock().unpoisoned();
            journal.add(&copied)?;
        }
        self.records.lock().unpoisoned().push((index, copied));
        Ok(())
    }

    /// The recorded files from which nothing went, although something was to go.
    pub(super) fn copied_whole(&self, places: &RemovalPlaces) -> Vec<usize> {
        let records = self.records.lock().unpoisoned();
        let whole = records
            .iter()
            .filter(|(index, copied)| copied.removed == 0 && places.count(*index) > 0);
        whole.map(|(index, _)| *index).collect()
    }

    /// Sums of all recorded files.
    pub(super) fn counts(&self) -> DedupCounts {
        let records = self.records.lock().unpoisoned();
        let mut counts = DedupCounts::default();
        for (_, copied) in records.iter() {
            counts.source_files += 1;
            counts.files += u64::from(copied.copied_bytes.is_some());
            counts.source_bytes += copied.source_bytes;
            counts.copied_bytes += copied.copied_bytes.unwrap_or(0);
            counts.belonging_records += copied.belonging_records;
            counts.lost_bytes += copied.lost_bytes;
        }
        counts
    }

    /// Writes the lists and the summary, and then the seal of them and of the table.
    pub(super) fn finish(&self, outcome: &DedupOutcome, table: Sealed) -> Result<(), Error> {
        let mut records = self.records.lock().unpoisoned();
        records.sort_unstable_by_key(|(index, _)| *index);
        let lines = records.iter().map(|(_, copied)| copied.line() + "\n");
        let files = self.put(FILES, &lines.collect::<String>())?;
        let summary = DedupOutcome {
            output: None,
            ..outcome.clone()
        };
        let failed = |error| Error::Usage(format!("failed to write {SUMMARY}: {error}"));
        let text = serde_json::to_string_pretty(&summary).map_err(failed)?;
        let summary = self.put(SUMMARY, &(text + "\n"))?;
        let seals = serde_json::to_string(&[table, files, summary]).map_err(failed)?;
        self.put(SEAL, &checked_line(&seals))?;
        self.clear()
    }

    /// Writes a small file.
    fn put(&self, name: &str, text: &str) -> Result<Sealed, Error> {
        let path = self.dir.join(name);
        let mut file = AtomicFile::create(&self.disk, &path)?;
        let written = file.write_all(text.as_bytes());
        written.map_err(Error::io(format!("write {}", path.display())))?;
        let sealed = file.commit(0)?;
        self.disk.sync_dir(&self.dir)?;
        Ok(sealed)
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

/// The seals of the lists, the summary and the table of a call that was finished.
fn seals(disk: &Disk, dir: &Path) -> Result<Option<[Sealed; 3]>, Error> {
    let text = disk.read_text(&dir.join(SEAL))?;
    let seals = text.as_deref().and_then(|text| text.lines().next());
    let seals = seals.and_then(content);
    Ok(seals.and_then(|seals| serde_json::from_str(seals).ok()))
}

/// Files that are recorded as finished, and whose copies have the recorded size. The list of files
/// counts if its seal is sound.
fn done(disk: &Disk, dir: &Path) -> Result<HashMap<String, CopiedFile>, Error> {
    let mut recorded = Vec::new();
    let seals = seals(disk, dir)?.into_iter().flatten();
    for seal in seals.filter(|seal| seal.name == FILES) {
        if AtomicFile::verify(disk, &dir.join(FILES), &seal).is_ok() {
            let text = disk.read_text(&dir.join(FILES))?.unwrap_or_default();
            recorded = CopiedFile::parse_all(&text);
        }
    }
    let text = disk.read_text(&dir.join(JOURNAL))?.unwrap_or_default();
    recorded.extend(CopiedFile::parse_journal(&text));
    let mut done = HashMap::new();
    for copied in recorded {
        let bytes = disk.size(&dir.join(DATA).join(unshown(&copied.file)));
        if bytes == copied.copied_bytes {
            done.insert(copied.file.clone(), copied);
        }
    }
    Ok(done)
}
