//! Finds the entry of `paths` that would list a file at a given path.
//!
//! *Input.* `paths`, and a place. *Output.* The entry, as written. *Algorithm.* As the walk
//! decides: everything below a directory, what matches below the root of a glob, the file that is
//! named. *Limits.* Lists name files that are there; they are not looked into.

use std::path::{Path, PathBuf};

use super::pattern::{self, PathTarget};
use super::{Discovery, PassedOver};
use decode::error::InputError;

/// The places from which files are listed.
#[derive(Debug)]
pub struct Reach {
    entries: Vec<(String, PathTarget, PathBuf)>,
    passed_over: PassedOver,
}

impl Reach {
    /// Understands the entries once; links in their roots are resolved.
    pub fn of(discovery: &Discovery) -> Result<Reach, InputError> {
        let mut entries = Vec::with_capacity(discovery.paths.len());
        for entry in &discovery.paths {
            let target = pattern::parse(entry, &discovery.base)?;
            let root = match &target {
                PathTarget::File(path) | PathTarget::Directory(path) => path,
                PathTarget::Glob(glob) if glob.has_root()? => &glob.root,
                PathTarget::Glob(_) | PathTarget::List(_) | PathTarget::Objects(_) => continue,
            };
            let root = root
                .canonicalize()
                .map_err(InputError::io("resolve", root))?;
            entries.push((entry.clone(), target, root));
        }
        Ok(Reach {
            entries,
            passed_over: discovery.passed_over.clone(),
        })
    }

    /// The first entry that would list a file here. The path is absolute, links in it resolved as
    /// far as it is there.
    pub fn lists(&self, path: &Path) -> Option<&str> {
        self.entries
            .iter()
            .find(|(_, target, root)| takes(target, root, path, &self.passed_over))
            .map(|(entry, ..)| entry.as_str())
    }
}

fn takes(target: &PathTarget, root: &Path, path: &Path, passed_over: &PassedOver) -> bool {
    let Ok(relative) = path.strip_prefix(root) else {
        return false;
    };
    let is_left = || !passed_over.has_any_part(root, relative);
    match target {
        PathTarget::File(_) => relative.as_os_str().is_empty(),
        PathTarget::Directory(_) => is_left(),
        PathTarget::Glob(glob) => glob.is_match(relative) && is_left(),
        PathTarget::List(_) | PathTarget::Objects(_) => false,
    }
}
