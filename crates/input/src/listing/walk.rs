//! The files below a directory.
//!
//! *Input.* A root, and which relative paths are wanted. *Output.* Every regular file, and a
//! rejection for what could not be read or is no file. *Algorithm.* One directory at a time from a
//! stack; the caller sorts, so the order in which the system lists a directory has no influence.
//! *Memory.* The paths. *Limits.* Of symbolic links only those to files are followed whose name
//! matches a glob; `.git`, the results of any run and what `dedup` writes beside copies are passed
//! over; paths beyond the system's length limit are rejected as `bad-path`.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::found::FoundFile;
use super::name::{name_of, text_of};
use super::objects::FoundObjects;
use super::passed_over::{PassedOver, resolved};
use super::pattern::Glob;
use super::rejected::{Reason, RejectedFile};
use super::results;
use super::sniff::unopened;
use decode::open::lies_in_the_file;

use decode::error::InputError;
use decode::open_file::stat_of;

/// Collects what lies below roots.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) found: Vec<FoundFile>,
    /// Paths that are no regular file, or that `stat` cannot examine.
    pub(super) refused: Vec<(PathBuf, RejectedFile)>,
    passed_over: &'a PassedOver,
}

/// Which of the paths below a root are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum WantedPaths<'a> {
    All,
    Matching(&'a Glob),
}

impl WantedPaths<'_> {
    fn takes(self, relative: &Path) -> bool {
        match self {
            WantedPaths::All => true,
            WantedPaths::Matching(glob) => glob.is_match(relative),
        }
    }

    /// The file that a link leads to, if a glob names the link.
    fn followed(self, path: &Path) -> Option<fs::Metadata> {
        match self {
            WantedPaths::All => None,
            WantedPaths::Matching(_) => fs::metadata(path).ok().filter(fs::Metadata::is_file),
        }
    }

    /// Whether a directory that lies `levels` below the root can hold anything wanted.
    fn enters(self, levels: usize) -> bool {
        match self {
            WantedPaths::All => true,
            WantedPaths::Matching(glob) => glob.levels.is_none_or(|most| levels <= most),
        }
    }
}

/// Whether an entry that cannot be looked at is a directory, as far as its listing tells.
fn may_be_directory(entry: &fs::DirEntry) -> bool {
    entry.file_type().map_or(true, |kind| kind.is_dir())
}

impl<'a> Walk<'a> {
    pub(super) fn of(passed_over: &'a PassedOver) -> Walk<'a> {
        Walk {
            found: Vec::new(),
            refused: Vec::new(),
            passed_over,
        }
    }

    /// Walks `root`, the `order`-th of the roots.
    ///
    /// # Errors
    /// [`InputError::Io`] if the root itself cannot be listed, or the system fails further down. A
    /// directory further down that is forbidden or gone is only refused.
    pub(super) fn tree(
        &mut self,
        root: &Path,
        order: u32,
        wanted: WantedPaths<'_>,
    ) -> Result<(), InputError> {
        let name_start = root.join("x").as_os_str().len() - 1;
        let real_root = resolved(root);
        let mut stack = vec![(root.to_owned(), 0)];
        while let Some((directory, levels)) = stack.pop() {
            let listed = fs::read_dir(&directory)
                .and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
            let entries = match listed {
                Ok(entries) => entries,
                Err(error) if directory == root => {
                    return Err(InputError::io("list", directory)(error));
                }
                Err(error) => {
                    self.refuse("list", directory, name_start, error)?;
                    continue;
                }
            };
            // A directory that `paths` names is read, whoever made it.
            if directory != root && results::are_of_a_run(&directory, &entries) {
                continue;
            }
            let lies_beside_copies = results::lies_beside_copies(&entries);
            for entry in entries
                .into_iter()
                .filter(|entry| !lies_beside_copies(entry))
            {
                let path = entry.path();
                let relative = Path::new(name_of(&path, name_start));
                if self.passed_over.has(&real_root, relative) {
                    continue;
                }
                let is_wanted = wanted.takes(relative);
                match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => {
                        if wanted.enters(levels + 1) {
                            stack.push((path, levels + 1));
                        }
                    }
                    Ok(metadata) if is_wanted => {
                        let metadata = wanted.followed(&path).unwrap_or(metadata);
                        self.file(path, name_start, order, &metadata);
                    }
                    Ok(_) => {}
                    Err(error)
                        if is_wanted || wanted.enters(levels + 1) && may_be_directory(&entry) =>
                    {
                        self.refuse("look at", path, name_start, error)?;
                    }
                    // A file that is not wanted.
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Takes the objects of the `order`-th entry.
    pub(super) fn objects(&mut self, found: &FoundObjects, order: u32) {
        for (url, stat) in &found.objects {
            let relative = Path::new(url.get(found.name_start..).unwrap_or_default());
            if !found.is_named && self.passed_over.has_any_part(Path::new(""), relative) {
                continue;
            }
            let path = PathBuf::from(url);
            self.found
                .push(FoundFile::new(path, found.name_start, order, *stat));
        }
    }

    /// Refuses what cannot be looked at.
    fn refuse(
        &mut self,
        action: &'static str,
        path: PathBuf,
        name_start: usize,
        error: io::Error,
    ) -> Result<(), InputError> {
        if !lies_in_the_file(&error) {
            return Err(InputError::io(action, path)(error));
        }
        let (reason, detail) = unopened(&error);
        self.reject(path, name_start, reason, detail);
        Ok(())
    }

    fn reject(&mut self, path: PathBuf, name_start: usize, reason: Reason, detail: String) {
        let rejected = RejectedFile {
            name: text_of(name_of(&path, name_start).as_bytes()),
            reason,
            detail,
            stat: None,
        };
        self.refused.push((path, rejected));
    }

    fn file(&mut self, path: PathBuf, name_start: usize, order: u32, metadata: &fs::Metadata) {
        let kind = metadata.file_type();
        if kind.is_file() {
            let stat = stat_of(metadata);
            self.found
                .push(FoundFile::new(path, name_start, order, stat));
        } else if kind.is_symlink() {
            let detail = match fs::metadata(&path) {
                Ok(end) if end.is_dir() => {
                    "a link to a directory is followed only if paths names it; a glob names files"
                        .to_owned()
                }
                Ok(end) if end.is_file() => {
                    "links in a directory are not followed; name the link, or a glob for it, in paths"
                        .to_owned()
                }
                Ok(_) => "a link to a FIFO, socket or device".to_owned(),
                Err(error) => format!("a link that leads to no file: {error}"),
            };
            self.reject(path, name_start, "symlink", detail);
        } else {
            let detail = format!("a FIFO, socket or device (mode {:o})", metadata.mode());
            self.reject(path, name_start, "not-a-file", detail);
        }
    }
}
