//! The results of a run: tables, the report, questions, and which rows to keep.

use crate::arrow::{Array, Table, Texts, batches, column, failed};
use crate::configuration::configuration;
use crate::errors::{kind, raised, value};
use arrow_array::builder::BooleanBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use model::Content;
use output::{BatchRow, Cell, ColumnSelection, TableReader};
use pipeline::config::{Config, InputFrom};
use pipeline::{
    Error, HeldPublication, LikeRequest, LikeSearch, LikeWanted, query, table_files, table_names,
};
use pyo3::prelude::*;
use serde::Serialize;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The results of a run, in the directory `out`.
///
/// `report` is the report of the run as a dict; `table(name)` gives a table as Arrow, and `query`
/// answers questions.
#[pyclass(frozen, module = "altavista_dedup")]
pub(crate) struct Publication {
    out: PathBuf,
    /// Needed by questions only: it has the seed.
    config: Option<Config>,
}

impl Publication {
    /// The results in `out`, with the configuration that the caller means, or that beside them.
    pub(crate) fn open(
        py: Python<'_>,
        out: PathBuf,
        config: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Publication> {
        let beside = out.with_file_name("pipeline.toml");
        let beside = match config {
            None if beside.is_file() => Some(beside.into_pyobject(py)?.into_any()),
            _ => None,
        };
        let given = config.or(beside.as_ref());
        let config = given.map(|given| configuration(py, Some(given), InputFrom::Anywhere));
        let config = config.transpose()?;
        Publication::of(py, out, config)
    }

    pub(crate) fn of(
        py: Python<'_>,
        out: PathBuf,
        mut config: Option<Config>,
    ) -> PyResult<Publication> {
        // That there is one is found out now, and not at the first question.
        table_files(&out, "membership").map_err(|error| raised(py, &error))?;
        if let Some(config) = &mut config {
            config.work.output.clone_from(&out);
        }
        Ok(Publication { out, config })
    }
}

#[pymethods]
impl Publication {
    /// The directory of the results.
    #[getter]
    fn path(&self) -> PathBuf {
        self.out.clone()
    }

    /// The report of the run: `report.json` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = std::fs::read_to_string(self.out.join("report.json"))?;
        loaded(py, &text)
    }

    /// The names of the tables that `table` takes. Those of changes are there with two snapshots.
    #[getter]
    fn table_names(&self) -> Vec<&'static str> {
        table_names().collect()
    }

    /// A table by its name, such as `documents`, `membership`, `clusters`, `pairs`, `removed`.
    ///
    /// It is read from its Parquet files, batch by batch, each time it is handed to a library.
    /// Raises ConfigError if there is no table of this name, NotFoundError if it was not published,
    /// DamageError if a file is damaged.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        let table = py.detach(|| table_files(&self.out, name).and_then(Table::published));
        table.map_err(|error| raised(py, &error))
    }

    /// Questions about documents and clusters. Raises ValueError without a configuration: the
    /// index needs its seed.
    #[getter]
    fn query(&self) -> PyResult<Query> {
        let missing = "expected the configuration of the run, which has the seed of its index; name \
                       it: open(out, config=\"pipeline.toml\")";
        let config = self.config.clone();
        Ok(Query {
            config: config.ok_or_else(|| value(missing))?,
        })
    }

    /// Which rows of a table stay when duplicates are removed: one boolean for each, in order.
    ///
    /// `on` names the column of the table that identifies a row, and the column of the same meaning
    /// of the results: `id`, `url` or `doc_id`. A row that the run did not see stays, and so does
    /// one of which any document is kept. Memory: a byte for each document, and the values of `on`
    /// of the removed ones.
    ///
    /// Raises ValueError if `on` is another column, or missing.
    #[pyo3(signature = (table, on="id"))]
    fn keep_mask(&self, py: Python<'_>, table: &Bound<'_, PyAny>, on: &str) -> PyResult<Array> {
        if !["id", "url", "doc_id"].contains(&on) {
            return Err(value(format!(
                "expected on=\"id\", \"url\" or \"doc_id\", got {on:?}"
            )));
        }
        let removed = py
            .detach(|| self.removed(on))
            .map_err(|error| raised(py, &error))?;
        let mut mask = BooleanBuilder::new();
        let mut reader = batches(table)?;
        while let Some(batch) = py.detach(|| reader.next()) {
            let batch = batch.map_err(failed)?;
            if on == "doc_id" {
                let ids = column(&batch, on)?.as_primitive_opt::<Int64Type>();
                let ids = ids.ok_or_else(|| kind("column \"doc_id\" is not of int64"))?;
                let goes = |id: i64| removed.contains(&*id.to_string());
                ids.iter()
                    .for_each(|id| mask.append_value(!id.is_some_and(goes)));
            } else {
                let ids = Texts::of(&batch, on)?;
                let goes = |id: &str| removed.contains(id);
                let rows = 0..batch.num_rows();
                rows.for_each(|row| mask.append_value(!ids.at(row).is_some_and(goes)));
            }
            py.check_signals()?;
        }
        Ok(Array(mask.finish()))
    }
}

impl Publication {
    /// The values of a column of which no document is kept.
    fn removed(&self, on: &str) -> Result<HashSet<Box<str>>, Error> {
        let mut removed = HashSet::new();
        self.each(on, &mut |name, keep| {
            if !keep {
                removed.insert(name.into());
            }
        })?;
        self.each(on, &mut |name, keep| {
            if keep {
                removed.remove(name);
            }
        })?;
        Ok(removed)
    }

    /// Calls `take` with a column of each document and whether the document is kept.
    fn each(&self, on: &str, take: &mut dyn FnMut(&str, bool)) -> Result<(), Error> {
        // Both tables are of one publication, also if a run shows another one meanwhile.
        let held = HeldPublication::shown(&self.out).ok();
        let shown = held.as_ref().map_or(&*self.out, HeldPublication::dir);
        let mut keeps = Vec::new();
        each_published(shown, "membership", &["keep"], |row| {
            keeps.push(row.cell(0) == Cell::Bool(true));
        })?;
        let mut keeps = keeps.into_iter();
        each_published(shown, "documents", &[on], |row| {
            let Some(keep) = keeps.next() else { return };
            match row.cell(0) {
                Cell::Utf8(name) => take(name, keep),
                Cell::Int64(id) => take(&id.to_string(), keep),
                _ => {}
            }
        })
    }
}

/// Calls `take` with each row of some columns of a published table, in order.
pub(crate) fn each_published(
    out: &Path,
    table: &str,
    columns: &[&str],
    mut take: impl FnMut(BatchRow<'_>),
) -> Result<(), Error> {
    for file in table_files(out, table)?.iter() {
        let mut reader = TableReader::open(file, ColumnSelection::Named(columns))?;
        while let Some(batch) = reader.next_batch()? {
            batch.iter().for_each(&mut take);
        }
    }
    Ok(())
}

/// Questions about documents and clusters of a publication. Answers are dicts, with the names that
/// `pipeline query --json` has.
#[pyclass(frozen, module = "altavista_dedup")]
pub(crate) struct Query {
    config: Config,
}

#[pymethods]
impl Query {
    /// The newest document of a URL, or of an id of the input, and at most `limit` other members of
    /// its cluster. Raises NotFoundError, with similar URLs, if there is none.
    #[pyo3(signature = (url, limit=10))]
    fn url<'py>(&self, py: Python<'py>, url: &str, limit: usize) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |index| query::by_url(index, url, limit))
    }

    /// A cluster by its id, and at most `limit` of its members. Raises NotFoundError.
    #[pyo3(signature = (cluster_id, limit=10))]
    fn cluster<'py>(
        &self,
        py: Python<'py>,
        cluster_id: i64,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |index| query::by_cluster(index, cluster_id, limit))
    }

    /// The passages of a document, by its URL, id or doc_id, and at most `limit` of them and of those
    /// of other documents that stand in it first; without one, the passages that stand at most
    /// places, and the documents of which most stands elsewhere. Raises NotFoundError if the run did
    /// not look for passages, or if there is no such document.
    #[pyo3(signature = (document=None, limit=10))]
    fn passages<'py>(
        &self,
        py: Python<'py>,
        document: Option<&str>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        match document {
            Some(name) => self.answer(py, |index| {
                query::passages(index, &self.config, name, limit)
            }),
            None => self.answer(py, |index| {
                query::leading_passages(index, &self.config, limit)
            }),
        }
    }

    /// Where the content of a page that is gone is now. Raises NotFoundError.
    fn lost<'py>(&self, py: Python<'py>, url: &str) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |index| query::lost(index, url))
    }

    /// A ranked list of URLs, ids or doc_ids, best first, with near-duplicates folded under the
    /// best of them.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "Python hands over a list of its own"
    )]
    fn group<'py>(&self, py: Python<'py>, ranked: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(line) = ranked.iter().find(|line| line.contains('\n')) {
            return Err(value(format!(
                "expected URLs or ids of one line, got {line:?}"
            )));
        }
        let list = ranked.join("\n");
        self.answer(py, |index| {
            query::group(index, &self.config, &mut list.as_bytes())
        })
    }

    /// Documents like another one, best first: those of a file, doc_id or URL `name`, or of a
    /// `text`.
    ///
    /// `relation` is `like` (they resemble it), `within` (it is contained in them) or `contains`
    /// (they are contained in it). `minimum`, 0 to 1, is the least estimate. Estimates are those of
    /// sketches, with their 95 % intervals. Raises ValueError unless one of `name` and `text` is
    /// given, NotFoundError if there is no such document.
    #[pyo3(signature = (name=None, *, text=None, relation="like", limit=10, minimum=None))]
    fn like<'py>(
        &self,
        py: Python<'py>,
        name: Option<OsString>,
        text: Option<&str>,
        relation: &str,
        limit: usize,
        minimum: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = match relation {
            "like" => LikeWanted::Like,
            "within" => LikeWanted::Within,
            "contains" => LikeWanted::Contains,
            other => {
                let expected = "expected relation=\"like\", \"within\" or \"contains\"";
                return Err(value(format!("{expected}, got {other:?}")));
            }
        };
        if name.is_some() == text.is_some() {
            return Err(value("expected a name or text=, one of them"));
        }
        if let Some(minimum) = minimum.filter(|minimum| !(0.0..=1.0).contains(minimum)) {
            return Err(value(format!(
                "expected a minimum from 0 to 1, got {minimum}"
            )));
        }
        let request = LikeRequest {
            name: name.unwrap_or_default(),
            wanted,
            limit,
            least: minimum,
            count: None,
        };
        let answer = || {
            let search = LikeSearch::open(&self.config, &request)?;
            match text {
                Some(text) => search.text(Content::Text(text)),
                None => search.one(),
            }
        };
        let answer = py.detach(answer).map_err(|error| raised(py, &error))?;
        loaded(py, &serde_json::to_string(&answer).map_err(value)?)
    }
}

impl Query {
    fn answer<'py, T: Serialize + Send>(
        &self,
        py: Python<'py>,
        ask: impl FnOnce(&query::Index) -> Result<T, Error> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = py.detach(|| ask(&query::open(&self.config)?));
        let answer = answer.map_err(|error| raised(py, &error))?;
        loaded(py, &serde_json::to_string(&answer).map_err(value)?)
    }
}

/// JSON as objects of Python.
fn loaded<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
