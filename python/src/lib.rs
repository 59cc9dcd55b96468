//! The near-duplicate finder for Python: texts, tables and publications in, Arrow tables out.
//!
//! Everything is done by the crates of the main workspace; here are only the shapes of Python. The
//! lock of the interpreter is released while texts are worked on, and Ctrl-C is answered.

mod arrow;
mod configuration;
mod decontaminate;
mod dedup;
mod ending;
mod errors;
mod figures;
mod passages;
mod place;
mod publication;
mod ranking;
mod rows_call;
mod shard_rows;
mod sketcher;
mod spark;
mod spark_columns;
mod waiting;

use pyo3::prelude::*;

/// Near-duplicates of texts and crawls: tokens, sketches, estimates, clusters.
///
/// Tables go in and come out by the Arrow PyCapsule interface, so those of pyarrow, polars, pandas,
/// DuckDB and datasets are taken as they are, and none of these libraries is needed.
#[pymodule]
#[pyo3(name = "_native")]
mod altavista_dedup {
    #[pymodule_export]
    use super::arrow::{Array, Table};
    #[pymodule_export]
    use super::errors::{
        BusyError, ConfigError, DamageError, EngineError, InputError, NoSpaceError, NotFoundError,
    };
    #[pymodule_export]
    use super::figures::{Comparison, Figure, Figures};
    #[pymodule_export]
    use super::publication::{Publication, Query};
    #[pymodule_export]
    use super::sketcher::Sketcher;
    #[pymodule_export]
    use super::spark::SparkKernels;

    use super::configuration::{configuration, entries};
    use super::decontaminate::{self as references, DecontaminateCall};
    use super::ending::tidily;
    use super::errors::{raised, value};
    use super::rows_call::RowsCall;
    use super::waiting::{self, Shown};
    use ask::ShingledDocument;
    use model::{Content, Overlap};
    use pipeline::config::InputFrom;
    use pipeline::{DecontaminateRequest, RunOptions};
    use pyo3::prelude::*;
    use pyo3::types::PyDict;
    use std::path::PathBuf;

    fn content(text: &str, html: bool) -> Content<'_> {
        if html {
            Content::Html(text)
        } else {
            Content::Text(text)
        }
    }

    /// The canonical tokens of a text, in order: the words that documents are compared by.
    ///
    /// `html` says that the text is a page; `config` is a path of a `pipeline.toml`, a dict of its
    /// sections, or None for the default.
    #[pyfunction]
    #[pyo3(signature = (text, *, html=false, config=None))]
    fn tokens(
        py: Python<'_>,
        text: &str,
        html: bool,
        config: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let rules = configuration(py, config, InputFrom::Anywhere)?
            .sketch
            .params()
            .rules();
        Ok(py.detach(|| {
            let mut tokens = Vec::new();
            sketch::for_each_token(rules, content(text, html), &mut |token| {
                tokens.push(token.to_owned());
            });
            tokens
        }))
    }

    /// The overlap of two texts, exact and estimated, with 95 % intervals. A text without tokens is
    /// like itself only.
    ///
    /// `html` says that both are pages. Memory: 32 bytes for each word of both.
    #[pyfunction]
    #[pyo3(signature = (a, b, *, html=false, config=None))]
    fn compare(
        py: Python<'_>,
        a: &str,
        b: &str,
        html: bool,
        config: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Comparison> {
        let params = configuration(py, config, InputFrom::Anywhere)?
            .sketch
            .params();
        Ok(py.detach(|| {
            let both = [a, b].map(|text| ShingledDocument::of(&params, content(text, html)));
            let [one, other] = &both;
            let figures = |overlap| pipeline::Figures::of_texts(overlap, a, b).into();
            Comparison {
                exact: figures(&one.exact(other)),
                estimated: figures(&one.estimated(other, params.sampling)),
            }
        }))
    }

    /// The estimate of what two documents share, from the counts of their sketches.
    ///
    /// `shared` is the number of shingles in both sketches; `a` and `b` are the sizes of the
    /// sketches, at the coarser of their moduli, which is `modulus`. Raises ValueError if more are
    /// shared than one of them has, or the modulus is 0.
    #[pyfunction]
    #[pyo3(signature = (shared, a, b, modulus))]
    fn estimate(shared: u32, a: u32, b: u32, modulus: u32) -> PyResult<Figures> {
        if shared > a.min(b) {
            return Err(value(format!(
                "expected at most {} shared, got {shared}",
                a.min(b)
            )));
        }
        if modulus == 0 {
            return Err(value("expected a modulus of 1 or more, got 0"));
        }
        let (size_a, size_b) = (a, b);
        let overlap = Overlap {
            shared,
            size_a,
            size_b,
            modulus,
        };
        Ok(pipeline::Figures::of(&overlap).into())
    }

    /// The clusters of near-duplicates among the rows of a table.
    ///
    /// `table` is a table of any library with the Arrow PyCapsule interface, or a
    /// `datasets.Dataset`; `text` names its column of texts. Two rows of a resemblance of
    /// `threshold` (0 to 1) or more are linked, and linked rows are a cluster. `memory` bounds the
    /// run. `config` is a dict of further sections, such as `{"cluster": {"linkage": "star"}}`.
    /// `keep` of `[cluster]` ranks the rows of a cluster by columns of the table: `field:NAME` by
    /// any one, `oldest` and `newest` by `date`, `hosts:[A,B]` by `url`; `date-field` and
    /// `url-field` of `[input]` name others. `directory` is where temporary files go, about twice
    /// the texts; it is the directory of the system otherwise. `progress` is as in `run`. The rows
    /// are the input: of `config`, `[snapshots]`, `dir` and `output` of `[work]`, and all other
    /// keys of `[input]` but `max-document` and `max-expansion` do not count.
    ///
    /// The result has a row for each row of the table, in order, with the columns `cluster` (int64:
    /// the first row of its cluster), `keep` (bool: whether it stays when duplicates are removed)
    /// and `resemblance` (float64: to the row that its cluster keeps, which has 1; null if the row
    /// is alone, or there is nothing to compare). A row without a token is alone, and kept.
    ///
    /// Ctrl-C ends the call, and so do SIGTERM and SIGHUP in the main thread; no text is left then.
    ///
    /// Raises ValueError if there is no such column, TypeError if it is no text, ConfigError,
    /// NoSpaceError.
    #[pyfunction]
    #[pyo3(signature = (table, text="content", *, threshold=0.5, memory="1GiB", config=None, directory=None, progress=Shown::Nowhere))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are keywords of a call in Python"
    )]
    fn dedup(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        text: &str,
        threshold: f64,
        memory: &str,
        config: Option<&Bound<'_, PyDict>>,
        directory: Option<PathBuf>,
        progress: Shown,
    ) -> PyResult<Table> {
        let threshold = super::dedup::checked(threshold)?;
        let call = RowsCall {
            text,
            memory,
            own: format!("cluster.resemblance={threshold:?}"),
            entries: config.map(entries).transpose()?.unwrap_or_default(),
            directory,
        };
        let table = super::arrow::batches(table)?;
        tidily(py, || super::dedup::dedup(py, table, &call, progress))
    }

    /// The passages of the texts of a table that stand at more than one place: runs of `words`
    /// tokens or more, of which each window of `words` tokens stands at another place, in the same
    /// row or another. Nothing is sampled.
    ///
    /// `table` and `text` are as in `dedup`, and so are `memory`, `config`, `directory` and
    /// `progress`. Rows with the same tokens count as one, and the first of them has the passages;
    /// with `{"passages": {"count": "all"}}` as `config` each counts by itself.
    ///
    /// The result has a row for each passage, by row and place, with the columns `row`,
    /// `begin_word` and `end_word` (from 0; the end is the one behind), `begin_character` and
    /// `end_character` (of the text, as Python counts them), `words`, `places_min` and `places_max` (how often its
    /// windows stand), `rows` (in how many rows), `source_row` and `source_begin` (where its first
    /// window stands first; all int64), and `is_source` (bool: whether all its windows stand here
    /// first).
    ///
    /// Raises as `dedup` does.
    #[pyfunction]
    #[pyo3(signature = (table, text="content", *, words=50, memory="1GiB", config=None, directory=None, progress=Shown::Nowhere))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are keywords of a call in Python"
    )]
    fn passages(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        text: &str,
        words: u32,
        memory: &str,
        config: Option<&Bound<'_, PyDict>>,
        directory: Option<PathBuf>,
        progress: Shown,
    ) -> PyResult<Table> {
        let call = RowsCall {
            text,
            memory,
            own: format!("passages.words={words}"),
            entries: config.map(entries).transpose()?.unwrap_or_default(),
            directory,
        };
        let table = super::arrow::batches(table)?;
        tidily(py, || super::passages::passages(py, table, &call, progress))
    }

    /// Finds the rows of a table that hold an item of references, such as the questions of a
    /// benchmark.
    ///
    /// `table` is as in `dedup`, and `text` names the column of texts. `reference` is a path of a
    /// file, directory or glob of JSONL, Parquet or text, a list of such paths, or a table whose
    /// rows are items. `fields` are the fields of a reference that count; otherwise those that
    /// usually hold texts, or all columns of texts of a table. `min` is the share of the words of an
    /// item from which on a row holds it, `least` the words of the shortest item, `ngram` the words
    /// that must stand together. `memory`, `directory` and `progress` are as in `dedup`.
    ///
    /// The result has a row for each row of the table, in order, with the columns `contaminated`
    /// (bool), `share` (float64: the largest share of an item; null if there is none), `reference`
    /// (its file) and `item` (its id, or the number of its row).
    ///
    /// Raises InputError if a reference cannot be read or has no item, ValueError, TypeError,
    /// ConfigError, NoSpaceError.
    #[pyfunction]
    #[pyo3(signature = (table, reference, text="content", *, fields=Vec::new(), min=0.8, least=13, ngram=8, memory="1GiB", directory=None, progress=Shown::Nowhere))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are keywords of a call in Python"
    )]
    fn decontaminate(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        reference: &Bound<'_, PyAny>,
        text: &str,
        fields: Vec<String>,
        min: f64,
        least: u32,
        ngram: u32,
        memory: &str,
        directory: Option<PathBuf>,
        progress: Shown,
    ) -> PyResult<Table> {
        let paths = reference.extract::<PathBuf>().map(|path| vec![path]);
        let paths = paths.or_else(|_| reference.extract::<Vec<PathBuf>>()).ok();
        let rows_of = paths.is_none().then(|| super::arrow::batches(reference));
        let call = DecontaminateCall {
            text,
            memory,
            directory,
            request: DecontaminateRequest {
                references: paths.unwrap_or_default(),
                fields,
                least_words: least,
                gram_words: ngram,
                least_share: min,
                ..DecontaminateRequest::default()
            },
        };
        let (table, reference) = (super::arrow::batches(table)?, rows_of.transpose()?);
        tidily(py, || {
            references::decontaminate(py, table, reference, call, progress)
        })
    }

    /// Runs a configuration, and gives its results. What is done already is not done again.
    ///
    /// `config` is a path of a `pipeline.toml`, or a dict of its sections, such as
    /// `{"input": {"paths": ["crawl"]}, "sketch": {"seed": "secret"}}`; other keys have their
    /// defaults. `progress` is True (a line for each phase on `sys.stderr`), False, or a function
    /// that is called with (task, done, total, unit); if it raises, the run ends. `force` does
    /// everything again. Results are byte for byte those of the command `pipeline run`.
    ///
    /// Ctrl-C stops the run at a safe point; the next run resumes there. Raises ConfigError,
    /// NotFoundError, InputError, NoSpaceError, DamageError, BusyError.
    #[pyfunction]
    #[pyo3(signature = (config, progress=Shown::Stderr, *, force=false))]
    fn run(
        py: Python<'_>,
        config: &Bound<'_, PyAny>,
        progress: Shown,
        force: bool,
    ) -> PyResult<Publication> {
        let config = configuration(py, Some(config), InputFrom::Paths)?;
        let options = RunOptions {
            force,
            ..RunOptions::default()
        };
        waiting::run(py, &config, options, progress, raised)?;
        let out = config.work.output.clone();
        Publication::of(py, out, Some(config))
    }

    /// Opens the results of a run in the directory `out`.
    ///
    /// `config` is the path of its `pipeline.toml`, or a dict; without it the one beside `out` is
    /// taken, if it is there. Only questions need it. Raises NotFoundError if there are no results.
    #[pyfunction]
    #[pyo3(signature = (out=PathBuf::from("out"), config=None))]
    fn open(
        py: Python<'_>,
        out: PathBuf,
        config: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Publication> {
        Publication::open(py, out, config)
    }
}
