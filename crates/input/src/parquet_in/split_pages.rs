//! Large pages of texts, handed on as many small ones.
//!
//! *Input.* The pages of a column chunk. *Output.* For a page above [`SPLIT_ABOVE_BYTES`] whose
//! values lie one behind the other, its parts ([`decode::large_page`]). DuckDB writes one page for
//! each column of a row group. *Memory.* Two parts, and what the page holds beside them. *Limits.*
//! Plain texts of a column that is not nested; other large pages are read as a whole.

use std::io::{BufReader, Read};

use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageReader};
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::chunk::Chunk;
use super::pages::{Header, PageBuffer, read_header};
use decode::large_page::{LEVELS_BYTES, LargePage, LargePageShape, PART_BYTES, PagePart};
use decode::page_stream::{PageCodec, ZSTD_WINDOW_BYTES};

/// Pages of more bytes are split.
const SPLIT_ABOVE_BYTES: u64 = 20 << 20;

const READ_BYTES: usize = 64 << 10;

/// The largest value that a split page may have, of `most_bytes` that pages may take.
fn value_bytes(most_bytes: u64) -> u64 {
    most_bytes / 6
}

/// How the column is compressed, if its large pages can be split.
fn codec(column: &ColumnChunkMetaData) -> Option<PageCodec> {
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
    header: &Header,
    column: &ColumnChunkMetaData,
    most_bytes: u64,
) -> Option<PageBuffer> {
    let whole = u64::try_from(header.uncompressed).unwrap_or(0);
    let is_large = whole > SPLIT_ABOVE_BYTES && header.compressed >= 0;
    let codec = codec(column).filter(|_| is_large && header.is_plain_values)?;
    let part = (PART_BYTES as u64).saturating_add(value_bytes(most_bytes));
    let window = match codec {
        PageCodec::Zstd => ZSTD_WINDOW_BYTES,
        _ => 4 * READ_BYTES as u64,
    };
    let steady_bytes = part.saturating_mul(2).saturating_add(LEVELS_BYTES + window);
    (steady_bytes < whole).then_some(PageBuffer {
        steady_bytes,
        passing_bytes: 0,
    })
}

/// What the next page is.
enum Next {
    /// Not looked at yet.
    Unknown,
    /// As it is in the file; the one behind it begins here.
    Whole(u64),
    /// A part of a large one.
    Part(Page),
}

/// Splits the large pages of a column chunk.
pub(super) struct SplitPages {
    chunk: Chunk,
    column: ColumnChunkMetaData,
    most_bytes: u64,
    /// Where the next page of the file begins, and where the last one ends.
    offset: u64,
    end: u64,
    large: Option<LargePage>,
    next: Next,
}

impl SplitPages {
    /// `None` if no page of the column is split.
    pub(super) fn of(chunk: &Chunk, column: &ColumnChunkMetaData, most_bytes: u64) -> Option<Self> {
        let may_be = column.uncompressed_size() > SPLIT_ABOVE_BYTES.cast_signed();
        codec(column).filter(|_| may_be)?;
        let (offset, length) = column.byte_range();
        Some(SplitPages {
            chunk: chunk.clone(),
            column: column.clone(),
            most_bytes,
            offset,
            end: offset.saturating_add(length).min(chunk.bytes),
            large: None,
            next: Next::Unknown,
        })
    }

    /// The next part; `None` if the next page is one of the file.
    pub(super) fn peek(
        &mut self,
        pages: &mut SerializedPageReader<Chunk>,
    ) -> Result<Option<&Page>> {
        while matches!(self.next, Next::Unknown) {
            if let Some(large) = &mut self.large {
                match large.part()? {
                    Some(part) => self.next = Next::Part(page_of(part)),
                    None => self.large = None,
                }
                continue;
            }
            let header = match self.offset < self.end {
                true => read_header(&self.chunk, self.offset, self.end),
                false => None,
            };
            let Some(header) = header else {
                // The parser says what there is to say.
                self.next = Next::Whole(self.end);
                break;
            };
            let body = self.offset + header.header_bytes;
            let behind = body.saturating_add(header.compressed.max(0).cast_unsigned());
            if split_page(&header, &self.column, self.most_bytes).is_some() {
                pages.skip_next_page()?;
                self.large = Some(self.open(&header, body)?);
                self.offset = behind;
            } else {
                self.next = Next::Whole(behind);
            }
        }
        Ok(match &self.next {
            Next::Part(part) => Some(part),
            _ => None,
        })
    }

    fn open(&self, header: &Header, body: u64) -> Result<LargePage> {
        let codec = codec(&self.column).filter(|_| !header.is_plain);
        let shape = LargePageShape {
            codec: codec.unwrap_or(PageCodec::Plain),
            is_optional: self.column.column_descr().max_def_level() > 0,
            levels_bytes: header.is_v2.then_some(header.levels),
            values: header.values,
            bytes: header.uncompressed.cast_unsigned(),
            value_bytes: value_bytes(self.most_bytes),
        };
        let compressed = header.compressed.cast_unsigned();
        let page = self.chunk.file.reader(body).take(compressed);
        Ok(LargePage::open(
            BufReader::with_capacity(READ_BYTES, page),
            shape,
        )?)
    }

    /// Passes over the next page; gives it if it is a part.
    pub(super) fn take(&mut self) -> Option<Page> {
        match std::mem::replace(&mut self.next, Next::Unknown) {
            Next::Part(part) => Some(part),
            Next::Whole(behind) => {
                self.offset = behind;
                None
            }
            Next::Unknown => None,
        }
    }
}

fn page_of(part: PagePart) -> Page {
    Page::DataPage {
        buf: part.bytes.into(),
        num_values: part.values,
        encoding: Encoding::PLAIN,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    }
}
