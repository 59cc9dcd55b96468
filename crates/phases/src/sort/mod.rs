//! Phase `sort`: turns the sketches of representatives into postings, sorted by shingle and
//! document. Where the keys of a sketch are not its elements, they are those of `model::KeyRule`.
//!
//! A run sorts the postings of new representatives only ([`new_representatives`]), writes them to a
//! file of their own, and merges files of similar size. Threads take segments, read their sketches
//! beside the classes, and feed one sort, each through its own feeder. One thread writes the sorted
//! postings while the others sort ahead.

mod names;
mod new_representatives;

use crate::memory;
use engine::{
    Engine, Error, PhaseName,
    merge_levels::{self, EarlierLevels, LevelMerge},
    runtime::parameters,
    segments::{SegmentFile, Segments},
};
use format::{FileKind, MergeLevel, MergeLevels, PhaseRecord};
use model::{Posting, Unpoisoned};
use names::{PHASE, REPRESENTATIVES, STEM};
use new_representatives::{EarlierPostings, Representatives, representatives};
use sort::{KeepAll, Prefixes, Sorter};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// State that the threads share.
struct SortContext<'a> {
    engine: &'a Engine<'a>,
    segments: Segments,
    earlier: Option<&'a EarlierLevels>,
    representatives: &'a Representatives,
    sorter: Sorter<Posting, KeepAll>,
    /// Postings by the number of their snapshot.
    postings: Mutex<BTreeMap<u32, u64>>,
    task: engine::runtime::progress::Task,
}

/// Runs the phase; gives its outputs and counts for the manifest.
pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let earlier = merge_levels::earlier(engine, PHASE);
    let step = earlier
        .as_ref()
        .map_or(1, |earlier| earlier.levels.step + 1);
    let continued = match &earlier {
        Some(_) => Some(representatives(engine, step, earlier.as_ref())?)
            .filter(|found| !found.has_demoted),
        None => None,
    };
    let (earlier, step, found) = match continued {
        Some(found) => (earlier, step, found),
        None => {
            merge_levels::forget(engine, PHASE)?;
            (None, 1, representatives(engine, 1, None)?)
        }
    };
    let now = engine.taken();
    let added = added(engine, step, earlier.as_ref(), &found)?;
    let mut files = Vec::new();
    if let Some(earlier) = &earlier {
        files = joined(engine, step, &earlier.levels)?;
    }
    files.extend(added);
    let base = match earlier {
        Some(earlier) => earlier.levels.base,
        None => base_of(engine),
    };
    let kept = MergeLevels {
        parameters: engine.parameters_of(PHASE),
        base,
        step,
        snapshots: now,
        files,
        others: [(REPRESENTATIVES.to_owned(), found.file)].into(),
        ..MergeLevels::default()
    };
    let outputs = merge_levels::outputs(&kept);
    engine.keep_levels(PHASE, kept);
    Ok(PhaseRecord {
        outputs,
        ..PhaseRecord::default()
    })
}

/// The origin of the postings of a first step, in hex: the inputs, and the keys of a sketch.
/// `pairs` goes on from its earlier counts only if they have the same base.
fn base_of(engine: &Engine<'_>) -> String {
    let inputs = parameters::inputs_of(PHASE, &engine.manifest());
    let all = inputs + &engine.parameters_of(PHASE);
    parameters::hex(parameters::fingerprint(&all))
}

/// Sorts the postings of new representatives. No file if there are none and earlier files exist.
fn added(
    engine: &Engine<'_>,
    step: u64,
    earlier: Option<&EarlierLevels>,
    representatives: &Representatives,
) -> Result<Option<MergeLevel>, Error> {
    let segments = engine.segments()?;
    if earlier.is_some_and(|earlier| !earlier.levels.files.is_empty())
        && representatives.added.iter().all(|added| *added == 0)
    {
        return Ok(None);
    }
    let task = engine.reporter.task(
        PHASE,
        "documents",
        representatives
            .added
            .iter()
            .map(|added| u64::from(*added))
            .sum(),
    );
    let memory = engine.budget.take(memory::POSTINGS);
    let sorter = engine
        .sorter::<Posting, _>(PHASE, STEM, memory.bytes(), KeepAll)
        .expecting(Prefixes::ALL_BY_NUMBER);
    let shared = SortContext {
        engine,
        segments,
        earlier,
        representatives,
        sorter,
        postings: Mutex::default(),
        task,
    };
    shared
        .segments
        .in_every_thread(|segments| shared.feed(segments))?;
    let mut sorted = shared.sorter.finish()?;
    let mut writer = engine.writer::<Posting>(
        PHASE,
        &merge_levels::level_name(STEM, step, step),
        FileKind::Postings,
    )?;
    while let Some(postings) = sorted.next_slice()? {
        writer.push_all(postings)?;
    }
    let sealed = writer.finish()?;
    let now = engine.taken();
    let postings = shared.postings.into_inner().unpoisoned();
    let records: Vec<u64> = now
        .iter()
        .map(|one| postings.get(&one.number).copied().unwrap_or(0))
        .collect();
    Ok(Some(merge_levels::level(sealed, [step; 2], &now, &records)))
}

/// Merges the files of earlier steps that `pairs` has already read. The others stay apart, so that
/// `pairs` can tell which postings are new to it.
fn joined(engine: &Engine<'_>, step: u64, earlier: &MergeLevels) -> Result<Vec<MergeLevel>, Error> {
    let seen = {
        let manifest = engine.manifest();
        let pairs = manifest.levels.get(PhaseName::Pairs.name());
        pairs
            .filter(|pairs| pairs.base == earlier.base)
            .map_or(0, |pairs| pairs.source_step)
    };
    let now = engine.taken();
    let (old, new): (Vec<MergeLevel>, Vec<MergeLevel>) = earlier
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

impl SortContext<'_> {
    /// The work of one thread on its segments.
    fn feed(&self, segments: &mut dyn Iterator<Item = usize>) -> Result<(), Error> {
        let mut classes = self.engine.classes()?;
        let mut sorted = EarlierPostings::open(self.engine, self.earlier)?;
        let mut feeder = self.sorter.feeder();
        let (rule, sampling) = (
            self.engine.config.sketch.sort_keys,
            self.engine.config.sketch.sampling,
        );
        let mut keys = Vec::new();
        for segment in segments {
            let added = self.representatives.added[segment];
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
                    is_wanted = !classes.is_represented(doc)? && !sorted.has(doc)?;
                }
                if !is_wanted {
                    continue;
                }
                keys.clear();
                keys.extend(row.iter());
                // A sketch whose keys are not its elements has one row.
                rule.replace(sampling, &mut keys);
                for &shingle in &keys {
                    feeder.push(Posting { shingle, doc })?;
                    postings += 1;
                }
            }
            let (snapshot, _) = self.segments.place(segment);
            let mut counted = self.postings.lock().unpoisoned();
            *counted.entry(snapshot).or_default() += postings;
            drop(counted);
            self.task.add(u64::from(added));
        }
        feeder.finish().map_err(Error::from)
    }
}
