//! One run at a time in a work directory: a lock of the kernel on an open file, gone with the process however it ends.

use crate::Error;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Takes the lock of a work directory.
pub(crate) fn acquire(work: &Path) -> Result<Lock, Error> {
    let path = work.join("lock");
    let open = |path: &Path| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = open(&path).map_err(Error::io(format!("open {}", path.display())))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = Read::by_ref(&mut file).take(200).read_to_string(&mut text);
            let (pid, since) = text.trim_end().split_once(' ').unwrap_or(("unknown", "an unknown time"));
            return Err(Error::Locked { pid: pid.to_owned(), since: since.to_owned(), lock: path });
        }
        Err(TryLockError::Error(source)) => return Err(Error::io(format!("lock {}", path.display()))(source)),
    }
    let text = format!("{} {}\n", std::process::id(), crate::cost::now_rfc3339());
    let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
    // A full disk must not keep a run from saying what it needs; the lock holds without its text.
    drop(written);
    Ok(Lock { _file: file })
}
