//! Counts only the pairs that changed since an earlier run.
//!
//! *Input.* The sorted postings in files of steps: those that an earlier run expanded, and those
//! that came since; the common shingles of that run. *Output.* Signed changes of pair counts as one
//! more file; the present common shingles. *Algorithm.* [`ChangedGroups`]. Counts of
//! pairs with dropped documents are skipped where counts are read. So the sum of all files is what
//! expanding all postings would give. *Memory.* A group of up to the common limit; if a group does
//! not fit, all postings are expanded instead. *Disk.* 12 bytes for each increment while they are
//! sorted, then 12 for each pair that changed.

use super::changed_groups::{ChangedGroups, PresentGroup};
use super::from_scratch::figures;
use super::outputs::{COMMON, CommonShingles, PHASE, PairsOutput, STEM, file_names, write_sorted};
use crate::combines::AddSigned;
use crate::expansion::Expansion;
use crate::memory;
use engine::{
    COMMON_OF_DOCUMENTS, Engine, Error, PhaseName,
    figures::{PairsFigures, PairsLevels},
    merge_levels::{self, AFFECTED, EarlierLevels, LevelMerge, MergedLevels, SnapshotCounter},
};
use format::{CommonRecord, FileKind, MergeLevel, MergeLevels, RecordReader, Sealed};
use model::{PairCount, Posting};
use sort::{Distinct, KeepAll, Prefixes, Sorter};

/// Documents of a group that may be in memory, however small the budget is.
const GROUP_DOCUMENTS_MIN: usize = 2048;

/// Whether the postings that were sorted since an earlier run are in files of their own.
pub(super) fn can_follow(earlier: &EarlierLevels, sorted: &MergeLevels) -> bool {
    let seen = earlier.levels.source_step;
    let is_apart = |level: &MergeLevel| level.steps[1] <= seen || level.steps[0] > seen;
    earlier.levels.base == sorted.base && seen <= sorted.step && sorted.files.iter().all(is_apart)
}

/// Counts the changes; `None` if all postings have to be expanded.
pub(super) fn changed(
    engine: &Engine<'_>,
    step: u64,
    earlier: &EarlierLevels,
    sorted: &MergeLevels,
) -> Result<Option<PairsOutput>, Error> {
    let now = engine.taken();
    let Some(common_before) = open_common(engine, earlier) else {
        return Ok(None);
    };
    let memory = engine.budget.take(memory::CHANGED_GROUPS);
    let files = &sorted.files;
    let merged =
        MergedLevels::<Posting>::open(engine, PhaseName::Sort, FileKind::Postings, files, &now)?;
    let is_new: Vec<bool> = files
        .iter()
        .map(|level| level.steps[0] > earlier.levels.source_step)
        .collect();
    let share = memory.part_bytes();
    let mut groups = changed_groups(engine, earlier, common_before, share)?;
    let postings = files
        .iter()
        .map(|level| merge_levels::live_records(level, &now))
        .sum();
    if !groups.expand(engine, merged, &is_new, postings)? {
        return Ok(None);
    }
    let ChangedGroups {
        pairs,
        common_of,
        common,
        seen,
        affected,
        ..
    } = groups;
    let [common_name, common_of_name] = file_names(engine);
    let common = write_sorted(engine, common, common_name, FileKind::Common)?;
    let kind = FileKind::CommonOfDocuments;
    let common = CommonShingles {
        list: common,
        of_documents: write_sorted(engine, common_of, common_of_name, kind)?,
    };
    let (changes, by_snapshot) = write_changes(engine, step, pairs)?;
    let affected = if earlier.has_lost {
        None
    } else {
        Some(write_sorted(
            engine,
            affected,
            AFFECTED,
            FileKind::Affected,
        )?)
    };
    drop(memory);
    let changes = merge_levels::level(changes, [step; 2], &now, &by_snapshot.records);
    let mut files = earlier.levels.files.clone();
    files.push(changes.clone());
    let spec = LevelMerge {
        engine,
        phase: PHASE,
        kind: FileKind::Pairs,
        stem: STEM,
        step,
        now: &now,
    };
    let seen = Expansion { postings, ..seen };
    let figures = figures(&seen, common.list.records);
    let files =
        merge_levels::shrink::<PairCount>(&spec, files, add_signed, |pair| pair.shared == 0)?;
    Ok(Some(PairsOutput {
        files,
        common,
        whole: None,
        changes: Some(changes),
        new_pairs: None,
        affected,
        compared: Vec::new(),
        figures,
    }))
}

/// Opens the common shingles of the earlier run. The present ones get the same file name, so the
/// file does not match any more if a run was killed after writing them; then all postings are
/// expanded.
fn open_common(engine: &Engine<'_>, earlier: &EarlierLevels) -> Option<RecordReader<CommonRecord>> {
    let common = earlier.levels.others.get(COMMON)?;
    RecordReader::open_sealed(&engine.disk, &engine.dir(PHASE), common, FileKind::Common).ok()
}

/// Prepares the expansion; `share` is a sixteenth of the memory in bytes.
fn changed_groups(
    engine: &Engine<'_>,
    earlier: &EarlierLevels,
    mut common_before: RecordReader<CommonRecord>,
    share: usize,
) -> Result<ChangedGroups, Error> {
    let documents = engine.segments()?.documents();
    let next_common = common_before.next()?;
    Ok(ChangedGroups {
        limit: u64::from(engine.config.pairs.common_shingle_limit),
        group_documents_max: (share / 8).max(GROUP_DOCUMENTS_MIN),
        is_all: earlier.has_lost,
        affected: engine
            .sorter(PHASE, AFFECTED, share / 2, Distinct)
            .expecting(Prefixes::documents(documents)),
        pairs: engine
            .sorter(PHASE, "changes", 12 * share, AddSigned)
            .expecting(Prefixes::documents(documents)),
        common_of: engine
            .sorter(PHASE, COMMON_OF_DOCUMENTS, share, KeepAll)
            .expecting(Prefixes::documents(documents)),
        common: engine.sorter(PHASE, COMMON, share, KeepAll),
        common_before,
        next_common,
        seen: if earlier.has_lost {
            Expansion::default()
        } else {
            expansion(&earlier.levels.figures.read::<PairsLevels>().figures)
        },
        group: PresentGroup::default(),
    })
}

/// Writes the pairs whose count changed.
fn write_changes(
    engine: &Engine<'_>,
    step: u64,
    pairs: Sorter<PairCount, AddSigned>,
) -> Result<(Sealed, SnapshotCounter), Error> {
    let mut sums = pairs.finish()?;
    let name = merge_levels::level_name(STEM, step, step);
    let mut writer = engine.writer::<PairCount>(PHASE, &name, FileKind::Pairs)?;
    let mut by_snapshot = SnapshotCounter::of(&engine.taken());
    while let Some(pair) = sums.next()? {
        if pair.shared != 0 {
            by_snapshot.add(pair.a);
            writer.push(&pair)?;
        }
    }
    Ok((writer.finish()?, by_snapshot))
}

/// Adds a signed count to that of the same pair.
fn add_signed(into: &mut PairCount, next: &PairCount) -> bool {
    let is_same = (into.a, into.b) == (next.a, next.b);
    if is_same {
        into.shared = into.shared.wrapping_add(next.shared);
    }
    is_same
}

/// The figures of the earlier run that are added up from group to group.
fn expansion(figures: &PairsFigures) -> Expansion {
    Expansion {
        shingles: figures.shingles,
        single: figures.shingles_in_one_document,
        common_postings: figures.common_postings,
        increments: figures.increments,
        ..Expansion::default()
    }
}
