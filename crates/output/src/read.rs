//! Reading a published Parquet file back, in batches.
//!
//! Input: the path of a file that [`crate::ParquetTable`] wrote. Output: batches of at most 1,024
//! rows, held column by column and looked at as [`crate::Cell`]s. Only the selected columns are
//! read.
//!
//! Damage is an error, never a panic (those of the decoder are caught), where it can be seen: the
//! checksum of every page is compared, and the counts of rows. The footer has no checksum. Whoever
//! must know compares the file's digest first. Memory: one batch, one decoded page of each selected
//! column, and the file's footer.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use parquet::basic::{LogicalType, TimeUnit, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::schema::types::ColumnDescriptor;

use crate::batch::RowBatch;
use crate::parquet_table::TABLE_KEY;
use crate::{Column, ColumnType, OutputError, Repetition, Schema, Table};

const BATCH_ROWS: usize = 1024;

/// Which columns to read.
#[derive(Clone, Copy, Debug, Default)]
pub enum ColumnSelection<'a> {
    /// All, in the order of the file.
    #[default]
    All,
    /// The columns of these names, in this order.
    Named(&'a [&'a str]),
}

impl ColumnSelection<'_> {
    fn takes(self, column: &ColumnDescriptor) -> bool {
        let name = column.path().parts().first();
        match self {
            ColumnSelection::All => true,
            ColumnSelection::Named(names) => name.is_some_and(|name| names.contains(&&**name)),
        }
    }
}

/// A streaming reader of one published table.
pub struct TableReader {
    pub(crate) path: PathBuf,
    file: SerializedFileReader<File>,
    schema: Schema,
    /// Where the selected columns are in the file.
    positions: Vec<usize>,
    next_group: usize,
    /// Readers of the current row group.
    columns: Vec<ColumnReader>,
    rows_left_in_group: usize,
    batch: RowBatch,
}

impl TableReader {
    /// Opens a published table.
    pub fn open(path: &Path, selection: ColumnSelection<'_>) -> Result<TableReader, OutputError> {
        let table = TableReader::open_foreign(path, selection)?;
        let created_by = table.file.metadata().file_metadata().created_by();
        let created_by = created_by.unwrap_or_default();
        if !created_by.starts_with("pipeline version ") {
            let path = path.display();
            return Err(OutputError::Refused(format!(
                "failed to read table {path}: expected a file written by pipeline, got one written \
                 by {created_by:?}"
            )));
        }
        Ok(table)
    }

    /// [`TableReader::open`] of a file that any program wrote.
    pub fn open_foreign(
        path: &Path,
        selection: ColumnSelection<'_>,
    ) -> Result<TableReader, OutputError> {
        let file = open(path)?;
        // Whole, as it was written: a row group that is copied takes what the footer says of it
        // along.
        let options = || {
            ReadOptionsBuilder::new()
                .with_encoding_stats_as_mask(false)
                .build()
        };
        let file = guarded(path, || {
            SerializedFileReader::new_with_options(file, options())
        })?;
        let metadata = file.metadata();
        let rows = metadata.row_groups().iter().map(|group| group.num_rows());
        if rows.fold(0, i64::saturating_add) != metadata.file_metadata().num_rows() {
            let reason = "its row groups have more or fewer rows than the footer says";
            return Err(OutputError::damaged(path, reason));
        }
        let (whole, known) = schema_of(path, &file, selection)?;
        let (schema, mut positions) = select(whole, selection)?;
        positions.iter_mut().for_each(|at| *at = known[*at]);
        let batch = RowBatch::new(&schema);
        let (path, columns) = (path.to_owned(), Vec::new());
        Ok(TableReader {
            path,
            file,
            schema,
            positions,
            next_group: 0,
            columns,
            rows_left_in_group: 0,
            batch,
        })
    }

    /// The selected columns.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Rows of the file, as its footer says.
    pub fn rows(&self) -> u64 {
        u64::try_from(self.file.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// The file's key-value metadata, in its order.
    pub fn metadata(&self) -> Vec<(String, String)> {
        metadata(&self.file)
    }

    /// Row groups of the file.
    pub(crate) fn groups(&self) -> usize {
        self.file.metadata().num_row_groups()
    }

    pub(crate) fn group(&self, at: usize) -> Option<&RowGroupMetaData> {
        self.file.metadata().row_groups().get(at)
    }

    /// Goes on at the first row of a row group.
    pub(crate) fn seek(&mut self, group: usize) {
        (self.next_group, self.rows_left_in_group) = (group, 0);
    }

    /// The next rows; `None` at the end.
    pub fn next_batch(&mut self) -> Result<Option<&RowBatch>, OutputError> {
        while self.rows_left_in_group == 0 {
            if self.next_group >= self.file.metadata().num_row_groups() {
                return Ok(None);
            }
            self.open_group()?;
        }
        let rows = self.rows_left_in_group.min(BATCH_ROWS);
        let (columns, batch) = (&mut self.columns, &mut self.batch);
        guarded(&self.path, || {
            for (reader, column) in columns.iter_mut().zip(&mut batch.columns) {
                column.read(reader, rows)?;
            }
            Ok(())
        })?;
        self.batch.rows = rows;
        self.rows_left_in_group -= rows;
        Ok(Some(&self.batch))
    }

    fn open_group(&mut self) -> Result<(), OutputError> {
        let (file, positions, at) = (&self.file, &self.positions, self.next_group);
        let (columns, rows) = guarded(&self.path, || {
            let group = file.get_row_group(at)?;
            let rows = usize::try_from(group.metadata().num_rows())?;
            let columns = positions
                .iter()
                .map(|&at| group.get_column_reader(at))
                .collect::<Result<Vec<_>, _>>()?;
            Ok((columns, rows))
        })?;
        (self.columns, self.rows_left_in_group) = (columns, rows);
        self.next_group += 1;
        Ok(())
    }
}

/// Reads a small file of a publication whole.
pub fn read_whole(path: &Path) -> Result<Vec<u8>, OutputError> {
    let mut bytes = Vec::new();
    open(path)?
        .read_to_end(&mut bytes)
        .map_err(OutputError::io("read", path))?;
    Ok(bytes)
}

/// Opens a file that must be a regular one: a FIFO in its place is damage, and does not block.
pub(crate) fn open(path: &Path) -> Result<File, OutputError> {
    let opened = input::open_regular(path).map(|(file, _)| file);
    opened.map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput => OutputError::damaged(path, "not a regular file"),
        _ => OutputError::io("open", path)(error),
    })
}

/// Runs the decoder: its errors and panics become ours. Nothing it touched is used after a panic
/// but the path.
fn guarded<T>(
    path: &Path,
    decode: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, OutputError> {
    let damaged = |reason: String| OutputError::damaged(path, reason);
    match input::caught(decode) {
        Some(Ok(value)) => Ok(value),
        Some(Err(ParquetError::External(error))) => match error.downcast::<std::io::Error>() {
            // The decompressor speaks of damage as an I/O error too, but without the system's
            // number.
            Ok(error) if error.raw_os_error().is_some() => {
                Err(OutputError::io("read", path)(*error))
            }
            Ok(error) => Err(damaged(error.to_string())),
            Err(error) => Err(damaged(error.to_string())),
        },
        Some(Err(error)) => Err(damaged(error.to_string())),
        None => Err(damaged("the Parquet library cannot decode it".to_owned())),
    }
}

fn metadata(file: &SerializedFileReader<File>) -> Vec<(String, String)> {
    let pairs = file
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .map(Vec::as_slice)
        .unwrap_or_default();
    pairs
        .iter()
        .map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default()))
        .collect()
}

/// The columns as the file has them, with what the table's declaration says of them, and where
/// they are in the file. Columns of other types are left out if they are not selected.
fn schema_of(
    path: &Path,
    file: &SerializedFileReader<File>,
    selection: ColumnSelection<'_>,
) -> Result<(Schema, Vec<usize>), OutputError> {
    let name = metadata(file)
        .into_iter()
        .find(|(key, _)| key == TABLE_KEY)
        .map(|(_, value)| value)
        .unwrap_or_default();
    let table = Table::by_name(&name);
    let declared = table.map(Table::columns).unwrap_or_default();
    let (mut columns, mut positions) = (Vec::new(), Vec::new());
    let descriptors = file.metadata().file_metadata().schema_descr().columns();
    for (at, descriptor) in descriptors.iter().enumerate() {
        let Some(kind) = kind_of(descriptor) else {
            if !selection.takes(descriptor) {
                continue;
            }
            let reason = format!(
                "column {:?} has a type that this program does not write",
                descriptor.path().string()
            );
            return Err(OutputError::damaged(path, reason));
        };
        positions.push(at);
        let nullable = descriptor.max_def_level() > 0;
        let own = |column: &&Column| column.name == descriptor.name() && column.kind == kind;
        let found = declared.iter().find(own).map(|column| Column {
            nullable,
            ..column.clone()
        });
        columns.push(found.unwrap_or_else(|| Column {
            name: descriptor.name().to_owned().into(),
            kind,
            nullable,
            values: Repetition::Carried,
            about: "",
        }));
    }
    let sorted_by = table.map(|table| table.sorted_by).unwrap_or_default();
    Ok((Schema::new(name, columns, sorted_by), positions))
}

/// `None` for nested columns and types that are not ours.
fn kind_of(descriptor: &ColumnDescriptor) -> Option<ColumnType> {
    if descriptor.max_rep_level() > 0
        || descriptor.max_def_level() > 1
        || descriptor.path().parts().len() != 1
    {
        return None;
    }
    match (descriptor.physical_type(), descriptor.logical_type_ref()) {
        (Physical::INT32, None) => Some(ColumnType::Int32),
        (Physical::INT64, None) => Some(ColumnType::Int64),
        (Physical::INT64, Some(LogicalType::Timestamp(time)))
            if matches!(time.unit, TimeUnit::MICROS) =>
        {
            Some(ColumnType::TimestampMicros)
        }
        (Physical::DOUBLE, None) => Some(ColumnType::Double),
        (Physical::BOOLEAN, None) => Some(ColumnType::Bool),
        (Physical::BYTE_ARRAY, Some(LogicalType::String)) => Some(ColumnType::Utf8),
        _ => None,
    }
}

fn select(
    whole: Schema,
    selection: ColumnSelection<'_>,
) -> Result<(Schema, Vec<usize>), OutputError> {
    let ColumnSelection::Named(names) = selection else {
        let positions = (0..whole.columns().len()).collect();
        return Ok((whole, positions));
    };
    let position = |name: &&str| {
        whole
            .position(name)
            .ok_or_else(|| OutputError::NoSuchColumn {
                table: whole.name().to_owned(),
                name: (*name).to_owned(),
                has: whole.names(0..whole.columns().len()),
            })
    };
    let positions: Vec<usize> = names.iter().map(position).collect::<Result<_, _>>()?;
    let columns = positions
        .iter()
        .map(|&at| whole.columns()[at].clone())
        .collect();
    // In another order of columns the rows may not ascend: a selection promises none.
    Ok((
        Schema::new(whole.name().to_owned(), columns, &[]),
        positions,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_decoder_is_damage() {
        let outcome = guarded::<()>(Path::new("x.parquet"), || panic!("an index out of bounds"));
        assert!(matches!(outcome, Err(OutputError::Damaged { .. })));
    }
}
