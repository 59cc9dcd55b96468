//! Errors of files of the work directory and of publications.

use std::io;
use std::path::{Path, PathBuf};

/// Every way in which a file operation ends badly.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The operating system refused.
    #[error("failed to {action} {}: {source}", path.display())]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// The file system is full (or a quota is).
    #[error("failed to write {}: no space left: {needed} more bytes are needed, and {free} are free; free some space and run again, and the run resumes", path.display())]
    NoSpace {
        /// The file being written.
        path: PathBuf,
        /// Bytes of the write that failed.
        needed: u64,
        /// Bytes the file system says are free.
        free: u64,
    },
    /// There is room for the bytes, and something else is used up.
    #[error("failed to write {}: {shortage} and run again, and the run resumes", path.display())]
    Refused {
        /// The file being written.
        path: PathBuf,
        /// The resource that is used up, and the advice.
        shortage: &'static str,
    },
    /// `work.disk` would be passed.
    #[error("failed to write {}: disk in [work] is {limit} bytes, and {used} are in use; raise disk and run again, and the run resumes", path.display())]
    DiskLimit {
        /// The file being written.
        path: PathBuf,
        /// The configured limit in bytes.
        limit: u64,
        /// Bytes of work files already there.
        used: u64,
    },
    /// The bytes are not those that were written.
    #[error("failed to read {}: damaged at byte {offset}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Byte of the file.
        offset: u64,
        /// The contradiction that was found.
        what: String,
    },
    /// A sound file, but not the one expected.
    #[error("failed to use {}: {what} is {got}, expected {expected}", path.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// The field that differs.
        what: &'static str,
        /// The value that this program expects.
        expected: String,
        /// The value in the file.
        got: String,
    },
    /// A signal asked the run to stop; nothing is lost.
    #[error("interrupted; run again to resume")]
    Interrupted,
}

/// Whether an error of reading a file is the system's, and may be gone the next time: not one of a
/// decoder, which has no number, and not that the file is missing.
pub fn is_transient(error: &io::Error) -> bool {
    error.raw_os_error().is_some()
        && !matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
}

/// Operations in memory do not fail.
impl From<std::convert::Infallible> for FormatError {
    fn from(never: std::convert::Infallible) -> FormatError {
        match never {}
    }
}

impl FormatError {
    /// Whether the system failed, so that nothing is known of the bytes of the file. A file that is
    /// not there, or is damaged, is no failure of the system.
    pub fn is_system_failure(&self) -> bool {
        match self {
            FormatError::Io { source, .. } => is_transient(source),
            FormatError::NoSpace { .. }
            | FormatError::Refused { .. }
            | FormatError::DiskLimit { .. }
            | FormatError::Interrupted => true,
            FormatError::Damaged { .. } | FormatError::Mismatch { .. } => false,
        }
    }

    /// Wraps a system error, telling a full disk from other trouble.
    pub fn io(action: &'static str, path: &Path, needed: u64, source: io::Error) -> FormatError {
        let (path, dir) = (path.to_path_buf(), path.parent().unwrap_or(path));
        let shortage = match source.kind() {
            io::ErrorKind::FileTooLarge => {
                "the file would become larger than this process may make one; raise `ulimit -f`"
            }
            io::ErrorKind::QuotaExceeded => "the quota of this user is used up; raise it",
            io::ErrorKind::StorageFull if crate::free_space::has_no_inode(dir) => {
                "the file system has no inode left; remove some files"
            }
            io::ErrorKind::StorageFull => {
                let free = crate::free_space::free_bytes(dir).unwrap_or(0);
                return FormatError::NoSpace { path, needed, free };
            }
            _ => {
                return FormatError::Io {
                    action,
                    path,
                    source,
                };
            }
        };
        FormatError::Refused { path, shortage }
    }

    /// The bytes of a file are not those that were written.
    pub fn damaged(path: &Path, offset: u64, what: impl Into<String>) -> FormatError {
        let (path, what) = (path.to_path_buf(), what.into());
        FormatError::Damaged { path, offset, what }
    }

    /// Fails unless a field of a sound file has the value that is expected.
    pub fn expect<T: PartialEq + ToString>(
        path: &Path,
        what: &'static str,
        expected: &T,
        got: &T,
    ) -> Result<(), FormatError> {
        if expected == got {
            return Ok(());
        }
        let (path, expected, got) = (path.to_path_buf(), expected.to_string(), got.to_string());
        Err(FormatError::Mismatch {
            path,
            what,
            expected,
            got,
        })
    }
}
