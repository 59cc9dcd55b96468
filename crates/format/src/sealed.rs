//! A finished file, as lists name it, and whether it outlives a power cut.

use crate::FormatError;
use std::path::Path;

/// A finished file, as the manifest lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// File name relative to the work directory, or for runs the full path.
    pub name: String,
    /// Bytes of the whole file.
    pub bytes: u64,
    /// Records or rows.
    pub records: u64,
    /// Checksum of its trailer, in hex.
    pub checksum: String,
}

impl Sealed {
    /// Refuses a file of another length.
    pub(crate) fn expect_bytes(&self, path: &Path, bytes: u64) -> Result<(), FormatError> {
        if bytes == self.bytes {
            return Ok(());
        }
        let what = format!("it has {bytes} bytes, {} were written", self.bytes);
        Err(FormatError::damaged(path, bytes, what))
    }
}

/// Whether a finished file must survive a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Synced before it gets its name; the directory is the caller's to sync, once for many files.
    Durable,
    /// Not synced: runs of a sort, made again after a crash.
    Scratch,
}
