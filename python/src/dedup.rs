//! A table → the same rows with their clusters: the one call that most people want.
//!
//! *Input.* A table with a column of texts. *Output.* A table of as many rows. *Algorithm.* The texts
//! are written as JSON lines to a temporary directory and run there, so that the engine bounds the
//! memory. The line of a document is its row. *Memory.* `memory`, and 25 bytes a row. *Disk.* The
//! texts once, and the work files of a run. *Limits.* 2^32 − 2 rows.

use crate::arrow::{Batches, Table, Texts};
use crate::errors::{raised, value};
use crate::waiting::{self, Shown, each_row};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use output::{Cell, Selection, TableReader};
use pipeline::config::{self, DEFAULT_TOML};
use pipeline::{Error, RunOptions, table_files};
use pyo3::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Documents up to this size need no larger limit in the configuration.
const USUAL_DOCUMENT_BYTES: usize = 16 << 20;

/// The file of the texts in the temporary directory.
const TEXTS: &str = "texts.jsonl";

/// What is asked for.
pub(crate) struct DedupCall<'a> {
    /// The column of texts.
    pub(crate) text: &'a str,
    /// The resemblance of a link.
    pub(crate) threshold: f64,
    /// The budget, such as `1GiB`.
    pub(crate) memory: &'a str,
    /// Further entries of the configuration, as KEY=VALUE.
    pub(crate) entries: Vec<String>,
    /// Where the temporary directory is made.
    pub(crate) directory: Option<PathBuf>,
}

/// The clusters of the rows of a table.
pub(crate) fn dedup(
    py: Python<'_>,
    mut table: Batches,
    call: &DedupCall<'_>,
    shown: Shown,
) -> PyResult<Table> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("altavista-dedup-");
    let dir = match &call.directory {
        Some(parent) => builder.tempdir_in(parent),
        None => builder.tempdir(),
    }?;
    let written = write_texts(py, &mut table, call.text, &dir.path().join(TEXTS))?;
    let mut answer = Answer::alone(written.rows);
    if written.texts > 0 {
        let mut entries = vec![
            format!("cluster.resemblance={:?}", call.threshold),
            format!("work.memory={:?}", call.memory),
            format!(
                "input.max-document=\"{}B\"",
                written.longest.max(USUAL_DOCUMENT_BYTES)
            ),
            format!("input.paths=[{TEXTS:?}]"),
            "input.format=\"jsonl\"".to_owned(),
        ];
        entries.extend(call.entries.iter().filter(|entry| counts(entry)).cloned());
        // Last, so that no entry of the caller leads out of the temporary directory.
        entries.extend(["work.dir=\"work\"", "work.output=\"out\""].map(str::to_owned));
        let file = dir.path().join("pipeline.toml");
        let config = config::parse_with(DEFAULT_TOML, &file, &entries);
        let config = config.map_err(|errors| crate::errors::refused(py, &errors))?;
        waiting::run(py, &config, RunOptions::default(), shown)?;
        let out = &config.work.output;
        py.detach(|| answer.read(out))
            .map_err(|error| raised(py, &error))?;
    }
    answer.table()
}

/// Whether an entry of the caller counts. The rows are the input, whatever else it says of one.
fn counts(entry: &str) -> bool {
    let is_limit = ["input.max-document=", "input.max-expansion="]
        .iter()
        .any(|limit| entry.starts_with(limit));
    is_limit || !(entry.starts_with("input.") || entry.starts_with("snapshots."))
}

/// What was written.
#[derive(Default)]
struct WrittenTexts {
    rows: usize,
    /// Rows with a text.
    texts: usize,
    /// Bytes of the longest text.
    longest: usize,
}

/// Writes a line for each row; that of a row without text is no document.
fn write_texts(
    py: Python<'_>,
    table: &mut Batches,
    text: &str,
    path: &Path,
) -> PyResult<WrittenTexts> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut written = WrittenTexts::default();
    while let Some(batch) = py.detach(|| table.next()) {
        let batch = batch.map_err(value)?;
        let texts = Texts::of(&batch, text)?;
        each_row(py, batch.num_rows(), |row| {
            match texts.at(row) {
                Some(text) => {
                    out.write_all(b"{\"text\":")?;
                    serde_json::to_writer(&mut out, text).map_err(std::io::Error::from)?;
                    out.write_all(b"}\n")?;
                    written.texts += 1;
                    written.longest = written.longest.max(text.len());
                }
                None => out.write_all(b"{}\n")?,
            }
            Ok(())
        })?;
        written.rows += batch.num_rows();
    }
    out.flush()?;
    Ok(written)
}

/// The columns of the result.
struct Answer {
    cluster: Vec<i64>,
    keep: Vec<bool>,
    resemblance: Vec<Option<f64>>,
}

impl Answer {
    /// Every row alone, and kept.
    fn alone(rows: usize) -> Answer {
        Answer {
            cluster: (0..rows)
                .map(|row| i64::try_from(row).unwrap_or(i64::MAX))
                .collect(),
            keep: vec![true; rows],
            resemblance: vec![None; rows],
        }
    }

    /// Takes over what a run found of the rows that are documents.
    fn read(&mut self, out: &Path) -> Result<(), Error> {
        let lines = integers(out, "documents", "row")?;
        let clusters = integers(out, "membership", "cluster_id")?;
        let mut document = 0;
        for file in table_files(out, "membership")?.iter() {
            let mut reader = TableReader::open(file, Selection::Named(&["keep", "resemblance"]))?;
            while let Some(batch) = reader.next_batch()? {
                for row in 0..batch.rows() {
                    let line_of = |document: i64| lines.get(usize::try_from(document).ok()?);
                    let cluster = clusters.get(document).and_then(|cluster| line_of(*cluster));
                    let place = lines
                        .get(document)
                        .and_then(|line| usize::try_from(*line).ok());
                    document += 1;
                    let (Some(cluster), Some(place)) = (cluster, place) else {
                        continue;
                    };
                    if let Some(slot) = self.cluster.get_mut(place) {
                        *slot = *cluster;
                        self.keep[place] = batch.cell(row, 0) == Cell::Bool(true);
                        if let Cell::Double(resemblance) = batch.cell(row, 1) {
                            self.resemblance[place] = Some(resemblance);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn table(self) -> PyResult<Table> {
        let fields = vec![
            Field::new("cluster", DataType::Int64, false),
            Field::new("keep", DataType::Boolean, false),
            Field::new("resemblance", DataType::Float64, true),
        ];
        let schema = Arc::new(Schema::new(fields));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(self.cluster)),
            Arc::new(BooleanArray::from(self.keep)),
            Arc::new(Float64Array::from(self.resemblance)),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(value)?;
        Ok(Table::of(schema, vec![batch]))
    }
}

/// A column of integers of a published table. Ids of a single snapshot are positions.
fn integers(out: &Path, table: &str, column: &str) -> Result<Vec<i64>, Error> {
    let mut integers = Vec::new();
    for file in table_files(out, table)?.iter() {
        let mut reader = TableReader::open(file, Selection::Named(&[column]))?;
        while let Some(batch) = reader.next_batch()? {
            integers.extend((0..batch.rows()).map(|row| match batch.cell(row, 0) {
                Cell::Int64(integer) => integer,
                _ => -1,
            }));
        }
    }
    Ok(integers)
}

/// The threshold, if it is one.
pub(crate) fn checked(threshold: f64) -> PyResult<f64> {
    if (0.0..=1.0).contains(&threshold) {
        return Ok(threshold);
    }
    Err(value(format!(
        "expected a threshold from 0 to 1, got {threshold}"
    )))
}
