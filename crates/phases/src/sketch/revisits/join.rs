//! A segment as it was read, and copies for its revisits → the segment whole.
//!
//! *Output.* The files of a segment, under a number behind those of all segments that were read.
//! *Algorithm.* Rows of both sides follow each other in document order: a merge. *Memory.* A block
//! a file, and a row of a sketch.

use super::find::Found;
use super::lend::Lending;
use super::records::Lent;
use super::scope::SearchScope;
use crate::segment::TALLIED;
use crate::sketch::planned_segment::PHASE;
use engine::segments::SegmentFile;
use format::{
    DocumentRow, FormatError, Mark, PayloadRecord, RecordReader, RecordSpec, RecordWriter,
    RejectedRow, RevisitRow, RowReader, RowWriter, SKETCH_ROW_MAX, Sealed, SizesRow, SketchRow,
    segment_name,
};
use input::UNRESOLVED_REVISIT;
use model::{Record, SizesByLevel};
use runtime::Error;
use std::cmp::Ordering;
use std::path::PathBuf;

/// A segment that is whole.
pub(super) struct Joined {
    pub(super) sealed: Vec<Sealed>,
    /// What its revisits add to the counts.
    pub(super) counts: Vec<(String, u64)>,
    pub(super) revisits: u32,
}

/// Joins a segment with its revisits, the first of which has this number in the snapshot.
pub(super) fn segment(
    scope: &SearchScope<'_>,
    segment: usize,
    (found, first_revisit): (&mut Found, u32),
    lending: &mut Lending,
) -> Result<Joined, Error> {
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
        return Ok(Joined {
            sealed,
            counts: Vec::new(),
            revisits: 0,
        });
    };
    let work = Error::work(PHASE);
    let mut raw = Raw::open(scope, segment)?;
    let mut whole = Whole::create(scope, segment)?;
    let mut number = first_revisit;
    while let Some(row) = revisits.next::<RevisitRow<'_>>().map_err(work)? {
        let is_resolved = found.document(number)?.is_some();
        number += 1;
        if !is_resolved {
            continue;
        }
        while raw.doc < row.before && raw.copy(&mut whole).map_err(work)? {}
        let lent = lending
            .lent
            .next()
            .map_err(work)?
            .filter(|lent| lent.revisit == number - 1);
        let lent = lent.ok_or_else(|| {
            Error::Usage(
                "failed to resolve revisits: the copy of a sketch is missing; please report it"
                    .to_owned(),
            )
        })?;
        whole.revisit(&row, &lent).map_err(work)?;
        let mut chunk: Vec<u64> = Vec::new();
        for _ in 0..lent.mark.sketch_size {
            chunk.extend(
                lending
                    .prints
                    .next()
                    .map_err(work)?
                    .map(|print| print.fingerprint),
            );
            if chunk.len() == SKETCH_ROW_MAX {
                whole.prints(&chunk).map_err(work)?;
                chunk.clear();
            }
        }
        whole.prints(&chunk).map_err(work)?;
        whole.doc += 1;
    }
    while raw.copy(&mut whole).map_err(work)? {}
    let counts = TALLIED.into_iter().map(str::to_owned).zip(whole.tally);
    let flagged = ("flag.revisit".to_owned(), whole.tally[0]);
    let mut sealed = whole.finish().map_err(work)?;
    let (rejected, unresolved) = rejected(scope, segment, (found, first_revisit))?;
    sealed.push(rejected);
    let unresolved = (format!("rejected.{UNRESOLVED_REVISIT}"), unresolved);
    let counts = counts.chain([flagged, unresolved]).collect();
    Ok(Joined {
        sealed,
        counts,
        revisits: number - first_revisit,
    })
}

/// Where the files of a segment that is whole lie.
fn path(scope: &SearchScope<'_>, segment: usize, file: SegmentFile) -> PathBuf {
    let (snapshot, number) = scope.segments.place(segment);
    let name = segment_name(snapshot, number + scope.own.len() as u32);
    scope
        .engine
        .dir(PHASE)
        .join(format!("{name}.{}", file.extension()))
}

fn rows(scope: &SearchScope<'_>, segment: usize, file: SegmentFile) -> Result<RowWriter, Error> {
    let (path, fingerprint) = (path(scope, segment, file), scope.engine.fingerprint(PHASE));
    RowWriter::create(&scope.engine.disk, path, file.kind(), fingerprint)
        .map_err(Error::work(PHASE))
}

fn records<R: Record>(
    scope: &SearchScope<'_>,
    segment: usize,
    file: SegmentFile,
) -> Result<RecordWriter<R>, Error> {
    let (path, fingerprint) = (path(scope, segment, file), scope.engine.fingerprint(PHASE));
    let spec = RecordSpec::durable(path, file.kind(), fingerprint);
    RecordWriter::create(&scope.engine.disk, spec).map_err(Error::work(PHASE))
}

/// A segment as it was read.
struct Raw {
    documents: RowReader,
    marks: RecordReader<Mark>,
    ladders: RowReader,
    sketches: RowReader,
    payloads: Option<RecordReader<PayloadRecord>>,
    payload: Option<PayloadRecord>,
    /// Documents copied.
    doc: u32,
}

impl Raw {
    fn open(scope: &SearchScope<'_>, segment: usize) -> Result<Raw, Error> {
        let missing = || {
            Error::Usage(
                "failed to resolve revisits: a segment is incomplete; run `pipeline run --from sketch --force`".to_owned(),
            )
        };
        let rows = |file: SegmentFile| scope.segments.open(segment, file)?.ok_or_else(missing);
        let mut payloads = scope
            .segments
            .open_records::<PayloadRecord>(segment, SegmentFile::Payloads)?;
        let payload = payloads
            .as_mut()
            .map_or(Ok(None), |reader| reader.next())
            .map_err(Error::work(PHASE))?;
        Ok(Raw {
            documents: rows(SegmentFile::Documents)?,
            marks: scope
                .segments
                .open_records(segment, SegmentFile::Marks)?
                .ok_or_else(missing)?,
            ladders: rows(SegmentFile::Ladders)?,
            sketches: rows(SegmentFile::Sketches)?,
            payloads,
            payload,
            doc: 0,
        })
    }

    /// Copies the next document; false if there is none.
    fn copy(&mut self, whole: &mut Whole) -> Result<bool, FormatError> {
        let Some(row) = self.documents.next::<DocumentRow<'_>>()? else {
            return Ok(false);
        };
        whole.documents.push(&row)?;
        if let Some(mark) = self.marks.next()? {
            whole.marks.push(&mark)?;
        }
        if let Some(ladder) = self.ladders.next::<SizesRow>()? {
            whole.ladders.push(&ladder)?;
        }
        for _ in 0..row.sketch_size.div_ceil(SKETCH_ROW_MAX as u32) {
            if let Some(mut sketch) = self.sketches.next::<SketchRow<'_>>()? {
                sketch.doc = whole.doc;
                whole.sketches.push(&sketch)?;
            }
        }
        if let Some(PayloadRecord { payload, .. }) =
            self.payload.filter(|record| record.doc == self.doc)
        {
            whole.payload(payload)?;
            self.payload = self
                .payloads
                .as_mut()
                .map_or(Ok(None), |reader| reader.next())?;
        }
        self.doc += 1;
        whole.doc += 1;
        Ok(true)
    }
}

/// A segment being written.
struct Whole {
    documents: RowWriter,
    marks: RecordWriter<Mark>,
    ladders: RowWriter,
    sketches: RowWriter,
    payloads: RecordWriter<PayloadRecord>,
    revisited: RecordWriter<u32>,
    /// Documents so far.
    doc: u32,
    /// Of the revisits, as [`TALLIED`].
    tally: [u64; TALLIED.len()],
    /// Words that a document has at least if it is not short.
    words_min: u64,
}

impl Whole {
    fn create(scope: &SearchScope<'_>, segment: usize) -> Result<Whole, Error> {
        Ok(Whole {
            documents: rows(scope, segment, SegmentFile::Documents)?,
            marks: records(scope, segment, SegmentFile::Marks)?,
            ladders: rows(scope, segment, SegmentFile::Ladders)?,
            sketches: rows(scope, segment, SegmentFile::Sketches)?,
            payloads: records(scope, segment, SegmentFile::Payloads)?,
            revisited: records(scope, segment, SegmentFile::Revisited)?,
            doc: 0,
            tally: [0; TALLIED.len()],
            words_min: u64::from(scope.engine.config.sketch.params().shingle_size),
        })
    }

    /// Adds a revisit but for its sketch.
    fn revisit(&mut self, row: &RevisitRow<'_>, lent: &Lent) -> Result<(), FormatError> {
        let Lent {
            mark,
            modulus,
            bytes,
            shingles,
            sizes,
            ..
        } = *lent;
        let [entry_offset, inner_offset, length] = row.place;
        self.documents.push(&DocumentRow {
            file: row.file,
            id: row.id,
            url: row.url,
            date: row.date,
            entry_offset,
            inner_offset,
            length,
            bytes,
            words: mark.words,
            shingles,
            sketch_size: mark.sketch_size,
            modulus,
            fields: Vec::new(),
        })?;
        self.marks.push(&mark)?;
        self.ladders.push(&SizesRow(SizesByLevel { sizes }))?;
        if let Some(payload) = row.payload {
            self.payload(payload)?;
        }
        self.revisited.push(&self.doc)?;
        let is_short = mark.words > 0 && mark.words < self.words_min;
        let figures = [
            1,
            bytes,
            shingles,
            u64::from(mark.sketch_size),
            u64::from(mark.words == 0),
            u64::from(is_short),
        ];
        for (sum, figure) in self.tally.iter_mut().zip(figures) {
            *sum += figure;
        }
        Ok(())
    }

    fn payload(&mut self, payload: u128) -> Result<(), FormatError> {
        self.payloads.push(&PayloadRecord {
            doc: self.doc,
            payload,
        })
    }

    /// Adds a row of the sketch of the revisit that was added last.
    fn prints(&mut self, prints: &[u64]) -> Result<(), FormatError> {
        SketchRow::pieces(self.doc, prints).try_for_each(|piece| self.sketches.push(&piece))
    }

    fn finish(self) -> Result<Vec<Sealed>, FormatError> {
        let (documents, marks) = (self.documents.finish()?, self.marks.finish()?);
        let (ladders, sketches) = (self.ladders.finish()?, self.sketches.finish()?);
        Ok(vec![
            documents,
            marks,
            ladders,
            sketches,
            self.payloads.finish()?,
            self.revisited.finish()?,
        ])
    }
}

/// Writes what was rejected, with the revisits that refer to nothing among it, and counts these.
fn rejected(
    scope: &SearchScope<'_>,
    segment: usize,
    (found, first_revisit): (&mut Found, u32),
) -> Result<(Sealed, u64), Error> {
    let work = Error::work(PHASE);
    let mut writer = rows(scope, segment, SegmentFile::Rejected)?;
    let (Some(mut before), Some(mut revisits)) = (
        scope.segments.open(segment, SegmentFile::Rejected)?,
        scope.segments.open(segment, SegmentFile::Revisits)?,
    ) else {
        return Ok((writer.finish().map_err(work)?, 0));
    };
    let (mut number, mut unresolved) = (first_revisit, 0);
    let mut held: Option<RejectedRow<'_>> = before.next().map_err(work)?;
    while let Some(row) = revisits.next::<RevisitRow<'_>>().map_err(work)? {
        number += 1;
        if found.document(number - 1)?.is_some() {
            continue;
        }
        let place = (row.file, row.place[0]);
        while let Some(rejected) =
            held.take_if(|held| (held.file, held.offset).cmp(&place) != Ordering::Greater)
        {
            writer.push(&rejected).map_err(work)?;
            held = before.next().map_err(work)?;
        }
        let (file, offset, url) = (row.file, row.place[0], row.url);
        let (reason, detail) = (
            UNRESOLVED_REVISIT,
            "it refers to a record that is in no snapshot, or is not a page",
        );
        writer
            .push(&RejectedRow {
                file,
                name: None,
                offset,
                url,
                reason,
                detail,
            })
            .map_err(work)?;
        unresolved += 1;
    }
    while let Some(rejected) = held {
        writer.push(&rejected).map_err(work)?;
        held = before.next().map_err(work)?;
    }
    Ok((writer.finish().map_err(work)?, unresolved))
}
