//! Results that take in changes: what `sort` and `pairs` keep from one run to the next.
//!
//! *Input.* The manifest of an earlier run, the snapshots of this one. *Output.* [`Before`]: what
//! can be gone on from, if anything can; the files of it as one stream in the numbers of this run
//! ([`Merged`]). *Algorithm.* As log-structured stores do (O'Neil, Cheng, Gawlick and O'Neil, *The
//! log-structured merge-tree*, 1996): a run writes only what is new, and files are joined when
//! those after them have grown to half their size ([`shrink`]), so that each record is written
//! O(log n) times in n runs. Numbers in a file are those of the run that wrote it: a file keeps the
//! list of snapshots with their documents, and [`Renumbering`] gives the numbers of now; what is of
//! dropped snapshots falls away while it is read. *Memory.* A block a file. *Disk.* The files, and
//! those being joined twice for the time of it.

mod merged;
mod pair_counts;
mod shrink;

pub use merged::{Merged, Numbered};
pub use pair_counts::{PairCounts, PairLookup};
pub use shrink::{Shrinking, shrink};

use crate::engine::Engine;
use format::{Manifest, MergeLevel, MergeLevelSnapshot, MergeLevels, Sealed, TakenSnapshot};
use model::{Renumbering, SnapshotDocuments};
use runtime::{Error, PhaseName, parameters};
use std::collections::BTreeMap;

/// What an earlier run left to go on from.
#[derive(Clone, Debug)]
pub struct Before {
    pub levels: MergeLevels,
    /// Whether a snapshot of then is no longer there.
    pub has_lost: bool,
}

/// Among the other files of pair counts: pairs with a document of the last step, where it changed
/// nothing about older ones.
pub const FRESH: &str = "fresh";
/// The first of these documents, among the counts.
pub const FRESH_FROM: &str = "fresh_from";

/// The snapshots of a finished sketch phase, for a phase that takes them in.
pub fn taken(manifest: &Manifest) -> Vec<TakenSnapshot> {
    let live = manifest.snapshots.iter().filter(|snapshot| !snapshot.lent);
    let taken = live.map(|snapshot| TakenSnapshot {
        number: snapshot.number,
        documents: snapshot.documents,
        content: snapshot.sketched.inputs.clone(),
    });
    taken.collect()
}

/// Snapshots and their documents, for numbering.
pub fn numbering(taken: &[TakenSnapshot]) -> Vec<SnapshotDocuments> {
    taken
        .iter()
        .map(|one| SnapshotDocuments {
            number: one.number,
            documents: one.documents,
        })
        .collect()
}

/// What the results of a phase depend on besides the snapshots.
pub fn parameters_of(engine: &Engine<'_>, phase: PhaseName) -> String {
    parameters::of(PhaseName::Sketch, engine.config) + &parameters::of(phase, engine.config)
}

/// What can be gone on from; none if the phase has to begin anew: other parameters, a snapshot that
/// is no longer what it was, files that are not there.
pub fn before(engine: &Engine<'_>, phase: PhaseName) -> Option<Before> {
    let manifest = engine.manifest();
    let levels = manifest.levels.get(phase.name())?.clone();
    let now = taken(&manifest);
    drop(manifest);
    if levels.parameters != parameters_of(engine, phase) {
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
        .then_some(Before { levels, has_lost })
}

/// Begins anew: whatever there was no longer counts, so that its names are free.
pub fn forget(engine: &Engine<'_>, phase: PhaseName) -> Result<(), Error> {
    if engine.manifest().levels.remove(phase.name()).is_some() {
        engine.store_manifest()?;
    }
    Ok(())
}

/// Name of the file that a step makes of what came since another; never that of an earlier file.
pub fn level_name(stem: &str, step: u64, since: u64) -> String {
    if since == step {
        format!("{stem}-{step}")
    } else {
        format!("{stem}-{step}-since-{since}")
    }
}

/// A file, and how many records there are for each snapshot of now.
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

/// From the numbers in a file to those of now.
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

/// Counts records by the snapshots of now.
pub struct BySnapshot {
    ends: Vec<u32>,
    pub records: Vec<u64>,
}

impl BySnapshot {
    pub fn of(now: &[TakenSnapshot]) -> BySnapshot {
        let end = |end: &mut u32, one: &TakenSnapshot| {
            *end = end.saturating_add(one.documents);
            Some(*end)
        };
        BySnapshot {
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

/// Keeps what a phase has become, for the next one that goes on.
pub fn keep(engine: &Engine<'_>, phase: PhaseName, levels: MergeLevels) {
    engine
        .manifest()
        .levels
        .insert(phase.name().to_owned(), levels);
}

/// All files.
pub fn files(levels: &MergeLevels) -> impl Iterator<Item = &Sealed> {
    levels
        .files
        .iter()
        .map(|level| &level.sealed)
        .chain(levels.others.values())
}

/// All files, by their names.
pub fn outputs(levels: &MergeLevels) -> BTreeMap<String, Sealed> {
    files(levels)
        .map(|sealed| (sealed.name.clone(), sealed.clone()))
        .collect()
}
