//! Copies the input file by file, without some documents or parts of their texts, or with notes on
//! all of them.
//!
//! *Input.* The listed files of an engine, whose work directory is not read; the places of the
//! documents that go or are cut, in each file, or the notes. Whoever calls has decided them.
//! *Output.* A copy of each file in the [`CopyTarget`]. *Algorithm.* Threads take files from a
//! counter. A file without changes is copied as it is, and so is a Parquet file that is too damaged
//! to be written again: one with changes, or one without documents that is to be annotated. A
//! removed page of a tree, and a file of which nothing stays, have no copy. *Memory.* 8 MiB a
//! thread, reserved; there are fewer threads if that does not fit. Parquet files with changes, and
//! lines over 1 MiB that are cut, are copied one at a time.

use super::cdxj;
use super::journal::CopiedFile;
use super::names::{is_page, shown};
use super::notes::{CopyNotes, FileNotes, LineNotes, RowNotes};
use super::places::ChangedDocuments;
use super::places::RemovalPlaces;
use super::target::{CopyTarget, threads};
use crate::memory;
use engine::{Engine, Error, runtime::threads::in_threads};
use format::{AtomicFile, Sealed};
use input::{
    CopyLosses, CopySink, Format, InputError, LargeRecords, Packaging, ReadOptions, SourceFile,
};
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
    pub(super) change: CopyChange<'a>,
    pub(super) target: &'a CopyTarget,
}

/// What is not copied as it is.
pub(super) enum CopyChange<'a> {
    /// The documents at these places go, or parts of their texts.
    Removals(&'a RemovalPlaces),
    /// All documents get notes.
    Notes(&'a dyn CopyNotes),
}

impl CopyChange<'_> {
    fn counts(&self, file: usize) -> ChangedDocuments {
        match self {
            CopyChange::Removals(places) => places.counts(file),
            CopyChange::Notes(_) => ChangedDocuments::default(),
        }
    }

    fn is_notes(&self) -> bool {
        matches!(self, CopyChange::Notes(_))
    }
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
            file.format == Format::Wacz && self.change.counts(*index) != ChangedDocuments::default()
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
        let mut changed = self.change.counts(index);
        // Rows without their notes would be taken for rows that stay.
        let may_be_whole = !self.change.is_notes() || documents == 0;
        let (sealed, copied) = if is_page(file) && changed.removed > 0 {
            (None, CopyLosses::default())
        } else {
            match self.copy(index, name, gates) {
                Err(Error::Output(
                    error @ (OutputError::Copy { .. } | OutputError::Encode { .. }),
                )) if may_be_whole => {
                    let with = match self.change {
                        CopyChange::Removals(_) if changed.cut > 0 => "without cuts",
                        CopyChange::Removals(_) => "with all its documents",
                        CopyChange::Notes(_) => "without notes",
                    };
                    let note = format!("note: {} is copied whole, {with}: {error}", shown(name));
                    engine.reporter.line(&note);
                    changed = ChangedDocuments::default();
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
                removed: changed.removed,
                cut: changed.cut,
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

    /// Writes a copy with its changes, or the index of a WARC file with notes.
    fn copy(
        &self,
        index: usize,
        name: &Path,
        gates: &Gates,
    ) -> Result<(Option<Sealed>, CopyLosses), Error> {
        if !self.change.is_notes() && self.change.counts(index) == ChangedDocuments::default() {
            return self.copy_whole(index, name);
        }
        let file = &self.engine.inputs.listing.files[index];
        let _gate = is_parquet(file).then(|| gates.parquet.lock().unpoisoned());
        let out = self.target.begin(index)?;
        let WrittenCopy { out, losses } = match self.change {
            CopyChange::Removals(places) => self.cut(index, places, out, gates)?,
            CopyChange::Notes(notes) => self.annotated(file, notes.of_file(index)?, out)?,
        };
        let sealed = out.map(|out| self.target.publish(out, name)).transpose()?;
        Ok((sealed, losses))
    }

    /// Writes the rows with their notes, or the index of a WARC file.
    fn annotated(
        &self,
        file: &SourceFile,
        mut notes: Box<dyn FileNotes + '_>,
        mut out: AtomicFile,
    ) -> Result<WrittenCopy, Error> {
        match file.format {
            Format::Parquet => {
                let max_page = self.engine.config.input.max_page_bytes;
                let copied = output::annotate_parquet(file, max_page, &mut RowNotes(notes), out);
                WrittenCopy::of(file, copied)
            }
            Format::Jsonl => WrittenCopy::of_records(file, out, |sink| {
                input::annotate_lines(file, &mut LineNotes(notes), sink)
            }),
            _ => {
                cdxj::write(&mut *notes, &file.name, &mut out)?;
                WrittenCopy::of(file, Ok(out))
            }
        }
    }

    /// Writes a copy without some documents and parts of their texts.
    fn cut(
        &self,
        index: usize,
        places: &RemovalPlaces,
        out: AtomicFile,
        gates: &Gates,
    ) -> Result<WrittenCopy, Error> {
        let file = &self.engine.inputs.listing.files[index];
        let options = ReadOptions {
            large: gates.large.clone(),
            ..self.engine.config.input.read_options()
        };
        let marker = &*places.marker;
        if is_parquet(file) {
            let open = || Ok(places.of_file(index)?);
            let copied = output::copy_parquet(file, &options, &open, marker, out);
            return WrittenCopy::of(file, copied);
        }
        let mut cuts = places.of_file(index)?;
        WrittenCopy::of_records(file, out, |sink| {
            input::copy_records(file, &mut *cuts, marker, &options, sink)
        })
    }
}

fn is_parquet(file: &SourceFile) -> bool {
    file.format == Format::Parquet
}

/// A copy that has no name yet; none of nothing.
struct WrittenCopy {
    out: Option<AtomicFile>,
    losses: CopyLosses,
}

impl WrittenCopy {
    fn of(file: &SourceFile, copied: Result<AtomicFile, InputError>) -> Result<Self, Error> {
        Ok(WrittenCopy {
            out: Some(copied.map_err(|error| copy_error(file, error))?),
            losses: CopyLosses::default(),
        })
    }

    /// Copies a file packed as it is.
    fn of_records(
        file: &SourceFile,
        out: AtomicFile,
        copy: impl FnOnce(&mut dyn CopySink) -> Result<CopyLosses, InputError>,
    ) -> Result<Self, Error> {
        let failed = |error| copy_error(file, error);
        let mut writer = CopyWriter::new(input::packaging(file).map_err(failed)?, out);
        let losses = copy(&mut writer).map_err(failed)?;
        let out = (!writer.is_empty())
            .then(|| finish(file, writer))
            .transpose()?;
        Ok(WrittenCopy { out, losses })
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

/// An error of the reader, or of the writer or the places within it.
fn copy_error(file: &SourceFile, error: InputError) -> Error {
    match error {
        InputError::Sink(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => io_error(file, *error),
            Err(inner) => Error::from(InputError::Sink(inner)),
        },
        error => Error::Input(error),
    }
}

fn io_error(file: &SourceFile, error: io::Error) -> Error {
    Error::io(format!("copy {}", file.path.display()))(error)
}
