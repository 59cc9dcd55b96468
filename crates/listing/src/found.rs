//! The files and refusals that a walk collects, before they are sorted.

use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::name::{name_of, text_of};
use decode::options::{Format, SourceFile};

/// A file, before its format is known. Its name is the end of its path.
#[derive(Debug)]
pub(super) struct FoundFile {
    pub(super) path: PathBuf,
    pub(super) name_start: usize,
    pub(super) order: u32,
    pub(super) bytes: u64,
    pub(super) modified_ns: i128,
    pub(super) changed_ns: i128,
    pub(super) inode: u64,
    pub(super) device: u64,
}

impl FoundFile {
    pub(super) fn new(path: PathBuf, name_start: usize, order: u32, metadata: &Metadata) -> Self {
        FoundFile {
            path,
            name_start,
            order,
            bytes: metadata.len(),
            modified_ns: i128::from(metadata.mtime()) * 1_000_000_000
                + i128::from(metadata.mtime_nsec()),
            changed_ns: i128::from(metadata.ctime()) * 1_000_000_000
                + i128::from(metadata.ctime_nsec()),
            inode: metadata.ino(),
            device: metadata.dev(),
        }
    }

    /// A file whose root is its parent directory.
    pub(super) fn named(path: PathBuf, order: u32, metadata: &Metadata) -> FoundFile {
        let name_start = path.as_os_str().len() - path.file_name().map_or(0, std::ffi::OsStr::len);
        FoundFile::new(path, name_start, order, metadata)
    }

    pub(super) fn name(&self) -> &[u8] {
        name_of(&self.path, self.name_start).as_bytes()
    }

    pub(super) fn of_format(self, format: Format) -> SourceFile {
        SourceFile {
            name: text_of(self.name()),
            format,
            bytes: self.bytes,
            modified_ns: self.modified_ns,
            changed_ns: self.changed_ns,
            inode: self.inode,
            path: self.path,
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
