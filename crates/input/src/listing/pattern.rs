//! The meaning of one entry of `paths`: a file, a directory, a glob, or an `@list`.
//!
//! *Input.* The entry as written, the directory of the configuration. *Output.* A [`PathTarget`]
//! with its root: the longest leading directory without glob characters. *Limits.* Globs are those
//! of `fast-glob`: `*`, `?`, `[..]`, `{..}` within a name, `**` across directories, at most ten
//! `{..}`. A path that exists as written is never taken for a glob.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use decode::error::InputError;
use decode::objects::is_url;
use decode::open::says_nothing_is_there;

use super::glob_syntax::{bad, is_special};
use super::objects::{self, FoundObjects, UrlEntry};

/// One entry of `paths`, understood.
#[derive(Debug)]
pub(super) enum PathTarget {
    /// A file; its root is its parent directory.
    File(PathBuf),
    /// A directory; all files below it.
    Directory(PathBuf),
    /// The files below `root` whose relative path matches.
    Glob(Glob),
    /// A file or an object that lists files.
    List(PathBuf),
    /// Objects of a store.
    Objects(FoundObjects),
}

/// A glob and where to begin.
#[derive(Debug)]
pub(super) struct Glob {
    /// The directory to walk.
    pub(super) root: PathBuf,
    /// Applied to paths relative to the root.
    pattern: String,
    /// Directories deeper than this cannot hold a match; `None` with `**`.
    pub(super) levels: Option<usize>,
}

impl Glob {
    /// Whether the glob matches a path relative to its root.
    pub(super) fn is_match(&self, relative: &Path) -> bool {
        fast_glob::glob_match(&self.pattern, relative.as_os_str().as_bytes())
    }

    /// Whether its root is a directory.
    pub(super) fn has_root(&self) -> Result<bool, InputError> {
        match fs::metadata(&self.root) {
            Ok(metadata) => Ok(metadata.is_dir()),
            Err(error) if says_nothing_is_there(&error) => Ok(false),
            Err(error) => Err(InputError::io("look at", &self.root)(error)),
        }
    }
}

/// Understands `pattern`, relative to `base`.
pub(super) fn parse(pattern: &str, base: &Path) -> Result<PathTarget, InputError> {
    let missing = |path| InputError::Missing {
        pattern: pattern.to_owned(),
        path,
    };
    let not_local = InputError::NotLocal {
        pattern: pattern.to_owned(),
    };
    match objects::parse(pattern)? {
        Some(UrlEntry::List(list)) => return Ok(PathTarget::List(list)),
        Some(UrlEntry::Objects(found)) => return Ok(PathTarget::Objects(found)),
        None => {}
    }
    if let Some(list) = pattern.strip_prefix('@') {
        let path = base.join(list);
        return match kind_of(pattern, &path)? {
            Some(PathTarget::File(path)) => Ok(PathTarget::List(path)),
            Some(_) => Err(bad(
                pattern,
                "an @list must be a file with one path on each line",
            )),
            None if is_url(list) => Err(not_local),
            None => Err(missing(path)),
        };
    }
    if pattern.is_empty() {
        return Err(bad(pattern, "it is empty"));
    }
    let path = base.join(pattern);
    if let Some(target) = kind_of(pattern, &path)? {
        return Ok(target);
    }
    if is_url(pattern) {
        return Err(not_local);
    }
    if !pattern.contains(is_special) {
        return Err(missing(path));
    }
    glob(pattern, base).map(PathTarget::Glob)
}

/// The kind of file at `path`; `None` if nothing is there.
fn kind_of(pattern: &str, path: &Path) -> Result<Option<PathTarget>, InputError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(Some(PathTarget::File(path.to_owned()))),
        Ok(metadata) if metadata.is_dir() => Ok(Some(PathTarget::Directory(path.to_owned()))),
        Ok(_) => Err(bad(
            pattern,
            "it is neither a regular file nor a directory; write what it holds to a file",
        )),
        Err(error) if is_absent(&error) => Ok(None),
        // The literal reading of a glob may be no possible path at all (a name too long, a NUL):
        // then it is a glob.
        Err(error) if pattern.contains(is_special) && says_nothing_is_there(&error) => Ok(None),
        Err(error) => Err(InputError::io("look at", path)(error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn glob(pattern: &str, base: &Path) -> Result<Glob, InputError> {
    let special = pattern.find(is_special).unwrap_or(pattern.len());
    let cut = pattern[..special].rfind('/').map_or(0, |slash| slash + 1);
    let (root, rest) = pattern.split_at(cut);
    fast_glob::validate(rest).map_err(|error| bad(pattern, &error.to_string()))?;
    // A leading `!` would turn the meaning round; here it is a character of the name.
    let escape = if rest.starts_with('!') { "\\" } else { "" };
    // Without `**` a match has exactly as many parts as the glob; alternatives may hold separators,
    // so this is a bound.
    let levels = (!rest.contains("**")).then(|| rest.matches('/').count());
    Ok(Glob {
        root: base.join(if root.is_empty() { "." } else { root }),
        pattern: format!("{escape}{rest}"),
        levels,
    })
}
