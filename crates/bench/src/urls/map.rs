//! A file of the bench as memory, for the library that is measured beside ours.

#![expect(unsafe_code, reason = "a mapping is only as immutable as its file")]

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Maps a whole file, read-only.
///
/// # Errors
/// When the system refuses.
pub fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the bench made the file, in a directory of its own, and nothing writes to it while it
    // is mapped.
    unsafe { Mmap::map(&file) }
}
