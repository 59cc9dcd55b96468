//! The files that directories and globs leave out: what the user excludes, what belongs to the
//! program, and what Hadoop, Spark and Delta Lake write beside their data.
//!
//! *Input.* Globs of the user, and paths of the program. *Output.* Whether a path is passed over;
//! a directory that is passed over is not entered. *Limits.* A file that is named is never passed
//! over.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use decode::error::InputError;

/// The files and directories that directories and globs leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// Globs: one without `/` is for names of files and directories, one with it for paths below
    /// the directory that `paths` names, also if it begins with `./`.
    pub exclude: Vec<String>,
    /// Files and directories of the program itself: absolute, links resolved.
    pub own: Vec<PathBuf>,
}

impl PassedOver {
    /// Checks the globs.
    pub(super) fn check(&self) -> Result<(), InputError> {
        for pattern in &self.exclude {
            fast_glob::validate(pattern).map_err(|error| InputError::BadPattern {
                pattern: pattern.clone(),
                reason: error.to_string(),
            })?;
        }
        Ok(())
    }

    /// Whether a path is passed over; `relative` is what lies below `root`, whose links are
    /// resolved.
    pub(super) fn has(&self, root: &Path, relative: &Path) -> bool {
        let name = last_part(relative);
        let excludes = |pattern: &String| {
            let of = if pattern.contains('/') {
                relative.as_os_str()
            } else {
                OsStr::from_bytes(name)
            };
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            fast_glob::glob_match(pattern, of.as_bytes())
        };
        // The names first: whole paths of each file take a tenth of a listing.
        let is_relative = |own: &PathBuf| {
            last_part(own) == name && own.strip_prefix(root).is_ok_and(|own| own == relative)
        };
        name == b".git"
            || is_beside_data(name)
            || self.exclude.iter().any(excludes)
            || self.own.iter().any(is_relative)
    }

    /// Whether a path or a directory above it is passed over.
    pub(super) fn has_any_part(&self, root: &Path, relative: &Path) -> bool {
        relative
            .ancestors()
            .any(|part| !part.as_os_str().is_empty() && self.has(root, part))
    }
}

/// The last part of a path. [`Path::file_name`] looks at all parts, which is half of what a listing
/// takes besides the calls of the system.
fn last_part(path: &Path) -> &[u8] {
    let mut bytes = path.as_os_str().as_bytes();
    while let Some(rest) = bytes.strip_suffix(b"/") {
        bytes = rest;
    }
    bytes
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or_default()
}

/// Whether Hadoop, Spark or Delta Lake write files or directories of this name beside their data.
/// Their readers pass over every name that begins with `_` or `.`. Sites have pages of such names,
/// so only known names are passed over here.
fn is_beside_data(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 6] = [
        b"_SUCCESS",
        b"_common_metadata",
        b"_delta_log",
        b"_metadata",
        b"_spark_metadata",
        b"_temporary",
    ];
    let is_of_a_commit = name.starts_with(b"_started_") || name.starts_with(b"_committed_");
    let is_checksum = name.starts_with(b".") && name.ends_with(b".crc");
    NAMES.contains(&name) || is_of_a_commit || is_checksum
}

/// The root of a walk with its links resolved, or as it is where that fails.
pub(super) fn resolved(root: &Path) -> PathBuf {
    root.canonicalize().unwrap_or_else(|_| root.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_path_is_its_name() {
        for path in ["a", "a/b.html", "/a/b/c/", "/", "", "a//b", "a/b//"] {
            let name = Path::new(path).file_name().unwrap_or_default();
            assert_eq!(last_part(Path::new(path)), name.as_bytes(), "{path}");
        }
    }

    #[test]
    fn names_paths_and_own_directories_are_passed_over() {
        let passed_over = PassedOver {
            exclude: ["*.css", "drafts/**", "./a/*.txt", "./top.html"]
                .map(str::to_owned)
                .into(),
            own: vec!["/site/work".into(), "/elsewhere/out".into()],
        };
        let has = |path: &str| passed_over.has_any_part(Path::new("/site"), Path::new(path));
        for path in [
            "x.css",
            "a/b/x.css",
            "drafts/x.html",
            "drafts/a/x.html",
            "a/x.txt",
            "top.html",
            "work",
            "work/x",
            ".git/config",
            "day/_SUCCESS",
            "_metadata",
            "_temporary/0/part-0.parquet",
            "_committed_123",
            ".part-0.parquet.crc",
        ] {
            assert!(has(path), "{path}");
        }
        for path in [
            "x.html",
            "b/drafts.html",
            "b/top.html",
            "a/b/x.txt",
            "out/x",
            "b/work",
            "x.git",
            "_index.html",
            "_static/x.html",
            ".hidden.html",
            "_successes",
        ] {
            assert!(!has(path), "{path}");
        }
        let wrong = PassedOver {
            exclude: vec!["a[".into()],
            own: Vec::new(),
        };
        assert!(wrong.check().is_err());
    }
}
