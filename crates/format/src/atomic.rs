//! Files that are not of our formats (JSON, Parquet), written with the same care: temporary name,
//! sync, rename.

use crate::disk::Disk;
use crate::inlet::Inlet;
use crate::outlet::Outlet;
use crate::writer::part_path;
use crate::{FormatError, Sealed};
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// A plain file being written; it has its final name only after [`AtomicFile::commit`].
pub struct AtomicFile {
    disk: Disk,
    path: PathBuf,
    part: PathBuf,
    outlet: Option<Outlet>,
    buffer: Vec<u8>,
    bytes: u64,
    hasher: XxHash3_64,
    failed: bool,
}

const BUFFER_BYTES: usize = 256 << 10;

impl AtomicFile {
    /// Starts a file.
    ///
    /// # Errors
    /// When the temporary file cannot be made.
    pub fn create(disk: &Disk, path: &Path) -> Result<AtomicFile, FormatError> {
        let part = part_path(path);
        let outlet = Some(Outlet::create(disk, part.clone(), 4 * BUFFER_BYTES)?);
        let (disk, path) = (disk.clone(), path.to_path_buf());
        Ok(AtomicFile {
            disk,
            path,
            part,
            outlet,
            buffer: Vec::with_capacity(BUFFER_BYTES),
            bytes: 0,
            hasher: XxHash3_64::new(),
            failed: false,
        })
    }

    fn flush_buffer(&mut self) -> Result<(), FormatError> {
        if let Some(outlet) = self.outlet.as_mut().filter(|_| !self.buffer.is_empty()) {
            if self.failed {
                // A half-written file is never finished, whatever its writer makes of the first
                // error.
                let source = io::Error::other("an earlier write of it failed");
                return Err(FormatError::Io {
                    action: "finish",
                    path: self.part.clone(),
                    source,
                });
            }
            self.failed = true;
            outlet.append(&self.buffer)?;
            self.failed = false;
            self.bytes += self.buffer.len() as u64;
            self.hasher.write(&self.buffer);
            self.buffer.clear();
        }
        Ok(())
    }

    /// Makes the bytes durable and gives the file its name; the caller syncs the directory.
    /// `records` is only noted, with size and checksum.
    ///
    /// # Errors
    /// When any step fails; the temporary file is then removed.
    pub fn commit(mut self, records: u64) -> Result<Sealed, FormatError> {
        self.flush_buffer()?;
        let Some(outlet) = self.outlet.take() else {
            return Err(FormatError::Interrupted);
        };
        let named = outlet
            .finish()
            .and_then(|file| self.disk.sync(&file, &self.part))
            .and_then(|()| self.disk.rename(&self.part, &self.path));
        if let Err(error) = named {
            let _ = self.disk.remove(&self.part);
            return Err(error);
        }
        Ok(Sealed {
            name: self
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            bytes: self.bytes,
            records,
            checksum: format!("{:016x}", self.hasher.finish()),
        })
    }

    /// Appends the bytes of a committed file.
    ///
    /// # Errors
    /// When it cannot be read, or they cannot be written.
    pub fn append_file(&mut self, path: &Path) -> Result<(), FormatError> {
        let mut inlet = Inlet::open(&self.disk, path)?;
        let mut left = inlet.file_bytes();
        inlet.start(0, 4 * BUFFER_BYTES);
        while left > 0 {
            let n = left.min(BUFFER_BYTES as u64);
            let piece = inlet.take(n as usize)?;
            self.buffer.extend_from_slice(inlet.bytes(piece));
            self.flush_buffer()?;
            left -= n;
        }
        Ok(())
    }

    /// Reads a committed file again and compares it with the noted seal.
    ///
    /// # Errors
    /// When it is missing, or its bytes are not those written.
    pub fn verify(disk: &Disk, path: &Path, sealed: &Sealed) -> Result<(), FormatError> {
        let mut inlet = Inlet::open(disk, path)?;
        let bytes = inlet.file_bytes();
        inlet.start(0, 4 * BUFFER_BYTES);
        let mut hasher = XxHash3_64::new();
        let mut left = bytes;
        while left > 0 {
            let n = left.min(4 * BUFFER_BYTES as u64);
            let piece = inlet.take(n as usize)?;
            hasher.write(inlet.bytes(piece));
            left -= n;
        }
        if bytes == sealed.bytes && format!("{:016x}", hasher.finish()) == sealed.checksum {
            return Ok(());
        }
        Err(FormatError::damaged(
            path,
            0,
            if bytes == sealed.bytes {
                "its checksum is not that of the bytes written".to_owned()
            } else {
                format!("it has {bytes} bytes, {} were written", sealed.bytes)
            },
        ))
    }

    /// Writes a whole small file at once and syncs its directory.
    ///
    /// # Errors
    /// When any step fails; the old file, if there was one, is then untouched.
    pub fn replace(disk: &Disk, path: &Path, bytes: &[u8]) -> Result<(), FormatError> {
        let mut file = AtomicFile::create(disk, path)?;
        file.buffer.extend_from_slice(bytes);
        file.commit(0)?;
        disk.sync_dir(path.parent().unwrap_or(Path::new(".")))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush_buffer().map_err(io::Error::other)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.outlet.take().is_some() {
            let _ = self.disk.remove(&self.part);
        }
    }
}
