//! A table → the same rows with their clusters: the one call that most people want.
//!
//! *Input.* A table with a column of texts. *Output.* A table of as many rows. *Algorithm.* A run
//! of its rows ([`RowsCall`]). *Memory.* That of the run, and 25 bytes a row.

use crate::arrow::{Batches, Table};
use crate::errors::value;
use crate::publication::each_published;
use crate::rows_call::{RowsCall, rows_of_documents};
use crate::waiting::Shown;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use output::Cell;
use pipeline::Error;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// The clusters of the rows of a table.
pub(crate) fn dedup(
    py: Python<'_>,
    table: Batches,
    call: &RowsCall<'_>,
    shown: Shown,
) -> PyResult<Table> {
    let answer = call.run(py, table, shown, Answer::alone, Answer::read)?;
    answer.table()
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
        let rows = rows_of_documents(out)?;
        let mut clusters = Vec::new();
        each_published(out, "membership", &["cluster_id"], |row| {
            clusters.push(
                row.int64(0)
                    .and_then(|cluster| usize::try_from(cluster).ok()),
            );
        })?;
        // Ids of a single snapshot are positions.
        let line_of = |document: usize| *rows.get(document)?;
        let columns = ["keep", "resemblance", "cluster_documents"];
        let mut documents = 0..;
        each_published(out, "membership", &columns, |row| {
            let document: usize = documents.next().unwrap_or(usize::MAX);
            let cluster = clusters
                .get(document)
                .and_then(|cluster| line_of((*cluster)?));
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

/// The threshold, if it is one.
pub(crate) fn checked(threshold: f64) -> PyResult<f64> {
    if (0.0..=1.0).contains(&threshold) {
        return Ok(threshold);
    }
    Err(value(format!(
        "expected a threshold from 0 to 1, got {threshold}"
    )))
}
