//! Files and directories, with the path in every error.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::path::Path;

/// Makes a file, empty.
pub(crate) fn create(path: &Path) -> Result<File> {
    File::create(path).with_context(|| format!("failed to make {}", path.display()))
}

/// Writes a whole file.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    fs::write(path, text).with_context(|| format!("failed to write {}", path.display()))
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("failed to read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Makes a directory and those above it, unless they are there.
pub(crate) fn make_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("failed to make {}", path.display()))
}

/// Removes a directory, if it is there.
pub(crate) fn remove_dir(path: &Path) -> Result<()> {
    if path.exists() {
        fs::remove_dir_all(path).with_context(|| format!("failed to remove {}", path.display()))?;
    }
    Ok(())
}
