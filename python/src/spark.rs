//! The kernels of `altavista_dedup.spark`: batches of a Spark job in, batches out.
//!
//! Each calls the functions of the engine that define the result, so that a job has no definitions
//! of its own. Spark has no unsigned numbers: a fingerprint is a long with the same bits. An
//! impossible value is an error, which ends the job.

use crate::arrow::{Batches, Table};
use crate::errors::{raised, refused, value};
use crate::shard_rows::ShardRows;
use crate::spark_columns::{
    LongRows, all_longs, lists, longs_schema, mapped, number, pairs_of, row_of,
};
use crate::waiting::{self, Shown};
use arrow_array::ListArray;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use model::{PairCount, SizesByLevel};
use phases::expansion::MinSharedBuilder;
use phases::pairs::{config_of_job, hand_over, refusals};
use pipeline::config::{self, Config};
use pipeline::{Reporter, RunHooks, RunOptions, Shard, sketch_shard};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The columns of pairs.
const PAIR: [&str; 3] = ["a", "b", "shared"];

/// The kernels of a Spark job for one configuration: private to `altavista_dedup.spark`.
///
/// `text` is that of the configuration, and `file` its path, to which other paths are relative.
/// `out` is the directory of the job, which all workers see.
#[pyclass(frozen, module = "altavista_dedup._native")]
pub(crate) struct SparkKernels {
    /// That of the user.
    run: Config,
    /// That of the shards.
    config: Config,
    out: PathBuf,
}

impl SparkKernels {
    fn levels(&self) -> usize {
        self.config.sketch.sampling.levels()
    }

    /// The sizes of a sketch in a row.
    fn sizes(&self, lists: &ListArray, row: usize) -> PyResult<SizesByLevel> {
        let values = lists.value(row);
        let sizes = values.as_primitive_opt::<Int32Type>();
        let sizes = sizes.ok_or_else(|| value("expected a list of integers"))?;
        if sizes.len() != self.levels() {
            return Err(value(format!("{} sizes of a sketch", sizes.len())));
        }
        let mut by_level = SizesByLevel::unknown();
        for (level, size) in by_level.sizes.iter_mut().zip(sizes.values()) {
            *level = size.cast_unsigned();
        }
        Ok(by_level)
    }
}

#[pymethods]
impl SparkKernels {
    #[new]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a path of Python comes as a value"
    )]
    fn new(py: Python<'_>, text: &str, file: PathBuf, out: PathBuf) -> PyResult<SparkKernels> {
        let config = config::parse(text, &file).map_err(|errors| refused(py, &errors))?;
        let (run, mut config) = (config.clone(), config_of_job(&config, &out));
        // A task of Spark has one processor.
        config.work.threads = 1;
        Ok(SparkKernels { run, config, out })
    }

    /// The text of a configuration file.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    fn read(py: Python<'_>, config: PathBuf) -> PyResult<String> {
        config::read_text(&config).map_err(|errors| refused(py, &errors))
    }

    /// The parts of the configuration that a Spark job cannot have, each as a sentence.
    fn refusals(&self) -> Vec<&'static str> {
        refusals(&self.config)
    }

    /// The most documents of a shingle that is not common.
    #[getter]
    fn limit(&self) -> u32 {
        self.config.pairs.common_shingle_limit
    }

    /// Whether pairs below a floor are left out.
    #[getter]
    fn has_floor(&self) -> bool {
        self.config.counted_floor().is_some()
    }

    /// Sketches shard `number` of `of` into the directory of the job; gives its documents as a
    /// stream of batches. What an earlier call has finished is not read again.
    fn documents(&self, py: Python<'_>, number: u32, of: u32) -> PyResult<Table> {
        let shard: Shard = format!("{number}/{of}").parse().map_err(value)?;
        let hooks = RunHooks::of(&Reporter::silent());
        let sketched = py.detach(|| sketch_shard(&self.config, shard, &hooks));
        let shard = sketched.map_err(|error| raised(py, &error))?;
        let rows: Batches = Box::new(ShardRows::open(&self.config, &shard.dir).map_err(value)?);
        Ok(Table::once(rows))
    }

    /// ⟨docs⟩ → ⟨a, b, shared⟩: the pairs of lists of documents, with the number of lists of this
    /// batch that contain both.
    fn expand(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<Table> {
        mapped(py, batch, longs_schema(PAIR), |batch| {
            let docs = lists(batch, "docs")?;
            let mut all = Vec::with_capacity(batch.num_rows());
            for row in 0..batch.num_rows() {
                let mut list = row_of(docs, row)?
                    .into_iter()
                    .map(number)
                    .collect::<PyResult<Vec<u32>>>()?;
                list.sort_unstable();
                if list.windows(2).any(|two| two[0] == two[1]) {
                    return Err(value("a document has a shingle twice"));
                }
                all.push(list);
            }
            let mut rows = LongRows::default();
            pairs_of(&all, |pair| {
                rows.push([pair.a, pair.b, pair.shared].map(i64::from));
            })?;
            Ok(rows.finish())
        })
    }

    /// The rows of ⟨a, b, shared, sizes_a, common_a, sizes_b, common_b⟩ that may reach the floor,
    /// without the sizes and the numbers of common shingles.
    fn floor(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<Table> {
        let floor = self
            .config
            .counted_floor()
            .ok_or_else(|| value("there is no floor"))?;
        mapped(py, batch, longs_schema(PAIR), |batch| {
            let columns = all_longs(batch, PAIR)?;
            let sizes = [lists(batch, "sizes_a")?, lists(batch, "sizes_b")?];
            let common = all_longs(batch, ["common_a", "common_b"])?;
            let mut rows = LongRows::default();
            for row in 0..batch.num_rows() {
                let values = columns.map(|column| column.value(row));
                let shared = number(values[2])?;
                let mut builder = MinSharedBuilder::new(floor, 2, self.levels());
                for (sizes, common) in sizes.into_iter().zip(common) {
                    let (mut sizes, common) = (self.sizes(sizes, row)?, number(common.value(row))?);
                    if shared > sizes.own_size().1 {
                        return Err(value(format!("{values:?} share more than a sketch has")));
                    }
                    if self.config.drops_common() {
                        sizes.remove(0, common);
                        builder.push(&sizes, 0);
                    } else {
                        builder.push(&sizes, common);
                    }
                }
                if builder.finish().keeps(&PairCount { a: 0, b: 1, shared }) {
                    rows.push(values);
                }
            }
            Ok(rows.finish())
        })
    }

    /// Completes the directory of pairs: `files` are its Parquet files, `documents` the number of
    /// documents of all shards. A run of the engine takes it from there.
    fn hand_over(&self, py: Python<'_>, files: Vec<PathBuf>, documents: u64) -> PyResult<()> {
        let done = py.detach(move || hand_over(&self.config, &self.out, &files, documents));
        done.map_err(|error| raised(py, &error))
    }

    /// Runs the engine over the results of the job: links, clusters, tables and the query index.
    fn index(&self, py: Python<'_>) -> PyResult<()> {
        let options = RunOptions {
            job: Some(self.out.clone()),
            ..RunOptions::default()
        };
        waiting::run(py, &self.run, options, Shown::Stderr, raised).map(drop)
    }
}
