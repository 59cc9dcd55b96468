//! Reads the documents of one segment and writes its files: the work of one thread in phase
//! `sketch`.
//!
//! *Input.* Pieces of input files. *Output.* The five files that every segment has
//! ([`SegmentFile::ALL`]), and those of revisits and payload digests if there
//! are any. *Algorithm.* Each document is sketched and written at once. *Memory.* One document and
//! a block for each file.

use crate::identity::Identities;
use crate::sketched_piece::{SketchedPiece, unread_page};
use engine::Engine;
use engine::field_types::{field_cell, output_cell, type_number};
use engine::optional_files::OptionalFiles;
use engine::segments::SegmentFile;
use format::{
    DocumentRow, FieldCell, Fingerprint, Mark, PayloadRecord, RecordSpec, RecordWriter,
    RejectedRow, RevisitRow, RowWriter, Sealed, SizesRow, SketchRow,
};
use input::{Document, Place, ReadOptions, Rejection, Revisit, Sink, SinkError};
use output::ColumnType;
use runtime::{Error, PhaseName};
use sketch::{SketchParams, Sketcher};
use std::collections::BTreeMap;

const PHASE: PhaseName = PhaseName::Sketch;

/// Reads segments. Each thread has one and reuses its buffers for all of its segments.
pub(crate) struct Worker<'a> {
    engine: &'a Engine<'a>,
    params: SketchParams,
    sketcher: Sketcher,
    identities: Identities,
    options: ReadOptions,
    task: runtime::progress::Task,
}

/// A piece of a file, and where its first record begins if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownPiece {
    /// The piece.
    pub piece: input::Piece,
    /// The byte where the first record begins, once the piece before was read.
    pub from: Option<u64>,
}

/// Result of sketching one segment.
pub(crate) struct SketchedSegment {
    /// Its files.
    pub sealed: Vec<Sealed>,
    /// Its counts, by their names in the manifest.
    pub counts: BTreeMap<String, u64>,
    /// Where each piece ended.
    pub ends: Vec<SketchedPiece>,
}

impl<'a> Worker<'a> {
    /// A worker that reports its progress to `task`.
    pub(crate) fn new(
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

    /// Reads the pieces of the segment `name` and seals its files. `first_file` is the first file
    /// of its snapshot in the listing.
    pub(crate) fn run(
        &mut self,
        name: &str,
        first_file: u32,
        pieces: &[KnownPiece],
        fingerprint: Fingerprint,
    ) -> Result<SketchedSegment, Error> {
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
            sizes: rows(SegmentFile::Sizes)?,
            sketches: rows(SegmentFile::Sketches)?,
            rejected: rows(SegmentFile::Rejected)?,
            further: OptionalFiles::new(&engine.disk, dir.join(name), fingerprint),
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
            let end = match end {
                Ok(end) => end.into(),
                Err(error) => unread_page(engine, known.piece, error, &mut writer)?,
            };
            ends.push(end);
            self.task.add(known.piece.end - known.piece.start);
        }
        writer.finish(ends)
    }
}

/// The most counts of a segment. Beyond it, further record types are counted together.
const COUNTS_MAX: usize = 200;

/// Writes the files of a segment while its documents are read.
struct SegmentWriter<'a> {
    params: &'a SketchParams,
    sketcher: &'a mut Sketcher,
    identities: &'a mut Identities,
    /// Index of the file being read.
    file: u32,
    document: u32,
    documents: RowWriter,
    marks: RecordWriter<Mark>,
    sizes: RowWriter,
    sketches: RowWriter,
    rejected: RowWriter,
    further: OptionalFiles<'a>,
    /// The sums of [`TALLIED`] over the documents so far; added to the counts at the end.
    tally: [u64; TALLIED.len()],
    counts: BTreeMap<String, u64>,
    field_types: BTreeMap<String, Option<ColumnType>>,
}

/// Names of the figures that every document adds to.
pub(crate) const TALLIED: [&str; 7] = [
    "documents",
    "bytes",
    "shingles",
    "sampled",
    "without_tokens",
    "short",
    "url_bytes",
];

impl SegmentWriter<'_> {
    fn count(&mut self, name: &str, n: u64) {
        if let Some(count) = self.counts.get_mut(name) {
            *count += n;
        } else {
            self.counts.insert(name.to_owned(), n);
        }
    }

    fn finish(mut self, ends: Vec<SketchedPiece>) -> Result<SketchedSegment, Error> {
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
            self.sizes.finish().map_err(failed)?,
            self.sketches.finish().map_err(failed)?,
            self.rejected.finish().map_err(failed)?,
        ];
        sealed.extend(self.further.finish().map_err(failed)?);
        Ok(SketchedSegment {
            sealed,
            counts: self.counts,
            ends,
        })
    }
}

/// Widens the column type of each carried field to hold the values of a document.
fn join_field_types(
    types: &mut BTreeMap<String, Option<ColumnType>>,
    document: &Document<'_>,
    cells: &[FieldCell<'_>],
) {
    for ((name, _), cell) in document.fields.iter().zip(cells) {
        let cell = output_cell(cell);
        match types.get_mut(name) {
            Some(seen) => *seen = ColumnType::join(*seen, cell),
            None => drop(types.insert(name.clone(), ColumnType::join(None, cell))),
        }
    }
}

impl Sink for SegmentWriter<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let title = self.sketcher.title(document.content);
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
        self.sizes.push(&SizesRow(
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
        join_field_types(&mut self.field_types, document, &fields);
        let flags = document.flags.join(" ");
        let (words, shingles) = (sketched.words, sketched.shingles);
        self.documents.push(&DocumentRow {
            file: self.file,
            id: document.id,
            url: document.url,
            title: title.as_deref(),
            date: document.date,
            entry_offset: document.place.entry_offset,
            inner_offset: document.place.inner_offset,
            length: document.place.length,
            row: document.row,
            bytes,
            words,
            shingles,
            sketch_size,
            modulus: sampling.modulus_at(level),
            flags: Some(&*flags).filter(|flags| !flags.is_empty()),
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
            document.url.map_or(0, str::len) as u64,
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
        self.count(&format!("rejected.{}", rejection.reason), rejection.records);
        self.rejected.push(&RejectedRow {
            file: self.file,
            name: None,
            offset: rejection.offset,
            url: rejection.url.as_deref(),
            reason: rejection.reason,
            detail: &rejection.detail,
            records: rejection.records,
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
