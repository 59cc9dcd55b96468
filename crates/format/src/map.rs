//! A finished file as memory; the only `unsafe` of this crate.

#![expect(unsafe_code, reason = "a mapping is only as immutable as its file")]

use memmap2::Mmap;
use std::fs::File;
use std::io;

/// Maps a whole file, read-only.
///
/// # Errors
/// When the system refuses.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the file belongs to a publication. This program never writes to, nor shortens, a file
    // that has its final name: it makes a new one aside, renames it, and unlinks the old one, which
    // leaves mappings of it whole. So the bytes behind the mapping do not change while it lives.
    // (Who shortens a file of a publication by other means takes pages away from a process that
    // reads it; the kernel ends such a process, it reads nothing wrong.)
    unsafe { Mmap::map(file) }
}
