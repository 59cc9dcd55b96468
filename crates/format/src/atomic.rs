//! Files that are not of our formats (JSON, Parquet), written with the same care: temporary name,
//! sync, rename.

use crate::disk::Disk;
use crate::inlet::Inlet;
use crate::outlet::Outlet;
use crate::{Durability, FormatError, Sealed};
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// A plain file being written; it has its final name only after [`AtomicFile::commit`].
pub struct AtomicFile {
    disk: Disk,
    outlet: Outlet,
    buffer: Vec<u8>,
    bytes: u64,
    hasher: XxHash3_64,
    failed: bool,
}

const BUFFER_BYTES: usize = 256 << 10;
/// Bytes that are read or written at once.
const PIECE_BYTES: usize = 1 << 20;

impl AtomicFile {
    /// Starts a file.
    pub fn create(disk: &Disk, path: &Path) -> Result<AtomicFile, FormatError> {
        Ok(AtomicFile {
            disk: disk.clone(),
            outlet: Outlet::create(disk, path.to_path_buf(), PIECE_BYTES)?,
            buffer: Vec::with_capacity(BUFFER_BYTES),
            bytes: 0,
            hasher: XxHash3_64::new(),
            failed: false,
        })
    }

    /// Gives it another final name, on the same file system: one that is known later.
    pub fn rename(&mut self, path: PathBuf) {
        self.outlet.rename(path);
    }

    fn flush_buffer(&mut self) -> Result<(), FormatError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        // A half-written file is never finished, whatever its writer makes of the first error.
        if std::mem::replace(&mut self.failed, true) {
            let source = io::Error::other("an earlier write of it failed");
            return Err(FormatError::io("finish", self.outlet.part(), 0, source));
        }
        self.outlet.append(&self.buffer)?;
        self.failed = false;
        self.bytes += self.buffer.len() as u64;
        self.hasher.write(&self.buffer);
        self.buffer.clear();
        Ok(())
    }

    /// Makes the bytes durable and gives the file its name; the caller syncs the directory.
    /// `records` is only noted, with size and checksum.
    ///
    /// # Errors
    /// When any step fails; the temporary file is then removed.
    pub fn commit(mut self, records: u64) -> Result<Sealed, FormatError> {
        self.flush_buffer()?;
        Ok(Sealed {
            name: self.outlet.commit(Durability::Durable)?,
            bytes: self.bytes,
            records,
            checksum: format!("{:016x}", self.hasher.finish()),
        })
    }

    /// Appends the bytes of a committed file.
    pub fn append_file(&mut self, path: &Path) -> Result<(), FormatError> {
        let disk = self.disk.clone();
        each_piece(&disk, path, |piece| {
            for part in piece.chunks(BUFFER_BYTES) {
                self.buffer.extend_from_slice(part);
                self.flush_buffer()?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Reads a committed file again and compares it with the noted seal.
    pub fn verify(disk: &Disk, path: &Path, sealed: &Sealed) -> Result<(), FormatError> {
        let mut hasher = XxHash3_64::new();
        let bytes = each_piece(disk, path, |piece| {
            hasher.write(piece);
            Ok(())
        })?;
        if bytes != sealed.bytes {
            let what = format!("it has {bytes} bytes, {} were written", sealed.bytes);
            return Err(FormatError::damaged(path, 0, what));
        }
        if format!("{:016x}", hasher.finish()) != sealed.checksum {
            let what = "its checksum is not that of the bytes written";
            return Err(FormatError::damaged(path, 0, what));
        }
        Ok(())
    }

    /// Writes a whole small file at once and syncs its directory.
    ///
    /// # Errors
    /// When any step fails; the old file, if there was one, is then untouched.
    pub fn replace(disk: &Disk, path: &Path, bytes: &[u8]) -> Result<(), FormatError> {
        AtomicFile::write_whole(disk, path, bytes)?;
        disk.sync_dir(path.parent().unwrap_or(Path::new(".")))
    }

    /// Writes a whole small file at once; the caller syncs its directory.
    pub(crate) fn write_whole(
        disk: &Disk,
        path: &Path,
        bytes: &[u8],
    ) -> Result<Sealed, FormatError> {
        let mut file = AtomicFile::create(disk, path)?;
        file.buffer.extend_from_slice(bytes);
        file.commit(0)
    }
}

/// Passes the bytes of a file to `take`, piece by piece; says how many there are.
fn each_piece(
    disk: &Disk,
    path: &Path,
    mut take: impl FnMut(&[u8]) -> Result<(), FormatError>,
) -> Result<u64, FormatError> {
    let mut inlet = Inlet::open(disk, path)?;
    let bytes = inlet.file_bytes();
    inlet.start(0, PIECE_BYTES);
    let mut left = bytes;
    while left > 0 {
        let n = left.min(PIECE_BYTES as u64);
        let piece = inlet.take(n as usize)?;
        take(inlet.bytes(piece))?;
        left -= n;
    }
    Ok(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IoMode;
    use crate::disk::DiskOptions;
    use crate::fault::{Faults, Operation};

    fn disk(faults: Faults) -> Disk {
        let io = IoMode::Auto;
        Disk::new(DiskOptions {
            faults,
            io,
            ..DiskOptions::default()
        })
    }

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|i| (i % 251) as u8).collect()
    }

    #[test]
    fn a_file_has_its_bytes_and_its_name_after_commit_only() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, path) = (Disk::default(), dir.path().join("file"));
        for length in [0, 1, BUFFER_BYTES, PIECE_BYTES, 2 * PIECE_BYTES + 3] {
            let content = bytes(length);
            let mut file = AtomicFile::create(&disk, &path).unwrap();
            for part in content.chunks(100_000) {
                file.write_all(part).unwrap();
                assert!(file.buffer.len() < BUFFER_BYTES, "written when it is full");
            }
            file.flush().unwrap();
            assert!(!path.exists());
            let sealed = file.commit(7).unwrap();
            assert!(std::fs::read(&path).unwrap() == content);
            assert_eq!(
                (&*sealed.name, sealed.bytes, sealed.records),
                ("file", length as u64, 7)
            );
            assert_eq!(
                sealed.checksum,
                format!("{:016x}", XxHash3_64::oneshot(&content))
            );
            AtomicFile::verify(&disk, &path, &sealed).unwrap();
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn little_is_held_before_it_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let disk = disk(Faults::none());
        let mut file = AtomicFile::create(&disk, &dir.path().join("file")).unwrap();
        file.write_all(&bytes(BUFFER_BYTES - 1)).unwrap();
        assert_eq!((file.buffer.len(), disk.traffic().0), (BUFFER_BYTES - 1, 0));
        file.write_all(b"1").unwrap();
        assert_eq!(
            (file.buffer.len(), disk.traffic().0),
            (0, BUFFER_BYTES as u64)
        );
        drop(file);
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            0,
            "not committed"
        );
    }

    #[test]
    fn verifying_notices_changed_bytes_and_lengths() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, path) = (Disk::default(), dir.path().join("file"));
        AtomicFile::replace(&disk, &path, b"good").unwrap();
        let checksum = format!("{:016x}", XxHash3_64::oneshot(b"good"));
        let (name, bytes, records) = ("file".to_owned(), 4, 0);
        let sealed = Sealed {
            name,
            bytes,
            records,
            checksum,
        };
        AtomicFile::verify(&disk, &path, &sealed).unwrap();
        for (content, message) in [(&b"bad."[..], "checksum"), (b"go", "it has 2 bytes")] {
            std::fs::write(&path, content).unwrap();
            let error = AtomicFile::verify(&disk, &path, &sealed).unwrap_err();
            assert!(matches!(error, FormatError::Damaged { .. }));
            assert!(error.to_string().contains(message), "{error}");
        }
        std::fs::write(&path, b"good").unwrap();
        let longer = Sealed { bytes: 5, ..sealed };
        assert!(
            AtomicFile::verify(&disk, &path, &longer).is_err(),
            "the length is compared, too"
        );
    }

    #[test]
    fn a_committed_file_is_appended_whole() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, from, to) = (
            Disk::default(),
            dir.path().join("from"),
            dir.path().join("to"),
        );
        let content = bytes(PIECE_BYTES + BUFFER_BYTES + 5);
        std::fs::write(&from, &content).unwrap();
        let mut file = AtomicFile::create(&disk, &to).unwrap();
        file.write_all(b"before").unwrap();
        file.append_file(&from).unwrap();
        file.write_all(b"after").unwrap();
        file.commit(0).unwrap();
        assert!(std::fs::read(&to).unwrap() == [b"before", &content[..], b"after"].concat());
    }

    #[test]
    fn a_file_is_not_committed_after_a_write_of_it_failed() {
        let dir = tempfile::tempdir().unwrap();
        for operation in [Operation::Write, Operation::Sync, Operation::Rename] {
            let disk = disk(Faults::failing(Some(operation), 1, 5));
            let mut file = AtomicFile::create(&disk, &dir.path().join("file")).unwrap();
            // The caller may ignore the first error.
            let written = file.write_all(&bytes(BUFFER_BYTES));
            assert_eq!(written.is_err(), operation == Operation::Write);
            assert!(file.commit(0).is_err());
            assert_eq!(
                std::fs::read_dir(dir.path()).unwrap().count(),
                0,
                "{operation:?}"
            );
        }
    }

    #[test]
    fn replacing_makes_file_and_directory_durable() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, path) = (Disk::default(), dir.path().join("file"));
        for content in [&b"first"[..], b"second"] {
            AtomicFile::replace(&disk, &path, content).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), content);
        }
        let [_, syncs, renames, ..] = disk.operations();
        assert_eq!((syncs, renames), (4, 2));
    }
}
