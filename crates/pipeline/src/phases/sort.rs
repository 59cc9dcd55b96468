//! Sketches of the representatives → postings sorted by shingle and document.
//!
//! Threads take segments, read their sketches beside the classes, and feed one sort, each through a feeder of its own.
//! What comes out in order is written by one thread while the others sort ahead.

use crate::engine::{Engine, Output};
use crate::segments::{SegmentFile, Segments};
use crate::{Error, PhaseName};
use format::{FileKind, PhaseRecord};
use model::{Class, Posting};
use sort::{Keep, Prefixes, Sorter};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const PHASE: PhaseName = PhaseName::Sort;

/// What the threads share.
struct Shared<'a> {
    engine: &'a Engine<'a>,
    segments: Segments,
    sorter: Sorter<Posting, Keep>,
    task: crate::progress::Task,
    next: AtomicUsize,
    failed: AtomicBool,
}

pub(crate) fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let work = Error::work(PHASE);
    let segments = engine.segments()?;
    let task = engine.reporter.task(PHASE, "documents", u64::from(segments.documents()));
    let memory = engine.budget.reserve_share(7, 8);
    let sorter = engine.sorter::<Posting, _>(PHASE, "postings", memory.bytes(), Keep).expecting(Prefixes::ALL);
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let shared = Shared { engine, segments, sorter, task, next, failed };
    let fed = rayon::broadcast(|_| shared.feed().inspect_err(|_| shared.failed.store(true, Ordering::Relaxed)));
    fed.into_iter().collect::<Result<(), Error>>()?;
    let postings = shared.sorter.pushed();
    let mut sorted = shared.sorter.finish().map_err(work)?;
    let mut writer = engine.writer::<Posting>(PHASE, "postings", FileKind::Postings)?;
    while let Some(postings) = sorted.next_slice().map_err(work)? {
        writer.push_all(postings).map_err(work)?;
    }
    Ok(super::record([writer.finish().map_err(work)?], [("postings", postings)]))
}

impl Shared<'_> {
    /// What one thread does: segment after segment until none is left.
    fn feed(&self) -> Result<(), Error> {
        let work = Error::work(PHASE);
        let mut represented = Represented::open(self.engine)?;
        let mut feeder = self.sorter.feeder();
        let mut last = None;
        loop {
            let segment = self.next.fetch_add(1, Ordering::Relaxed);
            if segment >= self.segments.count() || self.failed.load(Ordering::Relaxed) {
                break;
            }
            let mut sketches = self.segments.rows_of(segment, SegmentFile::Sketches);
            while let Some((doc, row)) = sketches.next_sketch()? {
                // A long sketch has several rows.
                if last != Some(doc) {
                    last = Some(doc);
                    represented.go_to(doc)?;
                }
                if represented.here {
                    continue;
                }
                for shingle in row.iter() {
                    feeder.push(Posting { shingle, doc }).map_err(work)?;
                }
            }
            self.task.add(u64::from(self.segments.documents_of(segment)));
        }
        feeder.finish().map_err(work)
    }
}

/// Looks up, in ascending order, which documents another one stands for.
struct Represented {
    classes: Output<Class>,
    /// The next class that was not passed yet.
    class: Option<Class>,
    /// Whether another one stands for the document gone to.
    here: bool,
}

impl Represented {
    fn open(engine: &Engine<'_>) -> Result<Represented, Error> {
        let mut classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
        Ok(Represented { class: classes.next()?, classes, here: false })
    }

    fn go_to(&mut self, doc: u32) -> Result<(), Error> {
        while self.class.is_some_and(|class| class.doc < doc) {
            self.class = self.classes.next()?;
        }
        self.here = self.class.is_some_and(|class| class.doc == doc && class.representative() != doc);
        Ok(())
    }
}
