//! One call at a time writes to a directory of copies.
//!
//! *Limits.* Where the file system has no locks, nobody is kept away.

use engine::Error;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Takes a directory for one call; the lock is held until the file is closed.
///
/// # Errors
/// Another call has it.
pub(super) fn lock(dir: &Path) -> Result<File, Error> {
    let lock = File::open(dir).map_err(Error::io(format!("open {}", dir.display())))?;
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::Locked {
            holder: None,
            lock: dir.to_owned(),
        }),
        _ => Ok(lock),
    }
}
