//! Pages whose values are deltas, checked before they are decoded.
//!
//! *Input.* The pages of a column, decompressed. *Output.* The same pages, or an error.
//! *Algorithm.* A stream of deltas begins with the number of its values, and the parser allocates
//! that many. `DELTA_BYTE_ARRAY` holds two streams: the first is walked to find the second. A
//! stream that claims more values than its page has is refused. *Memory.* The page. *Limits.*
//! Nothing else of a stream is checked.

use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::chunk::ColumnChunk;
use super::lists::RowPages;
use super::split_pages::SplitPages;
use decode::thrift::Compact;

/// A reader of a column chunk of so many rows. `row` counts the pages of a row, for a column of
/// lists; pages that take more than `most_bytes` are not read.
pub(super) fn column_reader(
    chunk: &ColumnChunk,
    column: &ColumnChunkMetaData,
    rows: usize,
    row: Option<RowPages>,
    most_bytes: u64,
) -> ParquetResult<ColumnReader> {
    let descriptor = column.column_descr_ptr();
    let pages = CheckedPages {
        pages: SerializedPageReader::new(Arc::new(chunk.clone()), column, rows, None)?,
        has_levels: [
            descriptor.max_rep_level() > 0,
            descriptor.max_def_level() > 0,
        ],
        row,
        split: SplitPages::of(chunk, column, most_bytes),
    };
    Ok(get_column_reader(descriptor, Box::new(pages)))
}

/// The pages of a column chunk, none of which claims more deltas than it has values.
struct CheckedPages {
    pages: SerializedPageReader<ColumnChunk>,
    /// Whether the values have repetition levels, and definition levels.
    has_levels: [bool; 2],
    /// The pages of a row, for a column of lists.
    row: Option<RowPages>,
    /// Splits its large pages, if it has any.
    split: Option<SplitPages>,
}

impl CheckedPages {
    /// The next page, if it is a part of a large one.
    fn part(&mut self) -> ParquetResult<Option<&Page>> {
        let split = self.split.as_mut();
        split.map_or(Ok(None), |split| split.peek(&mut self.pages))
    }

    /// Passes over the next page; gives it if it is a part of a large one.
    fn pass(&mut self) -> Option<Page> {
        self.split.as_mut().and_then(SplitPages::take)
    }

    fn check(&self, page: Page) -> ParquetResult<Page> {
        let streams = match page.encoding() {
            Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => return Ok(page),
        };
        match self.check_streams(&page, streams) {
            Some(()) => Ok(page),
            None => Err(ParquetError::General(
                "a page claims more deltas than it has values".to_owned(),
            )),
        }
    }

    fn check_streams(&self, page: &Page, streams: usize) -> Option<()> {
        let mut rest = self.values_of(page)?;
        for stream in 0..streams {
            // a page of nulls may hold nothing
            if rest.is_empty() {
                break;
            }
            let deltas = Deltas::read(rest, page.num_values().into())?;
            if stream + 1 < streams {
                rest = deltas.skip()?;
            }
        }
        Some(())
    }

    /// The bytes behind the levels.
    fn values_of<'a>(&self, page: &'a Page) -> Option<&'a [u8]> {
        let mut rest: &[u8] = page.buffer();
        match *page {
            Page::DataPageV2 {
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => rest
                .get((def_levels_byte_len as usize).checked_add(rep_levels_byte_len as usize)?..),
            Page::DataPage {
                def_level_encoding,
                rep_level_encoding,
                ..
            } => {
                let encodings = [rep_level_encoding, def_level_encoding];
                for (encoding, _) in encodings
                    .iter()
                    .zip(self.has_levels)
                    .filter(|&(_, has)| has)
                {
                    if *encoding != Encoding::RLE {
                        return None;
                    }
                    let length = u32::from_le_bytes(*rest.first_chunk()?) as usize;
                    rest = rest.get(length.checked_add(4)?..)?;
                }
                Some(rest)
            }
            Page::DictionaryPage { .. } => None,
        }
    }
}

impl Iterator for CheckedPages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        if self.part()?.is_some() {
            return Ok(self.pass());
        }
        self.pass();
        let page = self.pages.get_next_page()?;
        if let (Some(row), Some(page)) = (&self.row, &page) {
            row.open(page)?;
        }
        page.map(|page| self.check(page)).transpose()
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        match self.part()? {
            Some(part) => Ok(Some(PageMetadata {
                num_rows: Some(part.num_values() as usize),
                num_levels: Some(part.num_values() as usize),
                is_dict: false,
            })),
            None => self.pages.peek_next_page(),
        }
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        match self.part()? {
            Some(_) => drop(self.pass()),
            None => {
                self.pass();
                self.pages.skip_next_page()?;
            }
        }
        Ok(())
    }

    fn at_record_boundary(&mut self) -> ParquetResult<bool> {
        // A column of large pages is not nested.
        Ok(self.split.is_some() || self.pages.at_record_boundary()?)
    }
}

/// The head of a stream of deltas, and the bytes behind it.
struct Deltas<'a> {
    /// Mini-blocks of a block.
    mini_blocks: usize,
    /// Values of a mini-block.
    values: usize,
    /// Deltas that follow.
    deltas: usize,
    rest: &'a [u8],
}

impl<'a> Deltas<'a> {
    /// `None` if the stream claims more than `most` values, or its head is damaged.
    fn read(bytes: &'a [u8], most: u64) -> Option<Self> {
        let mut head = Compact { rest: bytes };
        let block = usize::try_from(head.varint()?).ok()?;
        let mini_blocks = usize::try_from(head.varint()?).ok()?;
        let count = head.varint().filter(|&count| count <= most)?;
        head.varint()?;
        Some(Self {
            mini_blocks,
            values: block.checked_div(mini_blocks)?,
            deltas: usize::try_from(count).ok()?.saturating_sub(1),
            rest: head.rest,
        })
    }

    /// The bytes behind the stream.
    fn skip(mut self) -> Option<&'a [u8]> {
        while self.deltas > 0 {
            let mut block = Compact { rest: self.rest };
            block.varint()?;
            let (widths, mut rest) = block.rest.split_at_checked(self.mini_blocks)?;
            for &width in widths.iter().take(self.deltas.div_ceil(self.values.max(1))) {
                rest = rest.get(usize::from(width).checked_mul(self.values)? / 8..)?;
            }
            let values = self.values.saturating_mul(self.mini_blocks);
            self.deltas = self.deltas.saturating_sub(values.max(1));
            self.rest = rest;
        }
        Some(self.rest)
    }
}
