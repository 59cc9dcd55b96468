//! A SQLite database of published tables, for `pipeline export`.
//!
//! *Input.* The names of tables of the publication. *Output.* A database with a table for each: the
//! same rows in the same order. Integers and truth values (1, 0) are INTEGER, floats REAL, texts
//! and times TEXT (times as in CSV). Where one column of integers orders the rows, it is the
//! primary key. The text of `CREATE TABLE` says what each column means. *Memory.* A batch of rows,
//! and the cache of SQLite (2 MB).

use std::io;
use std::path::Path;

use output::{
    Cell, Column, ColumnSelection, ColumnType, OutputError, RowBatch, Schema, TableReader,
};
use pipeline::config::Config;
use rusqlite::types::{Null, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, Statement, Transaction};

use crate::exit::Failure;

/// Fills an empty file.
pub(super) fn write(config: &Config, tables: &[String], path: &Path) -> Result<(), Failure> {
    let mut database = Connection::open(path).map_err(failed(path))?;
    // The file is of no use until it is whole: the caller syncs and renames it.
    let settings = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;";
    database.execute_batch(settings).map_err(failed(path))?;
    let transaction = database.transaction().map_err(failed(path))?;
    for table in tables {
        add_table(config, table, &transaction, path)?;
    }
    transaction.commit().map_err(failed(path))?;
    database.close().map_err(|(_, error)| failed(path)(error))
}

fn add_table(
    config: &Config,
    table: &str,
    database: &Transaction<'_>,
    path: &Path,
) -> Result<(), Failure> {
    let files = pipeline::intact_files(config, table)?;
    let open = |file| TableReader::open(file, ColumnSelection::All).map_err(pipeline::Error::from);
    let Some(first) = files.first() else {
        return Ok(());
    };
    let schema = open(first)?.schema().clone();
    let create = create_statement(table, &schema);
    database.execute_batch(&create).map_err(failed(path))?;
    let values = vec!["?"; schema.columns().len()].join(", ");
    let insert = format!("INSERT INTO {} VALUES ({values})", quoted(table));
    let mut insert = database.prepare(&insert).map_err(failed(path))?;
    for file in files.iter() {
        let mut reader = open(file)?;
        if reader.schema() != &schema {
            let (path, other) = (file.clone(), first.clone());
            return Err(pipeline::Error::from(OutputError::Columns { path, other }).into());
        }
        while let Some(batch) = reader.next_batch().map_err(pipeline::Error::from)? {
            insert_rows(&mut insert, batch, schema.columns().len()).map_err(failed(path))?;
        }
    }
    Ok(())
}

fn insert_rows(
    insert: &mut Statement<'_>,
    batch: &RowBatch,
    columns: usize,
) -> Result<(), rusqlite::Error> {
    for row in batch.iter() {
        for column in 0..columns {
            insert.raw_bind_parameter(column + 1, value(row.cell(column)))?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}

fn value(cell: Cell<'_>) -> ToSqlOutput<'_> {
    match cell {
        Cell::Null => Null.into(),
        Cell::Int32(value) => value.into(),
        Cell::Int64(value) => value.into(),
        Cell::Double(value) => value.into(),
        Cell::Bool(value) => value.into(),
        Cell::Utf8(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        Cell::TimestampMicros(time) => output::rfc3339(time).into(),
    }
}

/// Makes the table. SQLite keeps the comments, and shows them as the schema.
fn create_statement(table: &str, schema: &Schema) -> String {
    let key = match schema.sorted_by() {
        &[key] => Some(key),
        _ => None,
    };
    let mut lines = String::new();
    for (at, column) in schema.columns().iter().enumerate() {
        let comma = if at + 1 < schema.columns().len() {
            ","
        } else {
            ""
        };
        let is_key = key == Some(at) && column.kind == ColumnType::Int64;
        let declared = format!(
            "{} {}{comma}",
            quoted(&column.name),
            declaration(column, is_key)
        );
        let about = column.about.replace(['\n', '\r'], " ");
        let line = match about.as_str() {
            "" => format!("  {declared}\n"),
            about => format!("  {declared} -- {about}\n"),
        };
        lines.push_str(&line);
    }
    format!("CREATE TABLE {} (\n{lines})", quoted(table))
}

fn declaration(column: &Column, is_key: bool) -> String {
    let kind = match column.kind {
        ColumnType::Int32 | ColumnType::Int64 | ColumnType::Bool => "INTEGER",
        ColumnType::Double => "REAL",
        ColumnType::Utf8 | ColumnType::TimestampMicros => "TEXT",
    };
    let key = if is_key { " PRIMARY KEY" } else { "" };
    let null = if column.nullable { "" } else { " NOT NULL" };
    format!("{kind}{key}{null}")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// For `map_err` on an answer of SQLite. A full disk, and memory that is refused, keep their kind.
fn failed(path: &Path) -> impl Fn(rusqlite::Error) -> Failure + use<> {
    let path = path.to_owned();
    move |error| {
        let source = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => io::Error::from(io::ErrorKind::StorageFull),
            Some(ErrorCode::OutOfMemory) => io::Error::from(io::ErrorKind::OutOfMemory),
            _ => io::Error::other(error),
        };
        Failure::file("write", path.clone())(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_in_names_are_doubled() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }

    #[test]
    fn full_disks_and_refused_memory_are_4() {
        let code = |number| {
            let error = rusqlite::ffi::Error::new(number);
            failed(Path::new("x"))(rusqlite::Error::SqliteFailure(error, None)).code()
        };
        use rusqlite::ffi::{SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_NOMEM};
        assert_eq!(
            [SQLITE_FULL, SQLITE_NOMEM, SQLITE_IOERR_WRITE].map(code),
            [4, 4, 1]
        );
    }
}
