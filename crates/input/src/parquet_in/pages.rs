//! The page headers of a column chunk, before anything is decoded.
//!
//! *Input.* A column chunk. *Output.* The size of its largest page, or why it must not be read. *Algorithm.* The headers
//! are walked from one to the next; of each (Thrift's compact protocol) only the sizes are taken. The parser would allocate what a header claims;
//! gzip, whose decoder does not stop at the size claimed, is measured first where it could exceed the cap. *Memory.* One
//! header. *Limits.* A header has at most 1 MiB, a page 64 MiB, compressed or not.

use std::io::Read;

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;

use super::chunk::Chunk;

/// Largest page that is read.
pub(super) const PAGE_BYTES: u64 = 64 << 20;

/// No deflate stream expands more than this.
const DEFLATE_RATIO: u64 = 1032;

const HEADER_BYTES: usize = 1 << 20;

/// A stable word, and a detail for a person.
pub(super) type Refusal = (&'static str, String);

/// Bytes that the largest page of the column takes, compressed and decompressed together.
pub(super) fn largest(chunk: &Chunk, column: &ColumnChunkMetaData) -> Result<u64, Refusal> {
    let damaged = |what: &str| ("bad-parquet", format!("column {}: {what}", column.column_path()));
    let (mut offset, length) = column.byte_range();
    let end = offset.checked_add(length).filter(|&end| end <= chunk.bytes);
    let end = end.ok_or_else(|| damaged("its bytes reach beyond the file"))?;
    let mut largest = 0;
    while offset < end {
        let header = read_header(chunk, offset, end).ok_or_else(|| damaged("a page header is damaged"))?;
        let body = offset + header.header_bytes;
        let (Ok(compressed), Ok(uncompressed)) = (u64::try_from(header.compressed), u64::try_from(header.uncompressed))
        else {
            return Err(damaged("a page of negative size"));
        };
        if compressed > end - body {
            return Err(damaged("a page reaches beyond its column chunk"));
        }
        let claimed = uncompressed.max(compressed);
        if claimed > PAGE_BYTES {
            let detail =
                format!("column {}: a page of {claimed} bytes, at most {PAGE_BYTES} are read", column.column_path());
            return Err(("page-too-large", detail));
        }
        if matches!(column.compression(), Compression::GZIP(_)) && compressed.saturating_mul(DEFLATE_RATIO) > PAGE_BYTES
        {
            measure_gzip(chunk, body + header.levels.min(compressed), body + compressed)
                .map_err(|what| damaged(&what))?;
        }
        largest = largest.max(compressed + uncompressed);
        offset = body + compressed;
    }
    Ok(largest)
}

/// Decompresses into nothing, to see that it ends before the cap.
fn measure_gzip(chunk: &Chunk, from: u64, to: u64) -> Result<(), String> {
    let compressed = chunk.up_to(from, (to - from) as usize).map_err(|error| error.to_string())?;
    let mut decoder = flate2::read::MultiGzDecoder::new(&compressed[..]).take(PAGE_BYTES + 1);
    match std::io::copy(&mut decoder, &mut std::io::sink()) {
        Ok(bytes) if bytes > PAGE_BYTES => Err("a gzip page is larger than it claims to be".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// What is wanted of a page header.
#[derive(Debug, Default, PartialEq, Eq)]
struct Header {
    uncompressed: i64,
    compressed: i64,
    /// Bytes of levels in front of the data that are not compressed (version 2).
    levels: u64,
    header_bytes: u64,
}

fn read_header(chunk: &Chunk, offset: u64, end: u64) -> Option<Header> {
    for length in [1 << 10, HEADER_BYTES] {
        let length = length.min((end - offset) as usize);
        let bytes = chunk.up_to(offset, length).ok()?;
        if let Some(header) = parse(&bytes) {
            return Some(header);
        }
    }
    None
}

fn parse(bytes: &[u8]) -> Option<Header> {
    let mut thrift = Compact { rest: bytes };
    let mut header = Header::default();
    let (mut uncompressed, mut compressed) = (None, None);
    let mut id = 0;
    while let Some(kind) = thrift.field(&mut id)? {
        match (id, kind) {
            (2, 5) => uncompressed = Some(thrift.zigzag()?),
            (3, 5) => compressed = Some(thrift.zigzag()?),
            (8, 12) => header.levels = levels(&mut thrift)?,
            _ => thrift.skip(kind, 0)?,
        }
    }
    header.uncompressed = uncompressed?;
    header.compressed = compressed?;
    header.header_bytes = (bytes.len() - thrift.rest.len()) as u64;
    Some(header)
}

/// Lengths of both kinds of levels, of a version 2 data page header.
fn levels(thrift: &mut Compact<'_>) -> Option<u64> {
    let mut id = 0;
    let mut sum = 0u64;
    while let Some(kind) = thrift.field(&mut id)? {
        match (id, kind) {
            (5 | 6, 5) => sum += u64::try_from(thrift.zigzag()?).ok()?,
            _ => thrift.skip(kind, 0)?,
        }
    }
    Some(sum)
}

/// Thrift's compact protocol, as far as page headers need it. `None`: damaged, or longer than the bytes at hand.
struct Compact<'a> {
    rest: &'a [u8],
}

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    /// The type of the next field, whose number goes to `id`; `Some(None)` at the end of the struct.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *id = match byte >> 4 {
            0 => self.zigzag()?,
            delta => id.checked_add(i64::from(delta))?,
        };
        Some(Some(byte & 0x0f))
    }

    fn skip(&mut self, kind: u8, depth: u8) -> Option<()> {
        if depth > 8 {
            return None;
        }
        match kind {
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => self.rest = self.rest.get(8..)?,
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.rest = self.rest.get(length..)?;
            }
            9 | 10 => {
                let byte = self.byte()?;
                let count = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
                for _ in 0..count {
                    // In a list a boolean is a byte of its own.
                    let kind = if byte & 0x0f <= 2 { 3 } else { byte & 0x0f };
                    self.skip(kind, depth + 1)?;
                }
            }
            12 => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_version_2_header_is_read_to_its_end() {
        // type 3, uncompressed 100, compressed 60, crc, data_page_header_v2 with levels of 7 and 5 bytes.
        let mut bytes = vec![0x15, 6, 0x15, 200, 1, 0x15, 120, 0x15, 2, 0x4c];
        bytes.extend([0x15, 2, 0x15, 2, 0x15, 2, 0x15, 0, 0x15, 14, 0x15, 10, 0x11, 0, 0]);
        let expected = Header { uncompressed: 100, compressed: 60, levels: 12, header_bytes: bytes.len() as u64 };
        assert_eq!(parse(&bytes), Some(expected));
        for cut in 0..bytes.len() {
            assert_eq!(parse(&bytes[..cut]), None);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic_or_hang(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
