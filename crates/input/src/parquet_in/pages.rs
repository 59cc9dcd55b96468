//! The page headers of a column chunk, before anything is decoded.
//!
//! *Input.* A column chunk. *Output.* What reading it will hold at once, or why it must not be
//! read. *Algorithm.* The headers are walked from one to the next; of each only sizes and counts
//! are taken. The parser would allocate what a header claims; gzip, whose decoder does not stop at
//! the size claimed, is decoded once into nothing to see that it keeps to it. Held at once are the
//! dictionary (its page, and [`VALUE_BYTES`] for each of its values), one page of data, the lengths
//! of its values if they are stored apart, and while a page is decoded its compressed bytes.
//! *Memory.* One header; a compressed page, if it is gzip. *Limits.* A header has at most 1 MiB.
//! How many lengths a stream of deltas claims to hold is checked in `deltas`.

use std::io::Read;

use parquet::basic::{Compression, Type};
use parquet::file::metadata::ColumnChunkMetaData;

use super::chunk::ColumnChunk;
use decode::document::Refusal;
use decode::large_page::{LEVELS_BYTES, PART_BYTES};
use decode::page_stream::{PageCodec, ZSTD_WINDOW_BYTES};
use decode::parquet_shapes::{PAGE_ADVICE, begins_with_page_header};
use decode::thrift::Compact;

/// A value of a dictionary in memory, besides its bytes.
const VALUE_BYTES: u64 = 32;

/// A value of a list in memory, besides its bytes, with its levels.
pub(super) const LIST_VALUE_BYTES: u64 = 40;

/// The pages that a row of a list may reach over, besides the first one.
pub(super) const ROW_BYTES: u64 = 8 << 20;

/// Two lengths of a value.
const LENGTHS_BYTES: u64 = 8;

/// `DELTA_LENGTH_BYTE_ARRAY` and `DELTA_BYTE_ARRAY`: their lengths are all decoded at once.
const WITH_LENGTHS: [i64; 2] = [6, 7];

/// Pages of more bytes are split.
pub(super) const SPLIT_ABOVE_BYTES: u64 = 20 << 20;

/// Bytes that a stream holds of a page, if not a window of zstd.
const WINDOW_BYTES: u64 = 256 << 10;

/// The encoding of values one behind the other.
const PLAIN: i64 = 0;

/// No deflate stream expands more than this.
const DEFLATE_RATIO: u64 = 1032;

const HEADER_BYTES: usize = 1 << 20;

pub(super) fn bad(detail: impl Into<String>) -> Refusal {
    ("bad-parquet", detail.into())
}

/// Memory that a column needs while it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageBuffer {
    /// From page to page.
    pub(super) steady_bytes: u64,
    /// Only while a page is decoded; one column does that at a time.
    pub(super) passing_bytes: u64,
}

/// The memory that reading the column will need at once; `is_features` if its lists are gathered.
/// A page of more than `most_bytes` is refused.
pub(super) fn held(
    chunk: &ColumnChunk,
    column: &ColumnChunkMetaData,
    is_features: bool,
    most_bytes: u64,
) -> Result<PageBuffer, Refusal> {
    let damaged = |what: &str| {
        (
            "bad-parquet",
            format!("column {}: {what}", column.column_path()),
        )
    };
    let (mut offset, length) = column.byte_range();
    let end = offset.checked_add(length).filter(|&end| end <= chunk.bytes);
    let end = end.ok_or_else(|| damaged("its bytes reach beyond the file"))?;
    let (mut dictionary_bytes, mut data_bytes, mut passing_bytes) = (0, 0, 0);
    while offset < end {
        let header =
            read_header(chunk, offset, end).ok_or_else(|| damaged("a page header is damaged"))?;
        let body = offset + header.header_bytes;
        let (Ok(compressed), Ok(uncompressed)) = (
            u64::try_from(header.compressed),
            u64::try_from(header.uncompressed),
        ) else {
            return Err(damaged("a page has a negative size"));
        };
        if compressed > end - body {
            return Err(damaged("a page reaches beyond its column chunk"));
        }
        if let Some(split) = split_page(&header, column, most_bytes) {
            data_bytes = data_bytes.max(split.steady_bytes);
            offset = body + compressed;
            continue;
        }
        let claimed = uncompressed.max(compressed);
        if claimed > most_bytes {
            let detail = format!(
                "column {}: a page has {claimed} bytes, at most {most_bytes} are read; {PAGE_ADVICE}",
                column.column_path()
            );
            return Err(("page-too-large", detail));
        }
        let levels = header.levels.min(compressed);
        let most = uncompressed.saturating_sub(levels);
        // A page without data is not decompressed, whatever it holds.
        if matches!(column.compression(), Compression::GZIP(_)) && !header.is_plain && most > 0 {
            measure_gzip(chunk, (body + levels, body + compressed), most)
                .map_err(|what| damaged(&what))?;
        }
        dictionary_bytes = dictionary_bytes.max(match header.dictionary_values {
            0 => 0,
            values => uncompressed.saturating_add(values.saturating_mul(VALUE_BYTES)),
        });
        // a list is held beside the page
        let list = if is_features {
            uncompressed.saturating_add(header.values.saturating_mul(LIST_VALUE_BYTES))
        } else {
            0
        };
        let lengths = header.lengths.saturating_mul(LENGTHS_BYTES);
        data_bytes = data_bytes.max(uncompressed.saturating_add(lengths).saturating_add(list));
        passing_bytes = passing_bytes.max(compressed);
        offset = body + compressed;
    }
    Ok(PageBuffer {
        steady_bytes: dictionary_bytes.saturating_add(data_bytes),
        passing_bytes,
    })
}

/// The largest value that a split page may have, of `most_bytes` that pages may take.
pub(super) fn value_bytes(most_bytes: u64) -> u64 {
    most_bytes / 6
}

/// How the column is compressed, if its large pages can be split.
pub(super) fn codec_of_texts(column: &ColumnChunkMetaData) -> Option<PageCodec> {
    let descriptor = column.column_descr();
    let is_flat = descriptor.max_rep_level() == 0 && descriptor.max_def_level() <= 1;
    match column.compression() {
        _ if !is_flat || descriptor.physical_type() != Type::BYTE_ARRAY => None,
        Compression::UNCOMPRESSED => Some(PageCodec::Plain),
        Compression::SNAPPY => Some(PageCodec::Snappy),
        Compression::GZIP(_) => Some(PageCodec::Gzip),
        Compression::ZSTD(_) => Some(PageCodec::Zstd),
        _ => None,
    }
}

/// The memory of a page, if it is split: if that is less than the page.
pub(super) fn split_page(
    header: &PageHeader,
    column: &ColumnChunkMetaData,
    most_bytes: u64,
) -> Option<PageBuffer> {
    let whole = u64::try_from(header.uncompressed).unwrap_or(0);
    let is_large = whole > SPLIT_ABOVE_BYTES && header.compressed >= 0;
    let codec = codec_of_texts(column).filter(|_| is_large && header.is_plain_values)?;
    let part = (PART_BYTES as u64).saturating_add(value_bytes(most_bytes));
    let window = match codec {
        PageCodec::Zstd => ZSTD_WINDOW_BYTES,
        _ => WINDOW_BYTES,
    };
    let steady_bytes = part.saturating_mul(2).saturating_add(LEVELS_BYTES + window);
    (steady_bytes < whole).then_some(PageBuffer {
        steady_bytes,
        passing_bytes: 0,
    })
}

/// Decompresses into nothing, to see that it keeps to its size.
fn measure_gzip(
    chunk: &ColumnChunk,
    (from, to): (u64, u64),
    most_bytes: u64,
) -> Result<(), String> {
    let length = (to - from) as usize;
    if (to - from).saturating_mul(DEFLATE_RATIO) <= most_bytes {
        return Ok(());
    }
    let compressed = chunk
        .up_to(from, length)
        .map_err(|error| error.to_string())?;
    let mut decoder = flate2::read::MultiGzDecoder::new(&compressed[..]).take(most_bytes + 1);
    match std::io::copy(&mut decoder, &mut std::io::sink()) {
        Ok(bytes) if bytes > most_bytes => {
            Err("a gzip page is larger than it claims to be".to_owned())
        }
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// The fields of a page header that matter here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub(super) uncompressed: i64,
    pub(super) compressed: i64,
    /// It is data of version 2.
    pub(super) is_v2: bool,
    /// Bytes of levels in front of the data that are not compressed (version 2).
    pub(super) levels: u64,
    /// The page is not compressed in spite of the column's codec (version 2).
    pub(super) is_plain: bool,
    /// Its values lie one behind the other.
    pub(super) is_plain_values: bool,
    /// Values of a dictionary page.
    dictionary_values: u64,
    /// Values of a page of data.
    pub(super) values: u64,
    /// The values whose lengths are stored apart.
    lengths: u64,
    pub(super) header_bytes: u64,
}

/// The header of the page that begins at `offset`.
pub(super) fn read_header(chunk: &ColumnChunk, offset: u64, end: u64) -> Option<PageHeader> {
    for length in [1 << 10, HEADER_BYTES] {
        let length = length.min((end - offset) as usize);
        let bytes = chunk.up_to(offset, length).ok()?;
        if let Some(header) = parse(&bytes) {
            return Some(header);
        }
    }
    None
}

fn parse(bytes: &[u8]) -> Option<PageHeader> {
    if !begins_with_page_header(bytes) {
        return None;
    }
    let mut thrift = Compact { rest: bytes };
    let mut header = PageHeader::default();
    let (mut uncompressed, mut compressed) = (None, None);
    let mut id = 0;
    while let Some(kind) = thrift.field(&mut id)? {
        match (id, kind) {
            (2, 5) => uncompressed = Some(thrift.zigzag()?),
            (3, 5) => compressed = Some(thrift.zigzag()?),
            (5 | 7 | 8, 12) => contents(&mut thrift, id, &mut header)?,
            _ => thrift.skip(kind)?,
        }
    }
    header.uncompressed = uncompressed?;
    header.compressed = compressed?;
    header.header_bytes = (bytes.len() - thrift.rest.len()) as u64;
    Some(header)
}

/// The part of a header that depends on the kind of page: 5 is data, 7 a dictionary, 8 data of
/// version 2.
fn contents(thrift: &mut Compact<'_>, page: i64, header: &mut PageHeader) -> Option<()> {
    let mut id = 0;
    let (mut values, mut encoding) = (0, -1);
    while let Some(kind) = thrift.field(&mut id)? {
        match (page, id, kind) {
            (_, 1, 5) => values = u64::try_from(thrift.zigzag()?).ok()?,
            (5, 2, 5) | (8, 4, 5) => encoding = thrift.zigzag()?,
            // A field of type 2 is false.
            (8, 7, 2) => header.is_plain = true,
            // Lengths of both kinds of levels.
            (8, 5 | 6, 5) => header.levels += u64::try_from(thrift.zigzag()?).ok()?,
            _ => thrift.skip(kind)?,
        }
    }
    match page {
        7 => header.dictionary_values = values,
        _ => header.values = values,
    }
    header.is_v2 = page == 8;
    header.is_plain_values = page != 7 && encoding == PLAIN;
    if page != 7 && WITH_LENGTHS.contains(&encoding) {
        header.lengths = values;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use decode::parquet_shapes::{CHUNK_BYTES, GROUP_BYTES};
    use parquet::file::metadata::RowGroupMetaData;
    use proptest::prelude::*;

    #[test]
    fn the_parsed_form_is_no_larger_than_was_counted_for() {
        assert!(
            size_of::<ColumnChunkMetaData>() as u64 + 64 <= CHUNK_BYTES,
            "{}",
            size_of::<ColumnChunkMetaData>()
        );
        assert!(
            size_of::<RowGroupMetaData>() as u64 + 64 <= GROUP_BYTES,
            "{}",
            size_of::<RowGroupMetaData>()
        );
    }

    #[test]
    fn a_version_2_header_is_read_to_its_end() {
        // type 3, uncompressed 100, compressed 60, crc, data_page_header_v2 with levels of 7 and 5
        // bytes.
        let mut bytes = vec![0x15, 6, 0x15, 200, 1, 0x15, 120, 0x15, 2, 0x4c];
        bytes.extend([
            0x15, 2, 0x15, 2, 0x15, 2, 0x15, 0, 0x15, 14, 0x15, 10, 0x11, 0, 0,
        ]);
        let expected = PageHeader {
            uncompressed: 100,
            compressed: 60,
            levels: 12,
            is_v2: true,
            is_plain_values: true,
            values: 1,
            header_bytes: bytes.len() as u64,
            ..PageHeader::default()
        };
        assert_eq!(parse(&bytes), Some(expected));
        for cut in 0..bytes.len() {
            assert_eq!(parse(&bytes[..cut]), None);
        }
    }

    #[test]
    fn values_of_dictionaries_and_lengths_are_counted() {
        // type, uncompressed 100, compressed 60, then the struct of the page: its number as a step
        // from 3.
        let page = |kind: u8, step: u8, fields: &[u8]| {
            let bytes = [
                &[0x15, kind, 0x15, 200, 1, 0x15, 120, step << 4 | 0x0c][..],
                fields,
                &[0, 0],
            ]
            .concat();
            parse(&bytes).map(|header| (header.dictionary_values, header.lengths))
        };
        assert_eq!(
            page(4, 4, &[0x15, 20, 0x15, 0]),
            Some((10, 0)),
            "a dictionary of 10 values"
        );
        assert_eq!(
            page(0, 2, &[0x15, 20, 0x15, 0]),
            Some((0, 0)),
            "10 plain values"
        );
        assert_eq!(
            page(0, 2, &[0x15, 20, 0x15, 12]),
            Some((0, 10)),
            "their lengths apart"
        );
        assert_eq!(
            page(6, 5, &[0x15, 20, 0x15, 0, 0x15, 20, 0x15, 14]),
            Some((0, 10)),
            "the same, version 2"
        );
        assert_eq!(page(4, 4, &[0x15, 19]), None, "a negative number");
        let booleans = [0xe9, 0xf2, 0xff, 0xff, 0xff, 0xff, 0x07];
        assert_eq!(page(4, 4, &booleans), None, "two billion booleans");
    }

    proptest! {
        #[test]
        fn no_bytes_panic_or_hang(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
