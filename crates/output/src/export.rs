//! A published table in the format a user asks for.
//!
//! Input: the paths of published Parquet files of one table. Output: the same rows in the same
//! order, streamed. Memory: see [`crate::TableReader`], and a buffer of 64 KiB.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::arrow::ArrowTable;
use crate::{ColumnSelection, LineFormat, LineTable, OutputError, ParquetTable, TableReader};

const BUFFER_BYTES: usize = 64 << 10;

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// The published file, byte for byte, or several as one.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
    /// Lines of text.
    Lines(LineFormat),
}

/// Writes the table whose files these are, in this order, to `out`; returns its rows.
pub fn export(
    paths: &[PathBuf],
    format: ExportFormat,
    out: &mut (dyn Write + Send),
) -> Result<u64, OutputError> {
    let mut readers = open_all(paths)?;
    let Some(first) = readers.first() else {
        return Ok(0);
    };
    let schema = first.schema().clone();
    let rows = readers.iter().map(TableReader::rows).sum();
    let out = BufWriter::with_capacity(BUFFER_BYTES, out);
    match format {
        ExportFormat::Parquet => match paths {
            [path] => {
                // The checksums of its pages are compared first: a copy would hand damage on.
                each_row(&mut readers, |_| Ok(()))?;
                copy(path, schema.name(), out)?;
            }
            _ => {
                let mut table = ParquetTable::new(schema, &[], out)?;
                each_row(&mut readers, |row| table.write(row))?;
                table.finish()?;
            }
        },
        ExportFormat::Arrow => {
            let mut table = ArrowTable::new(schema, out)?;
            each_row(&mut readers, |row| table.write(row))?;
            table.finish()?;
        }
        ExportFormat::Lines(format) => {
            let mut table = LineTable::new(schema, format, out)?;
            each_row(&mut readers, |row| table.write(row))?;
            table.finish()?;
        }
    }
    Ok(rows)
}

/// Opens the files of one table, all with the same columns.
pub(crate) fn open_all(paths: &[PathBuf]) -> Result<Vec<TableReader>, OutputError> {
    let mut readers: Vec<TableReader> = Vec::new();
    for path in paths {
        let reader = TableReader::open(path, ColumnSelection::All)?;
        let first = readers.first();
        if first.is_some_and(|first| first.schema() != reader.schema()) {
            let (path, other) = (path.clone(), paths[0].clone());
            return Err(OutputError::Columns { path, other });
        }
        readers.push(reader);
    }
    Ok(readers)
}

fn each_row(
    readers: &mut [TableReader],
    mut take: impl FnMut(&crate::BatchRow<'_>) -> Result<(), OutputError>,
) -> Result<(), OutputError> {
    for reader in readers {
        while let Some(batch) = reader.next_batch()? {
            for row in batch.iter() {
                take(&row)?;
            }
        }
    }
    Ok(())
}

/// Reading and writing fail apart, so that the message names the right one.
fn copy(path: &Path, table: &str, mut out: impl Write) -> Result<(), OutputError> {
    let mut file = crate::read::open(path)?;
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let count = match std::io::Read::read(&mut file, &mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            count => count.map_err(OutputError::io("read", path))?,
        };
        if count == 0 {
            return out.flush().map_err(OutputError::write(table));
        }
        out.write_all(&buffer[..count])
            .map_err(OutputError::write(table))?;
    }
}
