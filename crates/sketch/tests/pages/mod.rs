//! The pages of a directory, for the examples.

use std::io;
use std::path::{Path, PathBuf};

/// All files below `directory` whose name has `.htm`, sorted; links are not followed.
pub(crate) fn below(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() && entry.file_name().to_string_lossy().contains(".htm") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A page as text, what is not UTF-8 replaced.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}
