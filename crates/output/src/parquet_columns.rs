//! The columns of some rows, encoded as Parquet and decoded.

use bytes::Bytes;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::{
    ColumnCloseResult, ColumnWriter, get_column_writer, get_typed_column_writer_mut,
};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::schema::types::ColumnDescPtr;

use crate::checksummed_pages::ChecksummedPages;
use crate::column_values::{ColumnValues, TextValues, ValueBuffer, of_type};

/// Values handed to the encoder at a time; it looks at the size of its page after each batch.
const BATCH_VALUES: usize = 1024;
/// Bytes of text handed to the encoder at a time.
const BATCH_BYTES: usize = 256 << 10;

/// The type of the library that has these values.
trait ParquetValue: Sized {
    type Type: DataType<T = Self>;
}

impl ParquetValue for i32 {
    type Type = Int32Type;
}

impl ParquetValue for i64 {
    type Type = Int64Type;
}

impl ParquetValue for f64 {
    type Type = DoubleType;
}

impl ParquetValue for bool {
    type Type = BoolType;
}

impl ColumnValues {
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
        of_type!(
            &mut self.values,
            list => flush(&mut writer, list, levels)?,
            texts => flush_texts(&mut writer, texts, levels)?
        );
        if let Some(levels) = &mut self.levels {
            levels.clear();
        }
        let closed = writer.close()?;
        Ok((chunk.into(), closed))
    }

    /// Replaces the values by the next `rows` rows of a reader. It is an error if there are fewer
    /// rows, or values do not match the nulls, or a text is not UTF-8.
    pub(crate) fn read(
        &mut self,
        reader: &mut ColumnReader,
        rows: usize,
    ) -> Result<(), ParquetError> {
        let general = |text: &str| Err(ParquetError::General(text.to_owned()));
        let levels = &mut self.levels;
        let values = match (reader, &mut self.values) {
            (ColumnReader::Int32ColumnReader(reader), ValueBuffer::Int32(values)) => {
                read(reader, levels, values, rows)?
            }
            (ColumnReader::Int64ColumnReader(reader), ValueBuffer::Int64(values)) => {
                read(reader, levels, values, rows)?
            }
            (ColumnReader::DoubleColumnReader(reader), ValueBuffer::Double(values)) => {
                read(reader, levels, values, rows)?
            }
            (ColumnReader::BoolColumnReader(reader), ValueBuffer::Bool(values)) => {
                read(reader, levels, values, rows)?
            }
            (ColumnReader::ByteArrayColumnReader(reader), ValueBuffer::Utf8(texts)) => {
                let values = read(reader, levels, &mut texts.slices, rows)?;
                texts.text.clear();
                texts.ends.clear();
                for slice in texts.slices.drain(..) {
                    texts.text.push_str(slice.as_utf8()?);
                    texts.ends.push(texts.text.len());
                }
                values
            }
            _ => return general("a row group has other column types than the footer"),
        };
        let Some(levels) = levels else {
            return match values == rows {
                true => Ok(()),
                false => general("a column has fewer values than rows"),
            };
        };
        let mut next = 0..;
        self.slots.clear();
        let slots = levels
            .iter()
            .map(|&level| (level == 1).then(|| next.next())?);
        self.slots.extend(slots);
        match levels.len() == rows && next.start == values {
            true => Ok(()),
            false => general("values and nulls of a column do not match"),
        }
    }
}

fn flush<T: ParquetValue>(
    writer: &mut ColumnWriter<'_>,
    values: &mut Vec<T>,
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let writer = get_typed_column_writer_mut::<T::Type>(writer);
    writer.write_batch(values, levels, None)?;
    values.clear();
    Ok(())
}

/// Texts go to the encoder as slices of one shared allocation, in batches that bound the size of a
/// page.
fn flush_texts(
    writer: &mut ColumnWriter<'_>,
    texts: &mut TextValues,
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let writer = get_typed_column_writer_mut::<ByteArrayType>(writer);
    // The next row group has about as much text.
    let room = String::with_capacity(texts.text.len());
    let bytes = ByteArray::from(std::mem::replace(&mut texts.text, room).into_bytes());
    let batch = &mut texts.slices;
    let (mut batch_bytes, mut batch_row, mut start) = (0, 0, 0);
    let mut ends = texts.ends.iter();
    let rows = levels.map_or(texts.ends.len(), <[i16]>::len);
    for row in 0..rows {
        if levels.is_none_or(|levels| levels[row] == 1) {
            let Some(&end) = ends.next() else { break };
            batch.push(bytes.slice(start, end - start));
            batch_bytes += end - start;
            start = end;
        }
        if row + 1 == rows || row + 1 - batch_row == BATCH_VALUES || batch_bytes >= BATCH_BYTES {
            writer.write_batch(batch, levels.map(|levels| &levels[batch_row..=row]), None)?;
            batch.clear();
            (batch_bytes, batch_row) = (0, row + 1);
        }
    }
    batch.clear();
    texts.ends.clear();
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
    match records == rows {
        true => Ok(values.len()),
        false => Err(ParquetError::EOF(format!(
            "a column ends {} rows early",
            rows.saturating_sub(records)
        ))),
    }
}
