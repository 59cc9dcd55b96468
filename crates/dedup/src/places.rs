//! Where the documents that go lie, file by file.
//!
//! *Input.* Documents that go, in document order; of a run removals and document rows. *Output.* A
//! scratch file of [`RemovalPlace`] records, and which of them are of which file; or lines of ids.
//! *Memory.* 16 bytes a file.

use super::copies::{ChangedDocuments, CopyCuts};
use super::files::Files;
use engine::{Error, ScratchDir, segments::SegmentFile};
use format::{DocumentRow, PublicIds, RecordReader, ScratchFile, ScratchWriter};
use input::{DocumentCut, DocumentCuts, Place, Removal, SinkError};
use model::record;
use publication::removals::removal::RemovalFile;
use publication::removals::task::RemovalTask;
use serde::Serialize;
use sort::Lookup;
use std::io::Write;
use std::ops::Range;

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
    file: ScratchFile<RemovalPlace>,
    /// Which records are of which file.
    of_file: Vec<Range<u64>>,
}

impl RemovalPlaces {
    /// How many documents of a file go.
    pub(super) fn count(&self, file: usize) -> u64 {
        self.of_file[file].end - self.of_file[file].start
    }
}

impl CopyCuts for RemovalPlaces {
    fn counts(&self, file: usize) -> ChangedDocuments {
        ChangedDocuments {
            removed: self.count(file),
            cut: 0,
        }
    }

    fn of_file(&self, file: usize) -> Result<Box<dyn DocumentCuts + '_>, Error> {
        let mut reader = self.file.read()?;
        reader.seek(self.of_file[file].start)?;
        let left = self.count(file);
        Ok(Box::new(OfFile { reader, left }))
    }

    fn marker(&self) -> &str {
        ""
    }
}

/// The places of the documents of one file that go.
struct OfFile {
    reader: RecordReader<RemovalPlace>,
    left: u64,
}

impl DocumentCuts for OfFile {
    fn next(&mut self) -> Result<Option<(Place, DocumentCut)>, SinkError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let gone = self.reader.next()?;
        Ok(gone.map(|gone| {
            let place = Place {
                entry_offset: gone.entry_offset,
                inner_offset: gone.inner_offset,
                length: gone.length,
            };
            (place, DocumentCut::Record(gone.record))
        }))
    }
}

/// Hands on the rows of the documents that stay, if `kept`, or of those that go.
fn each(
    task: &RemovalTask<'_>,
    removals: &RemovalFile,
    kept: bool,
    mut take: impl FnMut(u32, &DocumentRow<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut rows = task.engine.segments()?.rows(SegmentFile::Documents);
    let mut removals = Lookup::over(removals.read()?)?;
    while (kept || removals.peek().is_some())
        && let Some((doc, row)) = rows.next_document()?
    {
        if removals.next_of(doc)?.is_some() != kept {
            take(doc, &row)?;
        }
    }
    Ok(())
}

/// The places of documents that go, file by file, in their order.
pub(super) struct PlacesWriter {
    writer: ScratchWriter<RemovalPlace>,
    of_file: Vec<Range<u64>>,
    written: u64,
}

impl PlacesWriter {
    pub(super) fn begin(scratch: &ScratchDir, files: usize) -> Result<PlacesWriter, Error> {
        Ok(PlacesWriter {
            writer: scratch.file("places.run-file")?,
            of_file: Vec::with_capacity(files),
            written: 0,
        })
    }

    /// Adds a document of a file; files and the documents of a file come in order. `record` is the
    /// [`input::record_hash`] of its WARC-Record-ID, 0 if it has none.
    pub(super) fn push(&mut self, file: usize, removal: Removal) -> Result<(), Error> {
        let Removal { place, record } = removal;
        self.reach(file + 1);
        self.writer.push(&RemovalPlace {
            entry_offset: place.entry_offset,
            inner_offset: place.inner_offset,
            length: place.length,
            record,
        })?;
        self.written += 1;
        self.of_file[file].end = self.written;
        Ok(())
    }

    fn reach(&mut self, files: usize) {
        if self.of_file.len() < files {
            self.of_file.resize(files, self.written..self.written);
        }
    }

    /// The places, of so many files in all.
    pub(super) fn finish(mut self, files: usize) -> Result<RemovalPlaces, Error> {
        self.reach(files);
        Ok(RemovalPlaces {
            file: self.writer.finish()?,
            of_file: self.of_file,
        })
    }
}

/// The places of the documents of a run that go.
pub(super) fn write_places(
    task: &RemovalTask<'_>,
    removals: &RemovalFile,
    files: &Files,
) -> Result<RemovalPlaces, Error> {
    let count = task.engine.inputs.listing.files.len();
    let mut writer = PlacesWriter::begin(&task.scratch, count)?;
    each(task, removals, false, |doc, row| {
        let file = row.file as usize;
        if !files.of(file).contains(&doc) || !files.is_copied(file) {
            return Err(Error::Usage(format!(
                "failed to place document {doc}: it is not of file {file}"
            )));
        }
        let place = Place {
            entry_offset: row.entry_offset,
            inner_offset: row.inner_offset,
            length: row.length,
        };
        let record = row.id.map_or(0, input::record_hash);
        writer.push(file, Removal { place, record })
    })?;
    writer.finish(count)
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
    task: &RemovalTask<'_>,
    removals: &RemovalFile,
    [kept, as_json]: [bool; 2],
    out: &mut dyn Write,
) -> Result<(), Error> {
    let ids = task.engine.public_ids();
    each(task, removals, kept, |doc, row| {
        print_id(&ids, doc, row, as_json, out)
    })
}

/// Prints the id of a document.
pub(super) fn print_id(
    ids: &PublicIds,
    doc: u32,
    row: &DocumentRow<'_>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Error> {
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
}
