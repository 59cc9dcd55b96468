//! Counts all pairs from all postings, or those that may reach the floor.
//!
//! *Input.* The postings of a finished sort. *Output.* Sorted counts of the shingles that are not
//! common; common shingles, and those of each sketch. *Algorithm.* The steps in the documentation
//! of [`super`]. *Memory.* The free budget, without the minimum overlaps of documents, in
//! sixteenths: one each for common shingles, those of sketches and the group that each thread
//! reads, four for the partitions; then four for pruning lists, and thirteen for counting ranges.
//! *Disk.* The lists of all groups.

use super::all_postings::AllPostings;
use super::deferred::DeferredGroups;
use super::floor::{self, Counts, Floor};
use super::groups::{GroupExpansion, GroupLists, Shards};
use super::imported::ImportedPairs;
use super::list_partitions::ListPartitions;
use super::ordered_writer::OrderedPairs;
use super::outputs::{COMMON, CommonShingles, PHASE, PairsOutput, STEM, file_names, write_sorted};
use super::range_queue::RangeQueue;
use super::threads::in_every_thread;
use super::whole::{self, WrittenPairs};
use crate::expansion::{ExpandParams, Expansion, LIST_DOCUMENTS_MAX, MinShared};
use crate::memory;
use engine::{
    COMMON_OF_DOCUMENTS, Engine, Error, PhaseName,
    figures::PairsFigures,
    merge_levels::{self, PairCounts, SnapshotCounter},
};
use format::{
    BLOCK_BYTES, CommonOfDocument, CommonRecord, FileKind, MergeLevels, RecordReader, RecordSpec,
    RecordWriter, Sealed,
};
use model::PairCount;
use sort::{KeepAll, Lookup, Prefixes, Reservation, Sorter};
use std::path::PathBuf;

/// Shards of the postings for each thread; several, so that all threads end at about the same time.
const SHARDS_PER_THREAD: u64 = 16;

/// Least postings of a shard.
const SHARD_POSTINGS_MIN: u64 = 1 << 16;

/// Threads, documents and memory for counting pairs.
struct PairsBudget {
    threads: usize,
    documents: u32,
    floor: Option<Floor>,
    /// A sixteenth of the memory in bytes.
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

    fn partitions(&self, engine: &Engine<'_>) -> ListPartitions {
        ListPartitions::within(engine, "lists", 4 * self.share, self.documents)
    }
}

/// Counts all pairs, or takes those that other machines counted.
pub(super) fn from_scratch(
    engine: &Engine<'_>,
    step: u64,
    sorted: &MergeLevels,
    imported: Option<&ImportedPairs>,
) -> Result<PairsOutput, Error> {
    let representatives = imported.map(|imported| imported.representatives(engine));
    let representatives = representatives.transpose()?;
    let budget = PairsBudget::of(engine, engine.budget.take(memory::COUNTING), true)?;
    let AllGroups {
        lists,
        common_of,
        common,
        seen,
    } = expand_all(engine, &budget, sorted, imported.is_some())?;
    let [common_name, common_of_name] = file_names(engine);
    let common = write_sorted(engine, common, common_name, FileKind::Common)?;
    let kind = FileKind::CommonOfDocuments;
    let common = CommonShingles {
        list: common,
        of_documents: write_sorted(engine, common_of, common_of_name, kind)?,
    };
    let min_shared = budget.floor.map_or(Ok(MinShared::none()), |floor| {
        floor.min_shared(engine, &common.of_documents, Counts::Rare)
    })?;
    let name = merge_levels::level_name(STEM, step, step);
    let writer = engine.writer::<PairCount>(PHASE, &name, FileKind::Pairs)?;
    let (pairs, by_snapshot) = match imported.zip(representatives) {
        Some((imported, representatives)) => {
            let share = 13 * budget.share;
            imported.write(engine, representatives, &min_shared, writer, share)?
        }
        None => count(engine, &budget, lists, &min_shared, writer)?,
    };
    let now = engine.taken();
    let level = merge_levels::level(pairs, [step; 2], &now, &by_snapshot.records);
    Ok(PairsOutput {
        files: vec![level],
        figures: figures(&seen, common.list.records),
        common,
        whole: None,
        changes: None,
        new_pairs: None,
        affected: None,
        compared: Vec::new(),
    })
}

/// The figures of a run that has so many common shingles.
pub(super) fn figures(seen: &Expansion, common: u64) -> PairsFigures {
    PairsFigures {
        postings: seen.postings,
        shingles: seen.shingles,
        shingles_in_one_document: seen.single,
        common_shingles: common,
        common_postings: seen.common_postings,
        increments: seen.increments,
        ..PairsFigures::default()
    }
}

/// Writes the whole counts of all pairs of a finished run to a scratch file, whatever the floor of
/// that run was. Takes half of the free memory, then all of it.
pub fn write_all(engine: &Engine<'_>, path: PathBuf) -> Result<Sealed, Error> {
    let common = CommonShingles {
        list: engine.sealed(PHASE, COMMON)?,
        of_documents: engine.sealed(PHASE, COMMON_OF_DOCUMENTS)?,
    };
    if common.list.records == 0 || engine.config.drops_common() {
        return write_rare(engine, path);
    }
    let [rare, whole] = ["rare", "whole"].map(|name| path.with_extension(name));
    write_rare(engine, rare.clone())?;
    let open = |path: &PathBuf| {
        let reader = RecordReader::open(&engine.disk, path, FileKind::Pairs);
        Ok::<_, Error>(reader?)
    };
    let counted = PairCounts::of_file(open(&rare)?);
    let written = (WrittenPairs::All, scratch(engine, whole.clone())?);
    whole::write(engine, &common, counted, Lookup::over(None)?, written)?;
    let counted = PairCounts::of_file(open(&rare)?);
    let mut counted = counted.with_whole(Some(open(&whole)?))?;
    let mut writer = scratch(engine, path)?;
    while let Some(pairs) = counted.next_slice()? {
        writer.push_all(pairs)?;
    }
    for path in [rare, whole] {
        engine.disk.remove(&path)?;
    }
    writer.finish().map_err(Error::from)
}

/// Writes the counts of pairs without common shingles, as other machines count the same sketches.
pub fn write_rare(engine: &Engine<'_>, path: PathBuf) -> Result<Sealed, Error> {
    let sorted = engine.levels(PhaseName::Sort).unwrap_or_default();
    let budget = PairsBudget::of(engine, engine.budget.take(memory::RARE_COUNTS), false)?;
    let groups = expand_all(engine, &budget, &sorted, false)?;
    let (all, writer) = (MinShared::none(), scratch(engine, path)?);
    let (sealed, _) = count(engine, &budget, groups.lists, &all, writer)?;
    Ok(sealed)
}

fn scratch(engine: &Engine<'_>, path: PathBuf) -> Result<RecordWriter<PairCount>, Error> {
    let spec = RecordSpec {
        kind: FileKind::Pairs,
        ..RecordSpec::scratch(path, BLOCK_BYTES)
    };
    RecordWriter::create(&engine.disk, spec).map_err(Error::from)
}

/// The groups of all postings.
struct AllGroups {
    lists: GroupLists,
    common_of: Sorter<CommonOfDocument, KeepAll>,
    common: Sorter<CommonRecord, KeepAll>,
    seen: Expansion,
}

/// Step 1, on all threads. The lists are not kept if their pairs are `imported`.
fn expand_all(
    engine: &Engine<'_>,
    budget: &PairsBudget,
    sorted: &MergeLevels,
    imported: bool,
) -> Result<AllGroups, Error> {
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
        .clamp(1, threads as u64 * SHARDS_PER_THREAD);
    let common_limit = u64::from(engine.config.pairs.common_shingle_limit);
    let expansion = GroupExpansion {
        engine,
        phase: source.phase,
        postings: &source.sealed,
        shards: Shards::of(postings, shards),
        params: ExpandParams {
            common_limit,
            group_documents_max: (share / 8 / threads).clamp(1, LIST_DOCUMENTS_MAX),
        },
        task: engine.reporter.task(PHASE, "postings", postings),
        common_of: engine
            .sorter(PHASE, COMMON_OF_DOCUMENTS, share, KeepAll)
            .expecting(Prefixes::documents(documents)),
        common: engine.sorter(PHASE, COMMON, share, KeepAll),
        lists: match budget.floor {
            _ if imported => GroupLists::Imported,
            None => GroupLists::Partitioned(budget.partitions(engine)),
            Some(_) => GroupLists::Deferred(DeferredGroups::new(engine, 4 * share, documents)),
        },
    };
    let mut seen = Expansion::default();
    for of_thread in in_every_thread(threads, || expansion.expand_shards())? {
        seen += of_thread;
    }
    expansion.task.finish();
    let GroupExpansion {
        common_of,
        common,
        lists,
        ..
    } = expansion;
    source.remove(engine)?;
    Ok(AllGroups {
        lists,
        common_of,
        common,
        seen,
    })
}

/// Steps 2 and 3, on all threads.
fn count(
    engine: &Engine<'_>,
    budget: &PairsBudget,
    lists: GroupLists,
    min_shared: &MinShared,
    writer: RecordWriter<PairCount>,
) -> Result<(Sealed, SnapshotCounter), Error> {
    let &PairsBudget { threads, share, .. } = budget;
    let partitions = match lists {
        GroupLists::Imported => budget.partitions(engine),
        GroupLists::Partitioned(partitions) => partitions,
        GroupLists::Deferred(deferred) => {
            let partitions = budget.partitions(engine);
            deferred.prune(min_shared, &partitions, 4 * share, threads)?;
            partitions
        }
    };
    partitions.seal()?;
    let ordered = OrderedPairs::new(writer, SnapshotCounter::of(&engine.taken()));
    let ranges = RangeQueue::of(&partitions, min_shared, ordered, 13 * share);
    in_every_thread(threads, || ranges.count())?;
    ranges.finish()
}
