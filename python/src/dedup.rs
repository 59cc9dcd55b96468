//! A table → the same rows with their clusters: the one call that most people want.
//!
//! *Input.* A table with a column of texts. *Output.* A table of as many rows. *Algorithm.* The
//! texts are written as JSON lines to a temporary directory and run there, so that the engine
//! bounds the memory. The line of a document is its row; it has what `keep` ranks by, too.
//! *Memory.* `memory`, and 25 bytes a row. *Disk.* The texts once, and the work files of a run.
//! *Limits.* 2^32 − 2 rows.

use crate::arrow::{Batches, Table, Texts, failed};
use crate::errors::{raised, raised_for_good, unwritten, value};
use crate::place::Place;
use crate::publication::each_published;
use crate::ranking::{self, Ranking};
use crate::waiting::{self, Shown, each_row};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use output::Cell;
use pipeline::config::{self, DEFAULT_TOML};
use pipeline::{Error, RunOptions};
use pyo3::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Documents up to this size need no larger limit in the configuration.
const USUAL_DOCUMENT_BYTES: usize = 16 << 20;

/// The file of the texts in the temporary directory.
const TEXTS: &str = "texts.jsonl";

/// The request.
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
    let mut entries = call.entries.clone();
    let ranking = Ranking::of(&mut entries);
    let configured = |file: &Path, longest: usize| {
        let config =
            config::parse_with(DEFAULT_TOML, file, &call.entries_of_run(&entries, longest));
        config.map_err(|errors| crate::errors::refused(py, &errors))
    };
    // An error is reported before the texts are written.
    configured(Path::new("pipeline.toml"), 0)?;
    if let Some(ranking) = &ranking {
        ranking.check(py, &table.schema())?;
    }
    let parent = call.directory.clone().unwrap_or_else(std::env::temp_dir);
    let place = Place::new(&parent).map_err(|error| unwritten(&parent, error))?;
    let written = write_texts(py, &mut table, (call.text, ranking), place.path())?;
    let mut answer = Answer::alone(written.rows);
    if written.texts > 0 {
        let config = configured(&place.path().join("pipeline.toml"), written.longest)?;
        waiting::run(py, &config, RunOptions::default(), shown, raised_for_good)?;
        let out = &config.work.output;
        py.detach(|| answer.read(out))
            .map_err(|error| raised(py, &error))?;
    }
    answer.table()
}

impl DedupCall<'_> {
    /// The entries of the run, of those of the caller; `longest` is the size of the longest line.
    fn entries_of_run(&self, given: &[String], longest: usize) -> Vec<String> {
        let mut entries = vec![
            format!("cluster.resemblance={:?}", self.threshold),
            format!("work.memory={:?}", self.memory),
            format!(
                "input.max-document=\"{}B\"",
                longest.max(USUAL_DOCUMENT_BYTES)
            ),
            format!("input.paths=[{TEXTS:?}]"),
            "input.format=\"jsonl\"".to_owned(),
        ];
        entries.extend(given.iter().filter(|entry| counts(entry)).cloned());
        // Last, so that no entry of the caller leads out of the temporary directory.
        entries.extend(["work.dir=\"work\"", "work.output=\"out\""].map(str::to_owned));
        entries
    }
}

/// Whether an entry of the caller counts. The rows are the input, whatever else it says of one.
fn counts(entry: &str) -> bool {
    let has = [
        "input.max-document=",
        "input.max-expansion=",
        ranking::CARRIED_ENTRY,
    ];
    has.iter().any(|one| entry.starts_with(one))
        || !(entry.starts_with("input.") || entry.starts_with("snapshots."))
}

/// The files that were written.
#[derive(Default)]
struct WrittenTexts {
    rows: usize,
    /// Rows with a text.
    texts: usize,
    /// Bytes of the longest line: JSON has six for some characters of a text.
    longest: usize,
}

/// Writes a line for each row; that of a row without text is no document. `columns` are that of the
/// texts, and that of `keep`.
fn write_texts(
    py: Python<'_>,
    table: &mut Batches,
    columns: (&str, Option<Ranking>),
    dir: &Path,
) -> PyResult<WrittenTexts> {
    let path = dir.join(TEXTS);
    let (text, ranking) = columns;
    let refused = |error| unwritten(&path, error);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path).map_err(refused)?);
    let (mut written, mut line) = (WrittenTexts::default(), Vec::new());
    while let Some(batch) = py.detach(|| table.next()) {
        let batch = batch.map_err(failed)?;
        let texts = Texts::of(&batch, text)?;
        let ranks = ranking.as_ref().map(|ranking| {
            let values = ranking.values(&batch)?;
            Ok::<_, PyErr>(move |row| Some((ranking.member(), values(row)?)))
        });
        let ranks = ranks.transpose()?;
        each_row(py, batch.num_rows(), |row| {
            line.clear();
            line.push(b'{');
            if let Some(text) = texts.at(row) {
                line.extend(b"\"text\":");
                serde_json::to_writer(&mut line, text).map_err(value)?;
                if let Some((member, json)) = ranks.as_ref().and_then(|rank| rank(row)) {
                    line.extend(format!(",\"{member}\":{json}").as_bytes());
                }
                written.texts += 1;
                written.longest = written.longest.max(line.len() + 2);
            }
            line.extend(b"}\n");
            out.write_all(&line).map_err(refused)
        })?;
        written.rows += batch.num_rows();
    }
    out.flush().map_err(refused)?;
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

    /// Takes over what a run found of the rows that are documents. One without tokens stays alone.
    fn read(&mut self, out: &Path) -> Result<(), Error> {
        let lines = integers(out, "documents", ["row", "words"], |[line, words]| {
            if words == 0 { -1 } else { line }
        })?;
        let clusters = integers(out, "membership", ["cluster_id"], |[cluster]| cluster)?;
        let line_of = |document: usize| usize::try_from(*lines.get(document)?).ok();
        let columns = ["keep", "resemblance", "cluster_documents"];
        let mut documents = 0..;
        each_published(out, "membership", &columns, |row| {
            let document: usize = documents.next().unwrap_or(usize::MAX);
            let cluster = clusters.get(document);
            let cluster = cluster.and_then(|cluster| line_of(usize::try_from(*cluster).ok()?));
            if let (Some(cluster), Some(place)) = (cluster, line_of(document))
                && place < self.cluster.len()
                && row.int64(2) != Some(1)
            {
                self.cluster[place] = i64::try_from(cluster).unwrap_or(i64::MAX);
                self.keep[place] = row.cell(0) == Cell::Bool(true);
                self.resemblance[place] = row.double(1).or(self.resemblance[place]);
            }
        })
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

/// A number for each row of a published table, made of some of its columns of integers. Ids of a
/// single snapshot are positions.
fn integers<const COLUMNS: usize>(
    out: &Path,
    table: &str,
    columns: [&str; COLUMNS],
    of: impl Fn([i64; COLUMNS]) -> i64,
) -> Result<Vec<i64>, Error> {
    let mut integers = Vec::new();
    each_published(out, table, &columns, |row| {
        integers.push(of(std::array::from_fn(|column| {
            row.int64(column).unwrap_or(-1)
        })));
    })?;
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
