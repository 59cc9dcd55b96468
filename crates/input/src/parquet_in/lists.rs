//! A column of lists of texts, one list a row; or of lists and records with texts in them.
//!
//! *Input.* The reader of the column. *Output.* [`StoredCell::Features`], or nothing for a list
//! that is null. *Memory.* The list at hand, and the pages that it lies in. [`RowPages`] counts
//! them, so that a list over many pages is refused instead of held.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::column::page::Page;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::ByteArrayType;
use parquet::errors::{ParquetError, Result};

use super::cells::{CellReader, StoredCell, all_skipped, too_few};
use super::pages::{LIST_VALUE_BYTES, ROW_BYTES};
use decode::features::Features;

/// The bytes of the pages that were opened for a row, all but the first. Clones share the count.
#[derive(Clone, Debug, Default)]
pub(super) struct RowPages(Arc<AtomicU64>);

impl RowPages {
    /// A new row begins.
    pub(super) fn begin(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Counts a page that was opened.
    pub(super) fn open(&self, page: &Page) -> Result<()> {
        let values = u64::from(page.num_values());
        let bytes = (page.buffer().len() as u64).saturating_add(values * LIST_VALUE_BYTES);
        let before = self.0.fetch_add(bytes, Ordering::Relaxed);
        if before > 0 && bytes.saturating_add(before) > ROW_BYTES {
            return Err(ParquetError::General(
                "a list reaches over too many pages".to_owned(),
            ));
        }
        Ok(())
    }
}

/// The lists of `reader`; an element is there from the definition level `element` on. Without one,
/// the texts of a row, of which there may be any number: one after the other, a line each.
pub(super) fn lists(
    reader: ColumnReader,
    element: Option<i16>,
    pages: RowPages,
) -> Result<Box<dyn CellReader>> {
    let ColumnReader::ByteArrayColumnReader(reader) = reader else {
        return Err(ParquetError::General("lists of texts only".to_owned()));
    };
    Ok(Box::new(ListColumns {
        reader,
        element,
        pages,
    }))
}

struct ListColumns {
    reader: ColumnReaderImpl<ByteArrayType>,
    /// The definition level from which on an element is there; `None` for any texts.
    element: Option<i16>,
    pages: RowPages,
}

impl CellReader for ListColumns {
    fn next(&mut self) -> Result<StoredCell> {
        self.pages.begin();
        let (mut values, mut levels, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        let (rows, ..) =
            self.reader
                .read_records(1, Some(&mut levels), Some(&mut repetitions), &mut values)?;
        if rows == 0 {
            return Err(too_few());
        }
        let Some(element) = self.element else {
            let texts = values
                .iter()
                .map(|value| String::from_utf8_lossy(value.data()));
            let texts = texts.collect::<Vec<_>>().join("\n");
            return Ok(StoredCell::Features(
                Some(texts).filter(|_| !values.is_empty()),
            ));
        };
        let elements = levels.iter().filter(|level| **level >= element).count();
        if elements == 0 && levels.first().is_some_and(|level| level + 1 < element) {
            return Ok(StoredCell::Null);
        }
        let bytes: usize = values.iter().map(|value| value.len() + 1).sum();
        let mut features = Features::with_capacity(bytes);
        for value in &values {
            features.push(std::str::from_utf8(value.data()).ok());
        }
        if elements != values.len() {
            features.push(None);
        }
        Ok(StoredCell::Features(features.into_text()))
    }

    fn skip(&mut self, rows: usize) -> Result<()> {
        all_skipped(rows, self.reader.skip_records(rows)?)
    }
}
