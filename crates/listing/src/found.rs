//! The files and refusals that a walk collects, before they are sorted.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::name::{name_of, text_of};
use decode::figures::Figures;
use decode::options::{Format, SourceFile};

/// A file, before its format is known. Its name is the end of its path.
#[derive(Debug)]
pub(super) struct FoundFile {
    pub(super) path: PathBuf,
    pub(super) name_start: usize,
    pub(super) order: u32,
    pub(super) figures: Figures,
}

impl FoundFile {
    pub(super) fn new(path: PathBuf, name_start: usize, order: u32, figures: Figures) -> Self {
        FoundFile {
            path,
            name_start,
            order,
            figures,
        }
    }

    /// A file whose root is its parent directory.
    pub(super) fn named(path: PathBuf, order: u32, figures: Figures) -> FoundFile {
        let name_start = path.as_os_str().len() - path.file_name().map_or(0, std::ffi::OsStr::len);
        FoundFile::new(path, name_start, order, figures)
    }

    pub(super) fn name(&self) -> &[u8] {
        name_of(&self.path, self.name_start).as_bytes()
    }

    pub(super) fn of_format(self, format: Format) -> SourceFile {
        SourceFile {
            name: text_of(self.name()),
            format,
            bytes: self.figures.bytes,
            modified_ns: self.figures.modified_ns,
            changed_ns: self.figures.changed_ns,
            inode: self.figures.inode,
            path: self.path,
            sources: Vec::new(),
        }
    }
}

/// A path that is no regular file, or that `stat` cannot examine.
#[derive(Debug)]
pub(super) struct RefusedPath {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) reason: &'static str,
    pub(super) detail: String,
}

impl RefusedPath {
    pub(super) fn new(
        path: PathBuf,
        name_start: usize,
        reason: &'static str,
        detail: String,
    ) -> Self {
        RefusedPath {
            name: text_of(name_of(&path, name_start).as_bytes()),
            path,
            reason,
            detail,
        }
    }
}
