//! Reads planned segments in several threads, each segment until its pieces fit together.
//!
//! *Input.* Segments, and the parts in the manifest that an earlier run finished. *Output.* Files
//! of segments, and their parts. *Algorithm.* A piece that begins inside a file guesses where its
//! first record begins; a segment with a wrong guess is read again. *Memory.* That of a thread for
//! each.

use super::planned_segment::{PHASE, PlannedSegment};
use crate::segment::{KnownPiece, SketchedSegment, Worker};
use config::Config;
use engine::{
    Engine, Error,
    figures::{PieceFigures, SegmentFigures},
    runtime::threads::in_threads,
    segments::SegmentFile,
};
use exact::PER_THREAD_BYTES;
use format::{Disk, FileReader, FormatError, PhaseCost, PhaseFigures, PhaseRecord, Sealed};
use input::SourceFile;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A finished segment is in the manifest after this long at the latest.
const STORE_EVERY: Duration = Duration::from_secs(2);

/// Compares header and trailer of a file of a segment with its record.
pub(super) fn check_file(disk: &Disk, dir: &Path, sealed: &Sealed) -> Result<(), FormatError> {
    let mut all = SegmentFile::ALL.into_iter().chain(SegmentFile::FURTHER);
    let kind = all.find(|file| sealed.name.ends_with(file.extension()));
    let kind = kind.unwrap_or(SegmentFile::Documents).kind();
    FileReader::open_sealed(disk, dir, sealed, kind).map(drop)
}

/// Segments to be read, and the run that reads them.
pub(super) struct SketchPhase<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) segments: Vec<PlannedSegment>,
}

impl SketchPhase<'_> {
    /// Reads the segments that are not there yet.
    pub(super) fn read(&mut self) -> Result<(), Error> {
        let total = self.segments.iter().map(PlannedSegment::bytes).sum();
        let task = self.engine.reporter.task(PHASE, "bytes", total);
        let mut todo = self.missing(&task)?;
        if todo.is_empty() {
            // A run may have been killed between its last segment and this look.
            todo = self.wrong_guesses()?;
        }
        while !todo.is_empty() {
            self.work(&todo, &task)?;
            todo = self.wrong_guesses()?;
        }
        task.finish();
        Ok(())
    }

    fn files(&self) -> &[SourceFile] {
        &self.engine.inputs.listing.files
    }

    /// The record of a segment that an earlier run has finished, if its files are there.
    pub(super) fn finished_part(&self, index: usize) -> Option<PhaseRecord> {
        let segment = &self.segments[index];
        let manifest = self.engine.manifest();
        let part = manifest.parts.get(PHASE.name())?.get(&segment.name)?;
        // A file that could not be opened then may be there now.
        let figures: SegmentFigures = part.figures.read();
        let is_unread = figures.pieces.values().any(|piece| piece.is_unread);
        if part.inputs != segment.identity(self.files()) || is_unread {
            return None;
        }
        let dir = self.engine.dir(PHASE);
        let is_there = |sealed: &Sealed| self.engine.disk.size(&dir.join(&sealed.name)).is_some();
        part.outputs.values().all(is_there).then(|| part.clone())
    }

    /// Segments that no earlier run has finished; what the others know of their beginnings is taken
    /// over.
    fn missing(&mut self, task: &engine::runtime::progress::Task) -> Result<Vec<usize>, Error> {
        let dir = self.engine.dir(PHASE);
        let mut missing = Vec::new();
        for index in 0..self.segments.len() {
            let Some(part) = self.finished_part(index) else {
                missing.push(index);
                continue;
            };
            part.outputs.values().try_for_each(|sealed| {
                check_file(&self.engine.disk, &dir, sealed).map_err(Error::from)
            })?;
            let figures: SegmentFigures = part.figures.read();
            let pieces = self.segments[index].pieces.iter_mut().enumerate();
            for (at, known) in pieces.filter(|(_, known)| known.piece.start > 0) {
                known.from = figures.pieces.get(&at).and_then(|piece| piece.from);
            }
            task.resume(self.segments[index].bytes());
        }
        if let Some(percent) = task.resumed_percent().filter(|_| !missing.is_empty()) {
            let line = format!("{PHASE}: resumed at {percent} %");
            self.engine.reporter.line(&line);
        }
        Ok(missing)
    }

    /// Threads that the memory allows: each holds its blocks and a document of up to 1 MiB; one
    /// large one is over all.
    fn threads(&self) -> usize {
        let large = memory_minimum_bytes(self.engine.config);
        let has_parquet = self
            .engine
            .inputs
            .listing
            .files
            .iter()
            .any(|file| file.format == input::Format::Parquet);
        let each = PER_THREAD_BYTES
            + if has_parquet {
                input::PARQUET_THREAD_BYTES
            } else {
                0
            };
        let spare = (self.engine.budget.total_bytes() as u64).saturating_sub(large) / each;
        self.engine
            .config
            .work
            .threads
            .min(1 + usize::try_from(spare).unwrap_or(usize::MAX))
            .max(1)
    }

    fn work(&self, todo: &[usize], task: &engine::runtime::progress::Task) -> Result<(), Error> {
        let options = self.engine.config.input.read_options();
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let stored = Mutex::new(Instant::now());
        let threads = self.threads().min(todo.len());
        let done = in_threads(threads, "sketch", || {
            let mut worker = Worker::new(self.engine, options.clone(), task.clone());
            while let Some(&index) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                if failed.load(Ordering::Relaxed) {
                    break;
                }
                self.segment(&mut worker, index)
                    .and_then(|()| self.store(&stored))
                    .inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
            }
            Ok(())
        });
        // Finished work counts, also when something failed.
        self.engine.disk.sync_dir(&self.engine.dir(PHASE))?;
        let kept = self.engine.store_manifest();
        done?;
        kept
    }

    fn segment(&self, worker: &mut Worker<'_>, index: usize) -> Result<(), Error> {
        let segment = &self.segments[index];
        let inputs = segment.identity(self.files());
        let content = segment.content(self.files());
        let text = engine::runtime::parameters::of(PHASE, self.engine.config) + &content;
        let finished = worker.run(
            &segment.name,
            segment.first_file,
            &segment.pieces,
            engine::runtime::parameters::fingerprint(&text),
        )?;
        let part = self.part(index, inputs, finished);
        self.engine
            .manifest()
            .parts
            .entry(PHASE.name().to_owned())
            .or_default()
            .insert(segment.name.clone(), part);
        Ok(())
    }

    fn part(&self, index: usize, inputs: String, finished: SketchedSegment) -> PhaseRecord {
        let SketchedSegment {
            sealed,
            figures: sketched,
            ends,
        } = finished;
        let mut pieces = BTreeMap::new();
        let whole = |known: &KnownPiece| {
            let bytes = self.engine.inputs.listing.files[known.piece.file as usize]
                .stat
                .bytes;
            known.piece.start == 0 && known.piece.end == bytes
        };
        for (at, (end, known)) in ends.iter().zip(&self.segments[index].pieces).enumerate() {
            let is_unread = end.digest.is_none();
            if whole(known) {
                // Nothing to fit together: there may be millions of such files.
                let digest = end.digest.map_or(String::new(), |digest| {
                    let digest = twox_hash::XxHash3_64::oneshot(&digest.to_le_bytes());
                    format!("{digest:016x}")
                });
                self.engine.manifest().inputs[known.piece.file as usize].digest = digest;
                if is_unread {
                    let piece = PieceFigures {
                        is_unread,
                        ..PieceFigures::default()
                    };
                    pieces.insert(at, piece);
                }
                continue;
            }
            let piece = PieceFigures {
                from: known.from,
                first: end.first,
                next: Some(end.next),
                lines: Some(end.lines).filter(|&lines| lines > 0),
                digest: end.digest,
                is_unread,
            };
            pieces.insert(at, piece);
        }
        let outputs = sealed
            .into_iter()
            .map(|sealed| (sealed.name.clone(), sealed))
            .collect();
        let parameters = engine::runtime::parameters::of(PHASE, self.engine.config);
        PhaseRecord {
            parameters,
            inputs,
            outputs,
            figures: PhaseFigures::of(&SegmentFigures { sketched, pieces }),
            cost: PhaseCost::default(),
        }
    }

    /// Stores the manifest now and then; the files it names are durable by then.
    fn store(&self, stored: &Mutex<Instant>) -> Result<(), Error> {
        let Ok(mut last) = stored.try_lock() else {
            return Ok(());
        };
        if last.elapsed() < STORE_EVERY {
            return Ok(());
        }
        self.engine.disk.sync_dir(&self.engine.dir(PHASE))?;
        self.engine.store_manifest()?;
        *last = Instant::now();
        Ok(())
    }

    /// Pieces that did not begin where the piece before them ended. Their beginnings are known now;
    /// only the first wrong one of a file is made again at a time, as its end may move.
    fn wrong_guesses(&mut self) -> Result<Vec<usize>, Error> {
        let manifest = self.engine.manifest();
        let parts = manifest.parts.get(PHASE.name());
        let mut expected: Option<(u32, u64)> = None;
        let mut wrong: Vec<WrongGuess> = Vec::new();
        let mut broken_file = None;
        for (index, segment) in self.segments.iter().enumerate() {
            let part = parts.and_then(|parts| parts.get(&segment.name));
            let figures: SegmentFigures =
                part.map_or_else(Default::default, |part| part.figures.read());
            for (at, KnownPiece { piece, .. }) in segment.pieces.iter().enumerate() {
                let known = figures.pieces.get(&at).cloned().unwrap_or_default();
                if piece.start == 0
                    && piece.end
                        == self.engine.inputs.listing.files[piece.file as usize]
                            .stat
                            .bytes
                {
                    continue;
                }
                let next = known.next.unwrap_or(piece.end);
                let begins = expected
                    .filter(|(file, _)| *file == piece.file)
                    .map_or(0, |(_, offset)| offset);
                expected = Some((piece.file, next.max(begins)));
                if piece.start == 0 || broken_file == Some(piece.file) || known.from == Some(begins)
                {
                    continue;
                }
                let first = known.first;
                let right = if begins < piece.end {
                    first == Some(begins)
                } else {
                    first.is_none()
                };
                if !right {
                    wrong.push(WrongGuess {
                        segment: index,
                        piece: at,
                        begins,
                    });
                    broken_file = Some(piece.file);
                }
            }
        }
        drop(manifest);
        for guess in &wrong {
            self.segments[guess.segment].pieces[guess.piece].from = Some(guess.begins);
        }
        Ok(wrong.into_iter().map(|guess| guess.segment).collect())
    }
}

/// A piece that did not begin where it was guessed.
struct WrongGuess {
    /// The segment, by its place in the plan.
    segment: usize,
    /// The piece, by its place in the segment.
    piece: usize,
    /// The offset at which its first record begins.
    begins: u64,
}

/// The smallest `work.memory` a configuration can run with: one document of the largest size in the
/// forms it takes, the blocks of one thread, and pages of Parquet that are larger than usual.
pub fn memory_minimum_bytes(config: &Config) -> u64 {
    let document = config.input.max_document_bytes;
    let sketching = sketch::memory_bytes_max(&config.sketch.params(), document);
    (document
        .saturating_add(sketching)
        .saturating_add(config.input.page_memory_bytes())
        .saturating_add(PER_THREAD_BYTES))
    .max(16 << 20)
}
