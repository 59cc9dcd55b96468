//! The files and refusals that a walk collects, before they are sorted.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::name::{name_of, text_of};
use decode::options::{Format, SourceFile};
use model::FileStat;

/// A file, before its format is known. Its name is the end of its path.
#[derive(Debug)]
pub(super) struct FoundFile {
    pub(super) path: PathBuf,
    pub(super) name_start: usize,
    pub(super) order: u32,
    pub(super) stat: FileStat,
}

impl FoundFile {
    pub(super) fn new(path: PathBuf, name_start: usize, order: u32, stat: FileStat) -> Self {
        FoundFile {
            path,
            name_start,
            order,
            stat,
        }
    }

    /// A file whose root is its parent directory.
    pub(super) fn named(path: PathBuf, order: u32, stat: FileStat) -> FoundFile {
        let name_start = path.as_os_str().len() - path.file_name().map_or(0, std::ffi::OsStr::len);
        FoundFile::new(path, name_start, order, stat)
    }

    pub(super) fn name(&self) -> &[u8] {
        name_of(&self.path, self.name_start).as_bytes()
    }

    pub(super) fn of_format(self, format: Format) -> SourceFile {
        SourceFile {
            name: text_of(self.name()),
            format,
            stat: self.stat,
            path: self.path,
            sources: Vec::new(),
        }
    }
}
