//! The meaning of one entry of `paths`: a file, a directory, a glob, or an `@list`.
//!
//! *Input.* The entry as written, the directory of the configuration. *Output.* A [`Target`] with
//! its root: the longest leading directory without glob characters. *Limits.* Globs are those of
//! `globset` with literal separators: `*`, `?`, `[..]`, `{..}` within a name, `**` across
//! directories. A path that exists as written is never taken for a glob.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use decode::error::InputError;
use decode::open::says_nothing_is_there;

/// One entry of `paths`, understood.
#[derive(Debug)]
pub(super) enum Target {
    /// A file; its root is its parent directory.
    File(PathBuf),
    /// A directory; all files below it.
    Directory(PathBuf),
    /// The files below `root` whose relative path matches.
    Glob(Glob),
    /// A file that lists files.
    List(PathBuf),
}

/// A glob and where to begin.
#[derive(Debug)]
pub(super) struct Glob {
    /// The directory to walk.
    pub(super) root: PathBuf,
    /// Applied to paths relative to the root.
    pub(super) matcher: GlobMatcher,
    /// Directories deeper than this cannot hold a match; `None` with `**`.
    pub(super) levels: Option<usize>,
}

/// Understands `pattern`, relative to `base`.
///
/// # Errors
/// [`InputError::BadPattern`] for an empty pattern, a glob that does not parse, or a device;
/// [`InputError::Missing`] for a path without glob characters that does not exist;
/// [`InputError::Io`] if it cannot be looked at.
pub(super) fn parse(pattern: &str, base: &Path) -> Result<Target, InputError> {
    if let Some(list) = pattern.strip_prefix('@') {
        let path = base.join(list);
        return match kind_of(pattern, &path)? {
            Some(Target::File(path)) => Ok(Target::List(path)),
            Some(_) => Err(bad(
                pattern,
                "an @list has to be a file with one path a line",
            )),
            None => Err(InputError::Missing {
                pattern: pattern.to_owned(),
                path,
            }),
        };
    }
    if pattern.is_empty() {
        return Err(bad(pattern, "it is empty"));
    }
    let path = base.join(pattern);
    if let Some(target) = kind_of(pattern, &path)? {
        return Ok(target);
    }
    if !pattern.contains(is_special) {
        return Err(InputError::Missing {
            pattern: pattern.to_owned(),
            path,
        });
    }
    glob(pattern, base).map(Target::Glob)
}

/// The kind of file at `path`; `None` if nothing is there.
fn kind_of(pattern: &str, path: &Path) -> Result<Option<Target>, InputError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(Some(Target::File(path.to_owned()))),
        Ok(metadata) if metadata.is_dir() => Ok(Some(Target::Directory(path.to_owned()))),
        Ok(_) => Err(bad(pattern, "it is neither a regular file nor a directory")),
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

impl Glob {
    /// Whether its root is a directory.
    ///
    /// # Errors
    /// [`InputError::Io`] if it cannot be looked at.
    pub(super) fn has_root(&self) -> Result<bool, InputError> {
        match fs::metadata(&self.root) {
            Ok(metadata) => Ok(metadata.is_dir()),
            Err(error) if says_nothing_is_there(&error) => Ok(false),
            Err(error) => Err(InputError::io("look at", &self.root)(error)),
        }
    }
}

fn glob(pattern: &str, base: &Path) -> Result<Glob, InputError> {
    let special = pattern.find(is_special).unwrap_or(pattern.len());
    let cut = pattern[..special].rfind('/').map_or(0, |slash| slash + 1);
    let (root, rest) = pattern.split_at(cut);
    let matcher = GlobBuilder::new(rest)
        .literal_separator(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| bad(pattern, &error.kind().to_string()))?
        .compile_matcher();
    // Without `**` a match has exactly as many parts as the glob; alternatives may hold separators,
    // so this is a bound.
    let levels = if rest.contains("**") {
        None
    } else {
        Some(rest.matches('/').count())
    };
    Ok(Glob {
        root: base.join(if root.is_empty() { "." } else { root }),
        matcher,
        levels,
    })
}

fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | '{' | '\\')
}

fn bad(pattern: &str, reason: &str) -> InputError {
    InputError::BadPattern {
        pattern: pattern.to_owned(),
        reason: reason.to_owned(),
    }
}
