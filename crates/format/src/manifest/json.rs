//! How the list of input files is hashed while it is written.

use crate::AtomicFile;
use crate::error::FormatError;
use std::io::{self, Write};
use std::path::Path;
use twox_hash::XxHash3_128;

/// Bytes hashed or written at once: the serializer hands over a few bytes at a time.
pub(super) const BUFFER_BYTES: usize = 16 << 10;

/// A file whose bytes are hashed as they are written to it.
pub(super) struct DigestedFile {
    pub(super) file: AtomicFile,
    pub(super) digest: XxHash3_128,
}

impl DigestedFile {
    pub(super) fn of(file: AtomicFile) -> DigestedFile {
        let digest = XxHash3_128::new();
        DigestedFile { file, digest }
    }
}

impl Write for DigestedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.write(&bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The error of the disk (a signal, no space, a limit) inside an error of a writer.
pub(super) fn of_disk(error: io::Error, path: &Path) -> FormatError {
    error.downcast().unwrap_or_else(|source| FormatError::Io {
        action: "write",
        path: path.to_path_buf(),
        source,
    })
}
