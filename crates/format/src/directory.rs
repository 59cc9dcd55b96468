//! Operations of a [`Disk`] on directories.

use crate::disk::Disk;
use crate::error::FormatError;
use crate::fault::Operation;
use std::fs::{self, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Readers of a directory that this program makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its owner only: the work directory.
    Private,
    /// Everyone whom the umask admits: publications.
    Shared,
}

impl Disk {
    /// Creates a directory and its parents, with the rights that `access` grants.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create_dir(&self, dir: &Path, access: Access) -> Result<(), FormatError> {
        let mode = match access {
            Access::Private => 0o700,
            Access::Shared => 0o777,
        };
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(mode);
        builder
            .create(dir)
            .map_err(|e| FormatError::io("create", dir, 0, e))?;
        if let Some(parent) = dir.parent().filter(|p| !p.as_os_str().is_empty()) {
            self.sync_dir(parent)?;
        }
        Ok(())
    }

    /// Makes the names in a directory durable.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn sync_dir(&self, dir: &Path) -> Result<(), FormatError> {
        self.step(Operation::Sync, "sync", dir)?;
        let handle = File::open(dir).map_err(|e| FormatError::io("open", dir, 0, e))?;
        handle
            .sync_all()
            .map_err(|e| FormatError::io("sync", dir, 0, e))
    }

    /// Names in a directory, in byte order; nothing if it is not there.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn list(&self, dir: &Path) -> Result<Vec<PathBuf>, FormatError> {
        if !dir.exists() {
            return Ok(Vec::new());
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(dir).map_err(|e| FormatError::io("list", dir, 0, e))? {
            names.push(
                entry
                    .map_err(|e| FormatError::io("list", dir, 0, e))?
                    .path(),
            );
        }
        names.sort();
        Ok(names)
    }

    /// Removes a directory this program made, with all that is in it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove_tree(&self, dir: &Path) -> Result<(), FormatError> {
        self.step(Operation::Remove, "remove", dir)?;
        fs::remove_dir_all(dir).map_err(|e| FormatError::io("remove", dir, 0, e))
    }
}
