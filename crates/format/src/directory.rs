//! Operations of a [`Disk`] on directories.

use crate::disk::Disk;
use crate::error::FormatError;
use crate::fault::Operation;
use std::fs::{self, File};
use std::io;
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
    pub fn create_dir(&self, dir: &Path, access: Access) -> Result<(), FormatError> {
        let mode = match access {
            Access::Private => 0o700,
            Access::Shared => 0o777,
        };
        // The parents of the directories that are made: the names in all of them have to be
        // durable.
        let mut parents = Vec::new();
        for parent in dir.ancestors().skip(1) {
            parents.push(parent);
            // The last one of a relative path has no name: it is the current directory.
            if parent.as_os_str().is_empty() || parent.exists() {
                break;
            }
        }
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(mode);
        builder
            .create(dir)
            .map_err(|e| FormatError::io("create", dir, 0, e))?;
        parents
            .into_iter()
            .try_for_each(|parent| self.sync_dir(parent))
    }

    /// Makes the names in a directory durable.
    pub fn sync_dir(&self, dir: &Path) -> Result<(), FormatError> {
        let is_current = dir.as_os_str().is_empty();
        let dir = if is_current { Path::new(".") } else { dir };
        self.step(Operation::Sync, "sync", dir)?;
        let handle = File::open(dir).map_err(|e| FormatError::io("open", dir, 0, e))?;
        handle
            .sync_all()
            .map_err(|e| FormatError::io("sync", dir, 0, e))
    }

    /// Names in a directory, in byte order; nothing if it is not there.
    pub fn list(&self, dir: &Path) -> Result<Vec<PathBuf>, FormatError> {
        let mut names = Vec::new();
        let entries = match fs::read_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(names),
            entries => entries.map_err(|e| FormatError::io("list", dir, 0, e))?,
        };
        for entry in entries {
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
    pub fn remove_tree(&self, dir: &Path) -> Result<(), FormatError> {
        self.step(Operation::Remove, "remove", dir)?;
        fs::remove_dir_all(dir).map_err(|e| FormatError::io("remove", dir, 0, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::DiskOptions;
    use crate::fault::Faults;

    /// Each sync fails in its turn, and the message names the directory.
    #[test]
    fn the_names_of_all_directories_that_are_made_are_durable() {
        let place = tempfile::tempdir().expect("a directory");
        let create = |nth: u64| {
            let name = place.path().join(format!("{nth}"));
            let faults = Faults::failing(Some(Operation::Sync), nth, 5);
            let disk = Disk::new(DiskOptions {
                faults,
                ..DiskOptions::default()
            });
            let made = disk.create_dir(&name.join("a/b"), Access::Shared);
            (name, made.map_err(|error| error.to_string()))
        };
        for nth in 1..4 {
            let (name, made) = create(nth);
            let synced = [name.join("a"), name, place.path().to_owned()];
            let synced = format!("failed to sync {}: ", synced[nth as usize - 1].display());
            let error = made.expect_err("a sync failed");
            assert!(error.starts_with(&synced), "{error}");
        }
        create(4).1.expect("all are made");
    }

    #[test]
    fn only_a_directory_that_is_not_there_has_no_names() {
        let place = tempfile::tempdir().expect("a directory");
        let disk = Disk::default();
        let missing = disk.list(&place.path().join("missing"));
        assert_eq!(missing.expect("none"), [] as [PathBuf; 0]);
        disk.list(&place.path().join("x".repeat(300)))
            .expect_err("the system cannot look it up");
    }
}
