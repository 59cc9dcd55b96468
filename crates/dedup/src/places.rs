//! Where the documents that go lie, file by file.
//!
//! *Input.* Removals and document rows, both in document order. *Output.* A scratch file of
//! [`RemovalPlace`] records, and which of them are of which file; or lines of ids. *Memory.* 16
//! bytes a file.

use super::files::Files;
use engine::segments::{SegmentFile, SegmentRows};
use format::{DocumentRow, RecordReader};
use input::{Place, Removal, Removals, SinkError};
use model::record;
use publication::removals::removal::RemovalFile;
use publication::removals::task::Task;
use runtime::Error;
use serde::Serialize;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

/// The place of a removed document. 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RemovalPlace {
    entry_offset: u64,
    inner_offset: u64,
    length: u64,
    record: u64,
}

record! { RemovalPlace { entry_offset, inner_offset, length, record } }

/// The places of all documents that go.
pub(super) struct RemovalPlaces {
    path: PathBuf,
    /// Which records are of which file.
    of_file: Vec<Range<u64>>,
}

impl RemovalPlaces {
    /// How many documents of a file go.
    pub(super) fn count(&self, file: usize) -> u64 {
        self.of_file[file].end - self.of_file[file].start
    }

    /// Those of a file.
    pub(super) fn read(&self, task: &Task<'_>, file: usize) -> Result<OfFile, Error> {
        let mut reader = task.read(&self.path)?;
        reader.seek(self.of_file[file].start)?;
        Ok(OfFile {
            reader,
            left: self.count(file),
        })
    }
}

/// The places of the documents of one file that go.
pub(super) struct OfFile {
    reader: RecordReader<RemovalPlace>,
    left: u64,
}

impl Removals for OfFile {
    fn next(&mut self) -> Result<Option<Removal>, SinkError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let gone = self.reader.next()?;
        Ok(gone.map(
            |RemovalPlace {
                 entry_offset,
                 inner_offset,
                 length,
                 record,
             }| Removal {
                place: Place {
                    entry_offset,
                    inner_offset,
                    length,
                },
                record,
            },
        ))
    }
}

/// Hands on the rows of the documents that stay, if `kept`, or of those that go.
fn each(
    task: &Task<'_>,
    removals: &RemovalFile,
    kept: bool,
    mut take: impl FnMut(u32, &DocumentRow<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut rows: SegmentRows = task.engine.segments()?.rows(SegmentFile::Documents);
    let mut removals = removals.read(task)?;
    let mut next = removals.next()?;
    while (kept || next.is_some())
        && let Some((doc, row)) = rows.next_document()?
    {
        let goes = next.is_some_and(|removal| removal.doc == doc);
        if goes {
            next = removals.next()?;
        }
        if goes != kept {
            take(doc, &row)?;
        }
    }
    Ok(())
}

/// Writes the places.
pub(super) fn write_places(
    task: &Task<'_>,
    removals: &RemovalFile,
    files: &Files,
) -> Result<RemovalPlaces, Error> {
    let path = task.dir.join("places.run-0");
    let mut writer = task.write::<RemovalPlace>(&path)?;
    let count = task.engine.inputs.listing.files.len();
    let mut of_file: Vec<Range<u64>> = Vec::with_capacity(count);
    each(task, removals, false, |doc, row| {
        let at = writer.records();
        while of_file.len() <= row.file as usize {
            of_file.push(at..at);
        }
        if !files.of(row.file as usize).contains(&doc) || !files.is_copied(row.file as usize) {
            return Err(Error::Usage(format!(
                "failed to place document {doc}: it is not of file {}",
                row.file
            )));
        }
        let record = row.id.map_or(0, input::record_hash);
        let DocumentRow {
            entry_offset,
            inner_offset,
            length,
            ..
        } = *row;
        let gone = RemovalPlace {
            entry_offset,
            inner_offset,
            length,
            record,
        };
        writer.push(&gone)?;
        of_file[row.file as usize].end = at + 1;
        Ok(())
    })?;
    let all = writer.finish()?.records;
    of_file.resize(count, all..all);
    Ok(RemovalPlaces { path, of_file })
}

/// A line of `--list --json`.
#[derive(Serialize)]
struct IdLine<'a> {
    doc_id: i64,
    id: Option<&'a str>,
    url: Option<&'a str>,
}

/// Prints the ids of documents that go, or that stay.
pub(super) fn print(
    task: &Task<'_>,
    removals: &RemovalFile,
    [kept, as_json]: [bool; 2],
    out: &mut dyn Write,
) -> Result<(), Error> {
    let ids = task.engine.public_ids();
    let print = |doc, row: &DocumentRow<'_>| {
        let doc_id = ids.get(doc);
        let line = match as_json {
            true => serde_json::to_string(&IdLine {
                doc_id,
                id: row.id,
                url: row.url,
            })
            .map_err(|e| Error::Usage(format!("failed to print document {doc_id}: {e}")))?,
            false => doc_id.to_string(),
        };
        writeln!(out, "{line}").map_err(Error::io("write to standard output"))
    };
    each(task, removals, kept, print)
}
