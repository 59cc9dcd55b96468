//! Reads documents again from the input, and makes the sets of their shingles.
//!
//! *Input.* Wanted documents in order; the listed files. *Output.* Sets. *Algorithm.* Documents are
//! in the order of files. Threads take files from a counter. A file of which few documents are
//! wanted is read at their places, any other from its beginning to the last wanted document. A
//! document whose tokens are not those that phase `sketch` met has no set: the file was changed.
//! *Memory.* The free budget, see `reading_memory`, and 32 bytes a file. *Disk.* 28 bytes a
//! document.

use crate::places::{WantedFile, WantedFiles, WantedPlace, write_places};
use crate::reading_memory::{ReadingMemory, reserve_document};
use crate::{SetPlan, Texts, WantedDocuments};
use format::{FormatError, RecordReader};
use input::{
    Document, Format, InputError, LargeRecords, Piece, Place, ReadOptions, Rejection, Sink,
    SinkError, SourceFile,
};
use model::{Content, Sampling};
use runtime::Error;
use sets::{SetFeeder, ThreadFeeder, Workplace};
use sketch::{SketchParams, Sketcher};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The scratch file of places.
const PLACES: &str = "places.run-0";

/// The texts of the input.
pub struct InputTexts<'a> {
    workplace: Workplace<'a>,
    /// All shingles, and not a sample of them.
    params: SketchParams,
    /// Documents that have no body.
    bodiless: AtomicU64,
    changed: AtomicU64,
}

impl<'a> InputTexts<'a> {
    /// The texts of the input of a run.
    pub fn new(workplace: &Workplace<'a>) -> InputTexts<'a> {
        let params = SketchParams {
            sampling: Sampling::Modulus { modulus: 1 },
            ..workplace.engine.config.sketch.params()
        };
        InputTexts {
            workplace: workplace.clone(),
            params,
            bodiless: AtomicU64::new(0),
            changed: AtomicU64::new(0),
        }
    }

    /// How many documents have no body, nor any other of the same tokens.
    pub fn bodiless(&self) -> u64 {
        self.bodiless.load(Ordering::Relaxed)
    }

    /// How many documents could not be read any more as they were.
    pub fn changed(&self) -> u64 {
        self.changed.load(Ordering::Relaxed)
    }
}

impl Texts for InputTexts<'_> {
    fn read<'s>(
        &self,
        wanted: WantedDocuments,
        sets: &SetPlan<'s>,
    ) -> Result<SetFeeder<'s>, Error> {
        let engine = self.workplace.engine;
        let WantedFiles {
            files,
            largest_body,
            bodiless,
        } = write_places(&self.workplace, wanted, PLACES)?;
        self.bodiless.fetch_add(bodiless, Ordering::Relaxed);
        let _document = reserve_document(engine, &self.params, largest_body);
        let feeder = sets.feeder()?;
        let threads_max = engine.config.work.threads.min(files.len());
        let memory = ReadingMemory::reserve(engine, &self.params, threads_max);
        self.read_files(&files, &memory, &feeder)?;
        let removed = self.workplace.remove(PLACES);
        removed.map_err(Error::work(self.workplace.phase))?;
        Ok(feeder)
    }
}

impl InputTexts<'_> {
    /// Reads the wanted documents of all files, on all threads.
    fn read_files(
        &self,
        files: &[WantedFile],
        memory: &ReadingMemory,
        sets: &SetFeeder<'_>,
    ) -> Result<(), Error> {
        let (engine, phase) = (self.workplace.engine, self.workplace.phase);
        let listed = &engine.inputs.listing.files;
        let bytes = files.iter().map(|of| listed[of.file].bytes).sum();
        let progress = engine.reporter.task_named("compare", "bytes", bytes);
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let large = LargeRecords::default();
        let work = || -> Result<(), Error> {
            let mut reader = Reader {
                texts: self,
                sketcher: Sketcher::new(&self.params),
                feeder: sets.thread().map_err(Error::work(phase))?,
                piece: memory.piece,
            };
            while let Some(of) = files.get(next.fetch_add(1, Ordering::Relaxed))
                && !failed.load(Ordering::Relaxed)
            {
                if let Err(error) = reader.file(of, &large) {
                    failed.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                progress.add(listed[of.file].bytes);
            }
            Ok(())
        };
        let results: Vec<Result<(), Error>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..memory.threads).map(|_| scope.spawn(work)).collect();
            let died = || Err(Error::thread_died("compare"));
            let join = |handle: std::thread::ScopedJoinHandle<'_, Result<(), Error>>| {
                handle.join().unwrap_or_else(|_| died())
            };
            handles.into_iter().map(join).collect()
        });
        progress.finish();
        results.into_iter().collect()
    }

    /// Counts documents that are not any more where they were.
    fn leave_out(&self, documents: u64) -> Result<(), Error> {
        self.changed.fetch_add(documents, Ordering::Relaxed);
        Ok(())
    }
}

/// What one thread reads with.
struct Reader<'a> {
    texts: &'a InputTexts<'a>,
    sketcher: Sketcher,
    feeder: ThreadFeeder<'a>,
    /// Fingerprints of a piece of a set.
    piece: usize,
}

impl Reader<'_> {
    /// Reads the wanted documents of a file.
    fn file(&mut self, of: &WantedFile, large: &LargeRecords) -> Result<(), Error> {
        let texts = self.texts;
        let engine = texts.workplace.engine;
        let file = &engine.inputs.listing.files[of.file];
        let options = ReadOptions {
            fields: engine.config.input.fields.clone(),
            max_document_bytes: engine.config.input.max_document_bytes,
            large: large.clone(),
        };
        let work = Error::work(texts.workplace.phase);
        let mut places: RecordReader<WantedPlace> = texts.workplace.read(PLACES).map_err(work)?;
        places.seek(of.first).map_err(work)?;
        let mut picked = FileDocuments {
            reader: self,
            next: places.next().map_err(work)?,
            places,
            left: of.count,
        };
        let few = of.bytes < file.bytes && file.format != Format::Parquet;
        let result = if few {
            picked.read_each(file, &options)
        } else {
            let (start, end) = (0, file.bytes);
            let piece = Piece {
                file: 0,
                start,
                end,
            };
            input::read_piece(file, &piece, Some(0), &options, &mut picked).map(drop)
        };
        let left = picked.left;
        match result {
            Err(InputError::Sink(stop)) if stop.is::<AllMet>() => Ok(()),
            Err(InputError::Sink(inner)) => Err(match inner.downcast::<FormatError>() {
                Ok(error) => work(*error),
                Err(inner) => Error::Input(InputError::Sink(inner)),
            }),
            Err(error) if lies_in_the_file(&error) => texts.leave_out(left),
            Err(error) => Err(Error::Input(error)),
            Ok(()) => texts.leave_out(left),
        }
    }

    /// Makes all shingles of a document.
    fn take(&mut self, wanted: &WantedPlace, content: Content<'_>) -> Result<(), FormatError> {
        let texts = self.texts;
        texts.workplace.engine.disk.check_interrupt()?;
        let feeder = &mut self.feeder;
        let mut set = feeder.begin(wanted.doc, 0)?;
        let mut is_same = false;
        self.sketcher.set_pieces(content, self.piece, |piece| {
            is_same = piece.lexical == wanted.lexical;
            if is_same {
                feeder.push_piece(&mut set, piece.fingerprints)?;
            }
            Ok::<bool, FormatError>(is_same)
        })?;
        if is_same {
            return feeder.end(set);
        }
        texts.changed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Whether an error says something of the file, and not of the disk.
fn lies_in_the_file(error: &InputError) -> bool {
    matches!(error, InputError::Changed { .. }) || error.unopened_file().is_some()
}

/// Stops a reader that has met all wanted documents of its file.
#[derive(Debug, thiserror::Error)]
#[error("all wanted documents were met")]
struct AllMet;

/// The wanted documents of one file.
struct FileDocuments<'r, 'a> {
    reader: &'r mut Reader<'a>,
    places: RecordReader<WantedPlace>,
    next: Option<WantedPlace>,
    /// How many are still to be met.
    left: u64,
}

impl FileDocuments<'_, '_> {
    /// Takes the document that is wanted next.
    fn met(&mut self, wanted: &WantedPlace, content: Content<'_>) -> Result<(), FormatError> {
        self.reader.take(wanted, content)?;
        self.left -= 1;
        self.next = if self.left > 0 {
            self.places.next()?
        } else {
            None
        };
        Ok(())
    }

    /// Reads each document at its place.
    fn read_each(&mut self, file: &SourceFile, options: &ReadOptions) -> Result<(), InputError> {
        while let Some(wanted) = self.next.take() {
            let mut taken = Ok(());
            input::read_document_at(file, &wanted.place(), options, &mut |document| {
                taken = self.met(&wanted, document.content);
            })?;
            taken.map_err(|error| InputError::Sink(Box::new(error)))?;
        }
        Ok(())
    }
}

impl Sink for FileDocuments<'_, '_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let Place {
            entry_offset,
            inner_offset,
            ..
        } = document.place;
        let here = |wanted: &WantedPlace| {
            let place = wanted.place();
            (place.entry_offset, place.inner_offset) == (entry_offset, inner_offset)
        };
        while let Some(wanted) = self.next.filter(here) {
            self.met(&wanted, document.content)?;
        }
        if self.left == 0 {
            return Err(Box::new(AllMet));
        }
        Ok(())
    }

    fn rejected(&mut self, _: Rejection) -> Result<(), SinkError> {
        Ok(())
    }

    fn skipped(&mut self, _: &str) {}
}
