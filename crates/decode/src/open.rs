//! Opening a user file so that nothing but a regular file can be met, and telling a bad file from a
//! bad disk.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Whether an error lies in this one file: it is gone, forbidden, not a regular file, or its path
/// is no possible one. Such a file is rejected, and the others are read.
///
/// Every other error (the disk, the network file system, memory, file handles) may be gone the next
/// time. It must end the run: a rejection would lose the file.
pub fn lies_in_the_file(error: &io::Error) -> bool {
    is_bad_path(error)
        || matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::PermissionDenied
                | io::ErrorKind::InvalidInput
        )
}

/// Whether the path itself cannot be opened, today or any other day: it is too long, or its links
/// form a loop.
pub fn is_bad_path(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::NAMETOOLONG | Errno::LOOP))
}

/// Whether an error of `stat` says that nothing is at the path, or that no file can have it. Every
/// other error leaves open whether there is something.
pub fn says_nothing_is_there(error: &io::Error) -> bool {
    is_bad_path(error)
        || matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                // The path has a NUL in it.
                | io::ErrorKind::InvalidInput
        )
}

/// Opens `path` for reading. Links are followed: the walk has decided by then which of them to
/// take.
///
/// # Errors
/// The system's, or `InvalidInput` if it is no regular file. A FIFO put in the place of a listed
/// file does not block: it is opened without waiting for a writer, and then refused.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let file = open_without_waiting(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(not_regular())
    }
}

pub(crate) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// Opens `path` for reading, whatever it is. A FIFO opens at once, without a writer.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    // The bits of open(2) flags fit an i32 on every Unix.
    let flags = (OFlags::NONBLOCK | OFlags::CLOEXEC).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}
