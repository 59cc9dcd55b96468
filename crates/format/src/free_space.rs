//! Room left on a file system.

use std::io;
use std::path::Path;

/// Free bytes of the file system that holds `path`.
///
/// # Errors
/// When the system cannot say.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(path)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}
