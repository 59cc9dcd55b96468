//! The lock of a work directory: one run at a time.
//!
//! It is a lock of the kernel on an open file, and ends with the process. Taking it writes nothing,
//! so a run that finds nothing to do leaves no trace. A process that begins to work writes its
//! description into the file, for the messages of others, and removes it at the end. The text that
//! a killed process left blocks no other. On a read-only file system the lock is taken without
//! writing.

use crate::runtime::error::Error;
use crate::runtime::holder::Holder;
use config::WorkConfig;
use format::FormatError;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
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
    let file = open(&path, Writing::Possible).or_else(|error| match error.kind() {
        ErrorKind::ReadOnlyFilesystem => open(&path, Writing::Impossible),
        _ => Err(error),
    });
    let file = file.map_err(|e| Error::from_format(None, FormatError::io("open", &path, 0, e)))?;
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

/// That a run is at work in a directory, as its lock file says. The lock is not touched: a run that
/// starts meanwhile must get it.
pub fn at_work(work: &Path) -> Error {
    let path = work.join("lock");
    Error::Locked {
        holder: announced(&path),
        lock: path,
    }
}

/// The error of a reader that misses a result of the last run; if a run is at work, which takes
/// results away first, then that.
pub fn or_at_work(work: &Path, error: Error) -> Error {
    match announced(&work.join("lock")) {
        Some(_) => at_work(work),
        None => error,
    }
}

/// The process that describes itself in a lock file, unless it is known to be gone.
fn announced(path: &Path) -> Option<Holder> {
    let mut text = String::new();
    let file = open(path, Writing::Impossible).ok()?;
    file.take(TEXT_BYTES_MAX).read_to_string(&mut text).ok()?;
    Holder::of(&text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    Possible,
    Impossible,
}

/// Opens the lock file itself: whoever may write to the directory cannot lead this process to
/// another file by a link, nor hold it up with a FIFO.
fn open(path: &Path, writing: Writing) -> std::io::Result<File> {
    // The bits of open(2) flags fit an i32 on every Unix.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let can_write = writing == Writing::Possible;
    let why = "not a regular file; remove it, unless a run is at work there";
    let odd = || std::io::Error::new(ErrorKind::InvalidInput, why);
    let opened = OpenOptions::new()
        .read(true)
        .write(can_write)
        .create(can_write)
        .truncate(false)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => odd(),
        _ => error,
    })?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(odd())
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
/// When the directory has files, but no lock file: two runs could be at work in a directory whose
/// lock file was removed. When the path is that of a file.
pub fn check_ours(work: &Path) -> Result<(), Error> {
    let mut entries = match std::fs::read_dir(work) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(Error::Usage(format!(
                "failed to start: {} is not a directory; set dir in [work] to another directory",
                work.display()
            )));
        }
        Err(_) => return Ok(()),
    };
    if work.join("lock").symlink_metadata().is_ok() || entries.next().is_none() {
        return Ok(());
    }
    let work = work.display();
    Err(Error::Usage(format!(
        "failed to start: {work} holds files, but not the file `lock` that this program makes; \
         set dir in [work] to another directory, or, if this program made the files and no run is \
         at work there, `touch {work}/lock`"
    )))
}

/// Refuses a work directory in which another user can replace files, unless the configuration
/// trusts them: damage that is made with care passes every checksum. A directory that is not there
/// yet is made for its owner alone.
///
/// # Errors
/// When the directory belongs to another user, or its group or all others may write to it.
pub fn check_private(work: &WorkConfig) -> Result<(), Error> {
    check_all_private(work, std::slice::from_ref(&work.dir))
}

/// [`check_private`] of directories that `work` takes files from: as links, their writers could
/// change them there.
pub fn check_all_private(work: &WorkConfig, dirs: &[PathBuf]) -> Result<(), Error> {
    if work.shared {
        return Ok(());
    }
    dirs.iter().try_for_each(|dir| refuse_shared(dir))
}

fn refuse_shared(work: &Path) -> Result<(), Error> {
    let Ok(metadata) = std::fs::metadata(work) else {
        return Ok(());
    };
    let user = rustix::process::geteuid().as_raw();
    let why = if metadata.uid() != user {
        format!(
            "belongs to user {}, and this is user {user}",
            metadata.uid()
        )
    } else if metadata.mode() & 0o022 != 0 {
        format!(
            "may be written to by others (mode {:o})",
            metadata.mode() & 0o777
        )
    } else {
        return Ok(());
    };
    let work = work.display();
    Err(Error::Usage(format!(
        "failed to start: {work} {why}; make it private (chmod 700), or set shared = true in \
         [work] if you trust all who can write there"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::holder::host;

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
    fn neither_a_link_nor_a_fifo_is_taken_for_the_lock() {
        let dir = tempfile::tempdir().expect("a directory");
        let (lock, other) = (dir.path().join("lock"), dir.path().join("other"));
        std::fs::write(&other, "precious").expect("written");
        std::os::unix::fs::symlink(&other, &lock).expect("linked");
        let told = acquire(dir.path()).expect_err("a link").to_string();
        assert!(told.contains("not a regular file"), "{told}");
        assert_eq!(std::fs::read_to_string(&other).expect("read"), "precious");
        std::fs::remove_file(&lock).expect("removed");
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            &lock,
            rustix::fs::Mode::RUSR.union(rustix::fs::Mode::WUSR),
        )
        .expect("made");
        acquire(dir.path()).expect_err("a FIFO");
    }

    #[test]
    fn a_directory_that_others_may_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a directory");
        for (mode, is_private) in [(0o700, true), (0o755, true), (0o775, false), (0o707, false)] {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(dir.path(), permissions).expect("set");
            assert_eq!(refuse_shared(dir.path()).is_ok(), is_private, "{mode:o}");
        }
        refuse_shared(&dir.path().join("new")).expect("it will be private");
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
