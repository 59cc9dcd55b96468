//! The bytes of one file on their way from the disk, in order or from any offset on.
//!
//! *Algorithm.* Pieces are read at aligned offsets into one buffer. The unread rest of a piece
//! moves to the front, so that any number of bytes can be had as one slice. Large files are read
//! directly, others through the page cache. *Memory.* A piece and the longest slice asked for.

use crate::FormatError;
use crate::direct::{ALIGN, Aligned, IoMode, RawFile, aligned};
use crate::disk::{Disk, length};
use crate::layout::Framing;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Smaller files are read through the page cache.
const DIRECT_FILE_BYTES_MIN: u64 = 1 << 20;

/// A file being read.
pub(crate) struct Inlet {
    disk: Disk,
    path: PathBuf,
    raw: RawFile,
    file_bytes: u64,
    piece_bytes: usize,
    buffer: Aligned,
    /// Bytes of the buffer that were read and not yet taken.
    held: Range<usize>,
    /// Where in the file the first of them is.
    at: u64,
}

impl Inlet {
    /// Opens a file; nothing is read yet.
    pub(crate) fn open(disk: &Disk, path: &Path) -> Result<Inlet, FormatError> {
        let file = disk.open(path)?;
        let file_bytes = length(&file, path)?;
        Ok(Inlet {
            disk: disk.clone(),
            path: path.to_path_buf(),
            raw: RawFile::new(file),
            file_bytes,
            piece_bytes: 1,
            buffer: Aligned::new(0),
            held: 0..0,
            at: 0,
        })
    }

    /// Bytes of the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Reads bytes at an offset, past the buffer. Only before [`Inlet::start`].
    pub(crate) fn peek(&mut self, bytes: &mut [u8], at: u64) -> Result<(), FormatError> {
        let read = self.disk.read_up_to(&mut self.raw, &self.path, bytes, at)?;
        if read < bytes.len() {
            return Err(self.damaged(at + read as u64, "the file ends here"));
        }
        Ok(())
    }

    /// Reads header and trailer. Only before [`Inlet::start`].
    pub(crate) fn framing(&mut self) -> Result<Framing, FormatError> {
        let path = self.path.clone();
        Framing::read(&path, self.file_bytes, |bytes, at| self.peek(bytes, at))
    }

    /// An error at a byte of the file.
    pub(crate) fn damaged(&self, at: u64, what: impl Into<String>) -> FormatError {
        FormatError::damaged(&self.path, at, what)
    }

    /// Begins reading at an offset, in pieces of about this size.
    pub(crate) fn start(&mut self, at: u64, piece_bytes: usize) {
        self.piece_bytes = aligned(piece_bytes.max(1));
        let large =
            self.file_bytes >= DIRECT_FILE_BYTES_MIN || self.disk.io_mode() == IoMode::Direct;
        if !(large && self.disk.io_mode().is_direct(self.piece_bytes) && self.raw.go_direct()) {
            self.raw.advise_sequential();
        }
        self.seek(at);
    }

    /// From now on reads pieces of this size.
    pub(crate) fn set_piece(&mut self, piece_bytes: usize) {
        self.piece_bytes = aligned(piece_bytes.max(1));
    }

    /// Goes to an offset.
    pub(crate) fn seek(&mut self, at: u64) {
        let ahead = at
            .checked_sub(self.at)
            .and_then(|n| usize::try_from(n).ok());
        match ahead.filter(|&n| n <= self.held.len()) {
            Some(n) => self.held.start += n,
            None => self.held = 0..0,
        }
        self.at = at;
    }

    /// The next `n` bytes, as a range for [`Inlet::bytes`], good until the next call.
    pub(crate) fn take(&mut self, n: usize) -> Result<Range<usize>, FormatError> {
        if self.held.len() < n {
            self.fill(n)?;
        }
        let taken = self.held.start..self.held.start + n;
        self.held.start += n;
        self.at += n as u64;
        Ok(taken)
    }

    /// Bytes that were taken.
    #[inline]
    pub(crate) fn bytes(&self, taken: Range<usize>) -> &[u8] {
        &self.buffer.bytes()[taken]
    }

    /// Reads until `n` bytes are held.
    fn fill(&mut self, n: usize) -> Result<(), FormatError> {
        let left = self.held.len();
        // Reading goes on at the grid: in the file, and so in memory.
        let next = self.at + left as u64;
        let before = (next % ALIGN as u64) as usize;
        let (from, keep) = if left == 0 {
            (next - before as u64, before)
        } else {
            (next, 0)
        };
        let front = (ALIGN - left % ALIGN) % ALIGN;
        let to_end =
            usize::try_from(self.file_bytes.saturating_sub(from)).unwrap_or(usize::MAX - ALIGN);
        let wanted = self
            .piece_bytes
            .max(aligned(n + keep - left))
            .min(aligned(to_end));
        let start = if left == 0 { 0 } else { front + left };
        self.make_room(start + wanted, front);
        let space = &mut self.buffer.bytes_mut()[start..start + wanted];
        let read = self
            .disk
            .read_up_to(&mut self.raw, &self.path, space, from)?;
        self.held = if left == 0 {
            keep.min(read)..read
        } else {
            front..start + read
        };
        if self.held.len() < n {
            return Err(self.damaged(from + read as u64, "the file ends here"));
        }
        Ok(())
    }

    /// Moves the unread bytes to `front`, in a buffer of at least `bytes`.
    fn make_room(&mut self, bytes: usize, front: usize) {
        let held = self.held.clone();
        if self.buffer.bytes().len() < bytes {
            let mut larger = Aligned::new(bytes + bytes / 4);
            larger.bytes_mut()[front..front + held.len()]
                .copy_from_slice(&self.buffer.bytes()[held]);
            self.buffer = larger;
        } else {
            self.buffer.bytes_mut().copy_within(held, front);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::DiskOptions;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_slices_from_anywhere(
            length in 0usize..80_000,
            piece in 1usize..30_000,
            steps in proptest::collection::vec((0usize..20_000, proptest::option::of(0u64..80_000)), 0..30),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("file");
            let bytes: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            for io in [IoMode::Auto, IoMode::Buffered, IoMode::Direct] {
                let disk = Disk::new(DiskOptions { io, ..DiskOptions::default() });
                let mut inlet = Inlet::open(&disk, &path).unwrap();
                inlet.start(0, piece);
                let mut at = 0;
                for &(n, seek) in &steps {
                    if let Some(to) = seek {
                        // Anywhere, or a little further on.
                        at = if to % 2 == 0 { to as usize % (length + 1) } else { (at + to as usize % 3000).min(length) };
                        inlet.seek(at as u64);
                    }
                    match inlet.take(n) {
                        Ok(taken) => prop_assert!(at + n <= length && inlet.bytes(taken) == &bytes[at..at + n]),
                        Err(_) => prop_assert!(at + n > length),
                    }
                    at = if at + n <= length { at + n } else { at };
                }
            }
        }
    }
}
