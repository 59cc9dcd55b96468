//! The tables of a publication that say which documents belong together.
//!
//! *Input.* The publication of a [`Run`], and the classes in its work directory: the tables do not
//! say which document stands for a class. *Output.* [`Tables`]. *Memory.* 24 bytes a document, 48 a
//! link.

use super::run::Run;
use anyhow::{Context, Result, ensure};
use format::{Disk, FileKind, RecordReader};
use model::Class;
use output::{BatchRow, ColumnSelection, TableReader};
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;

/// Published answers.
pub(super) struct Tables {
    pub(super) documents: Vec<PublishedDocument>,
    pub(super) links: Vec<Link>,
    /// Fingerprints of common shingles.
    pub(super) common: HashSet<u64>,
}

/// A document of a publication.
#[derive(Clone, Copy, Debug)]
pub(super) struct PublishedDocument {
    /// Tokens, to see that the exact sets are of the same documents.
    pub(super) words: u64,
    /// The document that stands for it in the pairs.
    pub(super) representative: u32,
    pub(super) cluster: u32,
}

/// A row of `pairs.parquet`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) a: u32,
    pub(super) b: u32,
    /// The threshold that it reached.
    pub(super) kind: Kind,
    /// Share of A that is in B.
    pub(super) a_in_b: f64,
    /// Share of B that is in A.
    pub(super) b_in_a: f64,
}

/// `kind` of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Resemblance,
    /// Containment, in one direction at least.
    Containment,
    Both,
}

impl Kind {
    pub(super) const ALL: [Kind; 3] = [Kind::Resemblance, Kind::Containment, Kind::Both];

    /// Whether the link says that the documents resemble each other.
    pub(super) fn is_resemblance(self) -> bool {
        self != Kind::Containment
    }

    /// Whether the link says that one document contains the other.
    pub(super) fn is_directed(self) -> bool {
        self != Kind::Resemblance
    }
}

/// Reads the tables of a run.
pub(super) fn read(run: &Run) -> Result<Tables> {
    let out = run.out();
    let mut tables = Tables {
        documents: Vec::new(),
        links: Vec::new(),
        common: HashSet::new(),
    };
    each_row(&out.join("documents/default.parquet"), &["words"], |row| {
        let doc = tables.documents.len() as u32;
        tables.documents.push(PublishedDocument {
            words: u64::from(whole(row, 0)?),
            representative: doc,
            cluster: doc,
        });
        Ok(())
    })?;
    let unknown = "a document that is not in the table";
    let (mut members, names) = (0, ["doc_id", "cluster_id"]);
    each_row(&out.join("membership.parquet"), &names, |row| {
        let document = tables.documents.get_mut(whole(row, 0)? as usize);
        document.context(unknown)?.cluster = whole(row, 1)?;
        members += 1;
        Ok(())
    })?;
    ensure!(
        members == tables.documents.len(),
        "membership.parquet has {members} rows, not {}",
        tables.documents.len()
    );
    let path = run.work().join("distinct/classes");
    let mut classes = RecordReader::<Class>::open(&Disk::default(), &path, FileKind::Classes)?;
    while let Some(class) = classes.next()? {
        let document = tables.documents.get_mut(class.doc as usize);
        document.context(unknown)?.representative = class.representative();
    }
    let names = ["a", "b", "kind", "containment_a_in_b", "containment_b_in_a"];
    each_row(&out.join("pairs.parquet"), &names, |row| {
        let kind = text(row, 2)?;
        tables.links.push(Link {
            a: whole(row, 0)?,
            b: whole(row, 1)?,
            kind: serde_json::from_value(kind.into()).with_context(|| format!("kind {kind}"))?,
            a_in_b: fraction(row, 3)?,
            b_in_a: fraction(row, 4)?,
        });
        Ok(())
    })?;
    each_row(&out.join("common_shingles.parquet"), &["shingle"], |row| {
        let shingle = u64::from_str_radix(text(row, 0)?, 16);
        let shingle = shingle.context("common_shingles.parquet has a row without a fingerprint")?;
        tables.common.insert(shingle);
        Ok(())
    })?;
    Ok(tables)
}

/// Hands on every row of a table with the columns of these names.
fn each_row(
    path: &Path,
    names: &[&str],
    mut take: impl FnMut(BatchRow<'_>) -> Result<()>,
) -> Result<()> {
    let mut reader = TableReader::open(path, ColumnSelection::Named(names))?;
    while let Some(batch) = reader.next_batch()? {
        let mut rows = batch.iter();
        let read = rows.try_for_each(&mut take);
        read.with_context(|| format!("failed to read {}", path.display()))?;
    }
    Ok(())
}

/// Ids and counts; public ids of the first snapshot are those within it.
fn whole(row: BatchRow<'_>, column: usize) -> Result<u32> {
    let value = row
        .int64(column)
        .with_context(|| unexpected("whole number", column))?;
    Ok(u32::try_from(value)?)
}

fn fraction(row: BatchRow<'_>, column: usize) -> Result<f64> {
    row.double(column)
        .with_context(|| unexpected("fraction", column))
}

fn text(row: BatchRow<'_>, column: usize) -> Result<&str> {
    row.text(column).with_context(|| unexpected("text", column))
}

fn unexpected(wanted: &str, column: usize) -> String {
    format!("expected a {wanted} in column {column}")
}
