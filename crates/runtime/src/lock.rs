//! The lock of a work directory: one run at a time.
//!
//! It is a lock of the kernel on an open file, and ends with the process. Taking it writes nothing,
//! so a run that finds nothing to do leaves no trace. A process that begins to work writes its
//! description into the file, for the messages of others, and removes it at the end. The text that
//! a killed process left blocks no other.

use crate::error::Error;
use crate::holder::Holder;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// No process writes a longer text.
const TEXT_BYTES_MAX: u64 = 4096;

/// The lock; it is held until this value is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    announced: AtomicBool,
}

/// Takes the lock of a work directory and writes the description of this process into it.
///
/// # Errors
/// When another process holds it, or the system refuses.
pub fn acquire(work: &Path) -> Result<Lock, Error> {
    let lock = take(work)?;
    lock.announce();
    Ok(lock)
}

/// Takes the lock of a work directory. Creates the file if it is missing, and writes nothing.
///
/// # Errors
/// When another process holds it, or the system refuses.
pub fn take(work: &Path) -> Result<Lock, Error> {
    let path = work.join("lock");
    let open = |path: &Path| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
    };
    let file = open(&path).map_err(Error::io(format!("open {}", path.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock {
            file,
            announced: AtomicBool::new(false),
        }),
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = file.take(TEXT_BYTES_MAX).read_to_string(&mut text);
            Err(Error::Locked {
                holder: Holder::of(&text),
                lock: path,
            })
        }
        Err(TryLockError::Error(source)) => {
            Err(Error::io(format!("lock {}", path.display()))(source))
        }
    }
}

impl Lock {
    /// Writes the description of this process into the file, once.
    pub fn announce(&self) {
        if self.announced.swap(true, Ordering::Relaxed) {
            return;
        }
        let text = Holder::own().to_line();
        let mut file = &self.file;
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()));
        // A full disk must not keep a run from saying what it needs; the lock holds without its
        // text.
        drop(written);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.announced.load(Ordering::Relaxed) {
            drop(self.file.set_len(0));
        }
    }
}

/// Refuses a directory with files of other programs.
///
/// # Errors
/// When the directory has files, but no lock file.
pub fn check_ours(work: &Path) -> Result<(), Error> {
    let Ok(mut entries) = std::fs::read_dir(work) else {
        return Ok(());
    };
    if work.join("lock").is_file() || entries.next().is_none() {
        return Ok(());
    }
    let work = work.display();
    Err(Error::Usage(format!(
        "failed to start: {work} holds files that this program did not make; set dir in \
         [work] to another directory"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holder::host;

    #[test]
    fn who_holds_it_is_told_and_taken_out_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let text = || std::fs::read_to_string(dir.path().join("lock")).expect("a lock");
        let lock = acquire(dir.path()).expect("free");
        let refused = take(dir.path()).expect_err("locked");
        assert_eq!(refused.exit_code(), 75);
        let told = refused.to_string();
        assert!(
            told.contains(&format!(
                "process {} has been running here since 20",
                std::process::id()
            )),
            "{told}"
        );
        assert!(
            told.contains(&format!("(on {}: ", host())) && told.ends_with("lock is locked"),
            "{told}"
        );
        drop(lock);
        assert_eq!(text(), "");
        let silent = take(dir.path()).expect("free");
        assert_eq!(text(), "");
        let told = take(dir.path()).expect_err("locked").to_string();
        assert!(told.contains("another process"), "{told}");
        drop(silent);
    }

    #[test]
    fn what_a_killed_process_left_is_nobody() {
        let dir = tempfile::tempdir().expect("a directory");
        // No process has this id: the kernel's largest is 2^22.
        let gone = Holder {
            pid: "4194305".to_owned(),
            ..Holder::own()
        };
        std::fs::write(dir.path().join("lock"), gone.to_line()).expect("written");
        let lock = take(dir.path()).expect("free");
        let told = take(dir.path()).expect_err("locked").to_string();
        assert!(
            told.contains("another process") && !told.contains("4194305"),
            "{told}"
        );
        drop(lock);
        // Of another host nothing can be said, so its word is taken.
        let elsewhere = Holder {
            host: "another.example".to_owned(),
            ..gone
        };
        assert_eq!(Holder::of(&elsewhere.to_line()), Some(elsewhere));
        for odd in ["", "12", "12 2026-01-01T00:00:00Z", "\n"] {
            assert_eq!(Holder::of(odd), None, "{odd:?}");
        }
    }
}
