//! Writing a table as Parquet.
//!
//! Input: rows in the order of the table. Output: a Parquet file, into the writer handed over.
//! Values are gathered until a row group is full ([`RowGroupLimits`]), then written column by
//! column, zstd level 3, or 1 ([`Repetition::Names`], and floats, of which level 3 hardly saves
//! more). Ids and URLs are stored plainly, columns of few values by dictionary, numbers that ascend
//! by their differences; minimum and maximum are kept for every row group except of texts that are
//! all different. Every page has a checksum. There are no page indexes: their memory would grow
//! with the file. The footer has no checksum in this format: whoever publishes the file keeps its
//! digest.
//!
//! Memory: one row group, at most 5/4 of [`RowGroupLimits::bytes`] and one row; about 8 MiB for the
//! encoder, and an encoded column, while a row group is written; and some 400 bytes a column for
//! each row group written before.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, RowGroupMetaData, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::ChunkReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnPath;

use crate::column_values::ColumnValues;
use crate::order::RowOrder;
use crate::parquet_schema::parquet_schema;
use crate::{ColumnType, OutputError, Repetition, Row, Schema};

/// `created_by` of every file, in the form that readers parse.
pub(crate) const CREATED_BY: &str = concat!("pipeline version ", env!("CARGO_PKG_VERSION"));
/// First part of the metadata keys under which the columns are described.
pub(crate) const COLUMN_KEY: &str = "pipeline.column.";
/// Metadata key of the table's name.
pub(crate) const TABLE_KEY: &str = "pipeline.table";

/// Where a row group ends: at whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowGroupLimits {
    /// Rows.
    pub rows: usize,
    /// Bytes of values, before encoding; the row that reaches it is still inside.
    pub bytes: usize,
}

impl Default for RowGroupLimits {
    /// 122,880 rows (what DuckDB reads as one piece) or 16 MiB.
    fn default() -> Self {
        RowGroupLimits {
            rows: 122_880,
            bytes: 16 << 20,
        }
    }
}

/// A streaming writer of one table. Dropped without [`ParquetTable::finish`], it leaves a file
/// without a footer.
pub struct ParquetTable<W: Write + Send> {
    schema: Schema,
    writer: SerializedFileWriter<WriterSlot<W>>,
    columns: Vec<ColumnValues>,
    order: RowOrder,
    pub(crate) limits: RowGroupLimits,
    buffered_rows: usize,
    buffered_bytes: usize,
    rows: u64,
    /// An error left a row or a row group half written.
    broken: bool,
}

/// Holds the writer so that it can be taken back: `SerializedFileWriter::into_inner` would write a
/// second footer after `finish`, and alone it tells a failed flush (a full disk) in words only.
pub(crate) struct WriterSlot<W>(Option<W>);

impl<W> WriterSlot<W> {
    pub(crate) fn new(out: W) -> Self {
        WriterSlot(Some(out))
    }
}

/// Writes the footer of a table; hands the writer back.
pub(crate) fn finish<W: Write + Send>(
    mut writer: SerializedFileWriter<WriterSlot<W>>,
    table: &str,
) -> Result<W, OutputError> {
    writer.finish().map_err(OutputError::encode(table))?;
    let out = writer.inner_mut().0.take();
    out.ok_or_else(|| OutputError::unfinished(table))
}

impl<W: Write> Write for WriterSlot<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .as_mut()
            .ok_or(io::ErrorKind::BrokenPipe)?
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl<W: Write + Send> ParquetTable<W> {
    /// A table with the limits of published files. `metadata` goes into the file's key-value
    /// metadata, in that order, after `pipeline.table`, the name of the table.
    pub fn new(schema: Schema, metadata: &[(String, String)], out: W) -> Result<Self, OutputError> {
        Self::with_limits(schema, metadata, out, RowGroupLimits::default())
    }

    /// A table whose row groups end elsewhere.
    pub fn with_limits(
        schema: Schema,
        metadata: &[(String, String)],
        out: W,
        limits: RowGroupLimits,
    ) -> Result<Self, OutputError> {
        let prepared = parquet_schema(&schema).and_then(|parquet_schema| {
            let properties = properties(&schema, metadata)?;
            SerializedFileWriter::new(WriterSlot::new(out), parquet_schema, Arc::new(properties))
        });
        let writer = prepared.map_err(OutputError::encode(schema.name()))?;
        let columns = schema.columns().iter().map(ColumnValues::new).collect();
        let order = RowOrder::new(&schema);
        let (buffered_rows, buffered_bytes) = (0, 0);
        Ok(ParquetTable {
            schema,
            writer,
            columns,
            order,
            limits,
            buffered_rows,
            buffered_bytes,
            rows: 0,
            broken: false,
        })
    }

    /// Makes room for so many rows, as far as a row group takes them: else room grows by and by,
    /// and what is there is copied.
    #[must_use]
    pub fn expecting(mut self, rows: u64) -> Self {
        let row_bytes: usize = self.columns.iter().map(ColumnValues::fixed_bytes).sum();
        let most = self.limits.rows.min(self.limits.bytes / row_bytes.max(1));
        let rows = usize::try_from(rows).unwrap_or(most).min(most);
        self.columns
            .iter_mut()
            .for_each(|column| column.reserve(rows));
        self
    }

    /// Adds a row.
    pub fn write(&mut self, row: &impl Row) -> Result<(), OutputError> {
        self.usable()?;
        self.broken = true;
        let (columns, order) = (&mut self.columns, &mut self.order);
        let mut bytes = 0;
        self.schema.try_each_cell(row, |at, cell| {
            let Some(taken) = columns.get_mut(at).and_then(|column| column.push(cell)) else {
                return false;
            };
            order.cell(at, cell);
            bytes += taken;
            true
        })?;
        if !self.order.ascends() {
            let columns = self.schema.names(self.schema.sorted_by().iter().copied());
            return Err(self.schema.wrong_row(&format!(
                "row {} does not come after the row before it, in the order of {columns}",
                self.rows
            )));
        }
        self.rows += 1;
        self.buffered_rows += 1;
        self.buffered_bytes += bytes;
        if self.buffered_rows >= self.limits.rows || self.buffered_bytes >= self.limits.bytes {
            self.end_row_group()?;
        }
        self.broken = false;
        Ok(())
    }

    /// Writes what is buffered and the footer; hands the writer back, so that the caller can sync
    /// it.
    pub fn finish(mut self) -> Result<W, OutputError> {
        self.end_group()?;
        finish(self.writer, self.schema.name())
    }

    /// Rows written so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Row groups written so far.
    pub fn groups(&self) -> usize {
        self.writer.flushed_row_groups().len()
    }

    /// Ends the row group, if any row is in it: the next row begins another.
    pub fn end_group(&mut self) -> Result<(), OutputError> {
        self.usable()?;
        if self.buffered_rows > 0 {
            self.broken = true;
            self.end_row_group()?;
            self.broken = false;
        }
        Ok(())
    }

    /// Bytes held now: buffered values, and an estimate of the metadata of the row groups written.
    pub fn memory_bytes(&self) -> usize {
        const METADATA_PER_COLUMN: usize = 400;
        let groups = self.writer.flushed_row_groups().len();
        let buffers: usize = self.columns.iter().map(ColumnValues::memory_bytes).sum();
        buffers + groups * self.columns.len() * METADATA_PER_COLUMN
    }

    /// A row group of so many rows, written by `fill`, after whatever came before.
    pub(crate) fn splice(
        &mut self,
        rows: u64,
        fill: impl FnOnce(&mut SerializedRowGroupWriter<'_, WriterSlot<W>>) -> Result<(), ParquetError>,
    ) -> Result<(), OutputError> {
        self.end_group()?;
        self.broken = true;
        let failed = OutputError::encode(self.schema.name());
        let mut group = self.writer.next_row_group().map_err(&failed)?;
        fill(&mut group).map_err(&failed)?;
        group.close().map_err(&failed)?;
        self.rows += rows;
        self.broken = false;
        Ok(())
    }

    fn usable(&self) -> Result<(), OutputError> {
        match self.broken {
            true => Err(OutputError::unfinished(self.schema.name())),
            false => Ok(()),
        }
    }

    fn end_row_group(&mut self) -> Result<(), OutputError> {
        let failed = OutputError::encode(self.schema.name());
        let properties = Arc::clone(self.writer.properties());
        let descriptors = self.writer.schema_descr().columns().to_vec();
        let mut group = self.writer.next_row_group().map_err(&failed)?;
        for (column, descriptor) in self.columns.iter_mut().zip(descriptors) {
            let encoded = column.encode(descriptor, Arc::clone(&properties));
            let (chunk, closed) = encoded.map_err(&failed)?;
            group.append_column(&chunk, closed).map_err(&failed)?;
        }
        group.close().map_err(&failed)?;
        (self.buffered_rows, self.buffered_bytes) = (0, 0);
        Ok(())
    }
}

/// Appends the columns of a row group of another file as they lie; `described` gives what the
/// footer says of each.
pub(crate) fn append_columns<W: Write + Send>(
    target: &mut SerializedRowGroupWriter<'_, W>,
    source: &impl ChunkReader,
    group: &RowGroupMetaData,
    described: fn(&ColumnChunkMetaData) -> Result<ColumnChunkMetaData, ParquetError>,
) -> Result<(), ParquetError> {
    let mut columns = group.columns().iter();
    columns.try_for_each(|column| append_column(target, source, group, described(column)?))
}

/// Appends a column of a row group of another file as it lies, with this footer.
pub(crate) fn append_column<W: Write + Send>(
    target: &mut SerializedRowGroupWriter<'_, W>,
    source: &impl ChunkReader,
    group: &RowGroupMetaData,
    described: ColumnChunkMetaData,
) -> Result<(), ParquetError> {
    let close = ColumnCloseResult {
        bytes_written: described.compressed_size().unsigned_abs(),
        rows_written: group.num_rows().unsigned_abs(),
        metadata: described,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    target.append_column(source, close)
}

fn properties(
    schema: &Schema,
    metadata: &[(String, String)],
) -> Result<WriterProperties, ParquetError> {
    let own = KeyValue::new(TABLE_KEY.to_owned(), schema.name().to_owned());
    let given = metadata
        .iter()
        .map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let described = schema
        .columns()
        .iter()
        .filter(|column| !column.about.is_empty());
    let described = described.map(|column| {
        let key = format!("{COLUMN_KEY}{}", column.name);
        KeyValue::new(key, column.about.to_owned())
    });
    let sorting: Vec<SortingColumn> = schema
        .sorted_by()
        .iter()
        .map(|&at| {
            Ok(SortingColumn {
                column_idx: i32::try_from(at)?,
                descending: false,
                nulls_first: false,
            })
        })
        .collect::<Result<_, ParquetError>>()?;
    let fastest = Compression::ZSTD(ZstdLevel::try_new(1)?);
    let mut builder = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_dictionary_enabled(true)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_sorting_columns((!sorting.is_empty()).then_some(sorting))
        .set_key_value_metadata(Some(
            std::iter::once(own).chain(given).chain(described).collect(),
        ));
    for (at, column) in schema.columns().iter().enumerate() {
        let path = ColumnPath::new(vec![column.name.to_string()]);
        if column.kind == ColumnType::Double {
            builder = builder.set_column_compression(path.clone(), fastest);
        }
        if matches!(column.values, Repetition::Repeated | Repetition::Carried) {
            continue;
        }
        if column.values == Repetition::SharedNames {
            builder = builder
                .set_column_compression(path.clone(), fastest)
                .set_column_statistics_enabled(path, EnabledStatistics::None);
            continue;
        }
        builder = builder.set_column_dictionary_enabled(path.clone(), false);
        if column.kind == ColumnType::Utf8 && !schema.sorted_by().contains(&at) {
            builder = builder.set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        }
        builder = match column.values {
            Repetition::Ascending => {
                builder.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
            }
            Repetition::Names => builder.set_column_compression(path, fastest),
            _ => builder,
        };
    }
    Ok(builder.build())
}
