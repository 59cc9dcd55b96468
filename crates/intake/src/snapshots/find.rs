//! New snapshots, by `path` of `[snapshots]`.
//!
//! *Input.* The directory in which `{name}` varies. *Output.* What is complete in it and not yet in
//! the list, in byte order of names. *Algorithm.* One listing of that directory, and one stat for
//! each name that is not known yet. Links are not followed: a `latest` beside the crawls is none of
//! them.

use super::name;
use config::{Config, SnapshotPath};
use runtime::Error;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;

/// A directory that may be taken in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// What stands for `{name}`.
    pub(super) name: String,
    /// The directory, relative to the configuration.
    pub(super) path: String,
}

/// Looks for directories with the ready file whose names are not `known`. What is complete but
/// cannot be taken is put into `notes`.
pub(super) fn new_ones(
    config: &Config,
    path: &SnapshotPath,
    known: &HashSet<&str>,
    notes: &mut Vec<String>,
) -> Result<Vec<Found>, Error> {
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
                "{} is not there: no new snapshots",
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
        if !config.base.join(&path_text).join(&path.ready).exists() {
            continue;
        }
        let is_text = file_name.to_str().is_some();
        match name::problem(name).or((!is_text).then_some("it is no UTF-8")) {
            Some(problem) => notes.push(format!(
                "{path_text:?} is passed over: its name cannot be used, {problem}"
            )),
            None => found.push(Found {
                name: name.to_owned(),
                path: path_text,
            }),
        }
    }
    found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    notes.sort_unstable();
    Ok(found)
}

/// There is no snapshot to work on.
pub(super) fn nothing(config: &Config) -> Error {
    let path = config
        .snapshots
        .as_ref()
        .and_then(|snapshots| snapshots.path.as_ref());
    Error::NotFound(match path {
        Some(path) => format!(
            "failed to find a snapshot: no directory {:?} with the file {:?} in it, and none was added; add one with \
             `pipeline snapshot add NAME PATH`",
            path.written, path.ready
        ),
        None => {
            "failed to find a snapshot: add one with `pipeline snapshot add NAME PATH`".to_owned()
        }
    })
}
