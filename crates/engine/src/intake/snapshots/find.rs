//! Finds new snapshots by `path` of `[snapshots]`.
//!
//! *Input.* The directory in which `{name}` varies. *Output.* The complete directories in it whose
//! names are new, in byte order of names; none of the program itself. *Algorithm.* One listing of
//! that directory, and one stat for each new name. Links are not followed, so a link `latest`
//! beside the crawls is no snapshot.

use super::name;
use crate::Error;
use config::{Config, SnapshotPath};
use input::says_nothing_is_there;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// A complete directory that is not a snapshot yet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NewDirectory {
    /// The text in place of `{name}`.
    pub(super) name: String,
    /// The directory, relative to the configuration.
    pub(super) path: String,
}

/// Whether a file is there.
fn is_there(file: &Path) -> Result<bool, Error> {
    match fs::metadata(file) {
        Ok(_) => Ok(true),
        Err(error) if says_nothing_is_there(&error) => Ok(false),
        Err(error) => Err(Error::io(format!("look at {}", file.display()))(error)),
    }
}

/// Finds the directories with the ready file whose names are not `known`. `notes` gets the complete
/// directories whose names cannot be used.
pub(super) fn new_directories(
    config: &Config,
    path: &SnapshotPath,
    known: &HashSet<&str>,
    notes: &mut Vec<String>,
) -> Result<Vec<NewDirectory>, Error> {
    let (directory, prefix) = path
        .before
        .split_at(path.before.rfind('/').map_or(0, |slash| slash + 1));
    let (suffix, _) = path
        .after
        .split_at(path.after.find('/').unwrap_or(path.after.len()));
    let directory = config.base.join(directory);
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            notes.push(format!(
                "{} does not exist, so there are no new snapshots",
                directory.display()
            ));
            return Ok(Vec::new());
        }
        Err(error) => return Err(Error::io(format!("list {}", directory.display()))(error)),
    };
    let failed = |error| Error::io(format!("list {}", directory.display()))(error);
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let file_name = entry.file_name();
        let shown = file_name.to_string_lossy();
        let name = shown
            .strip_prefix(prefix)
            .and_then(|name| name.strip_suffix(suffix));
        let Some(name) = name.filter(|name| !name.is_empty() && !known.contains(name)) else {
            continue;
        };
        if shown.starts_with('.') || !entry.file_type().map_err(failed)?.is_dir() {
            continue;
        }
        let path_text = format!("{}{name}{}", path.before, path.after);
        if config::taken_in(&path_text, config).is_some() {
            continue;
        }
        if !is_there(&config.base.join(&path_text).join(&path.ready))? {
            continue;
        }
        let is_text = file_name.to_str().is_some();
        match name::problem(name).or((!is_text).then_some("it is not UTF-8")) {
            Some(problem) => notes.push(format!(
                "{path_text:?} is skipped: its name cannot be used: {problem}"
            )),
            None => found.push(NewDirectory {
                name: name.to_owned(),
                path: path_text,
            }),
        }
    }
    found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    notes.sort_unstable();
    Ok(found)
}
