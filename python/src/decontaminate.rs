//! A table and references → what of the references stands in each row.
//!
//! *Input.* A table with a column of texts; files of references, or a table of them. *Output.* A
//! table of as many rows. *Algorithm.* The texts are written as JSON lines to a temporary
//! directory, the id of each its row, and searched there as `pipeline decontaminate` does. *Memory.*
//! `memory`, and 80 bytes a row. *Disk.* The texts once.

use crate::arrow::{Batches, Table, Texts, failed};
use crate::errors::{raised, refused, unwritten, value};
use crate::place::Place;
use crate::rows_call::write_texts;
use crate::waiting::{self, Shown};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use output::{Cell, ColumnSelection, TableReader};
use pipeline::config::{self, DEFAULT_TOML};
use pipeline::{DecontaminateRequest, Error, RunHooks};
use pyo3::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The request.
pub(crate) struct DecontaminateCall<'a> {
    /// The column of texts.
    pub(crate) text: &'a str,
    /// The budget, such as `1GiB`.
    pub(crate) memory: &'a str,
    /// Where the temporary directory is made.
    pub(crate) directory: Option<PathBuf>,
    pub(crate) request: DecontaminateRequest,
}

/// The item with the largest share of a row.
#[derive(Clone)]
struct RowItem {
    share: f64,
    reference: String,
    item: String,
}

/// Searches the rows of a table for the files of the request, or for the rows of another table.
pub(crate) fn decontaminate(
    py: Python<'_>,
    mut table: Batches,
    reference: Option<Batches>,
    mut call: DecontaminateCall<'_>,
    shown: Shown,
) -> PyResult<Table> {
    let parent = call.directory.clone().unwrap_or_else(std::env::temp_dir);
    let place = Place::new(&parent).map_err(|error| unwritten(&parent, error))?;
    if let Some(mut reference) = reference {
        let path = place.path().join("reference.jsonl");
        write_reference(py, &mut reference, &mut call.request.fields, &path)?;
        call.request.references = vec![path];
    }
    let written = write_texts(py, &mut table, (call.text, None), place.path())?;
    let entries = [
        format!("work.memory={:?}", call.memory),
        format!("input.max-document=\"{}B\"", written.longest.max(16 << 20)),
        "input.paths=[\"texts.jsonl\"]".to_owned(),
        "input.format=\"jsonl\"".to_owned(),
    ];
    let file = place.path().join("pipeline.toml");
    let config = config::parse_with(DEFAULT_TOML, &file, &entries);
    let config = config.map_err(|errors| refused(py, &errors))?;
    let found = place.path().join("found.parquet");
    call.request.table = Some(found.clone());
    let request = call.request;
    if written.texts == 0 {
        return answer(vec![None; written.rows]);
    }
    let search = move |hooks: &RunHooks| {
        pipeline::decontaminate(&config, &request, hooks)?;
        read_rows(&found, written.rows)
    };
    answer(waiting::wait_for(py, shown, raised, search)?)
}

/// Writes the texts of the named columns, or of all columns of texts, a line for each row.
fn write_reference(
    py: Python<'_>,
    table: &mut Batches,
    fields: &mut Vec<String>,
    path: &Path,
) -> PyResult<()> {
    if fields.is_empty() {
        let schema = table.schema();
        let is_text = |field: &&Arc<Field>| {
            matches!(
                field.data_type(),
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
            )
        };
        fields.extend(
            schema
                .fields()
                .iter()
                .filter(is_text)
                .map(|field| field.name().clone()),
        );
    }
    let unwritable = |error| unwritten(path, error);
    let mut out = BufWriter::new(File::create(path).map_err(unwritable)?);
    while let Some(batch) = py.detach(|| table.next()) {
        let batch = batch.map_err(failed)?;
        let columns = fields.iter().map(|name| Texts::of(&batch, name));
        let columns = columns.collect::<PyResult<Vec<Texts>>>()?;
        for row in 0..batch.num_rows() {
            let texts = fields.iter().zip(&columns);
            let texts = texts.filter_map(|(name, texts)| Some((name, texts.at(row)?)));
            let line: std::collections::BTreeMap<_, _> = texts.collect();
            serde_json::to_writer(&mut out, &line).map_err(value)?;
            out.write_all(b"\n").map_err(unwritable)?;
        }
    }
    out.flush().map_err(unwritable)
}

/// Reads the table of stretches; the id of a document is its row.
fn read_rows(found: &Path, rows: usize) -> Result<Vec<Option<RowItem>>, Error> {
    let mut items: Vec<Option<RowItem>> = vec![None; rows];
    let columns = ["id", "share", "reference", "item"];
    let mut reader = TableReader::open(found, ColumnSelection::Named(&columns))?;
    while let Some(batch) = reader.next_batch()? {
        for row in batch.iter() {
            let text = |column| match row.cell(column) {
                Cell::Utf8(text) => text.to_owned(),
                _ => String::new(),
            };
            let share = row.double(1).unwrap_or(0.0);
            let at = text(0).parse().ok().and_then(|at: usize| items.get_mut(at));
            if let Some(item) = at
                && item.as_ref().is_none_or(|item| item.share < share)
            {
                *item = Some(RowItem {
                    share,
                    reference: text(2),
                    item: text(3),
                });
            }
        }
    }
    Ok(items)
}

fn answer(items: Vec<Option<RowItem>>) -> PyResult<Table> {
    let fields = vec![
        Field::new("contaminated", DataType::Boolean, false),
        Field::new("share", DataType::Float64, true),
        Field::new("reference", DataType::Utf8, true),
        Field::new("item", DataType::Utf8, true),
    ];
    let schema = Arc::new(Schema::new(fields));
    let each = |of: fn(&RowItem) -> &str| {
        let texts = items.iter().map(|item| item.as_ref().map(of));
        Arc::new(texts.collect::<StringArray>()) as ArrayRef
    };
    let is_found: BooleanArray = items.iter().map(|item| Some(item.is_some())).collect();
    let shares: Float64Array = items
        .iter()
        .map(|item| item.as_ref().map(|item| item.share))
        .collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(is_found),
        Arc::new(shares),
        each(|item| &item.reference),
        each(|item| &item.item),
    ];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(value)?;
    Ok(Table::of(schema, vec![batch]))
}
