//! Rows of varying length: variable-width integers and length-prefixed bytes.

use crate::disk::Disk;
use crate::layout::{FileKind, Fingerprint};
use crate::writer::{BLOCK_BYTES, Durability, FileSpec, FileWriter};
use crate::{FileReader, FormatError, Sealed};
use std::path::{Path, PathBuf};

/// A value with a variable-length encoding. Borrowing types read from the block without copying.
pub trait Row<'a>: Sized {
    /// Appends the encoding.
    fn encode(&self, out: &mut Vec<u8>);
    /// Reads one row; `None` if the bytes are no row.
    fn decode(bytes: &mut RowBytes<'a>) -> Option<Self>;
}

/// Bytes of a block that are still to be decoded.
#[derive(Clone, Copy, Debug)]
pub struct RowBytes<'a>(pub &'a [u8]);

/// Appends an unsigned integer, 7 bits a byte, low bits first (LEB128).
#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a length and bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends 0 for `None`, else the length plus one and the bytes.
pub(crate) fn put_optional(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        None => put_varint(out, 0),
        Some(text) => {
            put_varint(out, text.len() as u64 + 1);
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Signed integers with small magnitudes in few bytes.
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_varint(out, ((value << 1) ^ (value >> 63)) as u64);
}

impl<'a> RowBytes<'a> {
    /// One byte.
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// The counterpart of `put_varint`.
    #[inline]
    pub fn varint(&mut self) -> Option<u64> {
        match self.0 {
            // Most numbers are small.
            [byte, rest @ ..] if *byte < 0x80 => {
                self.0 = rest;
                Some(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// The counterpart of `put_signed`.
    pub fn signed(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A varint that fits 32 bits.
    #[inline]
    pub(crate) fn varint32(&mut self) -> Option<u32> {
        u32::try_from(self.varint()?).ok()
    }

    /// `n` bytes.
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    /// The counterpart of `put_bytes`.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let n = usize::try_from(self.varint()?).ok()?;
        self.take(n)
    }

    /// [`RowBytes::bytes`] that are UTF-8.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The counterpart of `put_optional`; the outer `None` is damage.
    pub fn optional(&mut self) -> Option<Option<&'a str>> {
        match self.varint()? {
            0 => Some(None),
            n => std::str::from_utf8(self.take(usize::try_from(n - 1).ok()?)?)
                .ok()
                .map(Some),
        }
    }

    /// 8 bytes, little-endian.
    pub fn u64(&mut self) -> Option<u64> {
        self.take(8).map(|bytes| crate::layout::u64_at(bytes, 0))
    }
}

/// Writes rows.
pub struct RowWriter(FileWriter);

impl RowWriter {
    /// Starts a durable file of rows.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(
        disk: &Disk,
        path: PathBuf,
        kind: FileKind,
        fingerprint: Fingerprint,
    ) -> Result<RowWriter, FormatError> {
        let spec = FileSpec {
            path,
            kind,
            fingerprint,
            record_bytes: 0,
            packed_records: 0,
            block_bytes: BLOCK_BYTES / 4,
        };
        Ok(RowWriter(FileWriter::create(
            disk,
            spec,
            Durability::Durable,
        )?))
    }

    /// Appends a row.
    ///
    /// # Errors
    /// When a full block cannot be written.
    pub fn push<'r>(&mut self, row: &impl Row<'r>) -> Result<(), FormatError> {
        self.0.row(|out| row.encode(out))
    }

    /// Seals the file.
    ///
    /// # Errors
    /// When a write, the sync or the rename fails; no file is left then.
    pub fn finish(self) -> Result<Sealed, FormatError> {
        self.0.finish()
    }
}

/// Reads rows, in order.
pub struct RowReader {
    reader: FileReader,
    taken: u32,
    at: usize,
}

impl RowReader {
    /// Opens the file the manifest lists.
    ///
    /// # Errors
    /// As [`FileReader::open_sealed`].
    pub fn open_sealed(
        disk: &Disk,
        dir: &Path,
        sealed: &Sealed,
        kind: FileKind,
    ) -> Result<RowReader, FormatError> {
        Ok(RowReader {
            reader: FileReader::open_sealed(disk, dir, sealed, kind)?,
            taken: 0,
            at: 0,
        })
    }

    /// Opens a file by its path.
    ///
    /// # Errors
    /// As [`FileReader::open`].
    pub fn open(disk: &Disk, path: &Path, kind: FileKind) -> Result<RowReader, FormatError> {
        let reader = FileReader::open(disk, path)?;
        reader.expect_kind(kind)?;
        Ok(RowReader {
            reader,
            taken: 0,
            at: 0,
        })
    }

    /// Whether there is a next row; reads the next block if the current one is used up.
    ///
    /// # Errors
    /// At damage.
    pub fn more(&mut self) -> Result<bool, FormatError> {
        if self.taken == self.reader.block_records() {
            if self.at != self.reader.block().len() {
                return Err(self.reader.damage("bytes after the last row of a block"));
            }
            (self.taken, self.at) = (0, 0);
            return self.reader.next_block();
        }
        Ok(true)
    }

    /// Hands on the rows of the current block that are left, or those of the next block; false
    /// after the last. Many short rows cost less so than one by one.
    ///
    /// # Errors
    /// Those of `take`, and damage as `failed` has it.
    pub fn each_of_block<R: for<'a> Row<'a>, E>(
        &mut self,
        failed: impl Fn(FormatError) -> E,
        mut take: impl FnMut(R) -> Result<(), E>,
    ) -> Result<bool, E> {
        if !self.more().map_err(&failed)? {
            return Ok(false);
        }
        let block = self.reader.block();
        let mut bytes = RowBytes(block.get(self.at..).unwrap_or_default());
        while self.taken < self.reader.block_records() {
            let row = R::decode(&mut bytes);
            take(row.ok_or_else(|| failed(self.reader.damage("a row that cannot be decoded")))?)?;
            self.taken += 1;
        }
        self.at = block.len() - bytes.0.len();
        Ok(true)
    }

    /// Rows in the whole file.
    pub fn rows(&self) -> u64 {
        self.reader.trailer().records
    }

    /// The next row, borrowed from the current block; `None` after the last.
    ///
    /// # Errors
    /// At damage.
    pub fn next<'a, R: Row<'a>>(&'a mut self) -> Result<Option<R>, FormatError> {
        if !self.more()? {
            return Ok(None);
        }
        let mut bytes = RowBytes(&self.reader.block()[self.at..]);
        let before = bytes.0.len();
        let row = R::decode(&mut bytes)
            .ok_or_else(|| self.reader.damage("a row that cannot be decoded"))?;
        self.at += before - bytes.0.len();
        self.taken += 1;
        Ok(Some(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn primitives_read_back(value: u64, signed: i64, bytes: Vec<u8>, text in proptest::option::of(".*")) {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            put_signed(&mut out, signed);
            put_bytes(&mut out, &bytes);
            put_optional(&mut out, text.as_deref());
            let mut read = RowBytes(&out);
            prop_assert_eq!(read.varint(), Some(value));
            prop_assert_eq!(read.signed(), Some(signed));
            prop_assert_eq!(read.bytes(), Some(&bytes[..]));
            prop_assert_eq!(read.optional(), Some(text.as_deref()));
            prop_assert!(read.0.is_empty());
        }

        #[test]
        fn no_bytes_make_decoding_panic(bytes: Vec<u8>) {
            let mut read = RowBytes(&bytes);
            let _ = (read.varint(), read.optional(), read.signed(), read.text(), read.u64());
        }
    }
}
