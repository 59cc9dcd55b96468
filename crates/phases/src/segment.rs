//! One task of one thread: the documents of a segment → its five files.

use super::identity::Identities;
use engine::Engine;
use engine::segments::SegmentFile;
use format::{
    Disk, DocumentRow, FieldCell, Fingerprint, FormatError, Mark, PayloadRecord, RecordSpec,
    RecordWriter, RejectedRow, RevisitRow, RowWriter, Sealed, SizesRow, SketchRow,
};
use input::{
    Document, FieldValue, PieceEnd, Place, ReadOptions, Rejection, Revisit, Sink, SinkError,
};
use output::{Cell, ColumnType};
use runtime::{Error, PhaseName};
use sketch::{SketchParams, Sketcher};
use std::collections::BTreeMap;
use std::path::PathBuf;

const PHASE: PhaseName = PhaseName::Sketch;

/// What a segment is read with; one for all segments of a thread.
pub(crate) struct Worker<'a> {
    engine: &'a Engine<'a>,
    params: SketchParams,
    sketcher: Sketcher,
    identities: Identities,
    options: ReadOptions,
    task: runtime::progress::Task,
}

/// A piece with what is known of where its first record begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownPiece {
    pub piece: input::Piece,
    /// The byte where the first record begins, once the piece before said so.
    pub from: Option<u64>,
}

/// What is left of a segment when its thread is done with it.
pub(crate) struct Finished {
    pub sealed: Vec<Sealed>,
    pub counts: BTreeMap<String, u64>,
    pub ends: Vec<PieceEnd>,
}

impl<'a> Worker<'a> {
    pub fn new(
        engine: &'a Engine<'a>,
        options: ReadOptions,
        task: runtime::progress::Task,
    ) -> Worker<'a> {
        let params = engine.config.sketch.params();
        let identities = Identities::new(params.keys.content_seed());
        Worker {
            engine,
            sketcher: Sketcher::new(&params),
            identities,
            params,
            options,
            task,
        }
    }

    /// Reads the pieces of a segment, by its name and the first file of its snapshot, and seals its
    /// files.
    pub fn run(
        &mut self,
        (name, first_file): (&str, u32),
        pieces: &[KnownPiece],
        fingerprint: Fingerprint,
    ) -> Result<Finished, Error> {
        let engine = self.engine;
        let dir = engine.dir(PHASE);
        let failed = Error::work(PHASE);
        let rows = |file: SegmentFile| {
            let path = dir.join(format!("{name}.{}", file.extension()));
            RowWriter::create(&engine.disk, path, file.kind(), fingerprint).map_err(failed)
        };
        let marks = SegmentFile::Marks;
        let marks_spec = RecordSpec::durable(
            dir.join(format!("{name}.{}", marks.extension())),
            marks.kind(),
            fingerprint,
        );
        let mut writer = SegmentWriter {
            params: &self.params,
            sketcher: &mut self.sketcher,
            identities: &mut self.identities,
            file: 0,
            document: 0,
            documents: rows(SegmentFile::Documents)?,
            marks: RecordWriter::create(&engine.disk, marks_spec).map_err(failed)?,
            ladders: rows(SegmentFile::Ladders)?,
            sketches: rows(SegmentFile::Sketches)?,
            rejected: rows(SegmentFile::Rejected)?,
            further: Further {
                disk: &engine.disk,
                stem: dir.join(name),
                fingerprint,
                payloads: None,
                revisits: None,
            },
            tally: [0; TALLIED.len()],
            counts: BTreeMap::new(),
            field_types: BTreeMap::new(),
        };
        let mut ends = Vec::with_capacity(pieces.len());
        for known in pieces {
            engine.disk.check_interrupt().map_err(failed)?;
            writer.file = known.piece.file - first_file;
            let file = &engine.inputs.listing.files[known.piece.file as usize];
            let end = input::read_piece(file, &known.piece, known.from, &self.options, &mut writer);
            ends.push(end.map_err(unwrap_sink_error)?);
            self.task.add(known.piece.end - known.piece.start);
        }
        writer.finish(ends)
    }
}

/// Carried text of a document; a row must fit a block.
const CARRIED_BYTES_MAX: usize = 64 << 20;

/// Different counts of a segment, beyond which record types are counted together.
const COUNTS_MAX: usize = 200;

/// An error that went from here through a reader and back.
fn unwrap_sink_error(error: input::InputError) -> Error {
    match error {
        input::InputError::Sink(inner) => match inner.downcast::<format::FormatError>() {
            Ok(error) => Error::from_format(Some(PHASE), *error),
            Err(inner) => Error::Input(input::InputError::Sink(inner)),
        },
        error => Error::Input(error),
    }
}

struct SegmentWriter<'a> {
    params: &'a SketchParams,
    sketcher: &'a mut Sketcher,
    identities: &'a mut Identities,
    /// Index of the file being read.
    file: u32,
    document: u32,
    documents: RowWriter,
    marks: RecordWriter<Mark>,
    ladders: RowWriter,
    sketches: RowWriter,
    rejected: RowWriter,
    further: Further<'a>,
    /// Of the documents so far; part of the counts in the end.
    tally: [u64; TALLIED.len()],
    counts: BTreeMap<String, u64>,
    field_types: BTreeMap<String, Option<ColumnType>>,
}

/// Files that few segments have.
struct Further<'a> {
    disk: &'a Disk,
    /// Path and name of the segment.
    stem: PathBuf,
    fingerprint: Fingerprint,
    payloads: Option<RecordWriter<PayloadRecord>>,
    revisits: Option<RowWriter>,
}

impl Further<'_> {
    fn path(&self, file: SegmentFile) -> PathBuf {
        self.stem.with_extension(file.extension())
    }

    fn payload(&mut self, record: &PayloadRecord) -> Result<(), FormatError> {
        if let Some(writer) = &mut self.payloads {
            return writer.push(record);
        }
        let file = SegmentFile::Payloads;
        let spec = RecordSpec::durable(self.path(file), file.kind(), self.fingerprint);
        self.payloads
            .insert(RecordWriter::create(self.disk, spec)?)
            .push(record)
    }

    fn revisit(&mut self, row: &RevisitRow<'_>) -> Result<(), FormatError> {
        if let Some(writer) = &mut self.revisits {
            return writer.push(row);
        }
        let file = SegmentFile::Revisits;
        let writer = RowWriter::create(self.disk, self.path(file), file.kind(), self.fingerprint)?;
        self.revisits.insert(writer).push(row)
    }

    fn finish(self) -> Result<impl Iterator<Item = Sealed>, FormatError> {
        let payloads = self.payloads.map(RecordWriter::finish).transpose()?;
        let revisits = self.revisits.map(RowWriter::finish).transpose()?;
        Ok(payloads.into_iter().chain(revisits))
    }
}

/// What is counted of every document.
pub(crate) const TALLIED: [&str; 6] = [
    "documents",
    "bytes",
    "shingles",
    "sampled",
    "without_tokens",
    "short",
];

impl SegmentWriter<'_> {
    fn count(&mut self, name: &str, n: u64) {
        if let Some(count) = self.counts.get_mut(name) {
            *count += n;
        } else {
            self.counts.insert(name.to_owned(), n);
        }
    }

    fn finish(mut self, ends: Vec<PieceEnd>) -> Result<Finished, Error> {
        let failed = Error::work(PHASE);
        if self.document > 0 {
            for (name, n) in TALLIED.into_iter().zip(self.tally) {
                self.count(name, n);
            }
        }
        for (name, kind) in std::mem::take(&mut self.field_types) {
            self.count(&format!("field.{name}"), kind.map_or(0, type_number));
        }
        let mut sealed = vec![
            self.documents.finish().map_err(failed)?,
            self.marks.finish().map_err(failed)?,
            self.ladders.finish().map_err(failed)?,
            self.sketches.finish().map_err(failed)?,
            self.rejected.finish().map_err(failed)?,
        ];
        sealed.extend(self.further.finish().map_err(failed)?);
        Ok(Finished {
            sealed,
            counts: self.counts,
            ends,
        })
    }
}

/// Column types as numbers of the manifest; 0 is only nulls.
const TYPES: [ColumnType; 4] = [
    ColumnType::Int64,
    ColumnType::Double,
    ColumnType::Utf8,
    ColumnType::Bool,
];

fn type_number(kind: ColumnType) -> u64 {
    TYPES
        .iter()
        .position(|known| *known == kind)
        .map_or(3, |at| at as u64 + 1)
}

/// The type that holds what both hold, as numbers of the manifest.
pub(crate) fn join_types(a: u64, b: u64) -> u64 {
    let seen = type_of(a);
    let sample = match type_of(b) {
        None => Cell::Null,
        Some(ColumnType::Double) => Cell::Double(0.0),
        Some(ColumnType::Utf8) => Cell::Utf8(""),
        Some(ColumnType::Bool) => Cell::Bool(false),
        Some(_) => Cell::Int64(0),
    };
    ColumnType::join(seen, sample).map_or(0, type_number)
}

/// The column type behind a number of the manifest.
pub(crate) fn type_of(number: u64) -> Option<ColumnType> {
    TYPES
        .get(usize::try_from(number.checked_sub(1)?).ok()?)
        .copied()
}

fn field_cell(value: &FieldValue) -> FieldCell<'_> {
    match value {
        FieldValue::Null => FieldCell::Null,
        FieldValue::Integer(value) => FieldCell::Integer(*value),
        FieldValue::Float(value) => FieldCell::Float(*value),
        FieldValue::Text(text) => FieldCell::Text(text),
        FieldValue::Bool(value) => FieldCell::Bool(*value),
    }
}

/// A carried field as a cell of the document table.
pub(crate) fn output_cell<'a>(cell: &FieldCell<'a>) -> Cell<'a> {
    match *cell {
        FieldCell::Null => Cell::Null,
        FieldCell::Integer(value) => Cell::Int64(value),
        FieldCell::Float(value) => Cell::Double(value),
        FieldCell::Text(text) => Cell::Utf8(text),
        FieldCell::Bool(value) => Cell::Bool(value),
    }
}

impl Sink for SegmentWriter<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let carried = |(_, value): &(String, FieldValue)| {
            if let FieldValue::Text(text) = value {
                text.len()
            } else {
                0
            }
        };
        if document.fields.iter().map(carried).sum::<usize>() > CARRIED_BYTES_MAX {
            let (offset, url) = (document.place.entry_offset, document.url.map(str::to_owned));
            let detail = "the fields it carries are over 64 MiB".to_owned();
            return self.rejected(Rejection {
                offset,
                url,
                reason: "too-large",
                detail,
            });
        }
        let sketched = self.sketcher.sketch(document.content);
        let sampling = self.params.sampling;
        let level = usize::from(sketched.level);
        let sketch_size = u32::try_from(sketched.fingerprints.len()).unwrap_or(u32::MAX);
        let bytes = document.body.len() as u64;
        self.marks.push(&Mark {
            identity: self.identities.of(document),
            lexical: sketched.lexical,
            sketch: sketched.sketch_digest,
            words: sketched.words,
            sketch_size,
            level: sketched.level,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        })?;
        self.ladders.push(&SizesRow(
            sampling.sizes_by_level(level, sketched.fingerprints),
        ))?;
        for piece in SketchRow::pieces(self.document, sketched.fingerprints) {
            self.sketches.push(&piece)?;
        }
        let fields: Vec<FieldCell<'_>> = document
            .fields
            .iter()
            .map(|(_, value)| field_cell(value))
            .collect();
        for ((name, _), cell) in document.fields.iter().zip(&fields) {
            match self.field_types.get_mut(name) {
                Some(seen) => *seen = ColumnType::join(*seen, output_cell(cell)),
                None => drop(
                    self.field_types
                        .insert(name.clone(), ColumnType::join(None, output_cell(cell))),
                ),
            }
        }
        let (words, shingles) = (sketched.words, sketched.shingles);
        self.documents.push(&DocumentRow {
            file: self.file,
            id: document.id,
            url: document.url,
            date: document.date,
            entry_offset: document.place.entry_offset,
            inner_offset: document.place.inner_offset,
            length: document.place.length,
            bytes,
            words,
            shingles,
            sketch_size,
            modulus: sampling.modulus_at(level),
            fields,
        })?;
        if let Some(payload) = document.payload {
            self.further.payload(&PayloadRecord {
                doc: self.document,
                payload,
            })?;
        }
        self.document += 1;
        let is_short = words > 0 && words < u64::from(self.params.shingle_size);
        let figures = [
            1,
            bytes,
            shingles,
            u64::from(sketch_size),
            u64::from(words == 0),
            u64::from(is_short),
        ];
        for (sum, figure) in self.tally.iter_mut().zip(figures) {
            *sum += figure;
        }
        for flag in document.flags {
            self.count(&format!("flag.{flag}"), 1);
        }
        Ok(())
    }

    fn revisit(&mut self, revisit: &Revisit<'_>) -> Result<(), SinkError> {
        let Revisit {
            id,
            url,
            date,
            payload,
            refers_to_id,
            refers_to_url,
            refers_to_date,
            ..
        } = *revisit;
        let Place {
            entry_offset,
            inner_offset,
            length,
        } = revisit.place;
        let place = [entry_offset, inner_offset, length];
        let (before, file) = (self.document, self.file);
        let row = RevisitRow {
            before,
            file,
            id,
            url,
            date,
            place,
            payload,
            refers_to_id,
            refers_to_url,
            refers_to_date,
        };
        Ok(self.further.revisit(&row)?)
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.count(&format!("rejected.{}", rejection.reason), 1);
        self.rejected.push(&RejectedRow {
            file: self.file,
            name: None,
            offset: rejection.offset,
            url: rejection.url.as_deref(),
            reason: rejection.reason,
            detail: &rejection.detail,
        })?;
        Ok(())
    }

    fn skipped(&mut self, kind: &str) {
        let name = format!("skipped.{kind}");
        // The types of records are the input's words: it must not fill the memory and the manifest
        // with them.
        let tallied = if self.document > 0 { TALLIED.len() } else { 0 };
        let room = self.counts.len() + tallied < COUNTS_MAX && kind.len() <= 64;
        let name = if room || self.counts.contains_key(&name) {
            &name
        } else {
            "skipped.other"
        };
        self.count(name, 1);
    }
}
