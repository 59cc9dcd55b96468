//! Large pages of texts, handed on as many small ones.
//!
//! *Input.* The pages of a column chunk. *Output.* For a page above [`SPLIT_ABOVE_BYTES`] whose
//! values lie one behind the other, its parts ([`decode::large_page`]). DuckDB writes one page for
//! each column of a row group. *Memory.* Two parts, and what the page holds beside them. *Limits.*
//! Plain texts of a column that is not nested; other large pages are read as a whole.

use std::io::{BufReader, Read};

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::chunk::ColumnChunk;
use super::pages::{
    PageHeader, SPLIT_ABOVE_BYTES, codec_of_texts, read_header, split_page, value_bytes,
};
use decode::large_page::{LargePage, LargePageShape, PagePart};
use decode::page_stream::PageCodec;

const READ_BYTES: usize = 64 << 10;

/// The next page.
enum NextPage {
    /// Not looked at yet.
    Unknown,
    /// As it is in the file; the one behind it begins here.
    Whole(u64),
    /// A part of a large one.
    Part(Page),
}

/// Splits the large pages of a column chunk.
pub(super) struct SplitPages {
    chunk: ColumnChunk,
    column: ColumnChunkMetaData,
    most_bytes: u64,
    /// Where the next page of the file begins, and where the last one ends.
    offset: u64,
    end: u64,
    large: Option<LargePage>,
    next: NextPage,
}

impl SplitPages {
    /// `None` if no page of the column is split.
    pub(super) fn of(
        chunk: &ColumnChunk,
        column: &ColumnChunkMetaData,
        most_bytes: u64,
    ) -> Option<Self> {
        let may_be = column.uncompressed_size() > SPLIT_ABOVE_BYTES.cast_signed();
        codec_of_texts(column).filter(|_| may_be)?;
        let (offset, length) = column.byte_range();
        Some(SplitPages {
            chunk: chunk.clone(),
            column: column.clone(),
            most_bytes,
            offset,
            end: offset.saturating_add(length).min(chunk.bytes),
            large: None,
            next: NextPage::Unknown,
        })
    }

    /// The next part; `None` if the next page is one of the file.
    pub(super) fn peek(
        &mut self,
        pages: &mut SerializedPageReader<ColumnChunk>,
    ) -> Result<Option<&Page>> {
        while matches!(self.next, NextPage::Unknown) {
            if let Some(large) = &mut self.large {
                match large.part()? {
                    Some(part) => self.next = NextPage::Part(page_of(part)),
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
                self.next = NextPage::Whole(self.end);
                break;
            };
            let body = self.offset + header.header_bytes;
            let behind = body.saturating_add(header.compressed.max(0).cast_unsigned());
            if split_page(&header, &self.column, self.most_bytes).is_some() {
                pages.skip_next_page()?;
                self.large = Some(self.open(&header, body)?);
                self.offset = behind;
            } else {
                self.next = NextPage::Whole(behind);
            }
        }
        Ok(match &self.next {
            NextPage::Part(part) => Some(part),
            _ => None,
        })
    }

    fn open(&self, header: &PageHeader, body: u64) -> Result<LargePage> {
        let codec = codec_of_texts(&self.column).filter(|_| !header.is_plain);
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
        match std::mem::replace(&mut self.next, NextPage::Unknown) {
            NextPage::Part(part) => Some(part),
            NextPage::Whole(behind) => {
                self.offset = behind;
                None
            }
            NextPage::Unknown => None,
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
