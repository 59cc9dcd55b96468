//! Files of results, which appear under their names only when they are complete.
//!
//! Each is written beside its name, synced and renamed. An error removes what was written. A signal
//! does too, from [`end_at_signals`] on. What a killed process left is removed by the next one that
//! makes the file.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::exit::Failure;

/// Names of files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether something of this name is written to, not replaced: a link, a pipe, a device.
/// `/dev/stdout` is a link even where output goes to a file, and to replace it harms the system. So
/// no link is followed to find out.
pub(super) fn is_written_in_place(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|found| !found.file_type().is_file())
}

/// A file beside the one that it will be.
pub(super) struct WholeFile {
    path: PathBuf,
    partial: PathBuf,
    file: File,
}

impl WholeFile {
    /// Makes the file beside this name.
    pub(super) fn create(path: &Path) -> Result<WholeFile, Failure> {
        let partial = partial_name(path);
        remove_left(path);
        let mut unfinished = unfinished();
        let file = fs::remove_file(&partial)
            .or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })
            // a new file, and never the target of a link
            .and_then(|()| File::create_new(&partial));
        let file = file.map_err(Failure::file("write", path))?;
        // Where locks cannot be had, the process id alone says whose it is.
        let _ = file.try_lock();
        unfinished.push(partial.clone());
        Ok(WholeFile {
            path: path.to_owned(),
            partial,
            file,
        })
    }

    /// The name that it has until it is complete.
    pub(super) fn partial(&self) -> &Path {
        &self.partial
    }

    /// The place to write to.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Adds these bytes.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let written = (&self.file).write_all(bytes);
        written.map_err(Failure::file("write", &self.path))
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let synced = self.file.sync_all();
        // no signal comes between: whoever removes unfinished files waits
        let _unfinished = unfinished();
        let renamed = synced.and_then(|()| fs::rename(&self.partial, &self.path));
        renamed.map_err(Failure::file("write", &self.path))
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        // Nothing to do if it has its name.
        let _ = fs::remove_file(&self.partial);
        unfinished.retain(|name| *name != self.partial);
    }
}

/// From now on a signal ends the process at once. It removes unfinished files, and what `remove`
/// removes.
pub(super) fn end_at_signals(remove: fn()) -> Result<(), Failure> {
    let stop = pipeline::answer_signals()?;
    thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
        // held until the end, so that no file is begun or finished any more
        let unfinished = unfinished();
        for name in unfinished.iter() {
            let _ = fs::remove_file(name);
        }
        remove();
        let signal = pipeline::received_signal();
        let failure = Failure::from(pipeline::Error::Stopped { signal });
        failure.report();
        std::process::exit(failure.code().into());
    });
    Ok(())
}

/// Removes the partial files of this name that killed processes left. The lock tells of a process
/// on another machine. What cannot be removed is left.
fn remove_left(path: &Path) {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let is_left = |partial: &[u8]| -> Option<bool> {
        let pid = partial.strip_prefix(b".")?.strip_prefix(name)?;
        let pid = pid.strip_prefix(b".")?.strip_suffix(b".partial")?;
        let pid: u32 = std::str::from_utf8(pid).ok()?.parse().ok()?;
        Some(!Path::new("/proc").join(pid.to_string()).exists())
    };
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let entries = fs::read_dir(dir.unwrap_or(Path::new(".")));
    for entry in entries.into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_left(entry.file_name().as_bytes()) == Some(true) {
            let file = File::open(entry.path());
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Beside the file, so that renaming is possible; of this process, so that two calls do not meet.
fn partial_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.partial", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let dir = tempfile::tempdir().expect("directory");
        // Above the largest id of a process.
        let gone = u32::MAX;
        let others = [
            format!(".a.csv.{}.partial", std::process::id()),
            ".b.csv.1.partial".into(),
        ];
        let kept = [
            ".a.csv.x.partial",
            &others[0],
            &format!(".a.csv.c.{gone}.partial"),
        ];
        let locked = format!(".a.csv.{}.partial", gone - 1);
        let left = format!(".a.csv.{gone}.partial");
        for name in kept.into_iter().chain([&*others[1], &locked, &left]) {
            fs::write(dir.path().join(name), "").expect("written");
        }
        let held = File::open(dir.path().join(&locked)).expect("opened");
        held.try_lock().expect("locked");
        remove_left(&dir.path().join("a.csv"));
        for name in kept.into_iter().chain([&*others[1], &locked]) {
            assert!(dir.path().join(name).exists(), "{name}");
        }
        assert!(!dir.path().join(&left).exists());
    }

    #[test]
    fn the_partial_file_lies_beside() {
        let name = partial_name(Path::new("/a/b.csv"));
        assert_eq!(name.parent(), Some(Path::new("/a")));
        assert_ne!(name, Path::new("/a/b.csv"));
    }
}
