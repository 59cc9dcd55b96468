//! Reads the tables of a publication, and which documents a run declared equal.
//!
//! *Input.* Parquet files of a publication, and the classes in the work directory: the tables do
//! not say which document stands for a class. *Memory.* A batch of rows; four bytes a document.

use anyhow::{Context, Result, bail};
use format::{Disk, FileKind, RecordReader};
use model::Class;
use output::{BatchRow, Cell, Selection, TableReader};
use std::path::Path;

/// Hands on every row of a table with the columns of these names.
pub(crate) fn each_row(
    path: &Path,
    names: &[&str],
    take: &mut dyn FnMut(BatchRow<'_>) -> Result<()>,
) -> Result<()> {
    let mut reader = TableReader::open(path, Selection::Named(names))?;
    while let Some(batch) = reader.next_batch()? {
        batch.iter().try_for_each(&mut *take)?;
    }
    Ok(())
}

/// Ids and counts; public ids of the first snapshot are those within it.
pub(crate) fn whole(row: BatchRow<'_>, column: usize) -> Result<u32> {
    match row.cell(column) {
        Cell::Int32(value) => Ok(u32::try_from(value)?),
        Cell::Int64(value) => Ok(u32::try_from(value)?),
        other => bail!("expected a whole number in column {column}, got {other:?}"),
    }
}

/// A float.
pub(crate) fn fraction(row: BatchRow<'_>, column: usize) -> Result<f64> {
    match row.cell(column) {
        Cell::Double(value) => Ok(value),
        other => bail!("expected a fraction in column {column}, got {other:?}"),
    }
}

/// A text.
pub(crate) fn text(row: BatchRow<'_>, column: usize) -> Result<&str> {
    match row.cell(column) {
        Cell::Utf8(value) => Ok(value),
        other => bail!("expected a text in column {column}, got {other:?}"),
    }
}

/// For each document, the one that stands for its class in the pairs.
pub(crate) fn representatives(work: &Path, documents: usize) -> Result<Vec<u32>> {
    let mut representatives: Vec<u32> = (0..documents as u32).collect();
    let path = work.join("distinct/classes");
    let mut classes = RecordReader::<Class>::open(&Disk::default(), &path, FileKind::Classes)?;
    while let Some(class) = classes.next()? {
        let of = representatives.get_mut(class.doc as usize);
        *of.context("a document that is not in the table")? = class.representative();
    }
    Ok(representatives)
}
