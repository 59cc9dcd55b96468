//! Sorted postings → sorted pair counts, common shingles, and what each sketch lost to them.
//!
//! Two steps, each by all threads: [`groups`] reads the postings, a shard a thread at a time, and sends each group as a list
//! of documents to the [`parts`] of its lower documents; then [`ranges`] counts the pairs of a range of lower documents in memory,
//! and they go to the file in [`ordered`] turns. The file is the same whatever the parts, ranges and threads.
//! Where an earlier run has counted most of them, only what changed is expanded: [`changes`].

mod changes;
mod groups;
mod ordered;
mod parts;
mod ranges;
mod whole;

use super::words::SumLost;
use crate::engine::Engine;
use crate::levels::{self, BySnapshot, FRESH, FRESH_FROM};
use crate::{Error, PhaseName};
use format::{CommonRecord, FileKind, Level, Levels, LostRecord, PhaseRecord, Sealed};
use groups::Worker;
use model::{PairCount, Record};
use ordered::Ordered;
use pairs::{ExpandParams, Expansion, Shard};
use parts::Parts;
use ranges::Ranges;
use sort::{Combine, Keep, Prefixes, Sorter};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use whole::Whole;

const PHASE: PhaseName = PhaseName::Pairs;

/// First part of the names of files of pair counts.
const STEM: &str = "pairs";
const COMMON: &str = "common";
const LOST: &str = "lost";
/// Shards of the postings for each thread, so that they end together.
const SHARDS_A_THREAD: u64 = 8;

/// Postings of a shard at least.
const SHARD_POSTINGS_MIN: u64 = 1 << 16;

/// What the threads fill together.
struct Shared<'a> {
    engine: &'a Engine<'a>,
    source: &'a Whole,
    params: ExpandParams,
    task: crate::progress::Task,
    lost: Sorter<LostRecord, SumLost>,
    common: Sorter<CommonRecord, Keep>,
    parts: Parts,
    /// Postings, and how many of them a shard has.
    postings: (u64, u64),
    next_shard: AtomicU64,
}

pub(crate) fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let sorted = engine.manifest().levels.get(PhaseName::Sort.name()).cloned().unwrap_or_default();
    let before = levels::before(engine, PHASE).filter(|before| changes::can_follow(before, &sorted));
    let step = before.as_ref().map_or(1, |before| before.levels.step + 1);
    let changed = match &before {
        Some(before) => changes::changed(engine, step, before, &sorted)?,
        None => None,
    };
    let (step, Changed { files, common, lost, fresh, counts }) = match changed {
        Some(changed) => (step, changed),
        None => {
            levels::forget(engine, PHASE)?;
            (1, anew(engine, 1, &sorted)?)
        }
    };
    let mut counted = counts.clone();
    if let Some((first, _)) = &fresh {
        counted.insert(FRESH_FROM.to_owned(), u64::from(*first));
    }
    let kept = Levels {
        parameters: levels::parameters_of(engine, PHASE),
        base: sorted.base,
        step,
        source_step: sorted.step,
        snapshots: levels::taken(&engine.manifest()),
        files,
        others: [(COMMON, Some(common)), (LOST, Some(lost)), (FRESH, fresh.map(|(_, sealed)| sealed))]
            .into_iter()
            .filter_map(|(name, sealed)| Some((name.to_owned(), sealed?)))
            .collect(),
        counts: counted,
    };
    let outputs = levels::outputs(&kept);
    let pairs = kept.files.iter().map(|level| level.sealed.records).sum();
    levels::keep(engine, PHASE, kept);
    let mut record = PhaseRecord { outputs, counts, ..PhaseRecord::default() };
    record.counts.insert("pairs".to_owned(), pairs);
    Ok(record)
}

/// What a run makes, whether anew or by changes.
struct Changed {
    files: Vec<Level>,
    common: Sealed,
    lost: Sealed,
    /// The file of this step, if it holds no pair of older documents, and the first of the others.
    fresh: Option<(u32, Sealed)>,
    counts: BTreeMap<String, u64>,
}

/// Expands all postings.
fn anew(engine: &Engine<'_>, step: u64, sorted: &Levels) -> Result<Changed, Error> {
    let source = Whole::of(engine, sorted)?;
    let postings = source.sealed.records;
    let memory = engine.budget.reserve_share(1, 1);
    let threads = rayon::current_num_threads();
    let share = memory.bytes() / 16;
    let documents = engine.segments()?.documents();
    let shards = postings.div_ceil(SHARD_POSTINGS_MIN).clamp(1, threads as u64 * SHARDS_A_THREAD);
    let shared = Shared {
        engine,
        source: &source,
        params: ExpandParams {
            common_limit: u64::from(engine.config.pairs.common_shingle_limit),
            held_max: (share / 8 / threads).max(1),
        },
        task: engine.reporter.task(PHASE, "postings", postings),
        lost: engine.sorter(PHASE, LOST, share, SumLost).expecting(Prefixes::documents(documents)),
        common: engine.sorter(PHASE, COMMON, share, Keep),
        parts: Parts::within(engine, 4 * share, documents),
        postings: (postings, postings.div_ceil(shards).max(1)),
        next_shard: AtomicU64::new(0),
    };
    let seen = side_by_side(threads, || shared.expand_shards())?;
    let seen = seen.into_iter().fold(Expansion::default(), |mut all, seen| {
        all += seen;
        all
    });
    shared.task.finish();
    let Shared { lost, common, parts, .. } = shared;
    parts.seal()?;
    source.remove(engine)?;
    let common = write(engine, common, (COMMON, FileKind::Common))?;
    let lost = write(engine, lost, (LOST, FileKind::Lost))?;
    let writer = engine.writer::<PairCount>(PHASE, &levels::level_name(STEM, step, step), FileKind::Pairs)?;
    let now = levels::taken(&engine.manifest());
    let ordered = Ordered::new(writer, BySnapshot::of(&now));
    let ranges = Ranges::of(&parts, ordered, 13 * share);
    side_by_side(threads, || ranges.count())?;
    let (pairs, by_snapshot) = ranges.finish()?;
    let counts = [
        ("postings", seen.postings),
        ("shingles", seen.shingles),
        ("shingles_in_one_document", seen.single),
        ("common_shingles", seen.common),
        ("common_postings", seen.common_postings),
        ("increments", seen.increments),
    ];
    let counts = counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect();
    let files = vec![levels::level(pairs, [step; 2], &now, &by_snapshot.records)];
    Ok(Changed { files, common, lost, fresh: None, counts })
}

/// Runs the same work in every thread; gives what each made, or the first error.
fn side_by_side<T: Send>(threads: usize, work: impl Fn() -> Result<T, Error> + Sync) -> Result<Vec<T>, Error> {
    if threads == 1 {
        return Ok(vec![work()?]);
    }
    rayon::broadcast(|_| work()).into_iter().collect()
}

/// Ends a sort and writes what it gives.
fn write<R: Record, C: Combine<R>>(
    engine: &Engine<'_>,
    sorter: Sorter<R, C>,
    (name, kind): (&str, FileKind),
) -> Result<Sealed, Error> {
    let work = Error::work(PHASE);
    let mut sorted = sorter.finish().map_err(work)?;
    let mut writer = engine.writer::<R>(PHASE, name, kind)?;
    while let Some(records) = sorted.next_slice().map_err(work)? {
        writer.push_all(records).map_err(work)?;
    }
    writer.finish().map_err(work)
}

impl Shared<'_> {
    /// Step one, of one thread: shard after shard until none is left.
    fn expand_shards(&self) -> Result<Expansion, Error> {
        let (postings, length) = self.postings;
        let mut worker = Worker::new(self);
        let mut source = groups::Source::open(self.engine, (self.source.phase, &self.source.sealed), &self.task)?;
        let mut seen = Expansion::default();
        loop {
            let start = self.next_shard.fetch_add(1, Ordering::Relaxed) * length;
            if start >= postings {
                break;
            }
            let shard = Shard { start, end: (start + length).min(postings) };
            seen += pairs::expand(source.of(shard), shard, self.params, &mut worker)?;
        }
        worker.finish()?;
        Ok(seen)
    }
}
