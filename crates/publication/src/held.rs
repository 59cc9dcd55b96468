//! A publication that is read.
//!
//! A run removes all publications but the last two. A reader locks the directory of the one that
//! it reads, so that files which it has not yet opened stay there. A run leaves a locked directory
//! alone, and a later run removes it. The lock is one of the kernel, and ends with the process.
//!
//! *Limits.* Where the file system has no locks, or the reader may not open the directory, the
//! publication is removed if two runs publish meanwhile.

use engine::Error;
use format::Disk;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How often the link is followed while runs remove what it showed.
const ATTEMPTS: u32 = 100;

/// A publication that no run removes as long as this value lives.
#[derive(Debug)]
pub struct HeldPublication {
    dir: PathBuf,
    lock: Option<File>,
}

impl HeldPublication {
    /// The publication that this link shows now. The link may be switched at any time, so take all
    /// files from this one.
    pub fn shown(link: &Path) -> io::Result<HeldPublication> {
        for _ in 0..ATTEMPTS {
            let dir = link.canonicalize();
            if let Ok(dir) = dir
                && let Ok(lock) = locked(&dir)
            {
                return Ok(HeldPublication { dir, lock });
            }
        }
        let dir = link.canonicalize()?;
        Ok(HeldPublication { dir, lock: None })
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The lock that holds it; `None` where there are no locks.
    pub fn into_lock(self) -> Option<File> {
        self.lock
    }
}

/// Locks a directory; `None` where there are no locks. An error if a run removes it.
fn locked(dir: &Path) -> io::Result<Option<File>> {
    let lock = File::open(dir)?;
    match lock.try_lock_shared() {
        Err(TryLockError::Error(_)) => return Ok(None),
        result => result?,
    }
    // A run may have removed it before it was locked.
    match is_at(&lock, dir)? {
        true => Ok(Some(lock)),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Whether the open directory still has this path.
fn is_at(open: &File, path: &Path) -> io::Result<bool> {
    let (open, now) = (open.metadata()?, path.metadata()?);
    Ok((open.dev(), open.ino()) == (now.dev(), now.ino()))
}

/// Removes a publication, unless somebody reads it.
pub(crate) fn remove_unread(disk: &Disk, dir: &Path) -> Result<(), Error> {
    let lock = File::open(dir).ok();
    let locked = lock.as_ref().map(File::try_lock);
    match locked {
        Some(Err(TryLockError::WouldBlock)) => Ok(()),
        // Readers wait, or take another one, until it is gone.
        _ => disk.remove_tree(dir).map_err(Error::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_was_made_again_is_another() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("g000001");
        std::fs::create_dir(&path).unwrap();
        let open = File::open(&path).unwrap();
        assert!(is_at(&open, &path).unwrap());
        std::fs::remove_dir(&path).unwrap();
        assert!(is_at(&open, &path).is_err());
        std::fs::create_dir(&path).unwrap();
        assert!(!is_at(&open, &path).unwrap());
    }
}
