//! Levels of a log-structured merge tree: the files that `sort`, `pairs` and `cluster` keep from
//! one run to the next, so that a run writes only the records of new documents.
//!
//! *Input.* The manifest of an earlier run and the snapshots of this one. *Output.*
//! [`EarlierLevels`], the files that this run can continue from, and [`MergedLevels`], their
//! records as one stream in the document numbers of this run. *Algorithm.* A run adds one file. A
//! file is merged with all later ones when those together reach half its size ([`shrink()`]), so n
//! runs write each record O(log n) times (O'Neil, Cheng, Gawlick and O'Neil, *The log-structured
//! merge-tree*, 1996). Document numbers in a file are those of the run that wrote it. Each file
//! lists its snapshots and their sizes, from which [`Renumbering`] computes the current numbers.
//! Records of dropped snapshots are skipped while the file is read. *Memory.* A block a file.
//! *Disk.* The files; during a merge also the merged file.

mod known_pairs;
mod level_sums;
mod merged_levels;
mod pair_counts;
mod pair_lookup;
mod shrink;

pub use known_pairs::{KnownPairs, known_pairs, pairs_of_now};
pub use merged_levels::{DocumentRecord, MergedLevels};
pub use pair_counts::{PairCounts, open_whole};
pub use pair_lookup::PairLookup;
pub use shrink::{LevelMerge, shrink};

use crate::runtime::parameters;
use crate::{DocumentSet, Engine};
use crate::{Error, PhaseName};
use format::{
    FileKind, Manifest, MergeLevel, MergeLevelSnapshot, MergeLevels, Sealed, TakenSnapshot,
};
use model::{Renumbering, SnapshotDocuments};
use std::collections::BTreeMap;

/// The results of an earlier run that this run can continue from.
#[derive(Clone, Debug)]
pub struct EarlierLevels {
    /// Its files and the snapshots that they cover.
    pub levels: MergeLevels,
    /// Whether one of those snapshots has been dropped since.
    pub has_lost: bool,
}

/// Name, among the other files of `pairs`, of the file with the pairs that no run has judged as
/// they are now: those with a document of the last step or an affected one.
pub const NEW_PAIRS: &str = "new-pairs";
/// Name, among the other files of `pairs`, of the file with the whole counts of pairs whose
/// sketches both have common shingles.
pub const WHOLE: &str = "whole";
/// Name, among the other files of `pairs`, of the file with the older documents whose pairs may
/// have changed since the run before: those of shingles that became common or are no longer common,
/// and those of common shingles that come after a document that was not there.
pub const AFFECTED: &str = "affected";

/// The live snapshots of a finished sketch phase, as a later phase records them.
pub fn taken(manifest: &Manifest) -> Vec<TakenSnapshot> {
    let live = manifest
        .snapshots
        .iter()
        .filter(|snapshot| !snapshot.retained_for_revisits);
    let taken = live.map(|snapshot| TakenSnapshot {
        number: snapshot.number,
        documents: snapshot.documents,
        content: snapshot.sketched.inputs.clone(),
    });
    taken.collect()
}

/// The snapshots reduced to the two figures that document numbers follow from.
pub fn numbering(taken: &[TakenSnapshot]) -> Vec<SnapshotDocuments> {
    taken
        .iter()
        .map(|one| SnapshotDocuments {
            number: one.number,
            documents: one.documents,
        })
        .collect()
}

impl Engine<'_> {
    /// The live snapshots of the finished sketch phase.
    pub fn taken(&self) -> Vec<TakenSnapshot> {
        taken(&self.manifest())
    }

    /// The parameters that the results of a phase depend on, as text.
    pub fn parameters_of(&self, phase: PhaseName) -> String {
        parameters::of(PhaseName::Sketch, self.config) + &parameters::of(phase, self.config)
    }

    /// The files that a phase has recorded for the next run; `None` if it has not.
    pub fn levels(&self, phase: PhaseName) -> Option<MergeLevels> {
        self.manifest().levels.get(phase.name()).cloned()
    }

    /// Records the files of a phase, for the next run to continue from.
    pub fn keep_levels(&self, phase: PhaseName, levels: MergeLevels) {
        let mut manifest = self.manifest();
        manifest.levels.insert(phase.name().to_owned(), levels);
    }
}

/// The earlier results that a phase can continue from. `None` if the phase must start from scratch:
/// the parameters differ, the content of a snapshot changed, or a file is missing.
pub fn earlier(engine: &Engine<'_>, phase: PhaseName) -> Option<EarlierLevels> {
    let (levels, now) = (engine.levels(phase)?, engine.taken());
    if levels.parameters != engine.parameters_of(phase) {
        return None;
    }
    let mut has_lost = false;
    for then in &levels.snapshots {
        match now.iter().find(|one| one.number == then.number) {
            Some(one) if one != then => return None,
            found => has_lost |= found.is_none(),
        }
    }
    let dir = engine.dir(phase);
    let is_there =
        |sealed: &Sealed| engine.disk.size(&dir.join(&sealed.name)) == Some(sealed.bytes);
    let files = levels.files.iter().map(|level| &level.sealed);
    files
        .chain(levels.others.values())
        .all(is_there)
        .then_some(EarlierLevels { levels, has_lost })
}

/// Discards the previous levels so that their file names can be reused.
pub fn forget(engine: &Engine<'_>, phase: PhaseName) -> Result<(), Error> {
    if engine.manifest().levels.remove(phase.name()).is_some() {
        engine.store_manifest()?;
    }
    Ok(())
}

/// Discards of which step of the phase before the levels are, so that they follow no step.
pub fn forget_source(engine: &Engine<'_>, phase: PhaseName) -> Result<(), Error> {
    let mut manifest = engine.manifest();
    let levels = manifest.levels.get_mut(phase.name());
    let is_known = levels.is_some_and(|levels| !std::mem::take(&mut levels.base).is_empty());
    drop(manifest);
    if is_known {
        engine.store_manifest()?;
    }
    Ok(())
}

/// Name of the file that step `step` writes with the records of the steps from `since` on. No
/// earlier file has this name.
pub fn level_name(stem: &str, step: u64, since: u64) -> String {
    if since == step {
        format!("{stem}-{step}")
    } else {
        format!("{stem}-{step}-since-{since}")
    }
}

/// Describes a file of the steps `steps`, with its number of records for each current snapshot.
pub fn level(
    sealed: Sealed,
    steps: [u64; 2],
    now: &[TakenSnapshot],
    records: &[u64],
) -> MergeLevel {
    let snapshot = |(one, records): (&TakenSnapshot, &u64)| MergeLevelSnapshot {
        number: one.number,
        documents: one.documents,
        records: *records,
    };
    MergeLevel {
        sealed,
        steps,
        snapshots: now.iter().zip(records).map(snapshot).collect(),
    }
}

/// The mapping from the document numbers in a file to the current ones.
pub fn renumbering(level: &MergeLevel, now: &[TakenSnapshot]) -> Renumbering {
    let then: Vec<SnapshotDocuments> = level
        .snapshots
        .iter()
        .map(|one| SnapshotDocuments {
            number: one.number,
            documents: one.documents,
        })
        .collect();
    Renumbering::between(&then, &numbering(now))
}

/// Records of a file that are of snapshots of now.
pub fn live_records(level: &MergeLevel, now: &[TakenSnapshot]) -> u64 {
    let is_live = |one: &&MergeLevelSnapshot| now.iter().any(|now| now.number == one.number);
    level
        .snapshots
        .iter()
        .filter(is_live)
        .map(|one| one.records)
        .sum()
}

/// The affected documents of a finished phase `pairs`; `None` if they are not known, or do not fit
/// the memory.
pub fn affected(engine: &Engine<'_>) -> Result<Option<DocumentSet>, Error> {
    let levels = engine.levels(PhaseName::Pairs).unwrap_or_default();
    match levels.others.get(AFFECTED) {
        Some(sealed) => affected_of(engine, sealed),
        None => Ok(None),
    }
}

/// The affected documents of a file that was just written.
pub fn affected_of(engine: &Engine<'_>, sealed: &Sealed) -> Result<Option<DocumentSet>, Error> {
    let phase = PhaseName::Pairs;
    let documents = engine.segments()?.documents();
    let Some(mut set) = DocumentSet::new(&engine.budget, documents) else {
        return Ok(None);
    };
    let mut reader = engine.open::<u32>(phase, sealed, FileKind::Affected)?;
    while let Some(doc) = reader.next()? {
        set.add(doc);
    }
    Ok(Some(set))
}

/// Counts records by the current snapshots.
pub struct SnapshotCounter {
    ends: Vec<u32>,
    /// Records of each snapshot so far.
    pub records: Vec<u64>,
}

impl SnapshotCounter {
    /// Zero records for each of these snapshots.
    pub fn of(now: &[TakenSnapshot]) -> SnapshotCounter {
        let end = |end: &mut u32, one: &TakenSnapshot| {
            *end = end.saturating_add(one.documents);
            Some(*end)
        };
        SnapshotCounter {
            ends: now.iter().scan(0, end).collect(),
            records: vec![0; now.len()],
        }
    }

    /// Counts a record of each of these documents.
    pub fn add_all(&mut self, mut docs: impl ExactSizeIterator<Item = u32>) {
        match &mut self.records[..] {
            [only] => *only += docs.len() as u64,
            _ => docs.by_ref().for_each(|doc| self.add(doc)),
        }
    }

    /// Counts a record of this document.
    #[inline]
    pub fn add(&mut self, doc: u32) {
        let at = if self.ends.len() == 1 {
            0
        } else {
            self.ends.partition_point(|end| *end <= doc)
        };
        if let Some(records) = self.records.get_mut(at) {
            *records += 1;
        }
    }
}

/// All files of a phase, levels and others.
pub fn files(levels: &MergeLevels) -> impl Iterator<Item = &Sealed> {
    levels
        .files
        .iter()
        .map(|level| &level.sealed)
        .chain(levels.others.values())
}

/// All files of a phase, by their names.
pub fn outputs(levels: &MergeLevels) -> BTreeMap<String, Sealed> {
    files(levels)
        .map(|sealed| (sealed.name.clone(), sealed.clone()))
        .collect()
}
