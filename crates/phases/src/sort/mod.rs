//! Sketches of the representatives → postings sorted by shingle and document.
//!
//! What is sorted already stays so: a run sorts the postings of the documents that stand for
//! themselves now and did not before ([`stock`]), into a file of its own, and joins old files that
//! have grown alike. Threads take segments, read their sketches beside the classes, and feed one
//! sort, each through a feeder of its own. What comes out in order is written by one thread while
//! the others sort ahead.

mod stock;

use engine::merge_levels::{self, Before, LevelMerge};
use engine::segments::{SegmentFile, Segments};
use engine::{Engine, Output};
use format::{FileKind, MergeLevel, MergeLevels, PhaseRecord};
use model::{Class, Posting};
use runtime::{Error, PhaseName};
use sort::{Keep, Prefixes, Sorter};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use stock::{Sorted, Stock};

const PHASE: PhaseName = PhaseName::Sort;

/// First part of the names of files of postings.
const STEM: &str = "postings";

/// What the bits of the representatives are kept under.
const REPRESENTATIVES: &str = "representatives";

/// What the threads share.
struct Shared<'a> {
    engine: &'a Engine<'a>,
    segments: Segments,
    before: Option<&'a Before>,
    stock: &'a Stock,
    sorter: Sorter<Posting, Keep>,
    /// Postings by the number of their snapshot.
    postings: Mutex<BTreeMap<u32, u64>>,
    task: runtime::progress::Task,
    next: AtomicUsize,
    failed: AtomicBool,
}

pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let before = merge_levels::before(engine, PHASE);
    let step = before.as_ref().map_or(1, |before| before.levels.step + 1);
    let stock = match &before {
        Some(_) => {
            Some(stock::take(engine, step, before.as_ref())?).filter(|stock| !stock.has_demoted)
        }
        None => None,
    };
    let (before, step, stock) = match stock {
        Some(stock) => (before, step, stock),
        None => {
            merge_levels::forget(engine, PHASE)?;
            (None, 1, stock::take(engine, 1, None)?)
        }
    };
    let now = merge_levels::taken(&engine.manifest());
    let added = added(engine, (step, before.as_ref()), &stock)?;
    let mut files = Vec::new();
    if let Some(before) = &before {
        files = joined(engine, step, &before.levels)?;
    }
    files.extend(added);
    let base = match before {
        Some(before) => before.levels.base,
        None => runtime::parameters::inputs_of(PHASE, &engine.manifest()),
    };
    let postings = files
        .iter()
        .map(|level| merge_levels::live_records(level, &now))
        .sum();
    let kept = MergeLevels {
        parameters: merge_levels::parameters_of(engine, PHASE),
        base,
        step,
        snapshots: now,
        files,
        others: [(REPRESENTATIVES.to_owned(), stock.representatives)].into(),
        ..MergeLevels::default()
    };
    let outputs = merge_levels::outputs(&kept);
    merge_levels::keep(engine, PHASE, kept);
    Ok(PhaseRecord {
        outputs,
        counts: [("postings".to_owned(), postings)].into(),
        ..PhaseRecord::default()
    })
}

/// Sorts the postings of what is new; no file if there are none and others are.
fn added(
    engine: &Engine<'_>,
    (step, before): (u64, Option<&Before>),
    stock: &Stock,
) -> Result<Option<MergeLevel>, Error> {
    let work = Error::work(PHASE);
    let segments = engine.segments()?;
    if before.is_some_and(|before| !before.levels.files.is_empty())
        && stock.added.iter().all(|added| *added == 0)
    {
        return Ok(None);
    }
    let task = engine.reporter.task(
        PHASE,
        "documents",
        stock.added.iter().map(|added| u64::from(*added)).sum(),
    );
    let memory = engine.budget.reserve_share(7, 8);
    let sorter = engine
        .sorter::<Posting, _>(PHASE, STEM, memory.bytes(), Keep)
        .expecting(Prefixes::ALL_BY_NUMBER);
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let shared = Shared {
        engine,
        segments,
        before,
        stock,
        sorter,
        postings: Mutex::default(),
        task,
        next,
        failed,
    };
    let fed = rayon::broadcast(|_| {
        shared
            .feed()
            .inspect_err(|_| shared.failed.store(true, Ordering::Relaxed))
    });
    fed.into_iter().collect::<Result<(), Error>>()?;
    let mut sorted = shared.sorter.finish().map_err(work)?;
    let mut writer = engine.writer::<Posting>(
        PHASE,
        &merge_levels::level_name(STEM, step, step),
        FileKind::Postings,
    )?;
    while let Some(postings) = sorted.next_slice().map_err(work)? {
        writer.push_all(postings).map_err(work)?;
    }
    let sealed = writer.finish().map_err(work)?;
    let now = merge_levels::taken(&engine.manifest());
    let postings = shared
        .postings
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let records: Vec<u64> = now
        .iter()
        .map(|one| postings.get(&one.number).copied().unwrap_or(0))
        .collect();
    Ok(Some(merge_levels::level(sealed, [step; 2], &now, &records)))
}

/// The files of earlier steps, joined as far as `pairs` has seen them: it must be able to tell what
/// is new to it.
fn joined(engine: &Engine<'_>, step: u64, before: &MergeLevels) -> Result<Vec<MergeLevel>, Error> {
    let seen = {
        let manifest = engine.manifest();
        let pairs = manifest.levels.get(PhaseName::Pairs.name());
        pairs
            .filter(|pairs| pairs.base == before.base)
            .map_or(0, |pairs| pairs.source_step)
    };
    let now = merge_levels::taken(&engine.manifest());
    let (old, new): (Vec<MergeLevel>, Vec<MergeLevel>) = before
        .files
        .iter()
        .cloned()
        .partition(|level| level.steps[1] <= seen);
    let spec = LevelMerge {
        engine,
        phase: PHASE,
        kind: FileKind::Postings,
        stem: STEM,
        step,
        now: &now,
    };
    let mut files = merge_levels::shrink::<Posting>(&spec, old, |_, _| false, |_| false)?;
    files.extend(new);
    Ok(files)
}

impl Shared<'_> {
    /// What one thread does: segment after segment until none is left.
    fn feed(&self) -> Result<(), Error> {
        let work = Error::work(PHASE);
        let mut represented = Represented::open(self.engine)?;
        let mut sorted = Sorted::open(self.engine, self.before)?;
        let mut feeder = self.sorter.feeder();
        loop {
            let segment = self.next.fetch_add(1, Ordering::Relaxed);
            if segment >= self.segments.count() || self.failed.load(Ordering::Relaxed) {
                break;
            }
            let added = self.stock.added[segment];
            if added == 0 {
                continue;
            }
            let mut postings = 0;
            let (mut last, mut is_wanted) = (None, false);
            let mut sketches = self.segments.rows_of(segment, SegmentFile::Sketches);
            while let Some((doc, row)) = sketches.next_sketch()? {
                // A long sketch has several rows.
                if last != Some(doc) {
                    last = Some(doc);
                    represented.go_to(doc)?;
                    is_wanted = !represented.here && !sorted.has(doc)?;
                }
                if !is_wanted {
                    continue;
                }
                for shingle in row.iter() {
                    feeder.push(Posting { shingle, doc }).map_err(work)?;
                    postings += 1;
                }
            }
            let (snapshot, _) = self.segments.place(segment);
            let mut counted = self.postings.lock().unwrap_or_else(PoisonError::into_inner);
            *counted.entry(snapshot).or_default() += postings;
            drop(counted);
            self.task.add(u64::from(added));
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
        let mut classes =
            engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
        Ok(Represented {
            class: classes.next()?,
            classes,
            here: false,
        })
    }

    fn go_to(&mut self, doc: u32) -> Result<(), Error> {
        while self.class.is_some_and(|class| class.doc < doc) {
            self.class = self.classes.next()?;
        }
        self.here = self
            .class
            .is_some_and(|class| class.doc == doc && class.representative() != doc);
        Ok(())
    }
}
