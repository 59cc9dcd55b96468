//! One pass over the input, in several threads, with results in the order of the input.
//!
//! *Input.* The listed files. *Output.* Documents with what was found in them, to [`Results`], one
//! after another. *Algorithm.* A thread takes the next segment of the input, searches its
//! documents, and waits until the segments before it are done: then it hands its results on. So
//! results are the same whatever the threads. A segment that begins inside a file guesses where its
//! first record begins; when its turn comes, that is known, and if the guess was wrong it is read
//! again. A segment with more results than a thread may hold is read again then, too, and hands
//! them on as they come. *Memory.* A searcher and some results a thread.

use super::finder::Finder;
use super::passed::{Batch, Direct, FoundSink, ReadError, TakePassed};
use super::references::References;
use super::request::DecontaminateRequest;
use super::results::Results;
use engine::{Engine, Error, intake::inputs::LiveSnapshot, runtime::threads::in_threads};
use input::{Format, InputError, Piece, PieceEnd, ReadOptions, Rejection, Sizes};
use model::Unpoisoned;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// A part of the input that a thread searches.
struct Segment {
    /// The number of its snapshot.
    snapshot: u32,
    pieces: Vec<Piece>,
}

/// Searches the input.
pub(super) struct Pass<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) references: &'a References,
    /// Whether each file is of the references.
    pub(super) are_references: &'a [bool],
    pub(super) request: &'a DecontaminateRequest,
}

/// Whose turn it is to hand results on.
struct Turns<'a> {
    turn: Mutex<Turn<'a>>,
    has_changed: Condvar,
}

struct Turn<'a> {
    /// The segment whose turn it is.
    segment: usize,
    /// The file that was read last, and where its next record begins.
    reached: Option<(u32, u64)>,
    failed: bool,
    results: &'a mut Results,
}

impl Pass<'_> {
    /// Searches all files, in up to so many threads.
    pub(super) fn run(&self, threads: usize, results: &mut Results) -> Result<(), Error> {
        let segments = self.segments();
        let bytes = self.engine.inputs.listing.bytes();
        let progress = self
            .engine
            .reporter
            .task_named("decontaminate", "bytes", bytes);
        let options = self.engine.config.input.read_options();
        let turns = Turns {
            turn: Mutex::new(Turn {
                segment: 0,
                reached: None,
                failed: false,
                results,
            }),
            has_changed: Condvar::new(),
        };
        let next = AtomicUsize::new(0);
        let searched = in_threads(threads.min(segments.len()), "decontaminate", || {
            let mut finder = Finder::new(self.engine, self.references, self.request)?;
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(segment) = segments.get(at) else {
                    return Ok(());
                };
                let done = self.segment(&mut finder, segment, at, &turns, &options);
                turns.end(done.is_err());
                if !done? {
                    return Ok(());
                }
                let pieces = segment.pieces.iter();
                progress.add(pieces.map(|piece| piece.end - piece.start).sum());
            }
        });
        progress.finish();
        searched.map(drop)
    }

    fn segments(&self) -> Vec<Segment> {
        let inputs = &self.engine.inputs;
        let snapshots = inputs
            .snapshots
            .iter()
            .filter(|one| !one.retained_for_revisits);
        let of_snapshot = |live: &LiveSnapshot| {
            let files = live.files(&inputs.listing);
            let bytes = files.iter().map(|file| file.stat.bytes).sum();
            let (snapshot, first) = (live.number, live.files.start as u32);
            let plan = input::plan(files, Sizes::of(bytes)).into_iter();
            plan.map(move |mut pieces| {
                pieces.iter_mut().for_each(|piece| piece.file += first);
                Segment { snapshot, pieces }
            })
            .collect::<Vec<_>>()
        };
        snapshots.flat_map(of_snapshot).collect()
    }

    /// Searches a segment, and hands on its results when its turn comes; `false` if another thread
    /// failed before.
    fn segment(
        &self,
        finder: &mut Finder<'_>,
        segment: &Segment,
        at: usize,
        turns: &Turns<'_>,
        options: &ReadOptions,
    ) -> Result<bool, Error> {
        let mut batch = Batch::default();
        let bounds = match self.read(finder, segment, None, options, &mut batch) {
            Err(ReadError::Full) => None,
            bounds => Some(bounds?),
        };
        let Some(mut turn) = turns.wait(at) else {
            return Ok(false);
        };
        let piece = segment.pieces[0];
        let begins = turn.reached.filter(|(file, _)| *file == piece.file);
        let begins = begins.map_or(0, |(_, next)| next);
        let mut of_file = segment.pieces.iter().filter(|one| one.file == piece.file);
        let end = of_file.next_back().map_or(0, |last| last.end);
        let is_right = |bounds: &Bounds| match begins < end {
            true => bounds.first == Some(begins),
            false => bounds.first.is_none(),
        };
        turn.results.begin_snapshot(segment.snapshot);
        let bounds = match bounds {
            Some(bounds) if piece.start == 0 || is_right(&bounds) => {
                batch.hand_on(turn.results)?;
                bounds
            }
            _ => {
                let mut direct = Direct(turn.results);
                self.read(finder, segment, Some(begins), options, &mut direct)?
            }
        };
        let (file, next) = bounds.reached;
        // a record may end behind pieces in which none begins
        let next = if file == piece.file {
            next.max(begins)
        } else {
            next
        };
        turn.reached = Some((file, next));
        turn.segment += 1;
        Ok(true)
    }

    /// Reads the pieces of a segment; `begins` is where the first record of the first one begins,
    /// if that is known.
    fn read(
        &self,
        finder: &mut Finder<'_>,
        segment: &Segment,
        begins: Option<u64>,
        options: &ReadOptions,
        take: &mut dyn TakePassed,
    ) -> Result<Bounds, ReadError> {
        let mut bounds = Bounds {
            first: None,
            reached: (segment.pieces[0].file, 0),
        };
        let mut reached = begins.map(|begins| (segment.pieces[0].file, begins));
        for piece in &segment.pieces {
            self.engine.disk.check_interrupt().map_err(Error::from)?;
            let file = &self.engine.inputs.listing.files[piece.file as usize];
            let known = reached.filter(|(file, _)| *file == piece.file);
            let from = known
                .map(|(_, next)| next)
                .or((piece.start == 0).then_some(0));
            let mut sink = FoundSink {
                finder,
                disk: &self.engine.disk,
                file: piece.file,
                name: &file.name,
                is_reference: self.are_references[piece.file as usize],
                take,
            };
            let end = match input::read_piece(file, piece, from, options, &mut sink) {
                Ok(end) => end,
                Err(error) => self.unread(*piece, error, sink.take)?,
            };
            if piece.file == bounds.reached.0 && bounds.first.is_none() {
                bounds.first = end.first;
            }
            // where no record begins, only the pieces before tell where the next one does
            if from.is_some() || end.first.is_some() {
                reached = Some((piece.file, end.next.max(from.unwrap_or(0))));
            }
        }
        bounds.reached = reached.unwrap_or(bounds.reached);
        Ok(bounds)
    }

    /// A page that cannot be opened is a rejection: one among a million must not stop the pass.
    fn unread(
        &self,
        piece: Piece,
        error: InputError,
        take: &mut dyn TakePassed,
    ) -> Result<PieceEnd, ReadError> {
        let file = &self.engine.inputs.listing.files[piece.file as usize];
        let is_page = matches!(file.format, Format::Html | Format::Text);
        if !is_page || error.unopened_file().is_none() {
            return Err(ReadError::from(error));
        }
        let rejection = Rejection::new(0, "unreadable", error.to_string());
        take.counts().reject(&file.name, &rejection);
        Ok(PieceEnd {
            first: Some(0),
            next: file.stat.bytes,
            lines: 0,
            digest: 0,
        })
    }
}

impl<'a> Turns<'a> {
    /// Waits until it is the turn of a segment; `None` if a thread failed.
    fn wait(&self, segment: usize) -> Option<MutexGuard<'_, Turn<'a>>> {
        let waits = |turn: &mut Turn<'_>| turn.segment != segment && !turn.failed;
        let turn = self
            .has_changed
            .wait_while(self.turn.lock().unpoisoned(), waits);
        Some(turn.unpoisoned()).filter(|turn| !turn.failed)
    }

    /// A segment is done, or its thread failed.
    fn end(&self, failed: bool) {
        self.turn.lock().unpoisoned().failed |= failed;
        self.has_changed.notify_all();
    }
}

/// Where the records of a segment begin, and where those behind it do.
struct Bounds {
    /// The first one in its first file.
    first: Option<u64>,
    /// The last file that was read, and where its next record begins.
    reached: (u32, u64),
}
