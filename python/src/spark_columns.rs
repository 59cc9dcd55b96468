//! Columns of the kernels of Spark: by name, as numbers, and mapped batch by batch.

use crate::arrow::{Table, batches, column};
use crate::errors::value;
use arrow_array::builder::Int64Builder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use model::PairCount;
use phases::expansion::{List, MinShared, RangeCounter};
use pyo3::prelude::*;
use std::sync::Arc;

/// Bytes that the pairs of a batch of lists are counted in; what does not fit is counted by parts.
const COUNTER_BYTES: usize = 128 << 20;

/// The names and kinds of columns, in order.
pub(crate) fn schema<const N: usize>(columns: [(&str, DataType); N]) -> SchemaRef {
    let fields = columns.map(|(name, kind)| Field::new(name, kind, true));
    Arc::new(Schema::new(fields.to_vec()))
}

/// Columns of longs, in order.
pub(crate) fn longs_schema<const N: usize>(names: [&str; N]) -> SchemaRef {
    schema(names.map(|name| (name, DataType::Int64)))
}

pub(crate) fn longs<'a>(batch: &'a RecordBatch, name: &str) -> PyResult<&'a Int64Array> {
    let column = column(batch, name)?;
    let longs = column.as_primitive_opt::<Int64Type>();
    longs.ok_or_else(|| value(format!("column {name:?} holds {}", column.data_type())))
}

/// Several columns of longs, in the order of their names.
pub(crate) fn all_longs<'a, const N: usize>(
    batch: &'a RecordBatch,
    names: [&str; N],
) -> PyResult<[&'a Int64Array; N]> {
    for name in names {
        longs(batch, name)?;
    }
    Ok(names.map(|name| batch[name].as_primitive()))
}

/// Rows of longs while they are collected.
pub(crate) struct LongRows<const N: usize>([Int64Builder; N]);

impl<const N: usize> Default for LongRows<N> {
    fn default() -> LongRows<N> {
        LongRows([(); N].map(|()| Int64Builder::new()))
    }
}

impl<const N: usize> LongRows<N> {
    pub(crate) fn push(&mut self, row: [i64; N]) {
        for (column, value) in self.0.iter_mut().zip(row) {
            column.append_value(value);
        }
    }

    pub(crate) fn finish(self) -> Vec<ArrayRef> {
        let columns = self.0.into_iter();
        columns
            .map(|mut column| Arc::new(column.finish()) as ArrayRef)
            .collect()
    }
}

pub(crate) fn lists<'a>(batch: &'a RecordBatch, name: &str) -> PyResult<&'a ListArray> {
    let column = column(batch, name)?;
    let lists = column.as_list_opt::<i32>();
    lists.ok_or_else(|| value(format!("column {name:?} holds {}", column.data_type())))
}

/// A document's number, or another one of 32 bits.
pub(crate) fn number(long: i64) -> PyResult<u32> {
    u32::try_from(long).map_err(|_| value(format!("{long} is no number of 32 bits")))
}

/// The longs of a row as they are.
pub(crate) fn row_of(lists: &ListArray, row: usize) -> PyResult<Vec<i64>> {
    let values = lists.value(row);
    let longs = values.as_primitive_opt::<Int64Type>();
    let longs = longs.ok_or_else(|| value("expected a list of longs"))?;
    Ok(longs.values().to_vec())
}

/// A table with a batch of results for each batch.
pub(crate) fn mapped(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    schema: SchemaRef,
    map: impl Fn(&RecordBatch) -> PyResult<Vec<ArrayRef>> + Sync,
) -> PyResult<Table> {
    let reader = batches(object)?;
    let done = py.detach(|| {
        let mut done = Vec::new();
        for batch in reader {
            let columns = map(&batch.map_err(value)?)?;
            done.push(RecordBatch::try_new(Arc::clone(&schema), columns).map_err(value)?);
        }
        Ok::<_, PyErr>(done)
    });
    Ok(Table::of(schema, done?))
}

/// The pairs of lists, in parts that fit the counter.
pub(crate) fn pairs_of(lists: &[Vec<u32>], mut emit: impl FnMut(PairCount)) -> PyResult<()> {
    // Numbers within these lists, so that the counter needs memory for these documents only.
    let mut docs: Vec<u32> = lists.iter().flatten().copied().collect();
    docs.sort_unstable();
    docs.dedup();
    let end = u32::try_from(docs.len()).map_err(value)?;
    let place = |doc: &u32| docs.partition_point(|other| other < doc) as u32;
    let mut counter = RangeCounter::new(COUNTER_BYTES);
    let mut is_empty = true;
    let mut next = lists
        .iter()
        .map(|list| list.iter().map(place).collect::<Vec<u32>>())
        .peekable();
    counter.begin(0..end);
    let mut pass = |counter: &mut RangeCounter| {
        let done = counter.emit(&MinShared::none(), |pair| {
            emit(PairCount {
                a: docs[pair.a as usize],
                b: docs[pair.b as usize],
                ..pair
            });
            Ok::<(), PyErr>(())
        });
        counter.begin(0..end);
        done
    };
    while let Some(list) = next.peek() {
        if counter.add(List::of(list, 1)) {
            next.next();
            is_empty = false;
        } else if is_empty {
            return Err(value(format!(
                "a list of {} documents is too long",
                list.len()
            )));
        } else {
            pass(&mut counter)?;
            is_empty = true;
        }
    }
    pass(&mut counter)
}
