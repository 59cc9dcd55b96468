//! Opening a user file so that nothing but a regular file can be met.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens `path` for reading. Links are followed: the walk has decided by then which of them to
/// take.
///
/// # Errors
/// The system's, or `InvalidInput` if it is no regular file. A FIFO put in the place of a listed
/// file does not block: it is opened without waiting for a writer, and then refused.
pub(crate) fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    // The bits of open(2) flags fit an i32 on every Unix.
    let flags = (OFlags::NONBLOCK | OFlags::CLOEXEC).bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}
