//! Texts of a table → their sketches.

use crate::arrow::{Table, Texts, batches, failed};
use crate::configuration::configuration;
use crate::errors::value;
use crate::spark_columns;
use crate::waiting::each_row;
use arrow_array::builder::{Int32Builder, Int64Builder, LargeListBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, SchemaRef};
use model::{Content, Unpoisoned};
use pipeline::config::InputFrom;
use pyo3::prelude::*;
use sketch::SketchParams;
use std::sync::{Arc, Mutex};

/// Makes the sketches of texts: samples of their shingles, by which resemblance is estimated.
///
/// `config` is a path of a `pipeline.toml`, a dict of its sections, or None for the default.
/// Sketches of different seeds or parameters must not be compared. Threads may share a Sketcher.
#[pyclass(frozen, module = "altavista_dedup")]
pub(crate) struct Sketcher {
    params: SketchParams,
    /// The sketchers that no thread uses at the moment: making one takes longer than a short text.
    idle: Mutex<Vec<sketch::Sketcher>>,
}

#[pymethods]
impl Sketcher {
    #[new]
    #[pyo3(signature = (config=None))]
    fn new(py: Python<'_>, config: Option<&Bound<'_, PyAny>>) -> PyResult<Sketcher> {
        let config = configuration(py, config, InputFrom::Anywhere)?;
        Ok(Sketcher {
            params: config.sketch.params(),
            idle: Mutex::default(),
        })
    }

    /// The sketches of the texts of a table, a row for each of its rows, in order.
    ///
    /// `batch` is a table or record batch of any library with the Arrow PyCapsule interface. `text`
    /// names its column of plain text; `html` names a column of HTML, which is used where there is
    /// no text.
    ///
    /// The result has the columns `words` (int64, tokens), `shingles` (int64, before sampling),
    /// `sketch_size` (int32), `modulus` (int32: one shingle in so many was kept) and `sketch`
    /// (large_list of uint64, ascending). Rows without text are null.
    ///
    /// Raises ValueError if a column is missing, TypeError if it is no text.
    #[pyo3(signature = (batch, text="text", html=None))]
    fn sketch(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        text: &str,
        html: Option<&str>,
    ) -> PyResult<Table> {
        let mut reader = batches(batch)?;
        let mut sketcher = self.take();
        let mut done = Vec::new();
        while let Some(batch) = py.detach(|| reader.next()) {
            let batch = batch.map_err(failed)?;
            let texts = Texts::of(&batch, text)?;
            let pages = html.map(|html| Texts::of(&batch, html)).transpose()?;
            let mut rows = SketchRows::default();
            each_row(py, batch.num_rows(), |row| {
                let page = || {
                    pages
                        .as_ref()
                        .and_then(|pages| pages.at(row))
                        .map(Content::Html)
                };
                let content = texts.at(row).map(Content::Text).or_else(page);
                rows.push(
                    &self.params,
                    content.map(|content| sketcher.sketch(content)),
                );
                Ok(())
            })?;
            done.push(rows.finish()?);
        }
        self.give_back(sketcher);
        Ok(Table::of(schema(), done))
    }
}

impl Sketcher {
    fn take(&self) -> sketch::Sketcher {
        let idle = self.idle.lock().unpoisoned().pop();
        idle.unwrap_or_else(|| sketch::Sketcher::new(&self.params))
    }

    fn give_back(&self, sketcher: sketch::Sketcher) {
        self.idle.lock().unpoisoned().push(sketcher);
    }
}

fn schema() -> SchemaRef {
    let list = DataType::LargeList(Arc::new(Field::new_list_field(DataType::UInt64, true)));
    spark_columns::schema([
        ("words", DataType::Int64),
        ("shingles", DataType::Int64),
        ("sketch_size", DataType::Int32),
        ("modulus", DataType::Int32),
        ("sketch", list),
    ])
}

/// Sketches, a row each.
#[derive(Default)]
struct SketchRows {
    words: Int64Builder,
    shingles: Int64Builder,
    sketch_size: Int32Builder,
    modulus: Int32Builder,
    sketch: LargeListBuilder<UInt64Builder>,
}

impl SketchRows {
    fn push(&mut self, params: &SketchParams, sketched: Option<sketch::Sketched<'_>>) {
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        self.words.append_option(sketched.map(|s| number(s.words)));
        self.shingles
            .append_option(sketched.map(|s| number(s.shingles)));
        let size = sketched.map(|s| i32::try_from(s.fingerprints.len()).unwrap_or(i32::MAX));
        self.sketch_size.append_option(size);
        let modulus = sketched.map(|s| params.sampling.modulus_at(usize::from(s.level)));
        self.modulus
            .append_option(modulus.map(|modulus| i32::try_from(modulus).unwrap_or(i32::MAX)));
        if let Some(sketched) = sketched {
            self.sketch.values().append_slice(sketched.fingerprints);
        }
        self.sketch.append(sketched.is_some());
    }

    fn finish(mut self) -> PyResult<RecordBatch> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.words.finish()),
            Arc::new(self.shingles.finish()),
            Arc::new(self.sketch_size.finish()),
            Arc::new(self.modulus.finish()),
            Arc::new(self.sketch.finish()),
        ];
        RecordBatch::try_new(schema(), columns).map_err(value)
    }
}
