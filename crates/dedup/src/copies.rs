//! Copies the input file by file, without some documents, or with notes on all of them.
//!
//! *Input.* The listed files of an engine, whose work directory is not read; the places of the
//! documents that go, in each file, or the notes. Whoever calls has decided them. *Output.* A copy
//! of each file in the [`CopyTarget`]. *Algorithm.* Threads take files from a counter. A file
//! without removals is copied as it is, and so is a Parquet file that is too damaged to be written
//! again: one with removals, or one without documents that is to be annotated. A removed page of a
//! tree, and a file of which nothing stays, have no copy. *Memory.* 8 MiB a thread, reserved; there
//! are fewer threads if that does not fit. Parquet files with removals are copied one at a time.

use super::cdxj;
use super::names::{is_page, shown};
use super::notes::{CopyNotes, LineNotes, RowNotes};
use super::places::RemovalPlaces;
use super::target::{CopiedFile, CopyTarget, threads};
use crate::memory;
use engine::{Engine, Error, runtime::threads::in_threads};
use format::{AtomicFile, FormatError, Sealed};
use input::{CopyLosses, CopySink, Format, InputError, LargeRecords, Packaging, SourceFile};
use model::Unpoisoned;
use output::{CopyWriter, OutputError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// One call of copying.
pub(super) struct CopyJob<'a> {
    pub(super) engine: &'a Engine<'a>,
    /// The number of documents of a file.
    pub(super) documents: &'a (dyn Fn(usize) -> u64 + Sync),
    /// The name of each copy; `None` for a file that has none.
    pub(super) names: &'a [Option<PathBuf>],
    pub(super) places: &'a RemovalPlaces,
    /// The notes of all documents, if they are added and none is removed.
    pub(super) notes: Option<&'a dyn CopyNotes>,
    pub(super) target: &'a CopyTarget,
}

impl CopyJob<'_> {
    pub(super) fn run(&self) -> Result<(), Error> {
        let engine = self.engine;
        let listed = &engine.inputs.listing.files;
        self.refuse_wacz()?;
        let threads = threads(engine, listed.len());
        let _memory = engine.budget.take(memory::COPIES);
        let bytes = listed.iter().map(|file| file.stat.bytes).sum();
        let progress = engine.reporter.task_named("copies", "bytes", bytes);
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let gates = Gates::default();
        let copied = in_threads(threads, "copies", || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let file = listed.get(index);
                let Some(file) = file.filter(|_| !failed.load(Ordering::Relaxed)) else {
                    return Ok(());
                };
                if let Some(name) = &self.names[index] {
                    let copied = self.one(index, name, &gates);
                    copied.inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
                }
                progress.add(file.stat.bytes);
            }
        });
        progress.finish();
        copied.map(drop)
    }

    /// A WACZ file with removals stops the call: before the first file is copied, not after hours.
    fn refuse_wacz(&self) -> Result<(), Error> {
        let mut listed = self.engine.inputs.listing.files.iter().enumerate();
        let refused = listed.find(|(index, file)| {
            file.format == Format::Wacz && self.notes.is_none() && self.places.count(*index) > 0
        });
        refused.map_or(Ok(()), |(_, file)| {
            let path = file.path.clone();
            Err(Error::Input(InputError::NotCopied { path }))
        })
    }

    fn one(&self, index: usize, name: &Path, gates: &Gates) -> Result<(), Error> {
        let engine = self.engine;
        engine.disk.check_interrupt()?;
        if let Some(done) = self.target.done(name)? {
            return self.target.record(index, done.clone());
        }
        let file = &engine.inputs.listing.files[index];
        let documents = (self.documents)(index);
        let mut removed = self.places.count(index);
        // Rows without their notes would be taken for rows that stay.
        let may_be_whole = self.notes.is_none() || documents == 0;
        let (sealed, copied) = if is_page(file) && removed > 0 {
            (None, CopyLosses::default())
        } else {
            match self.copy(index, name, gates) {
                Err(Error::Output(
                    error @ (OutputError::Copy { .. } | OutputError::Encode { .. }),
                )) if may_be_whole => {
                    let with = self
                        .notes
                        .map_or("with all its documents", |_| "without notes");
                    let note = format!("note: {} is copied whole, {with}: {error}", shown(name));
                    engine.reporter.line(&note);
                    removed = 0;
                    self.copy_whole(index, name)?
                }
                copied => copied?,
            }
        };
        self.target.record(
            index,
            CopiedFile {
                file: shown(name),
                source_bytes: file.stat.bytes,
                copied_bytes: sealed.as_ref().map(|sealed| sealed.bytes),
                checksum: sealed.map(|sealed| sealed.checksum),
                documents,
                removed,
                belonging_records: copied.belonging,
                lost_bytes: copied.lost_bytes,
            },
        )
    }

    /// Copies a file with all its documents.
    fn copy_whole(&self, index: usize, name: &Path) -> Result<(Option<Sealed>, CopyLosses), Error> {
        let file = &self.engine.inputs.listing.files[index];
        let mut writer = CopyWriter::new(Packaging::Plain, self.target.begin(index)?);
        input::copy_whole(file, &mut writer).map_err(|error| copy_error(file, error))?;
        let sealed = self.target.publish(finish(file, writer)?, name)?;
        Ok((Some(sealed), CopyLosses::default()))
    }

    /// Writes a copy without the removed documents, or the rows with their notes, or the index of a
    /// WARC file with notes.
    fn copy(
        &self,
        index: usize,
        name: &Path,
        gates: &Gates,
    ) -> Result<(Option<Sealed>, CopyLosses), Error> {
        if self.notes.is_none() && self.places.count(index) == 0 {
            return self.copy_whole(index, name);
        }
        let file = &self.engine.inputs.listing.files[index];
        let failed = |error| copy_error(file, error);
        let writer = |out| {
            Ok::<_, Error>(CopyWriter::new(
                input::packaging(file).map_err(failed)?,
                out,
            ))
        };
        let is_parquet = file.format == Format::Parquet;
        let _gate = is_parquet.then(|| gates.parquet.lock().unpoisoned());
        let max_page = self.engine.config.input.max_page_bytes;
        let mut out = self.target.begin(index)?;
        let mut losses = CopyLosses::default();
        if let Some(notes) = self.notes {
            let mut notes = notes.of_file(index)?;
            match file.format {
                Format::Parquet => {
                    let copied =
                        output::annotate_parquet(file, max_page, &mut RowNotes(notes), out);
                    out = copied.map_err(failed)?;
                }
                Format::Jsonl => {
                    let mut writer = writer(out)?;
                    let copied = input::annotate_lines(file, &mut LineNotes(notes), &mut writer);
                    losses = copied.map_err(failed)?;
                    out = finish(file, writer)?;
                }
                _ => cdxj::write(&mut *notes, &file.name, &mut out)?,
            }
        } else {
            let mut removals = self.places.read(index)?;
            if is_parquet {
                let copied = output::copy_parquet(file, max_page, &mut removals, out);
                out = copied.map_err(failed)?;
            } else {
                let mut writer = writer(out)?;
                let sink: &mut dyn CopySink = &mut writer;
                let copied = input::copy_records(file, &mut removals, &gates.large, sink);
                losses = copied.map_err(failed)?;
                if writer.is_empty() {
                    return Ok((None, losses));
                }
                out = finish(file, writer)?;
            }
        }
        Ok((Some(self.target.publish(out, name)?), losses))
    }
}

/// Locks for work that only one thread may do at a time.
#[derive(Default)]
struct Gates {
    parquet: Mutex<()>,
    large: LargeRecords,
}

fn finish(file: &SourceFile, writer: CopyWriter<AtomicFile>) -> Result<AtomicFile, Error> {
    writer.finish().map_err(|error| io_error(file, error))
}

/// Unwraps the error of the writer, or of the places, from that of the reader.
fn copy_error(file: &SourceFile, error: InputError) -> Error {
    let InputError::Sink(inner) = error else {
        return Error::Input(error);
    };
    let inner = match inner.downcast::<FormatError>() {
        Ok(error) => return Error::from(*error),
        Err(inner) => inner,
    };
    let inner = match inner.downcast::<OutputError>() {
        Ok(error) => return Error::from(*error),
        Err(inner) => inner,
    };
    match inner.downcast::<io::Error>() {
        Ok(error) => io_error(file, *error),
        Err(inner) => Error::Input(InputError::Sink(inner)),
    }
}

fn io_error(file: &SourceFile, error: io::Error) -> Error {
    match error.downcast::<FormatError>() {
        Ok(error) => Error::from(error),
        Err(error) => Error::io(format!("copy {}", file.path.display()))(error),
    }
}
