//! Some rows read from a Parquet file, held column by column.

use crate::column_values::ColumnValues;
use crate::{Cell, Row, Schema};

/// Some rows, in the order of the file.
#[derive(Debug)]
pub struct RowBatch {
    pub(crate) columns: Vec<ColumnValues>,
    pub(crate) rows: usize,
}

/// One row of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchRow<'a> {
    batch: &'a RowBatch,
    row: usize,
}

impl RowBatch {
    pub(crate) fn new(schema: &Schema) -> RowBatch {
        RowBatch {
            columns: schema.columns().iter().map(ColumnValues::new).collect(),
            rows: 0,
        }
    }

    /// Rows in it; at least one.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = BatchRow<'_>> {
        (0..self.rows).map(|row| BatchRow { batch: self, row })
    }

    /// The value of a column in a row; null if there is no such place.
    pub fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let column = self.columns.get(column);
        column
            .and_then(|column| column.get(row))
            .unwrap_or(Cell::Null)
    }
}

impl<'a> BatchRow<'a> {
    /// The value in a column, counted from 0 in the reader's schema.
    pub fn cell(&self, column: usize) -> Cell<'a> {
        self.batch.cell(self.row, column)
    }

    /// The number in a column of whole numbers; `None` if there is none.
    pub fn int64(&self, column: usize) -> Option<i64> {
        match self.cell(column) {
            Cell::Int64(value) => Some(value),
            _ => None,
        }
    }

    /// The number in a column of doubles; `None` if there is none.
    pub fn double(&self, column: usize) -> Option<f64> {
        match self.cell(column) {
            Cell::Double(value) => Some(value),
            _ => None,
        }
    }

    /// The text in a column of texts; `None` if there is none.
    pub fn text(&self, column: usize) -> Option<&'a str> {
        match self.cell(column) {
            Cell::Utf8(text) => Some(text),
            _ => None,
        }
    }
}

impl Row for BatchRow<'_> {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        (0..self.batch.columns.len()).for_each(|column| take(self.cell(column)));
    }
}
