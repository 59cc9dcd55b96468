//! Every file operation on the work directory and on publications passes here.
//!
//! One [`Disk`] a run, cloned freely. It counts bytes, holds to `work.disk`, answers interrupts at
//! safe points, and makes planned faults happen. Directories are in directory.rs. Reads and writes
//! retry EINTR; how they pass the page cache is in direct.rs.

use crate::FormatError;
use crate::direct::{IoMode, RawFile};
use crate::fault::{Fault, Faults, Operation, kill_self};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Debug, Default)]
struct SharedDisk {
    faults: Faults,
    io: IoMode,
    stop: Arc<AtomicBool>,
    limit_bytes: Option<u64>,
    /// Bytes of work files that exist now, as far as this run knows.
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    written_bytes: AtomicU64,
    read_bytes: AtomicU64,
}

/// The one way to the disk. Clones share counters, limit, interrupt flag and faults.
#[derive(Clone, Debug, Default)]
pub struct Disk(Arc<SharedDisk>);

/// How a run wants its [`Disk`].
#[derive(Debug, Default)]
pub struct DiskOptions {
    /// Planned faults.
    pub faults: Faults,
    /// How bytes go to and from the disk.
    pub io: IoMode,
    /// Set by a signal: the next operation answers [`FormatError::Interrupted`].
    pub stop: Arc<AtomicBool>,
    /// `work.disk` in bytes.
    pub limit_bytes: Option<u64>,
    /// Bytes of work files there at the start.
    pub used_bytes: u64,
}

impl Disk {
    /// A disk for one run.
    pub fn new(options: DiskOptions) -> Disk {
        Disk(Arc::new(SharedDisk {
            faults: options.faults,
            io: options.io,
            stop: options.stop,
            limit_bytes: options.limit_bytes,
            used_bytes: AtomicU64::new(options.used_bytes),
            ..SharedDisk::default()
        }))
    }

    /// How bytes go to and from the disk.
    pub(crate) fn io_mode(&self) -> IoMode {
        self.0.io
    }

    /// Bytes written and read so far.
    pub fn traffic(&self) -> (u64, u64) {
        (
            self.0.written_bytes.load(Ordering::Relaxed),
            self.0.read_bytes.load(Ordering::Relaxed),
        )
    }

    /// Bytes of work files that exist now, as far as this run knows.
    pub fn used_bytes(&self) -> u64 {
        self.0.used_bytes.load(Ordering::Relaxed)
    }

    /// The most bytes that work files took at one time.
    pub fn peak_bytes(&self) -> u64 {
        let peak = self.0.peak_bytes.load(Ordering::Relaxed);
        peak.max(self.used_bytes())
    }

    /// The operation counters of the fault layer.
    pub fn operations(&self) -> [u64; 5] {
        self.0.faults.counts()
    }

    /// Fails once a signal asked the run to stop. For loops that compute long between two file
    /// operations.
    pub fn check_interrupt(&self) -> Result<(), FormatError> {
        if self.0.stop.load(Ordering::Relaxed) {
            Err(FormatError::Interrupted)
        } else {
            Ok(())
        }
    }

    /// Counts an operation; true if a planned fault wants it torn.
    pub(crate) fn step(
        &self,
        operation: Operation,
        action: &'static str,
        path: &Path,
    ) -> Result<bool, FormatError> {
        match self.0.faults.step(operation) {
            Fault::None => Ok(false),
            Fault::Torn => Ok(true),
            Fault::Fail(source) => Err(FormatError::io(action, path, 0, source)),
        }
    }

    /// Creates a file that must not yet be there under this name as anything but a leftover.
    pub(crate) fn create(&self, path: &Path) -> Result<File, FormatError> {
        self.remove(path)?;
        OpenOptions::new()
            .write(true)
            .read(true)
            .create_new(true)
            .open(path)
            .map_err(|e| FormatError::io("create", path, 0, e))
    }

    /// Opens a regular file for reading. A FIFO in its place opens at once, without a writer, and
    /// is damage as a directory or a socket is.
    pub(crate) fn open(&self, path: &Path) -> Result<File, FormatError> {
        // The bits of open(2) flags fit an i32 on every Unix.
        let flags = (OFlags::NONBLOCK | OFlags::CLOEXEC).bits().cast_signed();
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let file = opened.map_err(|e| match Errno::from_io_error(&e) {
            Some(Errno::NXIO) => FormatError::damaged(path, 0, "not a regular file"),
            _ => FormatError::io("open", path, 0, e),
        })?;
        if !metadata(&file, path)?.is_file() {
            return Err(FormatError::damaged(path, 0, "not a regular file"));
        }
        Ok(file)
    }

    /// Writes bytes that a new file did not have so far.
    pub(crate) fn write_all(
        &self,
        file: &mut RawFile,
        path: &Path,
        bytes: &[u8],
        at: u64,
    ) -> Result<(), FormatError> {
        let n = bytes.len() as u64;
        self.charge(path, n)?;
        if self.step(Operation::Write, "write", path)? {
            let _ = file.write_all_at(&bytes[..bytes.len() / 2], at);
            kill_self();
        }
        file.write_all_at(bytes, at)
            .map_err(|e| FormatError::io("write", path, n, e))?;
        self.count_written(n);
        Ok(())
    }

    /// Counts bytes about to be written, within the limit and unless a signal came.
    pub(crate) fn charge(&self, path: &Path, n: u64) -> Result<(), FormatError> {
        self.check_interrupt()?;
        let used = self.0.used_bytes.fetch_add(n, Ordering::Relaxed) + n;
        self.0.peak_bytes.fetch_max(used, Ordering::Relaxed);
        match self.0.limit_bytes {
            Some(limit) if used > limit => Err(FormatError::DiskLimit {
                path: path.to_path_buf(),
                limit,
                used: used - n,
            }),
            _ => Ok(()),
        }
    }

    /// Writes over part of a scratch file that has had `length` bytes so far.
    pub(crate) fn write_at(
        &self,
        file: &File,
        path: &Path,
        bytes: &[u8],
        at: u64,
        length: u64,
    ) -> Result<(), FormatError> {
        self.charge(path, (at + bytes.len() as u64).saturating_sub(length))?;
        self.step(Operation::Write, "write", path)?;
        file.write_all_at(bytes, at)
            .map_err(|e| FormatError::io("write", path, bytes.len() as u64, e))?;
        self.count_written(bytes.len() as u64);
        Ok(())
    }

    /// Reads until the slice is full or the file ends; says how many bytes.
    pub(crate) fn read_up_to(
        &self,
        file: &mut RawFile,
        path: &Path,
        bytes: &mut [u8],
        at: u64,
    ) -> Result<usize, FormatError> {
        self.check_interrupt()?;
        let read = file
            .read_up_to(bytes, at)
            .map_err(|e| FormatError::io("read", path, 0, e))?;
        self.count_read(read as u64);
        Ok(read)
    }

    /// Counts bytes that were read by other means than [`Disk::read_up_to`].
    pub(crate) fn count_read(&self, bytes: u64) {
        self.0.read_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were written by other means than [`Disk::write_all`].
    pub(crate) fn count_written(&self, bytes: u64) {
        self.0.written_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Makes a file durable. A failure is final: the caller removes the file, it never syncs again.
    pub(crate) fn sync(&self, file: &File, path: &Path) -> Result<(), FormatError> {
        self.step(Operation::Sync, "sync", path)?;
        file.sync_all()
            .map_err(|e| FormatError::io("sync", path, 0, e))
    }

    /// Gives a file or directory its final name.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<(), FormatError> {
        self.step(Operation::Rename, "rename", from)?;
        let replaced = self.size(to).unwrap_or(0);
        self.credit(replaced);
        fs::rename(from, to).map_err(|e| match e.kind() {
            io::ErrorKind::IsADirectory => directory_in_place_of(to),
            _ => FormatError::io("rename", from, 0, e),
        })
    }

    /// Removes a file or link if it is there; never a directory.
    pub fn remove(&self, path: &Path) -> Result<(), FormatError> {
        let Some(metadata) = examine(path)? else {
            return Ok(());
        };
        self.step(Operation::Remove, "remove", path)?;
        if metadata.is_dir() {
            return Err(directory_in_place_of(path));
        }
        fs::remove_file(path).map_err(|e| FormatError::io("remove", path, 0, e))?;
        self.credit(metadata.len());
        Ok(())
    }

    /// Bytes that are no longer there.
    fn credit(&self, bytes: u64) {
        let less = |used: u64| Some(used.saturating_sub(bytes));
        let _ = self
            .0
            .used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Makes a symbolic link.
    pub fn symlink(&self, target: &Path, link: &Path) -> Result<(), FormatError> {
        self.step(Operation::Link, "link", link)?;
        std::os::unix::fs::symlink(target, link).map_err(|e| FormatError::io("link", link, 0, e))
    }

    /// Size of a file; `None` if there is no regular file of this name.
    pub fn size(&self, path: &Path) -> Option<u64> {
        path.symlink_metadata()
            .ok()
            .filter(fs::Metadata::is_file)
            .map(|metadata| metadata.len())
    }

    /// Device and inode of a file, which tell whether two names are the same file.
    pub fn identity(&self, path: &Path) -> Option<(u64, u64)> {
        path.symlink_metadata()
            .ok()
            .map(|metadata| (metadata.dev(), metadata.ino()))
    }

    /// Reads a small text file whole; `None` if it is not there.
    pub fn read_text(&self, path: &Path) -> Result<Option<String>, FormatError> {
        if examine(path)?.is_none() {
            return Ok(None);
        }
        if matches!(path.try_exists(), Ok(false)) {
            let what = "a link to a file that is not there";
            return Err(FormatError::damaged(path, 0, what));
        }
        let mut text = String::new();
        let file = self.open(path)?;
        file.take(1 << 30)
            .read_to_string(&mut text)
            .map_err(|e| match e.kind() {
                io::ErrorKind::InvalidData => FormatError::damaged(path, 0, "not valid UTF-8"),
                _ => FormatError::io("read", path, 0, e),
            })?;
        Ok(Some(text))
    }
}

/// Nobody but another program or a repair of the file system makes a directory there. What it holds
/// is not ours to remove.
fn directory_in_place_of(path: &Path) -> FormatError {
    FormatError::damaged(path, 0, "a directory is in its place, remove it")
}

fn metadata(file: &File, path: &Path) -> Result<fs::Metadata, FormatError> {
    file.metadata()
        .map_err(|e| FormatError::io("examine", path, 0, e))
}

/// Bytes of an open file.
pub(crate) fn length(file: &File, path: &Path) -> Result<u64, FormatError> {
    Ok(metadata(file, path)?.len())
}

/// The metadata of a name; a link is not followed. `None` if nothing has this name.
///
/// # Errors
/// When the system cannot say: a medium that fails is no proof that a file is not there.
pub(crate) fn examine(path: &Path) -> Result<Option<fs::Metadata>, FormatError> {
    match path.symlink_metadata() {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(FormatError::io("examine", path, 0, error)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_that_is_free_is_not_there() {
        let dir = tempfile::tempdir().expect("a directory");
        let disk = Disk::default();
        let file = dir.path().join("file");
        fs::write(&file, "text").expect("written");
        assert_eq!(disk.read_text(&file).expect("read").unwrap(), "text");
        for missing in [dir.path().join("other"), file.join("below")] {
            assert_eq!(disk.read_text(&missing).expect("read"), None);
            disk.remove(&missing).expect("nothing to remove");
        }
        // A name that the system cannot look up.
        let long = dir.path().join("x".repeat(300));
        disk.read_text(&long).expect_err("not known");
        disk.remove(&long).expect_err("not known");
    }
}
