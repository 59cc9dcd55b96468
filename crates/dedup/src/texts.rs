//! Reads again the documents that [`exact`](super::exact) compares, and makes all their shingles.
//!
//! *Input.* Roles in document order; the listed files. *Output.* Shingles. *Algorithm.* Documents
//! are in the order of files. Threads take files from a counter. A file of which few documents are
//! wanted is read at their places, any other from its beginning to the last document wanted.
//! *Memory.* Half of what is free for threads, each with a document of up to 1 MiB; the other half
//! for one larger document at a time. One that does not fit is left out and counted. 32 bytes a
//! file. *Disk.* 28 bytes a document.

use super::exact::{Role, ShingleFeeder, Shingles, Texts};
use super::task::Task;
use engine::segments::SegmentFile;
use format::{FormatError, RecordReader};
use input::{
    Document, Format, InputError, LARGE_RECORD_BYTES, LargeRecords, PARQUET_THREAD_BYTES, Piece,
    Place, ReadOptions, Rejection, Sink, SinkError, SourceFile,
};
use model::{Content, Sampling};
use phases::sketch::PER_THREAD_BYTES;
use phases::words::Words;
use runtime::{Error, PhaseName};
use sketch::{SketchParams, Sketcher};
use sort::{Distinct, Sorted};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A role and the place of its document: entry and inner offset, in two halves each.
type WantedPlace = Words<7>;

/// What opening a file costs, in bytes read.
const OPEN_BYTES: u64 = 64 << 10;

/// The texts of the input.
pub(super) struct InputTexts<'a> {
    task: &'a Task<'a>,
    /// All shingles, and not a sample of them.
    params: SketchParams,
    /// Documents that did not fit the memory.
    too_large: Mutex<HashSet<u32>>,
}

/// The documents of a file that are wanted.
struct OfFile {
    file: usize,
    first: u64,
    count: u64,
    /// Bytes to decode if each is read at its place.
    bytes: u64,
}

impl<'a> InputTexts<'a> {
    pub(super) fn new(task: &'a Task<'a>) -> InputTexts<'a> {
        let params = SketchParams {
            sampling: Sampling::Modulus { modulus: 1 },
            ..task.engine.config.sketch.params()
        };
        InputTexts {
            task,
            params,
            too_large: Mutex::default(),
        }
    }

    /// How many documents did not fit the memory.
    pub(super) fn too_large(&self) -> u64 {
        let too_large = self.too_large.lock();
        too_large.unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    /// Writes down where the documents are.
    fn places(&self, mut roles: Sorted<Role, Distinct>, path: &Path) -> Result<Vec<OfFile>, Error> {
        let (task, work) = (self.task, Error::work(PhaseName::Cluster));
        let segments = task.engine.segments()?;
        let (mut rows, mut revisited) =
            (segments.rows(SegmentFile::Documents), segments.revisited());
        let mut files: Vec<OfFile> = Vec::new();
        let mut writer = task.write::<WantedPlace>(path)?;
        let mut next = roles.next().map_err(work)?;
        while let Some(Words([wanted, ..])) = next {
            rows.skip_segments(wanted);
            let Some((doc, row)) = rows.next_document()? else {
                break;
            };
            if doc != wanted {
                continue;
            }
            let Some(Words([_, kept, whose])) = next else {
                break;
            };
            next = roles.next().map_err(work)?;
            // The body of a revisit is that of another document.
            if revisited.has(doc)? {
                continue;
            }
            let file = row.file as usize;
            if files.last().is_none_or(|last| last.file != file) {
                let first = writer.records();
                files.push(OfFile {
                    file,
                    first,
                    count: 0,
                    bytes: 0,
                });
            }
            if let Some(last) = files.last_mut() {
                last.count += 1;
                last.bytes += row.inner_offset + row.length + OPEN_BYTES;
            }
            let halves = |offset: u64| [(offset >> 32) as u32, offset as u32];
            let [[a, b], [c, d]] = [halves(row.entry_offset), halves(row.inner_offset)];
            writer
                .push(&Words([doc, kept, whose, a, b, c, d]))
                .map_err(work)?;
        }
        writer.finish().map_err(work)?;
        Ok(files)
    }

    /// Threads that may read at once, within so many bytes.
    fn threads(&self, memory_bytes: usize, files: &[OfFile]) -> usize {
        let listed = &self.task.engine.inputs.listing.files;
        let is_parquet = |of: &OfFile| listed[of.file].format == Format::Parquet;
        let each = PER_THREAD_BYTES
            + sketch::memory_bytes_max(&self.params, LARGE_RECORD_BYTES as u64)
            + if files.iter().any(is_parquet) {
                PARQUET_THREAD_BYTES
            } else {
                0
            };
        let fitting = memory_bytes as u64 / each;
        let wanted = self.task.engine.config.work.threads.min(files.len());
        wanted
            .min(usize::try_from(fitting).unwrap_or(usize::MAX))
            .max(1)
    }
}

impl Texts for InputTexts<'_> {
    fn read(&self, roles: Sorted<Role, Distinct>, shingles: &Shingles) -> Result<(), Error> {
        let engine = self.task.engine;
        let path = self.task.dir.join("wanted.run-0");
        let files = self.places(roles, &path)?;
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
                feeder: shingles.feeder(),
                memory_bytes: memory.bytes() as u64 / 2,
            };
            while let Some(of) = files.get(next.fetch_add(1, Ordering::Relaxed))
                && !failed.load(Ordering::Relaxed)
            {
                if let Err(error) = reader.file(of, &path, &large) {
                    failed.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                progress.add(listed[of.file].bytes);
            }
            let finished = reader.feeder.finish();
            finished.map_err(Error::work(PhaseName::Cluster))
        };
        let results: Vec<Result<(), Error>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            handles
                .into_iter()
                .map(|handle| {
                    handle
                        .join()
                        .unwrap_or_else(|_| Err(Error::thread_died("compare")))
                })
                .collect()
        });
        progress.finish();
        results.into_iter().collect()
    }
}

/// What one thread reads with.
struct Reader<'a> {
    texts: &'a InputTexts<'a>,
    sketcher: Sketcher,
    feeder: ShingleFeeder<'a>,
    /// What a document may take.
    memory_bytes: u64,
}

impl Reader<'_> {
    /// Reads the wanted documents of a file.
    fn file(&mut self, of: &OfFile, path: &Path, large: &LargeRecords) -> Result<(), Error> {
        let task = self.texts.task;
        let file = &task.engine.inputs.listing.files[of.file];
        let options = ReadOptions {
            fields: task.engine.config.input.fields.clone(),
            max_document_bytes: task.engine.config.input.max_document_bytes,
            large: large.clone(),
        };
        let mut places: RecordReader<WantedPlace> = task.read(path)?;
        let outside = |e| Error::from_format(None, e);
        places.seek(of.first).map_err(outside)?;
        let mut picked = WantedDocuments {
            reader: self,
            next: places.next().map_err(outside)?,
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
        let is_whole = picked.left == 0;
        match result {
            Err(InputError::Sink(stop)) if stop.is::<AllMet>() => Ok(()),
            Err(InputError::Sink(inner)) => Err(match inner.downcast::<FormatError>() {
                Ok(error) => Error::from_format(None, *error),
                Err(inner) => Error::Input(InputError::Sink(inner)),
            }),
            Err(error) => Err(Error::Input(error)),
            Ok(()) if is_whole => Ok(()),
            Ok(()) => Err(Error::Input(InputError::Changed {
                path: file.path.clone(),
            })),
        }
    }

    /// Makes all shingles of a document.
    fn take(&mut self, role: Role, content: Content<'_>) -> Result<(), FormatError> {
        let texts = self.texts;
        texts.task.engine.disk.check_interrupt()?;
        let bytes = content.as_str().len() as u64;
        let needed = bytes.saturating_add(sketch::memory_bytes_max(&texts.params, bytes));
        if needed > self.memory_bytes {
            let mut too_large = texts
                .too_large
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            too_large.insert(role.0[0]);
            return Ok(());
        }
        self.feeder
            .take(role, self.sketcher.sketch(content).fingerprints)
    }
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

/// The place of a wanted document, without its length.
fn place(wanted: &WantedPlace) -> Place {
    let Words([_, _, _, a, b, c, d]) = *wanted;
    let whole = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    Place {
        entry_offset: whole(a, b),
        inner_offset: whole(c, d),
        length: 0,
    }
}

impl WantedDocuments<'_, '_> {
    /// Takes the document that is wanted next.
    fn met(&mut self, wanted: WantedPlace, content: Content<'_>) -> Result<(), FormatError> {
        let Words([doc, kept, whose, ..]) = wanted;
        self.reader.take(Words([doc, kept, whose]), content)?;
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
            input::read_document_at(file, &place(&wanted), options, &mut |document| {
                taken = self.met(wanted, document.content);
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
            let place = place(wanted);
            (place.entry_offset, place.inner_offset) == (entry_offset, inner_offset)
        };
        if let Some(wanted) = self.next.filter(here) {
            self.met(wanted, document.content)?;
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
