//! Where the documents that go lie, file by file.
//!
//! *Input.* Documents that go, or of which parts go, in document order; of a run removals and
//! document rows. *Output.* Scratch files of [`RemovalPlace`] records and of parts, and which of
//! them are of which file; or lines of ids. *Memory.* 32 bytes a file; the parts of a document.

use super::files::Files;
use engine::{Error, ScratchDir, segments::SegmentFile, segments::place_of};
use format::{DocumentRow, PublicIds, RecordReader, ScratchFile, ScratchWriter};
use input::{DocumentCut, DocumentCuts, Place, Removal, SinkError};
use model::record;
use publication::removals::removal::RemovalFile;
use publication::removals::task::RemovalTask;
use serde::Serialize;
use sort::Lookup;
use std::io::Write;
use std::ops::Range;

/// Counts of the documents of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedDocuments {
    /// Documents that go.
    pub(super) removed: u64,
    /// Documents of which parts go.
    pub(super) cut: u64,
}

/// The place of a document that goes, or of which parts go. 36 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RemovalPlace {
    removal: Removal,
    /// How many of its parts go; 0 if all of it goes.
    parts: u32,
}

record! { RemovalPlace { removal, parts } }

/// Characters of a text that go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RemovedPart {
    begin: u32,
    end: u32,
}

record! { RemovedPart { begin, end } }

/// The places of a file.
#[derive(Clone, Copy, Default)]
struct PlacesOfFile {
    /// The number of the first one, and of its first part.
    first: u64,
    first_part: u64,
    counts: ChangedDocuments,
}

/// The places of all documents that go, or of which parts go.
pub(super) struct RemovalPlaces {
    file: ScratchFile<RemovalPlace>,
    parts: ScratchFile<RemovedPart>,
    of_file: Vec<PlacesOfFile>,
    /// The text that stands in place of a part that goes; nothing: a blank, where one is needed.
    pub(super) marker: String,
}

impl RemovalPlaces {
    /// How many documents of a file go.
    pub(super) fn count(&self, file: usize) -> u64 {
        self.of_file[file].counts.removed
    }

    /// How many documents of a file go, and of how many parts go.
    pub(super) fn counts(&self, file: usize) -> ChangedDocuments {
        self.of_file[file].counts
    }

    /// Those of a file, in its order.
    pub(super) fn of_file(&self, file: usize) -> Result<Box<dyn DocumentCuts + '_>, Error> {
        let of_file = self.of_file[file];
        let (mut places, mut parts) = (self.file.read()?, self.parts.read()?);
        places.seek(of_file.first)?;
        parts.seek(of_file.first_part)?;
        let left = of_file.counts.removed + of_file.counts.cut;
        Ok(Box::new(OfFile {
            places,
            parts,
            left,
        }))
    }
}

/// The places in one file.
struct OfFile {
    places: RecordReader<RemovalPlace>,
    parts: RecordReader<RemovedPart>,
    left: u64,
}

impl DocumentCuts for OfFile {
    fn next(&mut self) -> Result<Option<(Place, DocumentCut)>, SinkError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let Some(gone) = self.places.next()? else {
            return Ok(None);
        };
        let mut parts = Vec::with_capacity(gone.parts as usize);
        for _ in 0..gone.parts {
            parts.extend(self.parts.next()?.map(|part| part.begin..part.end));
        }
        let Removal { place, record } = gone.removal;
        let cut = match gone.parts {
            0 => DocumentCut::Record(record),
            _ => DocumentCut::Parts(parts),
        };
        Ok(Some((place, cut)))
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

/// The places of documents that go, or of which parts go, file by file, in their order.
pub(super) struct PlacesWriter {
    writer: ScratchWriter<RemovalPlace>,
    parts: Box<ScratchWriter<RemovedPart>>,
    of_file: Vec<PlacesOfFile>,
    /// Where the next file begins.
    end: PlacesOfFile,
}

impl PlacesWriter {
    pub(super) fn begin(scratch: &ScratchDir, files: usize) -> Result<PlacesWriter, Error> {
        Ok(PlacesWriter {
            writer: scratch.file("places.run-file")?,
            parts: Box::new(scratch.file("parts.run-file")?),
            of_file: Vec::with_capacity(files),
            end: PlacesOfFile::default(),
        })
    }

    /// Adds a document of a file that goes; files and the documents of a file come in order.
    /// `record` is the [`input::record_hash`] of its WARC-Record-ID, 0 if it has none.
    pub(super) fn push(&mut self, file: usize, removal: Removal) -> Result<(), Error> {
        self.push_parts(file, removal, &[])
    }

    /// Adds a document of which these characters go, or all of it if there are none.
    pub(super) fn push_parts(
        &mut self,
        file: usize,
        removal: Removal,
        parts: &[Range<u32>],
    ) -> Result<(), Error> {
        self.reach(file + 1);
        self.writer.push(&RemovalPlace {
            removal,
            parts: parts.len() as u32,
        })?;
        for &Range { start: begin, end } in parts {
            self.parts.push(&RemovedPart { begin, end })?;
        }
        let counts = &mut self.of_file[file].counts;
        match parts.is_empty() {
            true => counts.removed += 1,
            false => counts.cut += 1,
        }
        self.end.first += 1;
        self.end.first_part += parts.len() as u64;
        Ok(())
    }

    fn reach(&mut self, files: usize) {
        if self.of_file.len() < files {
            self.of_file.resize(files, self.end);
        }
    }

    /// The places, of so many files in all.
    pub(super) fn finish(mut self, files: usize) -> Result<RemovalPlaces, Error> {
        self.reach(files);
        Ok(RemovalPlaces {
            file: self.writer.finish()?,
            parts: self.parts.finish()?,
            of_file: self.of_file,
            marker: String::new(),
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
        writer.push(file, removal_of(row))
    })?;
    writer.finish(count)
}

/// A document as a removal.
pub(super) fn removal_of(row: &DocumentRow<'_>) -> Removal {
    Removal {
        place: place_of(row),
        record: row.id.map_or(0, input::record_hash),
    }
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
