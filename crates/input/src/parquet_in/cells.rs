//! The values of a column, one row at a time.
//!
//! *Input.* The reader of a column that is not nested. *Output.* A [`StoredCell`] for each row.
//! *Memory.* The page at hand: one value is taken at a time, so that a batch never holds several
//! pages of large texts.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, Int96};
use parquet::errors::{ParquetError, Result};

/// One value, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StoredCell {
    Null,
    Bytes(ByteArray),
    /// A list of texts, or of anything else.
    Features(Option<String>),
    Bool(bool),
    Integer(i64),
    Float(f64),
    Julian(Int96),
}

impl StoredCell {
    /// Its bytes once it is decoded, wherever they lie: a value of a dictionary has all of its own
    /// in every row.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            StoredCell::Null | StoredCell::Features(None) => 0,
            StoredCell::Bytes(bytes) => bytes.len() as u64,
            StoredCell::Features(Some(features)) => features.len() as u64,
            StoredCell::Bool(_)
            | StoredCell::Integer(_)
            | StoredCell::Float(_)
            | StoredCell::Julian(_) => 8,
        }
    }
}

/// The values of one column, one after another.
pub(super) trait CellReader {
    /// The next one.
    fn next(&mut self) -> Result<StoredCell>;
    /// Passes over some.
    fn skip(&mut self, rows: usize) -> Result<()>;
}

/// Values of `reader`, which reads a column that is not nested.
pub(super) fn cells(reader: ColumnReader) -> Result<Box<dyn CellReader>> {
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => typed(reader, StoredCell::Bool),
        ColumnReader::Int32ColumnReader(reader) => {
            typed(reader, |value| StoredCell::Integer(value.into()))
        }
        ColumnReader::Int64ColumnReader(reader) => typed(reader, StoredCell::Integer),
        ColumnReader::Int96ColumnReader(reader) => typed(reader, StoredCell::Julian),
        ColumnReader::FloatColumnReader(reader) => {
            typed(reader, |value| StoredCell::Float(value.into()))
        }
        ColumnReader::DoubleColumnReader(reader) => typed(reader, StoredCell::Float),
        ColumnReader::ByteArrayColumnReader(reader) => typed(reader, StoredCell::Bytes),
        ColumnReader::FixedLenByteArrayColumnReader(_) => {
            return Err(ParquetError::General(
                "columns of fixed-length bytes are not read".to_owned(),
            ));
        }
    })
}

fn typed<T: DataType>(
    reader: ColumnReaderImpl<T>,
    cell: fn(T::T) -> StoredCell,
) -> Box<dyn CellReader> {
    Box::new(Typed {
        reader,
        cell,
        values: Vec::new(),
        levels: Vec::new(),
    })
}

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    cell: fn(T::T) -> StoredCell,
    values: Vec<T::T>,
    levels: Vec<i16>,
}

impl<T: DataType> CellReader for Typed<T> {
    fn next(&mut self) -> Result<StoredCell> {
        self.values.clear();
        self.levels.clear();
        let (rows, _, _) =
            self.reader
                .read_records(1, Some(&mut self.levels), None, &mut self.values)?;
        if rows == 0 {
            return Err(too_few());
        }
        Ok(self.values.pop().map_or(StoredCell::Null, self.cell))
    }

    fn skip(&mut self, rows: usize) -> Result<()> {
        all_skipped(rows, self.reader.skip_records(rows)?)
    }
}

pub(super) fn all_skipped(rows: usize, skipped: usize) -> Result<()> {
    (skipped == rows).then_some(()).ok_or_else(too_few)
}

pub(super) fn too_few() -> ParquetError {
    ParquetError::EOF("the column has fewer values than the row group has rows".to_owned())
}
