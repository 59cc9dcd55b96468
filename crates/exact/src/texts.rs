//! Reads documents again from the input, and makes the sets of their shingles, or something else.
//!
//! *Input.* Wanted documents in order; the listed files. *Output.* Sets. *Algorithm.* Documents are
//! in the order of files. Threads take batches of them (`batches`). A document whose body is not
//! that which phase `sketch` met is not taken: the file was changed. *Memory.* The free budget,
//! see `reading_memory`. *Disk.* 48 bytes a document.

use crate::batches::{BatchReading, PlaceBatch, PlaceBatches};
use crate::identity::identity;
use crate::places::{PLACES, PlaceReader, WantedCounts, WantedPlace, write_places};
use crate::reading_memory::{ReadingMemory, reserve_document};
use crate::{SetFeeder, Workplace};
use crate::{Texts, WantedDocument, WantedDocuments};
use engine::{Error, runtime::progress::Task, runtime::threads::in_threads};
use format::FormatError;
use input::{Document, InputError, ReadOptions, Sink, SinkError, SourceFile};
use model::{Content, Sampling, Unpoisoned, Words};
use sketch::{SketchParams, Sketcher, TextOfPages};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The texts of the input.
pub struct InputTexts<'a> {
    workplace: Workplace<'a>,
    /// All shingles, and not a sample of them.
    params: SketchParams,
    /// Documents that have no body.
    bodiless: AtomicU64,
    unread: AtomicU64,
    /// The first input files with a document that could not be read, by their numbers in the
    /// listing.
    unread_files: Mutex<BTreeSet<u32>>,
}

/// Takes the documents that are wanted, one after the other, on one thread.
pub type TakeText<'a> = dyn FnMut(WantedDocument, Content<'_>) -> Result<(), FormatError> + 'a;

/// Takes documents at their places, one after the other, on one thread.
pub(crate) trait TakePlace:
    FnMut(&WantedPlace, Content<'_>) -> Result<(), FormatError>
{
}

impl<T: FnMut(&WantedPlace, Content<'_>) -> Result<(), FormatError>> TakePlace for T {}

/// Files that could not be read and are remembered; a later run tries them again.
const UNREAD_MAX: usize = 16;

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
            unread: AtomicU64::new(0),
            unread_files: Mutex::default(),
        }
    }

    /// The texts of the input, with all text of pages, frames too, whatever the configuration says.
    pub fn of_whole_pages(workplace: &Workplace<'a>) -> InputTexts<'a> {
        let mut texts = InputTexts::new(workplace);
        texts.params.text_of_pages = TextOfPages::Whole;
        texts
    }

    /// How many documents have no body, nor any other of the same tokens.
    pub fn bodiless(&self) -> u64 {
        self.bodiless.load(Ordering::Relaxed)
    }

    /// The first input files with a document that could not be read, by their numbers in the
    /// listing.
    pub fn unread_files(&self) -> BTreeSet<u32> {
        let files = self.unread_files.lock();
        files.unpoisoned().clone()
    }

    /// The parameters of the sketches of the run.
    pub(crate) fn params_of_run(&self) -> SketchParams {
        self.workplace.engine.config.sketch.params()
    }

    fn note_unread(&self, file: u32, documents: u64) {
        self.unread.fetch_add(documents, Ordering::Relaxed);
        let files = self.unread_files.lock();
        let mut files = files.unpoisoned();
        files.insert(file);
        if files.len() > UNREAD_MAX {
            files.pop_last();
        }
    }

    /// How many documents could not be read any more as they were.
    pub fn unread(&self) -> u64 {
        self.unread.load(Ordering::Relaxed)
    }
}

impl Texts for InputTexts<'_> {
    fn read<'s>(
        &self,
        wanted: WantedDocuments,
        place: &Workplace<'s>,
    ) -> Result<SetFeeder<'s>, Error> {
        let counts = self.write_places(wanted)?;
        let _document = reserve_document(self.workplace.engine, &self.params, counts.largest_body);
        let feeder = SetFeeder::of_run(place)?;
        self.read_places(&counts, &self.params, |most| {
            let (mut sketcher, mut feeder) = (Sketcher::new(&self.params), feeder.thread());
            Ok(move |wanted: &WantedPlace, content: Content<'_>| {
                let mut set = feeder.begin(wanted.doc, 0)?;
                sketcher.set_pieces(content, most, |piece| match piece.is_last {
                    true => feeder.push_last_piece(&mut set, piece.fingerprints),
                    false => feeder.push_piece(&mut set, piece.fingerprints),
                })
            })
        })?;
        Ok(feeder)
    }
}

impl InputTexts<'_> {
    /// Hands each wanted document that can be read, with all that counts of it, to the taker of a
    /// thread.
    pub fn hand_on<'t>(
        &self,
        wanted: WantedDocuments,
        taker: &(dyn Fn() -> Result<Box<TakeText<'t>>, FormatError> + Sync),
    ) -> Result<(), Error> {
        self.read_documents(wanted, &self.params, || {
            let mut take = taker()?;
            Ok(move |wanted: &WantedPlace, content: Content<'_>| {
                take(Words([wanted.text, wanted.doc]), content)
            })
        })
    }

    /// Reads the wanted documents and hands each to the taker of a thread, which sketches with
    /// these parameters.
    pub(crate) fn read_documents<T: TakePlace>(
        &self,
        wanted: WantedDocuments,
        params: &SketchParams,
        taker: impl Fn() -> Result<T, FormatError> + Sync,
    ) -> Result<(), Error> {
        let counts = self.write_places(wanted)?;
        let engine = self.workplace.engine;
        let _document = reserve_document(engine, params, counts.largest_body);
        self.read_places(&counts, params, |_| taker())
    }

    fn write_places(&self, wanted: WantedDocuments) -> Result<WantedCounts, Error> {
        let counts = write_places(&self.workplace, wanted)?;
        self.bodiless.fetch_add(counts.bodiless, Ordering::Relaxed);
        Ok(counts)
    }

    /// Reads the places that were written, in the memory that is free, and removes their file. A
    /// taker is made for each thread, with the length of the pieces for which it has memory.
    fn read_places<T: TakePlace>(
        &self,
        counts: &WantedCounts,
        params: &SketchParams,
        taker: impl Fn(usize) -> Result<T, FormatError> + Sync,
    ) -> Result<(), Error> {
        let engine = self.workplace.engine;
        let documents = usize::try_from(counts.places).unwrap_or(usize::MAX);
        let threads_max = engine.config.work.threads.min(documents);
        let memory = ReadingMemory::reserve(engine, params, threads_max);
        let progress = engine
            .reporter
            .task_named("compare", "documents", counts.places);
        self.read_batches(memory.threads, &progress, || taker(memory.piece))?;
        progress.finish();
        let removed = self.workplace.remove(PLACES);
        removed.map_err(Error::from)
    }

    /// Reads all batches, on all threads.
    fn read_batches<T: TakePlace>(
        &self,
        threads: usize,
        progress: &Task,
        taker: impl Fn() -> Result<T, FormatError> + Sync,
    ) -> Result<(), Error> {
        let engine = self.workplace.engine;
        let batches = PlaceBatches::open(&self.workplace, &engine.inputs.listing.files)?;
        let failed = AtomicBool::new(false);
        let options = engine.config.input.read_options();
        let read = || -> Result<(), Error> {
            let mut reader = ThreadReader {
                texts: self,
                taker: taker()?,
                places: PlaceReader::open(self.workplace.read(PLACES)?.for_lookups())?,
                end: 0,
                changed: 0,
            };
            while !failed.load(Ordering::Relaxed)
                && let Some(batch) = batches.next()?
            {
                reader.batch(&batch, &options)?;
                progress.add(batch.count);
            }
            Ok(())
        };
        let read = || read().inspect_err(|_| failed.store(true, Ordering::Relaxed));
        in_threads(threads, "compare", read).map(drop)
    }
}

/// The state that one thread reads with.
struct ThreadReader<'a, T> {
    texts: &'a InputTexts<'a>,
    taker: T,
    places: PlaceReader,
    /// The number of the first place behind the batch.
    end: u64,
    /// Documents of the batch that were read and are not what they were.
    changed: u64,
}

impl<T: TakePlace> ThreadReader<'_, T> {
    /// How many places of the batch are not met yet.
    fn left(&self) -> u64 {
        self.end - self.places.number
    }

    /// The next place of the batch.
    fn next_place(&self) -> Option<WantedPlace> {
        self.places.next.filter(|_| self.left() > 0)
    }

    /// Reads the wanted documents of a batch.
    fn batch(&mut self, batch: &PlaceBatch, options: &ReadOptions) -> Result<(), Error> {
        let texts = self.texts;
        let file = &texts.workplace.engine.inputs.listing.files[batch.file as usize];
        self.places.seek(batch.first)?;
        self.end = batch.first + batch.count;
        self.changed = 0;
        let result = match batch.reading {
            BatchReading::Each => self.read_each(file, options),
            BatchReading::Piece(piece) => {
                let from = Some(piece.start);
                input::read_piece(file, &piece, from, options, self).map(drop)
            }
        };
        match result {
            Err(InputError::Sink(stop)) if stop.is::<AllMet>() => {}
            Err(InputError::Changed { .. }) | Ok(()) => {}
            Err(error) if error.unopened_file().is_some() => {}
            Err(error) => return Err(Error::from(error)),
        }
        let unread = self.left() + self.changed;
        if unread > 0 {
            texts.note_unread(batch.file, unread);
        }
        Ok(())
    }

    /// Reads each document at its place.
    fn read_each(&mut self, file: &SourceFile, options: &ReadOptions) -> Result<(), InputError> {
        while let Some(wanted) = self.next_place() {
            let left = self.left();
            let mut taken = Ok(());
            input::read_document_at(file, &wanted.place, options, &mut |document| {
                taken = self.take_all_here(document);
            })?;
            taken.map_err(|error| InputError::Sink(Box::new(error)))?;
            if self.left() == left {
                break;
            }
        }
        Ok(())
    }

    /// Hands a document on, as often as it is wanted.
    fn take_all_here(&mut self, document: &Document<'_>) -> Result<(), FormatError> {
        let is_here = |wanted: &WantedPlace| wanted.place.start() == document.place.start();
        let texts = self.texts;
        while let Some(wanted) = self.next_place().filter(is_here) {
            texts.workplace.engine.disk.check_interrupt()?;
            if identity(document, texts.params.keys.content_seed()) == wanted.identity {
                (self.taker)(&wanted, document.content)?;
            } else {
                self.changed += 1;
            }
            self.places.advance()?;
        }
        Ok(())
    }
}

/// Stops a reader that has met all wanted documents of its batch.
#[derive(Debug, thiserror::Error)]
#[error("all wanted documents were met")]
struct AllMet;

impl<T: TakePlace> Sink for ThreadReader<'_, T> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.take_all_here(document)?;
        if self.left() == 0 {
            return Err(Box::new(AllMet));
        }
        Ok(())
    }
}
