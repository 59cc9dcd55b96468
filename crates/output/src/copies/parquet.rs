//! A Parquet file again, without some of its rows, or with other values in a column of texts.
//!
//! *Input.* The open file; the rows that change, by row group and number. *Output.* A file of the
//! same schema, metadata and codecs. *Algorithm.* Row groups of which no row changes are spliced in
//! as they lie, and of the others the columns of which no value changes. All other columns are read
//! as values with their levels, so that nested ones are no different from flat ones, and written
//! again. *Memory.* A page and a batch of values of one column, a bit for each row of a row group,
//! and what the encoder holds of a column chunk. *Limits.* Row groups come in the order of their
//! bytes; page indexes and bloom filters are left out; where row groups are sorted by different
//! columns, only those are named by which all are; codecs of a row group that is written again:
//! none, snappy, gzip, zstd.

use std::io::Write;
use std::sync::Arc;

use input::{InputError, ParquetCopy, ReadOptions, SourceFile};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};

use super::row_changes::{GoneRows, OpenCuts, RowChanges};
use crate::OutputError;
use crate::parquet_table::{CREATED_BY, WriterSlot, append_column, finish};

/// Rows taken at a time, where they are small.
const BATCH_ROWS: usize = 1024;
/// The bytes of pages that a batch may hold.
const BATCH_BYTES: u64 = 8 << 20;

/// Copies the rows that stay, with a marker in place of each part that goes of a text; hands the
/// writer back.
pub fn copy_parquet<'a, W: Write + Send>(
    file: &'a SourceFile,
    options: &'a ReadOptions,
    cuts: &OpenCuts<'a>,
    marker: &'a str,
    out: W,
) -> Result<W, InputError> {
    with_source(file, options.max_page_bytes, |source| {
        let mut changes = RowChanges::begin(file, options, source, cuts, marker)?;
        copy_rows(file, source, &mut changes, out)
    })
}

/// Opens a file and copies it. The library takes an error of the medium for damage of the file, so
/// such an error goes before what the copy says.
pub(super) fn with_source<W>(
    file: &SourceFile,
    max_page_bytes: u64,
    copy: impl FnOnce(&ParquetCopy) -> Result<W, InputError>,
) -> Result<W, InputError> {
    let source =
        ParquetCopy::open(file, max_page_bytes)?.map_err(|reason| refused(file, reason))?;
    let copied = copy(&source);
    source.check_medium(&file.path)?;
    copied
}

fn copy_rows<W: Write + Send>(
    file: &SourceFile,
    source: &ParquetCopy,
    changes: &mut RowChanges<'_>,
    out: W,
) -> Result<W, InputError> {
    let metadata = source.metadata();
    let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
    let properties = Arc::new(properties(metadata));
    let mut writer =
        SerializedFileWriter::new(WriterSlot::new(out), schema, properties).map_err(failed)?;
    for (offset, group) in source.groups() {
        let rows = usize::try_from(metadata.row_group(group).num_rows()).unwrap_or(0);
        let gone = changes.of_group(offset, rows)?;
        let gone = gone.ok_or_else(|| changed(file))?;
        if gone.count == rows {
            continue;
        }
        let mut target = writer.next_row_group().map_err(failed)?;
        rewrite(source, group, &gone, changes, &mut target).map_err(|error| match error {
            Refused::Reading(reason) => refused(file, format!("row group {group}: {reason}")),
            Refused::Writing(error) => failed(error),
            Refused::Changing(error) => error,
        })?;
        target.close().map_err(failed)?;
    }
    if !changes.are_met() {
        return Err(changed(file));
    }
    finish(writer, TABLE).map_err(sink)
}

/// The name of a copy in messages.
pub(super) const TABLE: &str = "copy";

/// The error of the encoder.
pub(super) fn failed(error: ParquetError) -> InputError {
    sink(OutputError::encode(TABLE)(error))
}

/// The error of a file that has not the rows that were read of it.
pub(super) fn changed(file: &SourceFile) -> InputError {
    InputError::changed(&file.path)
}

pub(super) fn refused(file: &SourceFile, reason: String) -> InputError {
    let path = file.path.clone();
    sink(OutputError::Copy { path, reason })
}

fn sink(error: OutputError) -> InputError {
    InputError::Sink(Box::new(error))
}

/// The properties of a copy, with these pairs of metadata.
pub(super) fn properties_with(
    metadata: &ParquetMetaData,
    pairs: Option<Vec<KeyValue>>,
) -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_key_value_metadata(pairs)
        .set_sorting_columns(sorting(metadata))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
}

/// Codecs as they are; levels cannot be known.
fn properties(metadata: &ParquetMetaData) -> WriterProperties {
    let pairs = metadata.file_metadata().key_value_metadata().cloned();
    let mut builder = properties_with(metadata, pairs);
    let first = metadata.row_groups().first();
    for column in first.map(|group| group.columns()).unwrap_or_default() {
        let codec = match column.compression() {
            Compression::ZSTD(_) => Compression::ZSTD(ZstdLevel::try_new(3).unwrap_or_default()),
            Compression::GZIP(_) => Compression::GZIP(GzipLevel::default()),
            other => other,
        };
        builder = builder.set_column_compression(column.column_path().clone(), codec);
    }
    builder.build()
}

/// The columns by which the rows of all row groups are sorted: the writer has one answer for them
/// all. Rows that go leave the others in order, and rows sorted by two columns are sorted by the
/// first.
fn sorting(metadata: &ParquetMetaData) -> Option<Vec<SortingColumn>> {
    let groups = metadata
        .row_groups()
        .iter()
        .filter(|group| group.num_rows() > 0);
    let mut orders = groups.map(|group| group.sorting_columns().map_or(&[][..], Vec::as_slice));
    let first = orders.next()?;
    let alike =
        |other: &[SortingColumn]| first.iter().zip(other).take_while(|(a, b)| a == b).count();
    let common = orders.map(alike).fold(first.len(), usize::min);
    (common > 0).then(|| first[..common].to_vec())
}

enum Refused {
    Reading(String),
    Writing(ParquetError),
    Changing(InputError),
}

/// Writes the rows of a group that stay.
fn rewrite<W: Write + Send>(
    source: &ParquetCopy,
    group: usize,
    gone: &GoneRows,
    changes: &mut RowChanges<'_>,
    target: &mut SerializedRowGroupWriter<'_, WriterSlot<W>>,
) -> Result<(), Refused> {
    let described = source.metadata().row_group(group);
    for (leaf, column) in described.columns().iter().enumerate() {
        if gone.count == 0 && !changes.change(leaf) {
            append_column(target, source.bytes(), described, column.clone())
                .map_err(Refused::Writing)?;
            continue;
        }
        let within =
            |reason: String| Refused::Reading(format!("column {}: {reason}", column.column_path()));
        match column.compression() {
            Compression::UNCOMPRESSED
            | Compression::SNAPPY
            | Compression::GZIP(_)
            | Compression::ZSTD(_) => {}
            other => {
                return Err(within(format!(
                    "{other:?}, expected zstd, snappy, gzip or no compression"
                )));
            }
        }
        let (reader, held_bytes) = source.column(group, leaf).map_err(within)?;
        let writer = target.next_column().map_err(Refused::Writing)?;
        let mut writer =
            writer.ok_or_else(|| within("the schema has no such column".to_owned()))?;
        let batch = (BATCH_BYTES / held_bytes.max(1)).clamp(1, BATCH_ROWS as u64) as usize;
        let mut change = |row, value: ByteArray| {
            let new = changes.value(leaf, row, value.data());
            Ok(new
                .map_err(Refused::Changing)?
                .map_or(value, ByteArray::from))
        };
        match input::caught(|| copy_column(reader, &mut writer, gone, batch, &mut change)) {
            Some(result) => result.map_err(|error| match error {
                Refused::Reading(reason) => within(reason),
                error => error,
            })?,
            None => return Err(within("the Parquet library cannot parse it".to_owned())),
        }
        writer.close().map_err(Refused::Writing)?;
    }
    Ok(())
}

/// The value of a row, or a new one.
trait ChangeValue<T>: FnMut(usize, T) -> Result<T, Refused> {}

impl<T, F: FnMut(usize, T) -> Result<T, Refused>> ChangeValue<T> for F {}

fn copy_column(
    reader: ColumnReader,
    writer: &mut SerializedColumnWriter<'_>,
    gone: &GoneRows,
    batch: usize,
    change: impl ChangeValue<ByteArray>,
) -> Result<(), Refused> {
    fn as_is<T>(_: usize, value: T) -> Result<T, Refused> {
        Ok(value)
    }
    let rows = BATCH_ROWS;
    match reader {
        ColumnReader::BoolColumnReader(reader) => typed(reader, writer, gone, rows, as_is),
        ColumnReader::Int32ColumnReader(reader) => typed(reader, writer, gone, rows, as_is),
        ColumnReader::Int64ColumnReader(reader) => typed(reader, writer, gone, rows, as_is),
        ColumnReader::Int96ColumnReader(reader) => typed(reader, writer, gone, rows, as_is),
        ColumnReader::FloatColumnReader(reader) => typed(reader, writer, gone, rows, as_is),
        ColumnReader::DoubleColumnReader(reader) => typed(reader, writer, gone, rows, as_is),
        ColumnReader::ByteArrayColumnReader(reader) => typed(reader, writer, gone, batch, change),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            typed(reader, writer, gone, batch, as_is)
        }
    }
}

/// A batch of a column: values and levels.
struct ColumnBatch<T> {
    values: Vec<T>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

impl<T> ColumnBatch<T> {
    fn new() -> Self {
        ColumnBatch {
            values: Vec::new(),
            definitions: Vec::new(),
            repetitions: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
    }
}

fn typed<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    writer: &mut SerializedColumnWriter<'_>,
    gone: &GoneRows,
    batch_rows: usize,
    mut change: impl ChangeValue<T::T>,
) -> Result<(), Refused> {
    let writer = writer.typed::<T>();
    let (definition_max, repetition_max) = (
        writer.get_descriptor().max_def_level(),
        writer.get_descriptor().max_rep_level(),
    );
    let (mut read, mut kept) = (ColumnBatch::<T::T>::new(), ColumnBatch::<T::T>::new());
    let mut row = 0;
    while row < gone.rows {
        read.clear();
        kept.clear();
        let definitions = (definition_max > 0).then_some(&mut read.definitions);
        let repetitions = (repetition_max > 0).then_some(&mut read.repetitions);
        let records = reader.read_records(batch_rows, definitions, repetitions, &mut read.values);
        let (records, _, _) = records.map_err(|error| Refused::Reading(error.to_string()))?;
        if records == 0 {
            return Err(Refused::Reading(format!(
                "{row} rows, the row group has {}",
                gone.rows
            )));
        }
        filter(
            &mut read,
            &mut kept,
            definition_max,
            |record| !gone.has(row + record),
            |record, value| change(row + record, value),
        )?;
        let definitions = (definition_max > 0).then_some(&kept.definitions[..]);
        let repetitions = (repetition_max > 0).then_some(&kept.repetitions[..]);
        if !(kept.values.is_empty() && kept.definitions.is_empty()) {
            writer
                .write_batch(&kept.values, definitions, repetitions)
                .map_err(Refused::Writing)?;
        }
        row += records;
    }
    Ok(())
}

/// Moves the records that stay from one batch to another. A record begins where the repetition
/// level is 0.
fn filter<T>(
    read: &mut ColumnBatch<T>,
    kept: &mut ColumnBatch<T>,
    definition_max: i16,
    stays: impl Fn(usize) -> bool,
    mut change: impl ChangeValue<T>,
) -> Result<(), Refused> {
    let mut values = read.values.drain(..);
    if definition_max == 0 {
        for (record, value) in values.enumerate().filter(|(record, _)| stays(*record)) {
            kept.values.push(change(record, value)?);
        }
        return Ok(());
    }
    let mut record = 0;
    for (at, &definition) in read.definitions.iter().enumerate() {
        let repetition = read.repetitions.get(at).copied();
        if at > 0 && repetition.unwrap_or(0) == 0 {
            record += 1;
        }
        let value = if definition == definition_max {
            values.next()
        } else {
            None
        };
        if stays(record) {
            if let Some(value) = value {
                kept.values.push(change(record, value)?);
            }
            kept.definitions.push(definition);
            kept.repetitions.extend(repetition);
        }
    }
    Ok(())
}
