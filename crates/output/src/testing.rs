//! Rows for tests.

use crate::{Cell, ColumnType, DOCUMENTS, DocumentRow, ParquetTable, Row, RowGroupLimits, Schema};

/// A document with nothing remarkable, without carried fields.
pub(crate) fn document(doc_id: i64) -> DocumentRow<'static> {
    DocumentRow {
        doc_id,
        id: None,
        url: Some("http://example.org/"),
        host: Some("example.org"),
        title: None,
        date: None,
        source: "crawl.warc.gz",
        entry_offset: 1000 * doc_id,
        inner_offset: 0,
        length: 900,
        bytes: 500,
        words: 80,
        shingles: 71,
        sketch_size: 64,
        modulus: 1,
        fields: &[],
    }
}

/// The documents table with one carried field of each type.
pub(crate) fn schema_with_fields() -> Schema {
    let fields = [
        ("text", ColumnType::Utf8),
        ("int", ColumnType::Int64),
        ("double", ColumnType::Double),
    ];
    let fields: Vec<_> = fields
        .iter()
        .chain(&[
            ("bool", ColumnType::Bool),
            ("time", ColumnType::TimestampMicros),
        ])
        .map(|(name, kind)| ((*name).to_owned(), *kind))
        .collect();
    DOCUMENTS.schema_with(&fields).unwrap()
}

/// A Parquet file of these rows.
pub(crate) fn parquet<R: Row>(schema: &Schema, rows: &[R], limits: RowGroupLimits) -> Vec<u8> {
    let metadata = [("pipeline.seed-digest".to_owned(), "00".to_owned())];
    let mut table =
        ParquetTable::with_limits(schema.clone(), &metadata, Vec::new(), limits).unwrap();
    for row in rows {
        table.write(row).unwrap();
    }
    assert_eq!(table.rows(), rows.len() as u64);
    table.finish().unwrap()
}

/// A cell that owns its text, so that it can outlive its row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Owned {
    Plain(Cell<'static>),
    Text(String),
}

impl From<Cell<'_>> for Owned {
    fn from(cell: Cell<'_>) -> Owned {
        Owned::Plain(match cell {
            Cell::Utf8(text) => return Owned::Text(text.to_owned()),
            Cell::Null => Cell::Null,
            Cell::Int32(value) => Cell::Int32(value),
            Cell::Int64(value) => Cell::Int64(value),
            Cell::Double(value) => Cell::Double(value),
            Cell::Bool(value) => Cell::Bool(value),
            Cell::TimestampMicros(value) => Cell::TimestampMicros(value),
        })
    }
}

/// The cells of a row.
pub(crate) fn owned(row: &impl Row) -> Vec<Owned> {
    let mut cells = Vec::new();
    row.cells(&mut |cell| cells.push(cell.into()));
    cells
}
