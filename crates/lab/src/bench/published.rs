//! Reads the tables of a publication, and which documents a run declared equal.
//!
//! *Input.* Parquet files of a publication, and the classes in the work directory: the tables do
//! not say which document stands for a class. *Memory.* A batch of rows; 24 bytes a document.

use anyhow::{Context, Result, bail, ensure};
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

/// A document of a publication.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PublishedDocument {
    /// Tokens, to see that the exact sets are of the same documents.
    pub(crate) words: u64,
    /// Shingles in its sketch.
    pub(crate) sketch_size: u32,
    /// The modulus of its sketch.
    pub(crate) modulus: u32,
    /// The document that stands for it in the pairs.
    pub(crate) representative: u32,
    /// Its cluster.
    pub(crate) cluster: u32,
}

/// Reads every document of a publication.
pub(crate) fn documents(out: &Path, work: &Path) -> Result<Vec<PublishedDocument>> {
    let mut documents = Vec::new();
    let names = ["words", "sketch_size", "modulus"];
    each_row(&out.join("documents/default.parquet"), &names, &mut |row| {
        let doc = documents.len() as u32;
        documents.push(PublishedDocument {
            words: u64::from(whole(row, 0)?),
            sketch_size: whole(row, 1)?,
            modulus: whole(row, 2)?,
            representative: doc,
            cluster: doc,
        });
        Ok(())
    })?;
    let unknown = "a document that is not in the table";
    let (mut members, names) = (0, ["doc_id", "cluster_id"]);
    each_row(&out.join("membership.parquet"), &names, &mut |row| {
        let document = documents.get_mut(whole(row, 0)? as usize);
        document.context(unknown)?.cluster = whole(row, 1)?;
        members += 1;
        Ok(())
    })?;
    ensure!(
        members == documents.len(),
        "membership.parquet has {members} rows, not {}",
        documents.len()
    );
    let path = work.join("distinct/classes");
    let mut classes = RecordReader::<Class>::open(&Disk::default(), &path, FileKind::Classes)?;
    while let Some(class) = classes.next()? {
        let document = documents.get_mut(class.doc as usize);
        document.context(unknown)?.representative = class.representative();
    }
    Ok(documents)
}
