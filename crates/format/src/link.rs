//! Second names of finished files.

use crate::FormatError;
use crate::disk::Disk;
use crate::fault::Operation;
use rustix::fs::{AtFlags, CWD, linkat};
use std::io::{self, Read, Write};
use std::path::Path;

/// Bytes copied at once where there are no hard links.
const COPIED_BYTES: usize = 1 << 20;

impl Disk {
    /// Gives a second name to a finished file, or copies it where the file system has no hard
    /// links.
    pub fn link_or_copy(&self, from: &Path, to: &Path) -> Result<(), FormatError> {
        self.step(Operation::Link, "link", to)?;
        // Of the file itself: where a symbolic link leads may be gone tomorrow.
        if linkat(CWD, from, CWD, to, AtFlags::SYMLINK_FOLLOW).is_ok() {
            return Ok(());
        }
        // Opened first: of a file that is missing no empty copy is left.
        let mut source = self.open(from)?;
        let mut file = self.create(to)?;
        let mut piece = vec![0; COPIED_BYTES];
        loop {
            let read = match source.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(|e| FormatError::io("read", from, 0, e))?,
            };
            if read == 0 {
                return self.sync(&file, to);
            }
            self.charge(to, read as u64)?;
            file.write_all(&piece[..read])
                .map_err(|e| FormatError::io("copy", to, read as u64, e))?;
            self.count_read(read as u64);
            self.count_written(read as u64);
        }
    }
}
