//! Joins a segment as it was read with the data of its revisits.
//!
//! *Output.* The files of a segment, under a number behind those of all segments that were read.
//! *Algorithm.* Rows of both sides follow each other in document order: a merge. *Memory.* A block
//! a file, and a row of a sketch.

use super::original_data::OriginalData;
use super::originals::Originals;
use super::records::OriginalAttributes;
use super::scope::SearchScope;
use crate::sketch::planned_segment::PHASE;
use engine::segments::{SegmentFile, SegmentFiles};
use engine::{Error, figures::SketchFigures};
use format::{
    DocumentRow, FormatError, Mark, PayloadRecord, RecordReader, RecordSpec, RecordWriter,
    RejectedRow, RevisitRow, RowReader, SKETCH_ROW_MAX, Sealed, SizesRow, SketchRow, segment_name,
};
use input::UNRESOLVED_REVISIT;
use model::SizesByLevel;
use std::cmp::Ordering;

/// A segment with its revisits among its documents.
pub(super) struct ResolvedSegment {
    pub(super) sealed: Vec<Sealed>,
    /// The figures that its revisits add.
    pub(super) figures: SketchFigures,
}

/// The originals of a snapshot's revisits, and the next revisit to be joined.
pub(super) struct RevisitQueue {
    pub(super) originals: Originals,
    pub(super) data: OriginalData,
    /// The number of the revisit in the snapshot.
    pub(super) next: u32,
}

/// Joins a segment with its revisits, which are the next of the queue.
pub(super) fn segment(
    scope: &SearchScope<'_>,
    segment: usize,
    queue: &mut RevisitQueue,
) -> Result<ResolvedSegment, Error> {
    let Some(mut revisits) = scope.segments.open(segment, SegmentFile::Revisits)? else {
        let mut sealed: Vec<Sealed> = Vec::new();
        for file in SegmentFile::ALL.into_iter().chain([SegmentFile::Payloads]) {
            sealed.extend(
                scope
                    .segments
                    .sealed(segment, file)
                    .map(|(_, sealed)| sealed.clone()),
            );
        }
        return Ok(ResolvedSegment {
            sealed,
            figures: SketchFigures::default(),
        });
    };
    let mut read = SegmentReader::open(scope, segment)?;
    let mut written = JoinedSegmentWriter::create(scope, segment)?;
    let first_revisit = queue.next;
    while let Some(row) = revisits.next::<RevisitRow<'_>>()? {
        let revisit = queue.next;
        queue.next += 1;
        let is_resolved = queue.originals.of(revisit)?.is_some();
        if !is_resolved {
            continue;
        }
        while read.doc < row.before && read.copy(&mut written)? {}
        let next = queue.data.attributes.next()?;
        let attributes = next.filter(|next| next.revisit == revisit);
        let attributes = attributes.ok_or_else(|| {
            Error::Usage(
                "failed to resolve revisits: the copy of a sketch is missing; please report it"
                    .to_owned(),
            )
        })?;
        written.revisit(&row, &attributes)?;
        let sketch = &mut queue.data.fingerprints;
        let mut row: Vec<u64> = Vec::new();
        while let Some(next) = sketch.next_of(revisit)? {
            row.push(next.fingerprint);
            if row.len() == SKETCH_ROW_MAX || sketch.of(revisit)?.is_none() {
                written.sketch(&row)?;
                row.clear();
            }
        }
        written.files.doc += 1;
    }
    while read.copy(&mut written)? {}
    let mut figures = std::mem::take(&mut written.figures);
    let originals = &mut queue.originals;
    let unresolved = rejected(scope, segment, originals, first_revisit, &mut written.files)?;
    let sealed = written.finish()?;
    for (counts, name, n) in [
        (&mut figures.flags, "revisit", figures.documents),
        (&mut figures.rejected, UNRESOLVED_REVISIT, unresolved),
    ] {
        if n > 0 {
            counts.insert(name.to_owned(), n);
        }
    }
    Ok(ResolvedSegment { sealed, figures })
}

/// Reads the segment as it was read from the input.
struct SegmentReader {
    documents: RowReader,
    marks: RecordReader<Mark>,
    sizes: RowReader,
    sketches: RowReader,
    payloads: Option<RecordReader<PayloadRecord>>,
    payload: Option<PayloadRecord>,
    /// Documents copied.
    doc: u32,
}

impl SegmentReader {
    fn open(scope: &SearchScope<'_>, segment: usize) -> Result<SegmentReader, Error> {
        let missing = || {
            Error::Usage(
                "failed to resolve revisits: a segment is incomplete; run `pipeline run --from sketch --force`".to_owned(),
            )
        };
        let rows = |file: SegmentFile| scope.segments.open(segment, file)?.ok_or_else(missing);
        let mut payloads = scope
            .segments
            .open_records::<PayloadRecord>(segment, SegmentFile::Payloads)?;
        let payload = payloads.as_mut().map_or(Ok(None), |reader| reader.next())?;
        Ok(SegmentReader {
            documents: rows(SegmentFile::Documents)?,
            marks: scope
                .segments
                .open_records(segment, SegmentFile::Marks)?
                .ok_or_else(missing)?,
            sizes: rows(SegmentFile::Sizes)?,
            sketches: rows(SegmentFile::Sketches)?,
            payloads,
            payload,
            doc: 0,
        })
    }

    /// Copies the next document; false if there is none.
    fn copy(&mut self, written: &mut JoinedSegmentWriter) -> Result<bool, Error> {
        let is_copied = self.copy_files(written)?;
        self.doc += u32::from(is_copied);
        written.files.doc += u32::from(is_copied);
        Ok(is_copied)
    }

    fn copy_files(&mut self, written: &mut JoinedSegmentWriter) -> Result<bool, FormatError> {
        let Some(row) = self.documents.next::<DocumentRow<'_>>()? else {
            return Ok(false);
        };
        written.files.documents.push(&row)?;
        if let Some(mark) = self.marks.next()? {
            written.files.marks.push(&mark)?;
        }
        if let Some(sizes) = self.sizes.next::<SizesRow>()? {
            written.files.sizes.push(&sizes)?;
        }
        for _ in 0..row.sketch_size.div_ceil(SKETCH_ROW_MAX as u32) {
            if let Some(mut sketch) = self.sketches.next::<SketchRow<'_>>()? {
                sketch.doc = written.files.doc;
                written.files.sketches.push(&sketch)?;
            }
        }
        if let Some(PayloadRecord { payload, .. }) =
            self.payload.filter(|record| record.doc == self.doc)
        {
            written.payload(payload)?;
            self.payload = self
                .payloads
                .as_mut()
                .map_or(Ok(None), |reader| reader.next())?;
        }
        Ok(true)
    }
}

/// Writes the joined segment.
struct JoinedSegmentWriter {
    files: SegmentFiles,
    payloads: RecordWriter<PayloadRecord>,
    revisited: RecordWriter<u32>,
    /// Of the revisits.
    figures: SketchFigures,
    /// Words that a document has at least if it is not short.
    words_min: u64,
}

impl JoinedSegmentWriter {
    fn create(scope: &SearchScope<'_>, segment: usize) -> Result<JoinedSegmentWriter, FormatError> {
        let (snapshot, number) = scope.segments.place(segment);
        let name = segment_name(snapshot, number + scope.own.len() as u32);
        let stem = scope.engine.dir(PHASE).join(name);
        let (disk, fingerprint) = (&scope.engine.disk, scope.engine.fingerprint(PHASE));
        let spec = |file: SegmentFile| {
            let path = stem.with_extension(file.extension());
            RecordSpec::durable(path, file.kind(), fingerprint)
        };
        Ok(JoinedSegmentWriter {
            files: SegmentFiles::create(disk, &stem, fingerprint)?,
            payloads: RecordWriter::create(disk, spec(SegmentFile::Payloads))?,
            revisited: RecordWriter::create(disk, spec(SegmentFile::Revisited))?,
            figures: SketchFigures::default(),
            words_min: u64::from(scope.engine.config.sketch.params().shingle_size),
        })
    }

    /// Adds a revisit but for its sketch.
    fn revisit(
        &mut self,
        row: &RevisitRow<'_>,
        attributes: &OriginalAttributes,
    ) -> Result<(), FormatError> {
        let OriginalAttributes {
            mark,
            modulus,
            bytes,
            shingles,
            sizes,
            ..
        } = *attributes;
        let [entry_offset, inner_offset, length] = row.place;
        self.files.documents.push(&DocumentRow {
            file: row.file,
            id: row.id,
            url: row.url,
            title: None,
            date: row.date,
            entry_offset,
            inner_offset,
            length,
            row: None,
            bytes,
            words: mark.words,
            shingles,
            sketch_size: mark.sketch_size,
            modulus,
            flags: None,
            fields: Vec::new(),
        })?;
        self.files.marks.push(&mark)?;
        self.files.sizes.push(&SizesRow(SizesByLevel { sizes }))?;
        if let Some(payload) = row.payload {
            self.payload(payload)?;
        }
        self.revisited.push(&self.files.doc)?;
        let is_short = mark.words > 0 && mark.words < self.words_min;
        let figures = &mut self.figures;
        figures.documents += 1;
        figures.bytes += bytes;
        figures.shingles += shingles;
        figures.sampled += u64::from(mark.sketch_size);
        figures.without_tokens += u64::from(mark.words == 0);
        figures.short += u64::from(is_short);
        figures.url_bytes += row.url.map_or(0, str::len) as u64;
        Ok(())
    }

    fn payload(&mut self, payload: u128) -> Result<(), FormatError> {
        self.payloads.push(&PayloadRecord {
            doc: self.files.doc,
            payload,
        })
    }

    /// Adds a row of the sketch of the current document.
    fn sketch(&mut self, fingerprints: &[u64]) -> Result<(), FormatError> {
        let SegmentFiles { sketches, doc, .. } = &mut self.files;
        SketchRow::pieces(*doc, fingerprints).try_for_each(|row| sketches.push(&row))
    }

    fn finish(self) -> Result<Vec<Sealed>, FormatError> {
        let further = [self.payloads.finish()?, self.revisited.finish()?];
        Ok(Vec::from_iter(
            self.files.finish()?.into_iter().chain(further),
        ))
    }
}

/// Writes the rejected records with the revisits that refer to nothing among them; counts these.
fn rejected(
    scope: &SearchScope<'_>,
    segment: usize,
    originals: &mut Originals,
    first_revisit: u32,
    files: &mut SegmentFiles,
) -> Result<u64, Error> {
    let (Some(mut before), Some(mut revisits)) = (
        scope.segments.open(segment, SegmentFile::Rejected)?,
        scope.segments.open(segment, SegmentFile::Revisits)?,
    ) else {
        return Ok(0);
    };
    let (mut number, mut unresolved) = (first_revisit, 0);
    let mut held: Option<RejectedRow<'_>> = before.next()?;
    while let Some(row) = revisits.next::<RevisitRow<'_>>()? {
        number += 1;
        if originals.of(number - 1)?.is_some() {
            continue;
        }
        let place = (row.file, row.place[0]);
        while let Some(rejected) =
            held.take_if(|held| (held.file, held.offset).cmp(&place) != Ordering::Greater)
        {
            files.reject(&rejected)?;
            held = before.next()?;
        }
        let (file, offset, url) = (row.file, row.place[0], row.url);
        let (reason, detail) = (
            UNRESOLVED_REVISIT,
            "it refers to a record that is in no snapshot, or is not a page",
        );
        files.reject(&RejectedRow {
            file,
            name: None,
            offset,
            url,
            reason,
            detail,
            records: 1,
        })?;
        unresolved += 1;
    }
    while let Some(rejected) = held {
        files.reject(&rejected)?;
        held = before.next()?;
    }
    Ok(unresolved)
}
