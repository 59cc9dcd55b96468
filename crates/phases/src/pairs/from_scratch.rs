//! All postings → all pairs, or those that the floor leaves.
//!
//! *Input.* The postings of a finished sort. *Output.* Pairs in order, common shingles, losses.
//! *Algorithm.* As [`super`] has it. *Memory.* What the budget has left, in sixteenths: one each
//! for losses, common shingles and what a thread holds of a group, four for the parts; then four to
//! sift what was put aside, and thirteen for the ranges. *Disk.* The lists of all groups.

use super::aside::DeferredGroups;
use super::groups::{Source, Worker};
use super::min_shared::{self, Floor};
use super::ordered::OrderedPairs;
use super::parts::ListPartitions;
use super::ranges::RangeQueue;
use super::whole::AllPostings;
use super::{COMMON, PairsOutput, LOST, PHASE, STEM, side_by_side, write};
use crate::words::SumLost;
use engine::Engine;
use engine::levels::{self, BySnapshot};
use format::{
    CommonRecord, Durability, FileKind, Levels, LostRecord, RecordSpec, RecordWriter, Sealed,
};
use model::PairCount;
use pairs::{ExpandParams, Expansion, LIST_DOCUMENTS_MAX, MinShared, Shard};
use runtime::Error;
use sort::{Keep, Prefixes, Reservation, Sorter};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shards of the postings for each thread, so that they end together.
const SHARDS_A_THREAD: u64 = 16;

/// Postings of a shard at least.
const SHARD_POSTINGS_MIN: u64 = 1 << 16;

/// Where groups go as lists.
pub(super) enum Lists {
    /// Where they are counted.
    Parted(ListPartitions),
    /// Where they wait until it is known which documents matter.
    DeferredGroups(DeferredGroups),
}

/// What the threads fill together.
pub(super) struct Shared<'a> {
    pub(super) engine: &'a Engine<'a>,
    source: &'a AllPostings,
    params: ExpandParams,
    task: runtime::progress::Task,
    pub(super) lost: Sorter<LostRecord, SumLost>,
    pub(super) common: Sorter<CommonRecord, Keep>,
    pub(super) lists: Lists,
    /// Postings, and how many of them a shard has.
    postings: (u64, u64),
    next_shard: AtomicU64,
}

/// What there is to work with.
struct PairsBudget {
    threads: usize,
    documents: u32,
    floor: Option<Floor>,
    /// A sixteenth of the memory.
    share: usize,
    _memory: Reservation,
}

impl PairsBudget {
    fn of(engine: &Engine<'_>, memory: Reservation, has_floor: bool) -> Result<PairsBudget, Error> {
        let documents = engine.segments()?.documents();
        let floor = if has_floor {
            floor::floor(engine, memory.bytes(), documents)
        } else {
            None
        };
        let share = (memory.bytes() - floor.map_or(0, |floor| floor.bytes)) / 16;
        Ok(PairsBudget {
            threads: rayon::current_num_threads(),
            documents,
            floor,
            share,
            _memory: memory,
        })
    }

    fn parts(&self, engine: &Engine<'_>) -> ListPartitions {
        ListPartitions::within(engine, "lists", 4 * self.share, self.documents)
    }
}

/// Expands all postings.
pub(super) fn anew(engine: &Engine<'_>, step: u64, sorted: &Levels) -> Result<PairsOutput, Error> {
    let budget = PairsBudget::of(engine, engine.budget.reserve_share(1, 1), true)?;
    let (
        Groups {
            lists,
            lost,
            common,
        },
        seen,
    ) = groups(engine, &budget, sorted)?;
    let common = write(engine, common, (COMMON, FileKind::Common))?;
    let lost = write(engine, lost, (LOST, FileKind::Lost))?;
    let min_shared = budget
        .floor
        .map_or(Ok(MinShared::none()), |floor| floor.min_shared(engine, &lost))?;
    let writer = engine.writer::<PairCount>(
        PHASE,
        &levels::level_name(STEM, step, step),
        FileKind::Pairs,
    )?;
    let (pairs, by_snapshot) = count(engine, &budget, (lists, &min_shared), writer)?;
    let counts = [
        ("postings", seen.postings),
        ("shingles", seen.shingles),
        ("shingles_in_one_document", seen.single),
        ("common_shingles", seen.common),
        ("common_postings", seen.common_postings),
        ("increments", seen.increments),
    ];
    let counts = counts
        .into_iter()
        .map(|(name, n)| (name.to_owned(), n))
        .collect();
    let now = levels::taken(&engine.manifest());
    let files = vec![levels::level(pairs, [step; 2], &now, &by_snapshot.records)];
    Ok(PairsOutput {
        files,
        common,
        lost,
        fresh: None,
        counts,
    })
}

/// Writes all pairs of a finished run to a scratch file, whatever the floor of that run was; takes
/// half of the memory that is left.
pub fn write_all(engine: &Engine<'_>, path: PathBuf) -> Result<Sealed, Error> {
    let sorted = engine
        .manifest()
        .levels
        .get(runtime::PhaseName::Sort.name())
        .cloned()
        .unwrap_or_default();
    let budget = PairsBudget::of(engine, engine.budget.reserve_share(1, 2), false)?;
    let (Groups { lists, .. }, _) = groups(engine, &budget, &sorted)?;
    let durability = Durability::Scratch;
    let spec = RecordSpec {
        durability,
        ..RecordSpec::durable(path, FileKind::Pairs, [0; 16])
    };
    let writer = RecordWriter::create(&engine.disk, spec).map_err(Error::work(PHASE))?;
    Ok(count(engine, &budget, (lists, &MinShared::none()), writer)?.0)
}

/// What the groups of all postings gave.
struct Groups {
    lists: Lists,
    lost: Sorter<LostRecord, SumLost>,
    common: Sorter<CommonRecord, Keep>,
}

/// Step one, by all threads.
fn groups(
    engine: &Engine<'_>,
    budget: &PairsBudget,
    sorted: &Levels,
) -> Result<(Groups, Expansion), Error> {
    let source = AllPostings::of(engine, sorted)?;
    let &PairsBudget {
        threads,
        documents,
        share,
        ..
    } = budget;
    let postings = source.sealed.records;
    let shards = postings
        .div_ceil(SHARD_POSTINGS_MIN)
        .clamp(1, threads as u64 * SHARDS_A_THREAD);
    let shared = Shared {
        engine,
        source: &source,
        params: ExpandParams {
            common_limit: u64::from(engine.config.pairs.common_shingle_limit),
            held_max: (share / 8 / threads).clamp(1, LIST_DOCUMENTS_MAX),
        },
        task: engine.reporter.task(PHASE, "postings", postings),
        lost: engine
            .sorter(PHASE, LOST, share, SumLost)
            .expecting(Prefixes::documents(documents)),
        common: engine.sorter(PHASE, COMMON, share, Keep),
        lists: match budget.floor {
            None => Lists::Parted(budget.parts(engine)),
            Some(_) => Lists::DeferredGroups(DeferredGroups::new(engine, 4 * share, documents)),
        },
        postings: (postings, postings.div_ceil(shards).max(1)),
        next_shard: AtomicU64::new(0),
    };
    let seen = side_by_side(threads, || shared.expand_shards())?;
    let mut all = Expansion::default();
    seen.into_iter().for_each(|seen| all += seen);
    shared.task.finish();
    let Shared {
        lost,
        common,
        lists,
        ..
    } = shared;
    source.remove(engine)?;
    Ok((
        Groups {
            lists,
            lost,
            common,
        },
        all,
    ))
}

/// Step two, by all threads.
fn count(
    engine: &Engine<'_>,
    budget: &PairsBudget,
    (lists, min_shared): (Lists, &MinShared),
    writer: RecordWriter<PairCount>,
) -> Result<(Sealed, BySnapshot), Error> {
    let &PairsBudget { threads, share, .. } = budget;
    let parts = match lists {
        Lists::Parted(parts) => parts,
        Lists::DeferredGroups(aside) => {
            let parts = budget.parts(engine);
            aside.sift(min_shared, &parts, (4 * share, threads))?;
            parts
        }
    };
    parts.seal()?;
    let ordered = OrderedPairs::new(writer, BySnapshot::of(&levels::taken(&engine.manifest())));
    let ranges = RangeQueue::of((&parts, min_shared), ordered, 13 * share);
    side_by_side(threads, || ranges.count())?;
    ranges.finish()
}

impl Shared<'_> {
    /// Step one, of one thread: shard after shard until none is left.
    fn expand_shards(&self) -> Result<Expansion, Error> {
        let (postings, length) = self.postings;
        let mut worker = Worker::new(self);
        let mut source = Source::open(
            self.engine,
            (self.source.phase, &self.source.sealed),
            &self.task,
        )?;
        let mut seen = Expansion::default();
        loop {
            let start = self.next_shard.fetch_add(1, Ordering::Relaxed) * length;
            if start >= postings {
                break;
            }
            let shard = Shard {
                start,
                end: (start + length).min(postings),
            };
            seen += pairs::expand(source.of(shard), shard, self.params, &mut worker)?;
        }
        worker.finish()?;
        Ok(seen)
    }
}
