//! A published table as a table of an SQLite database.
//!
//! *Input.* The published files of one table. *Output.* A table of its name in a database, which is
//! made if it is not there. It replaces one of the same name; the other tables stay. Booleans are
//! 0 and 1, times are text. *Algorithm.* One transaction, so a reader sees the old rows or the new
//! ones. *Memory.* See [`crate::TableReader`], and 2 MiB of SQLite's own. *Limits.* The crate has
//! this module with its feature `sqlite` only: SQLite takes a minute of CPU to build.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, Statement};

use crate::export::{each_row, open_all};
use crate::{BatchRow, Cell, ColumnType, OutputError, Schema};

/// Writes the table whose files these are, in this order, into a database; returns its rows.
///
/// # Errors
/// Those of [`crate::export()`]; [`OutputError::Write`] if the database cannot be opened or
/// written, or is none: it is then as it was.
pub fn export_to_database(paths: &[PathBuf], database: &Path) -> Result<u64, OutputError> {
    let mut readers = open_all(paths)?;
    let Some(first) = readers.first() else {
        return Ok(0);
    };
    let schema = first.schema().clone();
    let failed = |error| failed(&schema, error);
    let mut connection = Connection::open(database).map_err(failed)?;
    let transaction = connection.transaction().map_err(failed)?;
    let table = quoted(schema.name());
    let columns: Vec<String> = schema.columns().iter().map(column).collect();
    let places = vec!["?"; columns.len()].join(", ");
    let columns = columns.join(", ");
    transaction
        .execute_batch(&format!(
            "DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({columns});"
        ))
        .map_err(failed)?;
    let insert = format!("INSERT INTO {table} VALUES ({places})");
    let mut rows = 0;
    let mut insert = transaction.prepare(&insert).map_err(failed)?;
    each_row(&mut readers, |row| {
        rows += 1;
        write(&mut insert, &schema, row)
    })?;
    drop(insert);
    transaction.commit().map_err(failed)?;
    Ok(rows)
}

fn write(
    insert: &mut Statement<'_>,
    schema: &Schema,
    row: &BatchRow<'_>,
) -> Result<(), OutputError> {
    let mut bound = Ok(());
    schema.each_cell(row, |at, cell| {
        let mut text = Vec::new();
        let value = match cell {
            Cell::Null => ValueRef::Null,
            Cell::Int32(number) => ValueRef::Integer(number.into()),
            Cell::Int64(number) => ValueRef::Integer(number),
            Cell::Double(number) => ValueRef::Real(number),
            Cell::Utf8(text) => ValueRef::Text(text.as_bytes()),
            Cell::Bool(value) => ValueRef::Integer(value.into()),
            Cell::TimestampMicros(_) => {
                cell.write_plain(&mut text);
                ValueRef::Text(&text)
            }
        };
        if bound.is_ok() {
            bound = insert.raw_bind_parameter(at + 1, ToSqlOutput::Borrowed(value));
        }
    })?;
    bound
        .and_then(|()| insert.raw_execute())
        .map(|_| ())
        .map_err(|error| failed(schema, error))
}

/// The declaration of a column.
fn column(column: &crate::Column) -> String {
    let kind = match column.kind {
        ColumnType::Int32 | ColumnType::Int64 | ColumnType::Bool => "INTEGER",
        ColumnType::Double => "REAL",
        ColumnType::Utf8 | ColumnType::TimestampMicros => "TEXT",
    };
    let null = if column.nullable { "" } else { " NOT NULL" };
    format!("{} {kind}{null}", quoted(&column.name))
}

/// A name in SQL: the input gives columns their names, too.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn failed(schema: &Schema, error: rusqlite::Error) -> OutputError {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
        _ => io::ErrorKind::Other,
    };
    OutputError::Write {
        table: schema.name().to_owned(),
        source: io::Error::new(kind, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;
    use crate::{DOCUMENTS, DocumentRow, Micros, ParquetTable};
    use std::fs::{self, File};

    fn published(path: &Path, rows: i64) -> Vec<PathBuf> {
        let file = File::create(path).unwrap();
        let mut table = ParquetTable::new(DOCUMENTS.schema(), &[], file).unwrap();
        for doc_id in 0..rows {
            let date = (doc_id % 3 == 0).then_some(Micros(doc_id));
            let row = DocumentRow {
                date,
                ..document(doc_id)
            };
            table.write(&row).unwrap();
        }
        table.finish().unwrap();
        vec![path.to_owned()]
    }

    #[test]
    fn a_database_holds_the_rows_and_keeps_its_other_tables() {
        let dir = tempfile::tempdir().unwrap();
        let (table, database) = (dir.path().join("a.parquet"), dir.path().join("a.sqlite"));
        let other = Connection::open(&database).unwrap();
        other
            .execute_batch("CREATE TABLE notes (text); INSERT INTO notes VALUES ('kept')")
            .unwrap();
        for rows in [7, 4] {
            let paths = published(&table, rows);
            assert_eq!(
                export_to_database(&paths, &database).unwrap(),
                rows.unsigned_abs()
            );
            let ask = |query| {
                other
                    .query_row(query, [], |row| row.get::<_, i64>(0))
                    .unwrap()
            };
            assert_eq!(ask("SELECT count(*) FROM documents"), rows);
            assert_eq!(
                ask("SELECT sum(doc_id) FROM documents"),
                rows * (rows - 1) / 2
            );
            assert_eq!(
                ask("SELECT count(*) FROM documents WHERE url = 'http://example.org/'"),
                rows
            );
            let dated = "SELECT count(*) FROM documents WHERE date LIKE '1970-01-01T00:00:00%'";
            assert_eq!(ask(dated), (rows + 2) / 3);
            assert_eq!(ask("SELECT count(*) FROM notes"), 1);
        }
    }

    #[test]
    fn a_file_that_is_no_database_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let paths = published(&dir.path().join("a.parquet"), 2);
        let file = dir.path().join("notes.db");
        let text = "these are the notes of somebody, and no database at all".repeat(10);
        fs::write(&file, &text).unwrap();
        let error = export_to_database(&paths, &file).unwrap_err();
        assert!(error.to_string().contains("not a database"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}
