//! A published table in the format a user asks for.
//!
//! Input: the path of a published Parquet file. Output: the same rows in the same order, streamed. Memory: see
//! [`crate::TableReader`], and a buffer of 64 KiB.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::{CsvTable, FormulaGuard, JsonlTable, OutputError, Selection, TableReader};

const BUFFER_BYTES: usize = 64 << 10;

/// What an export is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// The published file, byte for byte.
    Parquet,
    /// JSON lines.
    Jsonl,
    /// CSV with a line of names.
    Csv(FormulaGuard),
}

/// Writes the table at `path` to `out`; returns its rows.
///
/// # Errors
/// Those of [`TableReader::open`] and [`TableReader::next_batch`]; [`OutputError::Write`] if `out` failed (the kind of
/// its source tells a closed pipe). What was written before an error stays written.
pub fn export(path: &Path, format: ExportFormat, out: &mut dyn Write) -> Result<u64, OutputError> {
    let mut reader = TableReader::open(path, Selection::All)?;
    let schema = reader.schema().clone();
    let out = BufWriter::with_capacity(BUFFER_BYTES, out);
    match format {
        ExportFormat::Parquet => {
            copy(path, schema.name(), out)?;
            return Ok(reader.rows());
        }
        ExportFormat::Jsonl => {
            let mut table = JsonlTable::new(schema, out);
            each_row(&mut reader, |row| table.write(row))?;
            table.finish()?;
        }
        ExportFormat::Csv(guard) => {
            let mut table = CsvTable::new(schema, guard, out)?;
            each_row(&mut reader, |row| table.write(row))?;
            table.finish()?;
        }
    }
    Ok(reader.rows())
}

fn each_row(
    reader: &mut TableReader,
    mut take: impl FnMut(&crate::BatchRow<'_>) -> Result<(), OutputError>,
) -> Result<(), OutputError> {
    while let Some(batch) = reader.next_batch()? {
        for row in batch.iter() {
            take(&row)?;
        }
    }
    Ok(())
}

/// Reading and writing fail apart, so that the message names the right one.
fn copy(path: &Path, table: &str, mut out: impl Write) -> Result<(), OutputError> {
    let failed = |action| move |source| OutputError::Io { action, path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed("open"))?;
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let count = match std::io::Read::read(&mut file, &mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            count => count.map_err(failed("read"))?,
        };
        if count == 0 {
            return out.flush().map_err(OutputError::write(table));
        }
        out.write_all(&buffer[..count]).map_err(OutputError::write(table))?;
    }
}
