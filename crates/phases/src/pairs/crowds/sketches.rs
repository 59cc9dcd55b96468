//! The sketches of the documents that lost shingles, and the keys of their bands.

use super::band_entry::BandEntry;
use super::key_filter::KeyFilter;
use crate::pairs::outputs::PHASE;
use engine::segments::{Marks, SegmentFile, Segments};
use engine::{Engine, Output};
use format::{FileKind, LostRecord, RecordReader, Sealed};
use model::Posting;
use runtime::Error;
use runtime::progress::Task;
use sets::{SetFeeder, ThreadFeeder};
use sketch::BandKeys;
use sort::{Feeder, Keep, Sorter};
use std::ops::Range;

/// Shingles of the largest sketch that may be in a crowd.
const SHINGLES_MAX: usize = 1 << 15;

/// Which keys are pushed.
#[derive(Clone, Copy)]
pub(super) enum WantedKeys<'a> {
    /// All.
    All,
    /// All; and they are added to the filter.
    New(&'a KeyFilter),
    /// Those that may be in the filter.
    Among(&'a KeyFilter),
}

/// Stores the sketches of documents that lost shingles, and pushes the keys of their bands, on all
/// threads. Skips documents without wanted keys. Gives the number of documents.
pub(super) fn feed(
    engine: &Engine<'_>,
    lost: &Sealed,
    (sets, keys): (&SetFeeder<'_>, &Sorter<Posting, Keep>),
    documents: Range<u32>,
    wanted: WantedKeys<'_>,
) -> Result<u64, Error> {
    let segments = engine.segments()?;
    let feed = SketchFeed {
        engine,
        lost,
        sets,
        keys,
        segments,
        task: engine
            .reporter
            .task(PHASE, "sketches", documents.len() as u64),
        documents,
        wanted,
    };
    let found = feed
        .segments
        .in_every_thread(|segments| feed.feed_segments(segments))?;
    feed.task.finish();
    Ok(found.into_iter().sum())
}

/// State that the threads share.
struct SketchFeed<'a> {
    engine: &'a Engine<'a>,
    lost: &'a Sealed,
    sets: &'a SetFeeder<'a>,
    keys: &'a Sorter<Posting, Keep>,
    segments: Segments,
    task: Task,
    /// Those of whole segments.
    documents: Range<u32>,
    wanted: WantedKeys<'a>,
}

impl SketchFeed<'_> {
    /// The work of one thread on its segments. Gives the number of its documents.
    fn feed_segments(&self, segments: &mut dyn Iterator<Item = usize>) -> Result<u64, Error> {
        let work = Error::work(PHASE);
        let mut lost = LossyDocuments::open(self.engine, self.lost)?;
        let mut sketches = SketchSink {
            sets: self.sets.thread().map_err(work)?,
            keys: self.keys.feeder(),
            wanted: self.wanted,
            bands: BandKeys::new(self.engine.config.sketch.sampling),
            sketch: Vec::new(),
            is_too_long: false,
            documents: 0,
        };
        for segment in segments {
            if !self.documents.contains(&self.segments.first_of(segment)) {
                continue;
            }
            self.feed_segment(segment, &mut lost, &mut sketches)?;
            self.task
                .add(u64::from(self.segments.documents_of(segment)));
        }
        sketches.keys.finish().map_err(work)?;
        Ok(sketches.documents)
    }

    fn feed_segment(
        &self,
        segment: usize,
        lost: &mut LossyDocuments,
        sink: &mut SketchSink<'_>,
    ) -> Result<(), Error> {
        let end = self.segments.first_of(segment + 1);
        lost.go_to(self.segments.first_of(segment))?;
        if lost.next.is_none_or(|doc| doc >= end) {
            return Ok(());
        }
        let mut marks = self.segments.marks_of(segment);
        let mut rows = self.segments.rows_of(segment, SegmentFile::Sketches);
        let mut current = None;
        while let Some((doc, row)) = rows.next_sketch()? {
            // A long sketch has several rows.
            if current != Some(doc) {
                sink.end(current, &mut marks)?;
                lost.go_to(doc)?;
                current = lost.next.filter(|next| *next == doc);
            }
            if current.is_some() {
                sink.extend(row.iter());
            }
        }
        sink.end(current, &mut marks)
    }
}

/// Collects the sketch of one document after the other.
struct SketchSink<'a> {
    sets: ThreadFeeder<'a>,
    keys: Feeder<'a, Posting, Keep>,
    wanted: WantedKeys<'a>,
    bands: BandKeys,
    sketch: Vec<u64>,
    is_too_long: bool,
    documents: u64,
}

impl SketchSink<'_> {
    fn extend(&mut self, shingles: impl Iterator<Item = u64>) {
        self.sketch.extend(shingles);
        if self.sketch.len() > SHINGLES_MAX {
            self.is_too_long = true;
            self.sketch.clear();
        }
    }

    /// The sketch of a document is complete.
    fn end(&mut self, doc: Option<u32>, marks: &mut Marks) -> Result<(), Error> {
        let Some(doc) = doc else {
            return Ok(());
        };
        self.documents += 1;
        if !std::mem::take(&mut self.is_too_long) {
            let work = Error::work(PHASE);
            let mark = marks.of_document(doc)?;
            let level = usize::from(mark.level);
            let mut has_keys = false;
            for &key in self.bands.of(level, &self.sketch) {
                let entry = BandEntry::new(key, doc, mark.words);
                match self.wanted {
                    WantedKeys::All => {}
                    WantedKeys::New(filter) => filter.add(entry.key),
                    WantedKeys::Among(filter) if filter.may_have(entry.key) => {}
                    WantedKeys::Among(_) => continue,
                }
                has_keys = true;
                self.keys.push(entry.record()).map_err(work)?;
            }
            if has_keys {
                let pushed = self.sets.push(doc, mark.level, &self.sketch);
                pushed.map_err(work)?;
            }
        }
        self.sketch.clear();
        Ok(())
    }
}

/// The documents that lost shingles, in order.
pub(super) struct LossyDocuments {
    lost: Output<LostRecord>,
    /// The next of them, not before the one that was gone to.
    pub(super) next: Option<u32>,
}

impl LossyDocuments {
    pub(super) fn open(engine: &Engine<'_>, lost: &Sealed) -> Result<LossyDocuments, Error> {
        let dir = engine.dir(PHASE);
        let lost = RecordReader::open_sealed(&engine.disk, &dir, lost, FileKind::Lost);
        LossyDocuments::of(Output::of(lost.map_err(Error::work(PHASE))?, PHASE))
    }

    pub(super) fn of(mut lost: Output<LostRecord>) -> Result<LossyDocuments, Error> {
        let next = lost.next()?.map(|lost: LostRecord| lost.doc);
        Ok(LossyDocuments { lost, next })
    }

    pub(super) fn go_to(&mut self, doc: u32) -> Result<(), Error> {
        while self.next.is_some_and(|next| next < doc) {
            self.next = self.lost.next()?.map(|lost| lost.doc);
        }
        Ok(())
    }
}
