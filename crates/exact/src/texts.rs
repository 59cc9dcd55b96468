//! Reads documents again from the input, and makes the sets of their shingles.
//!
//! *Input.* Wanted documents in order; the listed files. *Output.* Sets. *Algorithm.* Documents are
//! in the order of files. Threads take files from a counter. A file of which few documents are
//! wanted is read at their places, any other from its beginning to the last wanted document. A
//! document whose tokens are not those that phase `sketch` met has no set: the file was changed.
//! *Memory.* Half of what is free for threads, each with a document of up to 1 MiB; the other half
//! for one larger document at a time. One that does not fit is left out and counted. 32 bytes a
//! file. *Disk.* 28 bytes a document.

use crate::places::{WantedFile, WantedFiles, WantedPlace, write_places};
use crate::{Texts, WantedDocument};
use format::{FormatError, RecordReader};
use input::{
    Document, Format, InputError, LARGE_RECORD_BYTES, LargeRecords, PARQUET_THREAD_BYTES, Piece,
    Place, ReadOptions, Rejection, Sink, SinkError, SourceFile,
};
use model::{Content, Sampling};
use phases::sketch::PER_THREAD_BYTES;
use runtime::Error;
use sets::{SetFeeder, ThreadFeeder, Workplace};
use sketch::{SketchParams, Sketcher};
use sort::{Distinct, Sorted};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The scratch file of places.
const PLACES: &str = "places.run-0";

/// The texts of the input.
pub struct InputTexts<'a> {
    workplace: Workplace<'a>,
    /// All shingles, and not a sample of them.
    params: SketchParams,
    limit: DocumentLimit,
    /// Documents that did not fit the memory.
    too_large: Mutex<HashSet<u32>>,
    /// Documents whose body was larger than wanted, or that have none.
    left_out: [AtomicU64; 2],
    changed: AtomicU64,
}

/// Which documents are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentLimit {
    /// Those that do not fit the memory.
    Memory,
    /// Those with a body of more than 1 MiB, whatever the memory: so the result does not depend on
    /// it.
    Body,
}

/// The largest body of [`DocumentLimit::Body`]: a thread has room for it.
const BODY_BYTES_MAX: u32 = LARGE_RECORD_BYTES as u32;

impl<'a> InputTexts<'a> {
    /// The texts of the input of a run.
    pub fn new(workplace: &Workplace<'a>, limit: DocumentLimit) -> InputTexts<'a> {
        let params = SketchParams {
            sampling: Sampling::Modulus { modulus: 1 },
            ..workplace.engine.config.sketch.params()
        };
        InputTexts {
            workplace: workplace.clone(),
            params,
            limit,
            too_large: Mutex::default(),
            left_out: [const { AtomicU64::new(0) }; 2],
            changed: AtomicU64::new(0),
        }
    }

    /// How many documents were too large.
    pub fn too_large(&self) -> u64 {
        let too_large = self.too_large.lock();
        let in_memory = too_large.unwrap_or_else(PoisonError::into_inner).len() as u64;
        in_memory + self.left_out[0].load(Ordering::Relaxed)
    }

    /// How many documents have no body, nor any other of the same tokens.
    pub fn bodiless(&self) -> u64 {
        self.left_out[1].load(Ordering::Relaxed)
    }

    /// How many documents could not be read any more as they were.
    pub fn changed(&self) -> u64 {
        self.changed.load(Ordering::Relaxed)
    }

    /// Threads that may read at once, within so many bytes.
    fn threads(&self, memory_bytes: usize, files: &[WantedFile]) -> usize {
        let engine = self.workplace.engine;
        let listed = &engine.inputs.listing.files;
        let is_parquet = |of: &WantedFile| listed[of.file].format == Format::Parquet;
        let each = PER_THREAD_BYTES
            + sketch::memory_bytes_max(&self.params, LARGE_RECORD_BYTES as u64)
            + if files.iter().any(is_parquet) {
                PARQUET_THREAD_BYTES
            } else {
                0
            };
        let fitting = memory_bytes as u64 / each;
        let wanted = engine.config.work.threads.min(files.len());
        wanted
            .min(usize::try_from(fitting).unwrap_or(usize::MAX))
            .max(1)
    }
}

impl Texts for InputTexts<'_> {
    fn read(
        &self,
        wanted: Sorted<WantedDocument, Distinct>,
        sets: &SetFeeder<'_>,
    ) -> Result<(), Error> {
        let (engine, phase) = (self.workplace.engine, self.workplace.phase);
        let bytes_max = match self.limit {
            DocumentLimit::Memory => u32::MAX,
            DocumentLimit::Body => BODY_BYTES_MAX,
        };
        let WantedFiles {
            files,
            too_large,
            bodiless,
        } = write_places(&self.workplace, wanted, PLACES, bytes_max)?;
        for (count, left_out) in self.left_out.iter().zip([too_large, bodiless]) {
            count.fetch_add(left_out, Ordering::Relaxed);
        }
        let memory = engine.budget.reserve_share(1, 1);
        let threads = self.threads(memory.bytes() / 2, &files);
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
                memory_bytes: memory.bytes() as u64 / 2,
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
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let died = || Err(Error::thread_died("compare"));
            let join = |handle: std::thread::ScopedJoinHandle<'_, Result<(), Error>>| {
                handle.join().unwrap_or_else(|_| died())
            };
            handles.into_iter().map(join).collect()
        });
        progress.finish();
        results.into_iter().collect::<Result<(), Error>>()?;
        self.workplace.remove(PLACES).map_err(Error::work(phase))
    }
}

/// What one thread reads with.
struct Reader<'a> {
    texts: &'a InputTexts<'a>,
    sketcher: Sketcher,
    feeder: ThreadFeeder<'a>,
    /// What a document may take.
    memory_bytes: u64,
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
        let mut picked = WantedDocuments {
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
        let bytes = content.as_str().len() as u64;
        let needed = bytes.saturating_add(sketch::memory_bytes_max(&texts.params, bytes));
        if texts.limit == DocumentLimit::Memory && needed > self.memory_bytes {
            let too_large = texts.too_large.lock();
            let mut too_large = too_large.unwrap_or_else(PoisonError::into_inner);
            too_large.insert(wanted.doc);
            return Ok(());
        }
        let sketched = self.sketcher.sketch(content);
        if sketched.lexical != wanted.lexical {
            texts.changed.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        self.feeder.push(wanted.doc, 0, sketched.fingerprints)
    }
}

impl InputTexts<'_> {
    /// Counts documents that are not any more where they were.
    fn leave_out(&self, documents: u64) -> Result<(), Error> {
        self.changed.fetch_add(documents, Ordering::Relaxed);
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
struct WantedDocuments<'r, 'a> {
    reader: &'r mut Reader<'a>,
    places: RecordReader<WantedPlace>,
    next: Option<WantedPlace>,
    /// How many are still to be met.
    left: u64,
}

impl WantedDocuments<'_, '_> {
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

impl Sink for WantedDocuments<'_, '_> {
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
