//! Reads the documents of one segment and writes its files: the work of one thread in phase
//! `sketch`.
//!
//! *Input.* Pieces of input files. *Output.* The five files that every segment has
//! ([`SegmentFiles`]), and those of revisits and payload digests if there
//! are any. *Algorithm.* Each document is sketched and written at once. *Memory.* One document and
//! a block for each file.

use crate::sketched_piece::{SketchedPiece, unread_page};
use engine::{
    Engine, Error, PhaseName,
    field_types::{field_cell, output_cell, type_number},
    figures::SketchFigures,
    optional_files::OptionalFiles,
    segments::SegmentFiles,
};
use exact::identity::Identities;
use format::{
    DocumentRow, FieldCell, Fingerprint, Mark, PayloadRecord, RejectedRow, RevisitRow, Sealed,
};
use input::{Document, Place, ReadOptions, Rejection, Revisit, Sink, SinkError};
use output::ColumnType;
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
    task: engine::runtime::progress::Task,
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
    pub figures: SketchFigures,
    /// Where each piece ended.
    pub ends: Vec<SketchedPiece>,
}

impl<'a> Worker<'a> {
    /// A worker that reports its progress to `task`.
    pub(crate) fn new(
        engine: &'a Engine<'a>,
        options: ReadOptions,
        task: engine::runtime::progress::Task,
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
        let stem = engine.dir(PHASE).join(name);
        let mut writer = SegmentWriter {
            params: &self.params,
            sketcher: &mut self.sketcher,
            identities: &mut self.identities,
            file: 0,
            files: SegmentFiles::create(&engine.disk, &stem, fingerprint)?,
            further: OptionalFiles::new(&engine.disk, stem, fingerprint),
            figures: SketchFigures::default(),
            field_types: BTreeMap::new(),
        };
        let mut ends = Vec::with_capacity(pieces.len());
        for known in pieces {
            engine.disk.check_interrupt()?;
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

/// The most counts of a segment. Beyond it, further types of records are counted together.
const COUNTS_MAX: usize = 200;

/// Counts that every segment with documents has.
const SUMS: usize = 7;

/// Writes the files of a segment while its documents are read.
struct SegmentWriter<'a> {
    params: &'a SketchParams,
    sketcher: &'a mut Sketcher,
    identities: &'a mut Identities,
    /// Index of the file being read.
    file: u32,
    files: SegmentFiles,
    further: OptionalFiles<'a>,
    /// The figures so far, but for the types of fields.
    figures: SketchFigures,
    field_types: BTreeMap<String, Option<ColumnType>>,
}

/// Adds to the count of this name.
fn count(counts: &mut BTreeMap<String, u64>, name: &str, n: u64) {
    if let Some(count) = counts.get_mut(name) {
        *count += n;
    } else {
        counts.insert(name.to_owned(), n);
    }
}

impl SegmentWriter<'_> {
    fn finish(mut self, ends: Vec<SketchedPiece>) -> Result<SketchedSegment, Error> {
        let field_types = self.field_types.into_iter();
        let numbers = field_types.map(|(name, kind)| (name, kind.map_or(0, type_number)));
        self.figures.field_types = numbers.collect();
        let mut sealed = Vec::from(self.files.finish()?);
        sealed.extend(self.further.finish()?);
        Ok(SketchedSegment {
            sealed,
            figures: self.figures,
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
        let mark = Mark {
            identity: self.identities.of(document),
            lexical: sketched.lexical,
            sketch: sketched.sketch_digest,
            words: sketched.words,
            sketch_size,
            level: sketched.level,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        };
        let sizes = sampling.sizes_by_level(level, sketched.fingerprints);
        let fields: Vec<FieldCell<'_>> = document
            .fields
            .iter()
            .map(|(_, value)| field_cell(value))
            .collect();
        join_field_types(&mut self.field_types, document, &fields);
        let flags = document.flags.join(" ");
        let (words, shingles) = (sketched.words, sketched.shingles);
        let row = DocumentRow {
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
        };
        if let Some(payload) = document.payload {
            let doc = self.files.doc;
            self.further.payload(&PayloadRecord { doc, payload })?;
        }
        let sketch = sketched.fingerprints;
        self.files.push(&row, &mark, sizes, sketch)?;
        let is_short = words > 0 && words < u64::from(self.params.shingle_size);
        let figures = &mut self.figures;
        figures.documents += 1;
        figures.bytes += bytes;
        figures.shingles += shingles;
        figures.sampled += u64::from(sketch_size);
        figures.without_tokens += u64::from(words == 0);
        figures.short += u64::from(is_short);
        figures.url_bytes += document.url.map_or(0, str::len) as u64;
        for flag in document.flags {
            count(&mut figures.flags, flag, 1);
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
        let (before, file) = (self.files.doc, self.file);
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
        let (reason, records) = (rejection.reason, rejection.records);
        count(&mut self.figures.rejected, reason, records);
        self.files.reject(&RejectedRow {
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
        // The types of records are the input's words: it must not fill the memory and the manifest
        // with them.
        let SketchFigures {
            documents,
            rejected,
            flags,
            skipped,
            ..
        } = &mut self.figures;
        let sums = if *documents > 0 { SUMS } else { 0 };
        let counts = skipped.len() + rejected.len() + flags.len() + sums;
        let has_room = counts < COUNTS_MAX && kind.len() <= 64;
        let is_kept = has_room || skipped.contains_key(kind);
        count(skipped, if is_kept { kind } else { "other" }, 1);
    }
}
