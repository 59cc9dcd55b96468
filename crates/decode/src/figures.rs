//! What tells a file of the input from another one, without a look into it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// What tells a file from another one, and from itself when it was different.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Size in bytes.
    pub bytes: u64,
    /// Modification time, nanoseconds since 1970; for an object with a strong ETag a digest of it.
    pub modified_ns: i128,
    /// Time of the last change of content, rights or names, nanoseconds since 1970; for an object
    /// the same as `modified_ns`.
    pub changed_ns: i128,
    /// Inode number; for an object a digest of its URL and its ETag.
    pub inode: u64,
    /// Device of the inode; 0 for an object.
    pub device: u64,
}

impl Figures {
    /// Those of a file on a disk.
    pub fn of(metadata: &Metadata) -> Figures {
        let nanoseconds = |s: i64, ns: i64| i128::from(s) * 1_000_000_000 + i128::from(ns);
        Figures {
            bytes: metadata.len(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            device: metadata.dev(),
        }
    }
}
