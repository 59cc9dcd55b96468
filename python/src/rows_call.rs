//! The rows of a table as the input of a run.
//!
//! *Input.* A table with a column of texts. *Output.* What a function reads of the publication.
//! *Algorithm.* The texts are written as JSON lines to a temporary directory and run there, so that
//! the engine bounds the memory. The line of a document is its row; it has what `keep` ranks by,
//! too. *Memory.* `memory`. *Disk.* The texts once, and the work files of a run. *Limits.* 2^32 − 2
//! rows.

use crate::arrow::{Batches, Texts, failed};
use crate::errors::{raised, raised_for_good, unwritten, value};
use crate::place::Place;
use crate::publication::each_published;
use crate::ranking::{self, Ranking};
use crate::waiting::{self, Shown, each_row};
use pipeline::config::{self, DEFAULT_TOML};
use pipeline::{Error, RunOptions};
use pyo3::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Documents up to this size need no larger limit in the configuration.
const USUAL_DOCUMENT_BYTES: usize = 16 << 20;

/// The file of the texts in the temporary directory.
pub(crate) const TEXTS: &str = "texts.jsonl";

/// The request.
pub(crate) struct RowsCall<'a> {
    /// The column of texts.
    pub(crate) text: &'a str,
    /// The budget, such as `1GiB`.
    pub(crate) memory: &'a str,
    /// The entry of the configuration that the call is about, as KEY=VALUE.
    pub(crate) own: String,
    /// Further ones.
    pub(crate) entries: Vec<String>,
    /// Where the temporary directory is made.
    pub(crate) directory: Option<PathBuf>,
}

impl RowsCall<'_> {
    /// Runs the rows of a table. `answer` makes the answer for so many rows, if none is a document;
    /// `read` adds what the publication in a directory has.
    pub(crate) fn run<A: Send>(
        &self,
        py: Python<'_>,
        mut table: Batches,
        shown: Shown,
        answer: impl FnOnce(usize) -> A,
        read: impl FnOnce(&mut A, &Path) -> Result<(), Error> + Send,
    ) -> PyResult<A> {
        let mut entries = self.entries.clone();
        let ranking = Ranking::of(&mut entries);
        let configured = |file: &Path, longest: usize| {
            let entries = self.entries_of_run(&entries, longest);
            let config = config::parse_with(DEFAULT_TOML, file, &entries);
            config.map_err(|errors| crate::errors::refused(py, &errors))
        };
        // An error is reported before the texts are written.
        configured(Path::new("pipeline.toml"), 0)?;
        if let Some(ranking) = &ranking {
            ranking.check(py, &table.schema())?;
        }
        let parent = self.directory.clone().unwrap_or_else(std::env::temp_dir);
        let place = Place::new(&parent).map_err(|error| unwritten(&parent, error))?;
        let written = write_texts(py, &mut table, (self.text, ranking), place.path())?;
        let mut answer = answer(written.rows);
        if written.texts > 0 {
            let config = configured(&place.path().join("pipeline.toml"), written.longest)?;
            waiting::run(py, &config, RunOptions::default(), shown, raised_for_good)?;
            let out = &config.work.output;
            py.detach(|| read(&mut answer, out))
                .map_err(|error| raised(py, &error))?;
        }
        Ok(answer)
    }

    /// The entries of the run, of those of the caller; `longest` is the size of the longest line.
    fn entries_of_run(&self, given: &[String], longest: usize) -> Vec<String> {
        let mut entries = vec![
            self.own.clone(),
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
pub(crate) struct WrittenTexts {
    pub(crate) rows: usize,
    /// Rows with a text.
    pub(crate) texts: usize,
    /// Bytes of the longest line: JSON has six for some characters of a text.
    pub(crate) longest: usize,
}

/// Writes a line for each row, with its number as id; that of a row without text is no document.
/// `columns` are that of the texts, and that of `keep`.
pub(crate) fn write_texts(
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
                let id = written.rows + row;
                line.extend(format!("\"id\":{id},\"text\":").as_bytes());
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

/// The row of each document; of one without a token none.
pub(crate) fn rows_of_documents(out: &Path) -> Result<Vec<Option<usize>>, Error> {
    let mut rows = Vec::new();
    each_published(out, "documents", &["row", "words"], |row| {
        let line = row.int64(0).filter(|_| row.int64(1) != Some(0));
        rows.push(line.and_then(|line| usize::try_from(line).ok()));
    })?;
    Ok(rows)
}
