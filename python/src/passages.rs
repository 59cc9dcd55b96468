//! A table → the passages of its rows that stand at more than one place.
//!
//! *Input.* A table with a column of texts. *Output.* A row for each passage. *Algorithm.* A run of
//! the rows ([`RowsCall`]) with `[passages]`. *Memory.* That of the run, and the result.

use crate::arrow::{Batches, Table};
use crate::errors::value;
use crate::publication::each_published;
use crate::rows_call::{RowsCall, rows_of_documents};
use crate::waiting::Shown;
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use output::Cell;
use pipeline::Error;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// The columns of numbers: the names of `passages.parquet`, and those of the result.
const NUMBERS: [[&str; 2]; 11] = [
    ["doc_id", "row"],
    ["begin_word", "begin_word"],
    ["end_word", "end_word"],
    ["begin_character", "begin_character"],
    ["end_character", "end_character"],
    ["words", "words"],
    ["places_min", "places_min"],
    ["places_max", "places_max"],
    ["documents", "rows"],
    ["source_doc_id", "source_row"],
    ["source_begin", "source_begin"],
];

/// The columns that name documents.
const OF_DOCUMENTS: [&str; 2] = ["doc_id", "source_doc_id"];

/// The passages of the rows of a table.
pub(crate) fn passages(
    py: Python<'_>,
    table: Batches,
    call: &RowsCall<'_>,
    shown: Shown,
) -> PyResult<Table> {
    let answer = call.run(py, table, shown, |_| Passages::default(), Passages::read)?;
    answer.table()
}

/// The columns of the result.
#[derive(Default)]
struct Passages {
    numbers: [Vec<Option<i64>>; NUMBERS.len()],
    is_source: Vec<bool>,
}

impl Passages {
    fn read(&mut self, out: &Path) -> Result<(), Error> {
        let rows = rows_of_documents(out)?;
        let row_of = |document: i64| {
            let row = rows.get(usize::try_from(document).ok()?).copied().flatten();
            i64::try_from(row?).ok()
        };
        let names = NUMBERS.map(|[name, _]| name);
        let columns = [&names[..], &["is_source"]].concat();
        each_published(out, "passages", &columns, |row| {
            for (at, column) in self.numbers.iter_mut().enumerate() {
                let number = row.int64(at);
                let is_document = OF_DOCUMENTS.contains(&names[at]);
                column
                    .push(number.and_then(|one| if is_document { row_of(one) } else { Some(one) }));
            }
            let is_source = row.cell(NUMBERS.len()) == Cell::Bool(true);
            self.is_source.push(is_source);
        })
    }

    fn table(self) -> PyResult<Table> {
        let is_known = |name: &str| !name.ends_with("_character");
        let numbers = NUMBERS.map(|[_, name]| Field::new(name, DataType::Int64, !is_known(name)));
        let mut fields = Vec::from(numbers);
        fields.push(Field::new("is_source", DataType::Boolean, false));
        let schema = Arc::new(Schema::new(fields));
        let numbers = self.numbers.map(Int64Array::from).into_iter();
        let mut columns: Vec<ArrayRef> = numbers.map(|one| Arc::new(one) as ArrayRef).collect();
        columns.push(Arc::new(BooleanArray::from(self.is_source)));
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(value)?;
        Ok(Table::of(schema, vec![batch]))
    }
}
