//! The columns of one row group, gathered row by row and then handed to the encoder column by
//! column.
//!
//! Parquet stores a row group one column after the other, so its values wait here. They wait as
//! plain vectors that grow by a quarter, not twofold: so what is allocated stays within 5/4 of what
//! is held.

use bytes::Bytes;
use parquet::column::writer::{
    ColumnCloseResult, ColumnWriterImpl, get_column_writer, get_typed_column_writer_mut,
};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::schema::types::ColumnDescPtr;

use crate::checksummed_pages::ChecksummedPages;
use crate::schema::MAX_TEXT_BYTES;
use crate::{Cell, Column, ColumnType};

/// Values handed to the encoder at a time; it looks at the size of its page after each batch.
const BATCH_VALUES: usize = 1024;
/// Bytes of text handed to the encoder at a time.
const BATCH_BYTES: usize = 256 << 10;

/// The values of one column since the last row group ended.
#[derive(Debug)]
pub(crate) struct ColumnBuffer {
    values: Buffer,
    /// 1 for a value, 0 for null; only where null can occur.
    levels: Option<Vec<i16>>,
}

#[derive(Debug)]
enum Buffer {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Micros(Vec<i64>),
    Double(Vec<f64>),
    Bool(Vec<bool>),
    Utf8(Text),
}

/// Strings, end to end.
#[derive(Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl ColumnBuffer {
    pub(crate) fn new(column: &Column) -> ColumnBuffer {
        let values = match column.kind {
            ColumnType::Int32 => Buffer::Int32(Vec::new()),
            ColumnType::Int64 => Buffer::Int64(Vec::new()),
            ColumnType::TimestampMicros => Buffer::Micros(Vec::new()),
            ColumnType::Double => Buffer::Double(Vec::new()),
            ColumnType::Bool => Buffer::Bool(Vec::new()),
            ColumnType::Utf8 => Buffer::Utf8(Text::default()),
        };
        ColumnBuffer {
            values,
            levels: column.nullable.then(Vec::new),
        }
    }

    /// Bytes of a row, without its text.
    pub(crate) fn fixed_bytes(&self) -> usize {
        let value = match &self.values {
            Buffer::Int32(_) => size_of::<i32>(),
            Buffer::Int64(_) | Buffer::Micros(_) => size_of::<i64>(),
            Buffer::Double(_) => size_of::<f64>(),
            Buffer::Bool(_) => size_of::<bool>(),
            Buffer::Utf8(_) => size_of::<usize>(),
        };
        value + self.levels.as_ref().map_or(0, |_| size_of::<i16>())
    }

    /// Makes room for so many rows, without their text.
    pub(crate) fn reserve(&mut self, rows: usize) {
        match &mut self.values {
            Buffer::Int32(values) => values.reserve_exact(rows),
            Buffer::Int64(values) | Buffer::Micros(values) => values.reserve_exact(rows),
            Buffer::Double(values) => values.reserve_exact(rows),
            Buffer::Bool(values) => values.reserve_exact(rows),
            Buffer::Utf8(text) => text.ends.reserve_exact(rows),
        }
        if let Some(levels) = &mut self.levels {
            levels.reserve_exact(rows);
        }
    }

    /// Adds a cell, if the column stores it as it is; gives the bytes it takes up.
    #[inline]
    pub(crate) fn push(&mut self, cell: Cell<'_>) -> Option<usize> {
        let bytes = match (&mut self.values, cell) {
            (Buffer::Int32(values), Cell::Int32(value)) => push(values, value),
            (Buffer::Int64(values), Cell::Int64(value)) => push(values, value),
            (Buffer::Micros(values), Cell::TimestampMicros(value)) => push(values, value),
            (Buffer::Double(values), Cell::Double(value)) => push(values, value),
            (Buffer::Bool(values), Cell::Bool(value)) => push(values, value),
            (Buffer::Utf8(text), Cell::Utf8(value)) if value.len() <= MAX_TEXT_BYTES => {
                if text.bytes.capacity() - text.bytes.len() < value.len() {
                    make_room(&mut text.bytes, value.len());
                }
                text.bytes.extend_from_slice(value.as_bytes());
                value.len() + push(&mut text.ends, text.bytes.len())
            }
            (_, Cell::Null) => return self.levels.as_mut().map(|levels| push(levels, 0)),
            _ => return None,
        };
        Some(bytes + self.levels.as_mut().map_or(0, |levels| push(levels, 1)))
    }

    /// Bytes allocated.
    pub(crate) fn memory_bytes(&self) -> usize {
        let values = match &self.values {
            Buffer::Int32(values) => values.capacity() * 4,
            Buffer::Int64(values) | Buffer::Micros(values) => values.capacity() * 8,
            Buffer::Double(values) => values.capacity() * 8,
            Buffer::Bool(values) => values.capacity(),
            Buffer::Utf8(text) => text.bytes.capacity() + text.ends.capacity() * size_of::<usize>(),
        };
        values
            + self
                .levels
                .as_ref()
                .map_or(0, |levels| levels.capacity() * 2)
    }

    /// Encodes the values and forgets them: the bytes of a column chunk, and what the footer is to
    /// say of them.
    pub(crate) fn encode(
        &mut self,
        descriptor: ColumnDescPtr,
        properties: WriterPropertiesPtr,
    ) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let mut chunk = Vec::new();
        let pages = Box::new(ChecksummedPages(&mut chunk));
        let mut writer = get_column_writer(descriptor, properties, pages);
        let levels = self.levels.as_deref();
        match &mut self.values {
            Buffer::Int32(values) => {
                flush(
                    get_typed_column_writer_mut::<Int32Type>(&mut writer),
                    values,
                    levels,
                )?;
            }
            Buffer::Int64(values) | Buffer::Micros(values) => {
                flush(
                    get_typed_column_writer_mut::<Int64Type>(&mut writer),
                    values,
                    levels,
                )?;
            }
            Buffer::Double(values) => {
                flush(
                    get_typed_column_writer_mut::<DoubleType>(&mut writer),
                    values,
                    levels,
                )?;
            }
            Buffer::Bool(values) => {
                flush(
                    get_typed_column_writer_mut::<BoolType>(&mut writer),
                    values,
                    levels,
                )?;
            }
            Buffer::Utf8(text) => {
                let writer = get_typed_column_writer_mut::<ByteArrayType>(&mut writer);
                flush_text(writer, text, levels)?;
            }
        }
        if let Some(levels) = &mut self.levels {
            levels.clear();
        }
        let closed = writer.close()?;
        Ok((chunk.into(), closed))
    }
}

#[cold]
fn make_room<T>(values: &mut Vec<T>, count: usize) {
    values.reserve_exact(count.max(values.len() / 4 + 64));
}

#[inline]
fn push<T>(values: &mut Vec<T>, value: T) -> usize {
    if values.len() == values.capacity() {
        make_room(values, 1);
    }
    values.push(value);
    size_of::<T>()
}

fn flush<D: DataType>(
    writer: &mut ColumnWriterImpl<'_, D>,
    values: &mut Vec<D::T>,
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    writer.write_batch(values, levels, None)?;
    values.clear();
    Ok(())
}

/// Strings go to the encoder as slices of one shared allocation, in batches that bound the size of
/// a page.
fn flush_text(
    writer: &mut ColumnWriterImpl<'_, ByteArrayType>,
    text: &mut Text,
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    // The next row group has about as much text.
    let room = Vec::with_capacity(text.bytes.len());
    let bytes = ByteArray::from(std::mem::replace(&mut text.bytes, room));
    let mut batch: Vec<ByteArray> = Vec::with_capacity(BATCH_VALUES.min(text.ends.len()));
    let (mut batch_bytes, mut batch_row, mut start) = (0, 0, 0);
    let mut ends = text.ends.iter();
    let rows = levels.map_or(text.ends.len(), <[i16]>::len);
    for row in 0..rows {
        if levels.is_none_or(|levels| levels[row] == 1) {
            let Some(&end) = ends.next() else { break };
            batch.push(bytes.slice(start, end - start));
            batch_bytes += end - start;
            start = end;
        }
        if row + 1 == rows || row + 1 - batch_row == BATCH_VALUES || batch_bytes >= BATCH_BYTES {
            writer.write_batch(&batch, levels.map(|levels| &levels[batch_row..=row]), None)?;
            batch.clear();
            (batch_bytes, batch_row) = (0, row + 1);
        }
    }
    text.ends.clear();
    Ok(())
}
