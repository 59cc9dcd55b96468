//! A table as an Arrow IPC file, which Polars, pandas, R and others map into memory.
//!
//! *Input.* The schema and the rows, in order. *Output.* Record batches of at most 65,536 rows,
//! into a writer. Fields say in their metadata what they mean. *Memory.* A batch: it ends at 16
//! MiB.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, SchemaRef, TimeUnit};

use crate::{Cell, Column, ColumnType, OutputError, Row, Schema};

const BATCH_ROWS: usize = 1 << 16;
const BATCH_BYTES: usize = 16 << 20;

/// The key under which the metadata of a field say what it means.
const MEANING: &str = "description";

/// A table that is being written.
pub(crate) struct ArrowTable<W: Write> {
    writer: FileWriter<W>,
    rows: ArrowRows,
}

/// Rows that become record batches.
pub(crate) struct ArrowRows {
    schema: Schema,
    arrow: SchemaRef,
    columns: Vec<PendingValues>,
    rows: usize,
    /// Bytes of the rows that are not yet in a batch.
    bytes: usize,
}

/// The values of a column that are not yet written.
enum PendingValues {
    Int32(Int32Builder),
    Int64(Int64Builder),
    Double(Float64Builder),
    Utf8(StringBuilder),
    Bool(BooleanBuilder),
    Micros(TimestampMicrosecondBuilder),
}

impl<W: Write> ArrowTable<W> {
    /// Writes the head.
    pub(crate) fn new(schema: Schema, out: W) -> Result<ArrowTable<W>, OutputError> {
        let failed = failed(&schema);
        let rows = ArrowRows::new(schema);
        let writer = FileWriter::try_new(out, &rows.arrow).map_err(failed)?;
        Ok(ArrowTable { writer, rows })
    }

    pub(crate) fn write(&mut self, row: &impl Row) -> Result<(), OutputError> {
        self.rows.push(row)?;
        if self.rows.is_full() {
            self.end_batch()?;
        }
        Ok(())
    }

    /// Writes what is left, and the footer.
    pub(crate) fn finish(mut self) -> Result<(), OutputError> {
        if !self.rows.is_empty() {
            self.end_batch()?;
        }
        let failed = failed(&self.rows.schema);
        self.writer.finish().map_err(&failed)?;
        self.writer
            .get_mut()
            .flush()
            .map_err(OutputError::write(self.rows.schema.name()))
    }

    fn end_batch(&mut self) -> Result<(), OutputError> {
        let batch = self.rows.take_batch();
        let written = batch.and_then(|batch| self.writer.write(&batch));
        written.map_err(failed(&self.rows.schema))
    }
}

impl ArrowRows {
    /// No rows yet, of this table.
    pub(crate) fn new(schema: Schema) -> ArrowRows {
        let fields: Vec<Field> = schema.columns().iter().map(field).collect();
        ArrowRows {
            columns: schema.columns().iter().map(PendingValues::new).collect(),
            arrow: Arc::new(arrow_schema::Schema::new(fields)),
            schema,
            rows: 0,
            bytes: 0,
        }
    }

    /// The columns, as Arrow describes them.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.arrow
    }

    pub(crate) fn push(&mut self, row: &impl Row) -> Result<(), OutputError> {
        let (columns, bytes) = (&mut self.columns, &mut self.bytes);
        self.schema.each_cell(row, |at, cell| {
            if let Some(column) = columns.get_mut(at) {
                column.push(cell);
                *bytes += 8 + if let Cell::Utf8(text) = cell {
                    text.len()
                } else {
                    0
                };
            }
        })?;
        self.rows += 1;
        Ok(())
    }

    /// Whether a batch ends here.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// Whether there is no row.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The rows so far as a batch; the next one begins.
    pub(crate) fn take_batch(&mut self) -> Result<RecordBatch, ArrowError> {
        (self.rows, self.bytes) = (0, 0);
        let columns = self.columns.iter_mut().map(PendingValues::finish).collect();
        RecordBatch::try_new(Arc::clone(&self.arrow), columns)
    }
}

fn field(column: &Column) -> Field {
    let kind = match column.kind {
        ColumnType::Int32 => DataType::Int32,
        ColumnType::Int64 => DataType::Int64,
        ColumnType::Double => DataType::Float64,
        ColumnType::Utf8 => DataType::Utf8,
        ColumnType::Bool => DataType::Boolean,
        ColumnType::TimestampMicros => {
            DataType::Timestamp(TimeUnit::Microsecond, Some(Arc::from("UTC")))
        }
    };
    let field = Field::new(column.name.to_string(), kind, column.nullable);
    if column.about.is_empty() {
        return field;
    }
    field.with_metadata(HashMap::from([(
        MEANING.to_owned(),
        column.about.to_owned(),
    )]))
}

impl PendingValues {
    fn new(column: &Column) -> PendingValues {
        match column.kind {
            ColumnType::Int32 => PendingValues::Int32(Int32Builder::new()),
            ColumnType::Int64 => PendingValues::Int64(Int64Builder::new()),
            ColumnType::Double => PendingValues::Double(Float64Builder::new()),
            ColumnType::Utf8 => PendingValues::Utf8(StringBuilder::new()),
            ColumnType::Bool => PendingValues::Bool(BooleanBuilder::new()),
            ColumnType::TimestampMicros => {
                PendingValues::Micros(TimestampMicrosecondBuilder::new().with_timezone("UTC"))
            }
        }
    }

    /// Adds a cell of the type of the column; any other counts as null.
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (PendingValues::Int32(values), Cell::Int32(value)) => values.append_value(value),
            (PendingValues::Int64(values), Cell::Int64(value)) => values.append_value(value),
            (PendingValues::Double(values), Cell::Double(value)) => values.append_value(value),
            (PendingValues::Utf8(values), Cell::Utf8(value)) => values.append_value(value),
            (PendingValues::Bool(values), Cell::Bool(value)) => values.append_value(value),
            (PendingValues::Micros(values), Cell::TimestampMicros(value)) => {
                values.append_value(value);
            }
            (PendingValues::Int32(values), _) => values.append_null(),
            (PendingValues::Int64(values), _) => values.append_null(),
            (PendingValues::Double(values), _) => values.append_null(),
            (PendingValues::Utf8(values), _) => values.append_null(),
            (PendingValues::Bool(values), _) => values.append_null(),
            (PendingValues::Micros(values), _) => values.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            PendingValues::Int32(values) => ArrayBuilder::finish(values),
            PendingValues::Int64(values) => ArrayBuilder::finish(values),
            PendingValues::Double(values) => ArrayBuilder::finish(values),
            PendingValues::Utf8(values) => ArrayBuilder::finish(values),
            PendingValues::Bool(values) => ArrayBuilder::finish(values),
            PendingValues::Micros(values) => ArrayBuilder::finish(values),
        }
    }
}

/// For `map_err` on an answer of the Arrow library; errors of the writer keep their kind.
fn failed(schema: &Schema) -> impl Fn(ArrowError) -> OutputError + use<> {
    let table = schema.name().to_owned();
    move |error| {
        let source = match error {
            ArrowError::IoError(_, source) => source,
            other => std::io::Error::other(other),
        };
        OutputError::Write {
            table: table.clone(),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows::document;
    use crate::{DOCUMENTS, DocumentRow, Micros};
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int64Type, TimestampMicrosecondType};
    use arrow_ipc::reader::FileReader;

    #[test]
    fn another_reader_reads_the_same() {
        let mut bytes = Vec::new();
        let mut table = ArrowTable::new(DOCUMENTS.schema(), &mut bytes).unwrap();
        let rows = BATCH_ROWS as i64 + 5;
        for doc_id in 0..rows {
            let date = (doc_id % 3 == 0).then_some(Micros(doc_id));
            let row = DocumentRow {
                date,
                ..document(doc_id)
            };
            table.write(&row).unwrap();
        }
        table.finish().unwrap();
        let reader = FileReader::try_new(std::io::Cursor::new(bytes), None).unwrap();
        let schema = reader.schema();
        for (field, column) in schema.fields().iter().zip(DOCUMENTS.columns()) {
            assert_eq!(field.metadata()[MEANING], column.about);
            assert_eq!(
                (field.name().as_str(), field.is_nullable()),
                (&*column.name, column.nullable)
            );
        }
        let mut next = 0;
        for batch in reader {
            let batch = batch.unwrap();
            let docs = batch["doc_id"].as_primitive::<Int64Type>();
            let dates = batch["date"].as_primitive::<TimestampMicrosecondType>();
            let urls = batch["url"].as_string::<i32>();
            for row in 0..batch.num_rows() {
                assert_eq!(docs.value(row), next);
                let date = (!dates.is_null(row)).then(|| dates.value(row));
                assert_eq!(date, (next % 3 == 0).then_some(next));
                assert_eq!(urls.value(row), "http://example.org/");
                next += 1;
            }
        }
        assert_eq!(next, rows);
    }
}
