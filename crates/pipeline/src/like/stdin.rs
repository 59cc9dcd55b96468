//! Standard input as a file, so that every format can be read from it.
//!
//! What is redirected from a file is read where it lies; what comes from a pipe is first put in a file of the system's
//! temporary directory, which loses its name at once, so that nothing is left however the program ends.

use crate::{Error, signals};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A nameless file; it is gone when this is dropped.
pub(super) struct Spooled {
    _file: File,
    path: PathBuf,
}

impl Spooled {
    /// Where it can be opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Takes all of standard input.
pub(super) fn spool(stop: &AtomicBool) -> Result<Spooled, Error> {
    let failed = || Error::io("take standard input");
    let mut stdin = std::io::stdin().lock();
    let (mut file, name) = nameless()?;
    std::fs::remove_file(&name).map_err(failed())?;
    let mut block = vec![0; 1 << 16];
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted { signal: signals::received() });
        }
        match stdin.read(&mut block) {
            Ok(0) => break,
            Ok(length) => file.write_all(&block[..length]).map_err(failed())?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed()(error)),
        }
    }
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    Ok(Spooled { _file: file, path })
}

/// A new file that nobody else has, and its name for the moment.
fn nameless() -> Result<(File, PathBuf), Error> {
    let dir = std::env::temp_dir();
    for attempt in 0..1000 {
        let path = dir.join(format!("pipeline-{}-{attempt}", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io(format!("make a file in {}", dir.display()))(error)),
        }
    }
    Err(Error::Usage(format!("failed to make a file in {}: all names are taken", dir.display())))
}
