//! Direct I/O: bytes go between memory and the disk in large aligned pieces, past the page cache.
//!
//! *Input and output.* Offsets and slices of one open file. *Algorithm.* A file is opened as usual
//! and switched to direct I/O by `fcntl`; a piece that is not aligned, or a file system that
//! refuses (at the switch or at the first piece), switches it back, and the same bytes go through
//! the page cache. Interrupted and short transfers go on where they stopped. *Memory.* The
//! caller's. *Limits.* Pieces of at least [`DIRECT_BYTES_MIN`], as smaller ones cost more than they
//! save; `PIPELINE_IO=buffered` or `direct` overrides the choice by size.

use rustix::fs::{Advice, OFlags, fadvise, fcntl_getfl, fcntl_setfl};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// Offsets, lengths and addresses are multiples of this. No disk in use has larger sectors.
pub(crate) const ALIGN: usize = 4096;
/// Smaller pieces go through the page cache.
pub(crate) const DIRECT_BYTES_MIN: usize = 64 << 10;
/// The system's answer to a transfer that it cannot do directly.
const EINVAL: i32 = 22;

/// How bytes go between memory and the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoMode {
    /// Directly in large pieces, through the page cache in small ones and in small files.
    Auto,
    /// Always through the page cache.
    Buffered,
    /// Directly whatever the size, where the file system lets us. For tests.
    Direct,
}

impl Default for IoMode {
    /// The mode that `PIPELINE_IO` names; [`IoMode::Auto`] if it names none.
    fn default() -> IoMode {
        static MODE: OnceLock<IoMode> = OnceLock::new();
        *MODE.get_or_init(|| match std::env::var("PIPELINE_IO").as_deref() {
            Ok("buffered") => IoMode::Buffered,
            Ok("direct") => IoMode::Direct,
            _ => IoMode::Auto,
        })
    }
}

impl IoMode {
    /// Whether pieces of this size are to go directly.
    pub(crate) fn is_direct(self, piece_bytes: usize) -> bool {
        match self {
            IoMode::Auto => piece_bytes >= DIRECT_BYTES_MIN,
            IoMode::Buffered => false,
            IoMode::Direct => true,
        }
    }
}

/// The next multiple of [`ALIGN`].
pub(crate) fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGN)
}

/// Memory of a fixed size that begins at an address direct I/O accepts.
pub(crate) struct Aligned {
    memory: Vec<u8>,
    start: usize,
    bytes: usize,
}

impl Aligned {
    /// Zeroed memory; the system gives the pages when they are touched.
    pub(crate) fn new(bytes: usize) -> Aligned {
        if bytes == 0 {
            return Aligned {
                memory: Vec::new(),
                start: 0,
                bytes,
            };
        }
        // Never grown, so it stays where it is.
        let memory = vec![0; bytes + ALIGN];
        let start = memory.as_ptr().align_offset(ALIGN).min(ALIGN);
        Aligned {
            memory,
            start,
            bytes,
        }
    }

    /// All of it.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.bytes]
    }

    /// All of it, to be filled.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.bytes]
    }
}

/// An open file, read and written by offset.
pub(crate) struct RawFile {
    file: File,
    direct: bool,
}

impl RawFile {
    /// Through the page cache for now.
    pub(crate) fn new(file: File) -> RawFile {
        RawFile {
            file,
            direct: false,
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Switches to direct I/O; says whether the file system agreed so far.
    pub(crate) fn go_direct(&mut self) -> bool {
        self.direct = self.switch(OFlags::DIRECT).is_ok();
        self.direct
    }

    /// Whether pieces go directly, as far as the file system said so far.
    #[cfg(test)]
    pub(crate) fn is_direct(&self) -> bool {
        self.direct
    }

    /// Switches back to the page cache.
    pub(crate) fn go_buffered(&mut self) {
        if std::mem::take(&mut self.direct) {
            let _ = self.switch(OFlags::empty());
        }
    }

    /// Tells the system that the file is read from front to back.
    pub(crate) fn advise_sequential(&self) {
        let _ = fadvise(&self.file, 0, None, Advice::Sequential);
    }

    fn switch(&self, direct: OFlags) -> io::Result<()> {
        let others = fcntl_getfl(&self.file)? - OFlags::DIRECT;
        Ok(fcntl_setfl(&self.file, others | direct)?)
    }

    /// Whether this error is the file system's refusal of direct I/O; then it is switched off and
    /// may be tried again.
    fn refused(&mut self, error: &io::Error) -> bool {
        let refused = self.direct && error.raw_os_error() == Some(EINVAL);
        if refused {
            self.go_buffered();
        }
        refused
    }

    /// Writes all bytes at an offset.
    pub(crate) fn write_all_at(&mut self, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            if !at.is_multiple_of(ALIGN as u64) || !bytes.len().is_multiple_of(ALIGN) {
                self.go_buffered();
            }
            match self.file.write_at(bytes, at) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => {
                    bytes = &bytes[n..];
                    at += n as u64;
                }
                Err(error)
                    if error.kind() == io::ErrorKind::Interrupted || self.refused(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads until the slice is full or the file ends; says how many bytes.
    pub(crate) fn read_up_to(&mut self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < bytes.len() {
            if !(at + filled as u64).is_multiple_of(ALIGN as u64) {
                self.go_buffered();
            }
            match self.file.read_at(&mut bytes[filled..], at + filled as u64) {
                Ok(0) => break,
                Ok(n) => {
                    filled += n;
                    // A direct read ends off the grid only at the end of the file.
                    if self.direct && !n.is_multiple_of(ALIGN) {
                        break;
                    }
                }
                Err(error)
                    if error.kind() == io::ErrorKind::Interrupted || self.refused(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn memory_is_aligned() {
        for bytes in [1, ALIGN - 1, ALIGN, 3 * ALIGN + 5] {
            let mut memory = Aligned::new(bytes);
            assert_eq!(memory.bytes().len(), bytes);
            assert_eq!(memory.bytes_mut().as_ptr().align_offset(ALIGN), 0);
        }
        assert!(Aligned::new(0).bytes().is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pieces_aligned_or_not_are_read_back(pieces in proptest::collection::vec((0usize..4, 0usize..3), 1..6)) {
            let file = tempfile::tempfile().unwrap();
            let mut raw = RawFile::new(file.try_clone().unwrap());
            let (mut at, mut expected) = (0_u64, Vec::new());
            for (pages, odd) in pieces {
                raw.go_direct();
                let mut piece = Aligned::new(pages * ALIGN + odd * 33);
                piece.bytes_mut().iter_mut().zip(at..).for_each(|(byte, n)| *byte = (n % 251) as u8);
                raw.write_all_at(piece.bytes(), at).unwrap();
                expected.extend_from_slice(piece.bytes());
                at += piece.bytes().len() as u64;
            }
            let mut back = Aligned::new(aligned(expected.len()) + ALIGN);
            let mut raw = RawFile::new(file);
            raw.go_direct();
            let n = raw.read_up_to(back.bytes_mut(), 0).unwrap();
            prop_assert_eq!(&back.bytes()[..n], &expected[..]);
        }
    }
}
