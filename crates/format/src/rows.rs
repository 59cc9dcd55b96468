//! Rows of varying length: variable-width integers and length-prefixed bytes.

use crate::disk::Disk;
use crate::layout::{FileKind, Fingerprint};
use crate::writer::{BLOCK_BYTES, FileWriter, Packing};
use crate::{FileReader, FormatError, RecordSpec, Sealed};
use std::path::{Path, PathBuf};

/// A value with a variable-length encoding. Borrowing types read from the block without copying.
pub trait EncodedRow<'a>: Sized {
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

/// A value of a row.
pub(crate) trait RowValue<'a>: Sized {
    /// Appends the encoding.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads the value back; `None` if the bytes are none.
    fn read(bytes: &mut RowBytes<'a>) -> Option<Self>;
}

impl<'a> RowValue<'a> for u64 {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, *self);
    }
    #[inline]
    fn read(bytes: &mut RowBytes<'a>) -> Option<u64> {
        bytes.varint()
    }
}

impl<'a> RowValue<'a> for u32 {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, u64::from(*self));
    }
    #[inline]
    fn read(bytes: &mut RowBytes<'a>) -> Option<u32> {
        bytes.varint32()
    }
}

/// Small magnitudes take few bytes.
impl<'a> RowValue<'a> for i64 {
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, ((self << 1) ^ (self >> 63)) as u64);
    }
    fn read(bytes: &mut RowBytes<'a>) -> Option<i64> {
        let value = bytes.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

macro_rules! fixed_values {
    ($($number:ty),+) => {$(
        /// Always as many bytes, little-endian.
        impl<'a> RowValue<'a> for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &mut RowBytes<'a>) -> Option<$number> {
                let taken = bytes.take(size_of::<$number>())?;
                taken.try_into().ok().map(<$number>::from_le_bytes)
            }
        }
    )+};
}

fixed_values!(u128, i128, f64);

/// A length and bytes.
impl<'a> RowValue<'a> for &'a [u8] {
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.len() as u64);
        out.extend_from_slice(self);
    }
    fn read(bytes: &mut RowBytes<'a>) -> Option<&'a [u8]> {
        bytes.bytes()
    }
}

/// Bytes that are UTF-8.
impl<'a> RowValue<'a> for &'a str {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_bytes().put(out);
    }
    fn read(bytes: &mut RowBytes<'a>) -> Option<&'a str> {
        std::str::from_utf8(bytes.bytes()?).ok()
    }
}

/// 0 for `None`, else the length plus one and the bytes.
impl<'a> RowValue<'a> for Option<&'a str> {
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.map_or(0, |text| text.len() as u64 + 1));
        out.extend_from_slice(self.unwrap_or_default().as_bytes());
    }
    fn read(bytes: &mut RowBytes<'a>) -> Option<Option<&'a str>> {
        let Some(length) = bytes.varint()?.checked_sub(1) else {
            return Some(None);
        };
        let text = bytes.take(usize::try_from(length).ok()?)?;
        std::str::from_utf8(text).ok().map(Some)
    }
}

/// A number before which an `Option` has a byte: 0 for `None`, else 1.
pub(crate) trait Flagged {}

impl Flagged for i64 {}
impl Flagged for u64 {}
impl Flagged for u128 {}

impl<'a, T: RowValue<'a> + Flagged> RowValue<'a> for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn read(bytes: &mut RowBytes<'a>) -> Option<Option<T>> {
        match bytes.byte()? {
            0 => Some(None),
            _ => T::read(bytes).map(Some),
        }
    }
}

/// Implements [`EncodedRow`] for a struct from the list of its fields in the order of their bytes.
macro_rules! row {
    ($row:ident { $($field:ident),+ }) => {
        impl<'a> $crate::rows::EncodedRow<'a> for $row<'a> {
            fn encode(&self, out: &mut Vec<u8>) {
                $($crate::rows::RowValue::put(&self.$field, out);)+
            }
            fn decode(bytes: &mut $crate::rows::RowBytes<'a>) -> Option<Self> {
                Some($row { $($field: $crate::rows::RowValue::read(bytes)?),+ })
            }
        }
    };
}

pub(crate) use row;

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

    /// A length, and as many bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let n = usize::try_from(self.varint()?).ok()?;
        self.take(n)
    }
}

/// Writes rows.
pub struct RowWriter(FileWriter);

impl RowWriter {
    /// Starts a durable file of rows.
    pub fn create(
        disk: &Disk,
        path: PathBuf,
        kind: FileKind,
        fingerprint: Fingerprint,
    ) -> Result<RowWriter, FormatError> {
        let spec = RecordSpec {
            block_bytes: BLOCK_BYTES / 4,
            ..RecordSpec::durable(path, kind, fingerprint)
        };
        Ok(RowWriter(FileWriter::create(disk, spec, Packing::Rows)?))
    }

    /// Appends a row.
    pub fn push<'r>(&mut self, row: &impl EncodedRow<'r>) -> Result<(), FormatError> {
        self.0.row(|out| row.encode(out))
    }

    /// Seals the file.
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
    pub fn open_sealed(
        disk: &Disk,
        dir: &Path,
        sealed: &Sealed,
        kind: FileKind,
    ) -> Result<RowReader, FormatError> {
        Ok(RowReader::over(FileReader::open_sealed(
            disk, dir, sealed, kind,
        )?))
    }

    /// Opens a file by its path.
    pub fn open(disk: &Disk, path: &Path, kind: FileKind) -> Result<RowReader, FormatError> {
        Ok(RowReader::over(FileReader::open_kind(disk, path, kind)?))
    }

    fn over(reader: FileReader) -> RowReader {
        RowReader {
            reader,
            taken: 0,
            at: 0,
        }
    }

    /// Whether there is a next row; reads the next block if the current one is used up.
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
    pub fn each_of_block<R: for<'a> EncodedRow<'a>, E: From<FormatError>>(
        &mut self,
        mut take: impl FnMut(R) -> Result<(), E>,
    ) -> Result<bool, E> {
        if !self.more()? {
            return Ok(false);
        }
        let block = self.reader.block();
        let mut bytes = RowBytes(block.get(self.at..).unwrap_or_default());
        while self.taken < self.reader.block_records() {
            let row = R::decode(&mut bytes);
            let row = row.ok_or_else(|| self.reader.damage("a row that cannot be decoded"))?;
            take(row)?;
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
    pub fn next<'a, R: EncodedRow<'a>>(&'a mut self) -> Result<Option<R>, FormatError> {
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
        fn values_read_back(value: u64, signed: Option<i64>, bytes: Vec<u8>, text in proptest::option::of(".*")) {
            let mut out = Vec::new();
            value.put(&mut out);
            signed.put(&mut out);
            (&bytes[..]).put(&mut out);
            text.as_deref().put(&mut out);
            let mut read = RowBytes(&out);
            prop_assert_eq!(u64::read(&mut read), Some(value));
            prop_assert_eq!(<Option<i64>>::read(&mut read), Some(signed));
            prop_assert_eq!(<&[u8]>::read(&mut read), Some(&bytes[..]));
            prop_assert_eq!(<Option<&str>>::read(&mut read), Some(text.as_deref()));
            prop_assert!(read.0.is_empty());
        }

        #[test]
        fn no_bytes_make_decoding_panic(bytes: Vec<u8>) {
            let mut read = RowBytes(&bytes);
            let _ = (u64::read(&mut read), <Option<&str>>::read(&mut read), i64::read(&mut read));
            let _ = (<&str>::read(&mut read), f64::read(&mut read));
        }
    }
}
