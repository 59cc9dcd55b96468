//! Room left on a file system.

use std::io;
use std::path::Path;

/// Free bytes of the file system that holds `path`.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(path)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Whether the file system that holds `path` counts its inodes and has none left for this user.
pub(crate) fn has_no_inode(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|stat| stat.f_files > 0 && stat.f_favail == 0)
}
