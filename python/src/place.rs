//! The temporary directory of a call. What a killed process left is removed by the next call there.
//!
//! *Algorithm.* A process locks its directory as long as it lives. A directory that nobody locks is
//! left over. *Limits.* Where directories cannot be locked, none is removed.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::TempDir;

const PREFIX: &str = "altavista-dedup-";

/// A locked directory, removed in the end.
pub(crate) struct Place {
    dir: TempDir,
    /// Behind the directory, which is removed before it is unlocked.
    _lock: File,
}

impl Place {
    /// Makes one in `parent`, and removes those of dead processes.
    pub(crate) fn new(parent: &Path) -> io::Result<Place> {
        loop {
            let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            let lock = match File::open(dir.path()) {
                // Another process took it for a left one before it was opened.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            let own = lock.metadata()?;
            if lock.lock().is_err() {
                return Ok(Place { dir, _lock: lock });
            }
            // Before it was locked, another process may have taken it for a left one.
            let is_there = fs::symlink_metadata(dir.path());
            if is_there.is_ok_and(|there| there.ino() == own.ino()) {
                remove_left(parent, own.uid());
                return Ok(Place { dir, _lock: lock });
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes directories of this user that nobody locks. One that cannot be removed stays.
fn remove_left(parent: &Path, user: u32) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry
                .metadata()
                .is_ok_and(|entry| entry.is_dir() && entry.uid() == user);
        if is_ours
            && let Ok(lock) = File::open(entry.path())
            && lock.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
