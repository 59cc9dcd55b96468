//! Copies input that can be read only once to a file, so that every format can be read from it.
//!
//! *Input.* Standard input, a FIFO, a terminal. *Output.* A nameless file with all of it.
//! *Algorithm.* It is copied, whatever it is: standard input that is redirected from a file may be
//! read from its middle on. The descriptor is waited for a moment at a time, so that a signal is
//! seen while nothing comes. *Memory.* A block. *Disk.* All of it, in the system's temporary
//! directory; the file loses its name at once, so nothing is left however the program ends.

use engine::{Error, runtime::signals};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Longest wait before a signal is noticed.
const PATIENCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000_000,
};

/// A nameless file; it is gone when this is dropped.
pub(super) struct SpooledDocument {
    _file: File,
    path: PathBuf,
}

impl SpooledDocument {
    /// Where it can be opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Takes all of standard input, unless a signal comes.
pub(super) fn standard_input() -> Result<SpooledDocument, Error> {
    spool(std::io::stdin().as_fd(), Path::new("standard input"))
}

/// Takes all that comes out of a FIFO or device, unless a signal comes.
pub(super) fn pipe(path: &Path) -> Result<SpooledDocument, Error> {
    // Opening does not wait for the other end: that is left to where a signal is seen.
    let flags = (OFlags::NONBLOCK | OFlags::CLOEXEC).bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let opened = opened.map_err(Error::io(format!("open {}", path.display())))?;
    spool(opened.as_fd(), path)
}

fn spool(from: BorrowedFd<'_>, shown: &Path) -> Result<SpooledDocument, Error> {
    let failed = || Error::io(format!("read {}", shown.display()));
    let (mut file, name) = nameless()?;
    std::fs::remove_file(&name).map_err(failed())?;
    let (mut block, stop) = (vec![0; 1 << 16], signals::stop_flag());
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped {
                signal: signals::received(),
            });
        }
        match poll(
            &mut [PollFd::from_borrowed_fd(from, PollFlags::IN)],
            Some(&PATIENCE),
        ) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(failed()(error.into())),
        }
        match rustix::io::read(from, &mut block) {
            Ok(0) => break,
            Ok(length) => file.write_all(&block[..length]).map_err(failed())?,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(error) => return Err(failed()(error.into())),
        }
    }
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    Ok(SpooledDocument { _file: file, path })
}

/// A new file that no other process has, and its temporary name.
fn nameless() -> Result<(File, PathBuf), Error> {
    let dir = std::env::temp_dir();
    for attempt in 0..1000 {
        let path = dir.join(format!("pipeline-{}-{attempt}", std::process::id()));
        match OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
        {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(Error::io(format!(
                    "create a temporary file in {}",
                    dir.display()
                ))(error));
            }
        }
    }
    Err(Error::Usage(format!(
        "failed to create a temporary file in {}: all names are taken",
        dir.display()
    )))
}
