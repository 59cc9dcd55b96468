//! Phase `sketch`: reads documents and writes segments (sketches, marks, rows, rejections), then
//! the document table and the list of rejections.
//!
//! Only snapshots without sketches are read. Segments are independent of each other: threads take
//! one after the other, and a finished one is kept even if the run is killed. A piece that begins
//! inside a file guesses where its first record begins. The end of the piece before it shows
//! whether the guess was right; segments with a wrong guess are read again.

mod finish;
mod planned_segment;
mod revisits;

use super::segment::{KnownPiece, SketchedSegment, Worker};
use config::Config;
use engine::Engine;
use engine::segments::SegmentFile;
use format::{FileReader, PhaseRecord};
use input::{LargeRecords, ReadOptions};
use planned_segment::{PHASE, PlannedSegment};
use runtime::Error;
use runtime::threads::in_threads;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A finished segment is in the manifest after this long at the latest.
const STORE_EVERY: Duration = Duration::from_secs(2);

/// Runs the phase; gives its outputs and counts for the manifest.
///
/// # Errors
/// When an input cannot be read, an output cannot be written, or the run was interrupted.
pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let mut phase = SketchPhase {
        engine,
        segments: Vec::new(),
    };
    for (at, snapshot) in engine.inputs.snapshots.iter().enumerate() {
        if finish::is_sketched(engine, at) {
            continue;
        }
        snapshot.check()?;
        phase.segments.extend(PlannedSegment::all_of(engine, at));
    }
    let total = phase.segments.iter().map(PlannedSegment::bytes).sum();
    let task = engine.reporter.task(PHASE, "bytes", total);
    let mut todo = phase.missing(&task)?;
    while !todo.is_empty() {
        phase.work(&todo, &task)?;
        todo = phase.wrong_guesses()?;
    }
    task.finish();
    finish::finish(engine, &phase.segments)
}

struct SketchPhase<'a> {
    engine: &'a Engine<'a>,
    segments: Vec<PlannedSegment>,
}

impl SketchPhase<'_> {
    /// What stands for the pieces of a segment; where their first records begin is no part of it.
    fn describe(&self, index: usize) -> String {
        let mut text = String::new();
        let segment = &self.segments[index];
        for KnownPiece { piece, .. } in &segment.pieces {
            let file = &self.engine.inputs.listing.files[piece.file as usize];
            text += &format!(
                "{} {} {:?} {} {} {} {}..{}\n",
                piece.file - segment.first_file,
                file.name,
                file.format,
                file.modified_ns,
                file.changed_ns,
                file.inode,
                piece.start,
                piece.end
            );
        }
        runtime::parameters::hex(runtime::parameters::fingerprint(&text))
    }

    /// Segments that no earlier run has finished; what the others know of their beginnings is taken
    /// over.
    fn missing(&mut self, task: &runtime::progress::Task) -> Result<Vec<usize>, Error> {
        let dir = self.engine.dir(PHASE);
        let mut missing = Vec::new();
        for index in 0..self.segments.len() {
            let inputs = self.describe(index);
            let manifest = self.engine.manifest();
            let parts = manifest.parts.get(PHASE.name());
            let part = parts
                .and_then(|parts| parts.get(&self.segments[index].name))
                .filter(|part| part.inputs == inputs)
                // What could not be opened then may be there now.
                .filter(|part| {
                    !part
                        .counts
                        .keys()
                        .any(|name| planned_segment::is_unread(name))
                });
            let is_there =
                |sealed: &format::Sealed| self.engine.disk.size(&dir.join(&sealed.name)).is_some();
            let Some(part) = part.filter(|part| part.outputs.values().all(is_there)) else {
                missing.push(index);
                continue;
            };
            for sealed in part.outputs.values() {
                let mut all = SegmentFile::ALL.into_iter().chain(SegmentFile::FURTHER);
                let kind = all.find(|file| sealed.name.ends_with(file.extension()));
                let kind = kind.unwrap_or(SegmentFile::Documents).kind();
                FileReader::open_sealed(&self.engine.disk, &dir, sealed, kind)
                    .map_err(Error::work(PHASE))?;
            }
            for (at, known) in self.segments[index]
                .pieces
                .iter_mut()
                .enumerate()
                .filter(|(_, known)| known.piece.start > 0)
            {
                known.from = part.counts.get(&format!("piece-{at}.from")).copied();
            }
            task.resume(self.segments[index].bytes());
        }
        if let Some(percent) = task.resumed_percent() {
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

    fn work(&self, todo: &[usize], task: &runtime::progress::Task) -> Result<(), Error> {
        let options = ReadOptions {
            fields: self.engine.config.input.fields.clone(),
            max_document_bytes: self.engine.config.input.max_document_bytes,
            max_expansion: self.engine.config.input.max_expansion,
            large: LargeRecords::default(),
        };
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
        // What is finished counts, also when something failed.
        self.engine
            .disk
            .sync_dir(&self.engine.dir(PHASE))
            .map_err(Error::work(PHASE))?;
        let kept = self.engine.store_manifest();
        done?;
        kept
    }

    fn segment(&self, worker: &mut Worker<'_>, index: usize) -> Result<(), Error> {
        let segment = &self.segments[index];
        let inputs = self.describe(index);
        let text = runtime::parameters::of(PHASE, self.engine.config) + &inputs;
        let finished = worker.run(
            &segment.name,
            segment.first_file,
            &segment.pieces,
            runtime::parameters::fingerprint(&text),
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
            mut counts,
            ends,
        } = finished;
        let whole = |known: &KnownPiece| {
            let bytes = self.engine.inputs.listing.files[known.piece.file as usize].bytes;
            known.piece.start == 0 && known.piece.end == bytes
        };
        for (at, (end, known)) in ends.iter().zip(&self.segments[index].pieces).enumerate() {
            if end.digest.is_none() {
                counts.insert(planned_segment::unread(at), 1);
            }
            if whole(known) {
                // Nothing to fit together: there may be millions of such files.
                let digest = end.digest.map_or(String::new(), |digest| {
                    let digest = twox_hash::XxHash3_64::oneshot(&digest.to_le_bytes());
                    format!("{digest:016x}")
                });
                self.engine.manifest().inputs[known.piece.file as usize].digest = digest;
                continue;
            }
            let figures = [
                ("from", known.from),
                ("first", end.first),
                ("next", Some(end.next)),
                ("lines", Some(end.lines).filter(|&lines| lines > 0)),
                ("digest", end.digest),
            ];
            for (figure, value) in figures {
                if let Some(value) = value {
                    counts.insert(format!("piece-{at}.{figure}"), value);
                }
            }
        }
        let outputs = sealed
            .into_iter()
            .map(|sealed| (sealed.name.clone(), sealed))
            .collect();
        let parameters = runtime::parameters::of(PHASE, self.engine.config);
        PhaseRecord {
            parameters,
            inputs,
            outputs,
            counts,
            cost: BTreeMap::new(),
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
        self.engine
            .disk
            .sync_dir(&self.engine.dir(PHASE))
            .map_err(Error::work(PHASE))?;
        self.engine.store_manifest()?;
        *last = Instant::now();
        Ok(())
    }

    /// Pieces that did not begin where the piece before them ended. Their beginnings are known now;
    /// only the first wrong one of a file is made again at a time, as its end may move.
    fn wrong_guesses(&mut self) -> Result<Vec<usize>, Error> {
        let manifest = self.engine.manifest();
        let parts = manifest.parts.get(PHASE.name());
        let figure = |index: usize, at: usize, figure: &str| {
            parts?
                .get(&self.segments[index].name)?
                .counts
                .get(&format!("piece-{at}.{figure}"))
                .copied()
        };
        let mut expected: Option<(u32, u64)> = None;
        let mut wrong: Vec<WrongGuess> = Vec::new();
        let mut broken_file = None;
        for (index, segment) in self.segments.iter().enumerate() {
            for (at, KnownPiece { piece, .. }) in segment.pieces.iter().enumerate() {
                if piece.start == 0
                    && piece.end == self.engine.inputs.listing.files[piece.file as usize].bytes
                {
                    continue;
                }
                let next = figure(index, at, "next").unwrap_or(piece.end);
                let begins = expected
                    .filter(|(file, _)| *file == piece.file)
                    .map_or(0, |(_, offset)| offset);
                expected = Some((piece.file, next.max(begins)));
                if piece.start == 0
                    || broken_file == Some(piece.file)
                    || figure(index, at, "from") == Some(begins)
                {
                    continue;
                }
                let first = figure(index, at, "first");
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

/// What a thread holds besides large documents: blocks of five files, a document of up to 1 MiB in
/// its forms.
pub const PER_THREAD_BYTES: u64 = 8 << 20;

/// The smallest `work.memory` a configuration can run with: one document of the largest size in the
/// forms it takes, and the blocks of one thread.
pub fn memory_minimum_bytes(config: &Config) -> u64 {
    let document = config.input.max_document_bytes;
    let sketching = sketch::memory_bytes_max(&config.sketch.params(), document);
    (document
        .saturating_add(sketching)
        .saturating_add(PER_THREAD_BYTES))
    .max(16 << 20)
}
