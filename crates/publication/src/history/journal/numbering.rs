//! Whether public ids mean the same documents in two publications.
//!
//! A snapshot that was added stays as it was read, and so do the ids of its documents. But a corpus
//! without snapshots is read as it is, a configuration may reject other records than before, and a
//! list of snapshots may have been begun anew: then an id is that of another document, and nothing
//! can be said of clusters by their ids. *Algorithm.* The files of documents that both publications
//! have of a snapshot are the same, mostly; else the places of documents in the input are compared,
//! in the document tables, for as many documents as both have.

use crate::documents_table;
use crate::history::reuse_error::ReuseError;
use crate::publish::Publication;
use engine::{Engine, Error, segments::SegmentFile};
use format::{FileKind, IndexManifest, RecordReader, Seal, Sealed, SegmentRecord, SnapshotSpan};
use output::{Cell, ColumnSelection, OutputError, TableReader};
use std::collections::BTreeMap;
use std::path::Path;
use twox_hash::XxHash3_128;

/// The columns that tell documents apart by their place, whatever their content.
const PLACE: [&str; 4] = ["source", "entry_offset", "inner_offset", "url"];

/// An error if documents of the earlier publication now have other places.
pub(super) fn same(
    engine: &Engine<'_>,
    publication: &Publication,
    before: &Path,
    manifest: &IndexManifest,
    segments: &Sealed,
) -> Result<(), ReuseError> {
    let mut old: BTreeMap<u32, Vec<Seal>> = BTreeMap::new();
    let index = before.join("index");
    let mut reader = RecordReader::<SegmentRecord>::open_sealed(
        &engine.disk,
        &index,
        segments,
        FileKind::Segments,
    )?;
    while let Some(segment) = reader.next()? {
        old.entry(segment.snapshot)
            .or_default()
            .push(segment.files[0]);
    }
    for span in engine.spans() {
        let Some(known) = manifest
            .snapshots
            .iter()
            .find(|known| known.number == span.number)
        else {
            continue;
        };
        if known.name != span.name {
            let SnapshotSpan { number, name, .. } = &span;
            return Err(ReuseError::Unusable(format!(
                "snapshot {number} was {}, is {name}",
                known.name
            )));
        }
        let files = old.remove(&span.number).unwrap_or_default();
        if files == files_of(engine, span.number)? {
            continue;
        }
        let table = documents_table(&span.name);
        let rows = u64::from(span.documents.min(known.documents));
        let of_run = places(&publication.path(&table), rows).map_err(Error::Output);
        let of_run = of_run.map_err(ReuseError::Fatal)?;
        if places(&before.join(&table), rows)? != of_run {
            return Err(ReuseError::Unusable(format!(
                "the ids of snapshot {} now belong to other documents",
                span.name
            )));
        }
    }
    Ok(())
}

/// The files of documents of a snapshot of this run.
fn files_of(engine: &Engine<'_>, snapshot: u32) -> Result<Vec<Seal>, ReuseError> {
    let segments = engine.segments().map_err(ReuseError::Fatal)?;
    let sealed = |segment| {
        segments
            .sealed(segment, SegmentFile::Documents)
            .map(|(_, sealed)| Seal::of(sealed))
    };
    Ok(segments.of_snapshot(snapshot).filter_map(sealed).collect())
}

/// A digest of the places of the first documents of a table.
fn places(table: &Path, rows: u64) -> Result<u128, OutputError> {
    let mut reader = TableReader::open(table, ColumnSelection::Named(&PLACE))?;
    let (mut hasher, mut left) = (XxHash3_128::new(), rows);
    while left > 0
        && let Some(batch) = reader.next_batch()?
    {
        for row in batch
            .iter()
            .take(usize::try_from(left).unwrap_or(usize::MAX))
        {
            left -= 1;
            for column in 0..PLACE.len() {
                match row.cell(column) {
                    Cell::Utf8(text) => {
                        hasher.write(&(text.len() as u64).to_le_bytes());
                        hasher.write(text.as_bytes());
                    }
                    Cell::Int64(value) => hasher.write(&value.to_le_bytes()),
                    _ => hasher.write(&u64::MAX.to_le_bytes()),
                }
            }
        }
    }
    Ok(hasher.finish_128())
}
