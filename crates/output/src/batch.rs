//! Some rows read from a Parquet file, held column by column.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;

use crate::{Cell, Column, ColumnType, Row, Schema};

/// Some rows, in the order of the file.
#[derive(Debug)]
pub struct Batch {
    columns: Vec<BatchColumn>,
    rows: usize,
}

/// One row of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchRow<'a> {
    batch: &'a Batch,
    row: usize,
}

/// The values of one column.
#[derive(Debug)]
pub(crate) struct BatchColumn {
    values: Stored,
    /// 1 for a value, 0 for null; only where null can occur.
    levels: Option<Vec<i16>>,
    /// Which value each row has; empty where none can be null.
    slots: Vec<Option<usize>>,
}

#[derive(Debug)]
enum Stored {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    TimestampMicros(Vec<i64>),
    Double(Vec<f64>),
    Bool(Vec<bool>),
    Utf8 {
        text: String,
        ends: Vec<usize>,
        slices: Vec<ByteArray>,
    },
}

impl Batch {
    pub(crate) fn new(schema: &Schema) -> Batch {
        Batch {
            columns: schema.columns().iter().map(BatchColumn::new).collect(),
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
        let Some(column) = self.columns.get(column) else {
            return Cell::Null;
        };
        let slot = if column.levels.is_some() {
            column.slots.get(row).copied().flatten()
        } else {
            Some(row)
        };
        slot.and_then(|slot| column.values.get(slot))
            .unwrap_or(Cell::Null)
    }

    pub(crate) fn columns_mut(&mut self) -> impl Iterator<Item = &mut BatchColumn> {
        self.columns.iter_mut()
    }

    pub(crate) fn set_rows(&mut self, rows: usize) {
        self.rows = rows;
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

impl BatchColumn {
    fn new(column: &Column) -> BatchColumn {
        let values = match column.kind {
            ColumnType::Int32 => Stored::Int32(Vec::new()),
            ColumnType::Int64 => Stored::Int64(Vec::new()),
            ColumnType::TimestampMicros => Stored::TimestampMicros(Vec::new()),
            ColumnType::Double => Stored::Double(Vec::new()),
            ColumnType::Bool => Stored::Bool(Vec::new()),
            ColumnType::Utf8 => Stored::Utf8 {
                text: String::new(),
                ends: Vec::new(),
                slices: Vec::new(),
            },
        };
        BatchColumn {
            values,
            levels: column.nullable.then(Vec::new),
            slots: Vec::new(),
        }
    }
}

impl Stored {
    fn get(&self, slot: usize) -> Option<Cell<'_>> {
        match self {
            Stored::Int32(values) => values.get(slot).map(|&value| Cell::Int32(value)),
            Stored::Int64(values) => values.get(slot).map(|&value| Cell::Int64(value)),
            Stored::TimestampMicros(values) => {
                values.get(slot).map(|&value| Cell::TimestampMicros(value))
            }
            Stored::Double(values) => values.get(slot).map(|&value| Cell::Double(value)),
            Stored::Bool(values) => values.get(slot).map(|&value| Cell::Bool(value)),
            Stored::Utf8 { text, ends, .. } => {
                let start = slot
                    .checked_sub(1)
                    .map_or(Some(0), |before| ends.get(before).copied())?;
                text.get(start..*ends.get(slot)?).map(Cell::Utf8)
            }
        }
    }
}

/// Replaces what `column` holds by the next `rows` rows.
///
/// # Errors
/// The error of the decoder; also if there are fewer rows, or values do not match the nulls, or a
/// text is not UTF-8.
pub(crate) fn read_column(
    reader: &mut ColumnReader,
    column: &mut BatchColumn,
    rows: usize,
) -> Result<(), ParquetError> {
    let levels = &mut column.levels;
    let values = match (reader, &mut column.values) {
        (ColumnReader::Int32ColumnReader(reader), Stored::Int32(values)) => {
            read(reader, levels, values, rows)?
        }
        (
            ColumnReader::Int64ColumnReader(reader),
            Stored::Int64(values) | Stored::TimestampMicros(values),
        ) => read(reader, levels, values, rows)?,
        (ColumnReader::DoubleColumnReader(reader), Stored::Double(values)) => {
            read(reader, levels, values, rows)?
        }
        (ColumnReader::BoolColumnReader(reader), Stored::Bool(values)) => {
            read(reader, levels, values, rows)?
        }
        (ColumnReader::ByteArrayColumnReader(reader), Stored::Utf8 { text, ends, slices }) => {
            let values = read(reader, levels, slices, rows)?;
            text.clear();
            ends.clear();
            for slice in slices.drain(..) {
                text.push_str(slice.as_utf8()?);
                ends.push(text.len());
            }
            values
        }
        _ => {
            return Err(ParquetError::General(
                "a row group has other column types than the footer".to_owned(),
            ));
        }
    };
    if let Some(levels) = levels {
        let mut next = 0..;
        column.slots.clear();
        column.slots.extend(
            levels
                .iter()
                .map(|&level| if level == 1 { next.next() } else { None }),
        );
        if levels.len() != rows || next.start != values {
            return Err(ParquetError::General(
                "values and nulls of a column do not match".to_owned(),
            ));
        }
    } else if values != rows {
        return Err(ParquetError::General(
            "a column has fewer values than rows".to_owned(),
        ));
    }
    Ok(())
}

/// Reads `rows` rows; returns the number of values.
fn read<D: DataType>(
    reader: &mut ColumnReaderImpl<D>,
    levels: &mut Option<Vec<i16>>,
    values: &mut Vec<D::T>,
    rows: usize,
) -> Result<usize, ParquetError> {
    values.clear();
    if let Some(levels) = levels {
        levels.clear();
    }
    let (records, _, _) = reader.read_records(rows, levels.as_mut(), None, values)?;
    if records != rows {
        return Err(ParquetError::EOF(format!(
            "a column ends {} rows early",
            rows.saturating_sub(records)
        )));
    }
    Ok(values.len())
}
