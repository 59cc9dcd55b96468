//! Corrects exact counts for shingles that became common, or are no longer common.
//!
//! *Input.* The shingles whose mark changed; the runs of borderline shingles of compared documents.
//! *Output.* The counts of a pair as the present list of common shingles gives them. *Algorithm.*
//! The changed shingles of a document are its profile. Documents have few different profiles,
//! because a frame changes as a whole. The overlap of two profiles goes from one kind of shingles
//! to the other. *Memory.* 4 bytes a document, 16 for each shingle of a profile. *Limits.* If the
//! profiles do not fit an eighth of the free memory, there are no corrections.

use cluster::Cells;
use engine::Engine;
use engine::cells::SpillableCells;
use format::{BorderlineRecord, BorderlineRunRecord, FormatError, SettledRecord};
use runtime::{Error, PhaseName};
use sets::SetOverlap;
use sort::Reservation;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

const PHASE: PhaseName = PhaseName::Settle;

/// Memory of a profile without its shingles.
const PROFILE_BYTES: usize = 256;

/// The changed shingles of a document, by their places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Profile {
    /// Those that became common.
    entered: Vec<u64>,
    /// Those that are no longer common.
    left: Vec<u64>,
}

/// Changes of the list of common shingles.
pub(crate) struct CommonChanges {
    /// The changed shingles by place.
    changed: Vec<BorderlineRecord>,
    /// For each document the number of its profile and one more; 0 if it was not compared.
    cells: SpillableCells,
    profiles: Vec<Profile>,
    numbers: HashMap<Profile, u32>,
    /// Bytes that are left for profiles; `None` if one did not fit.
    room: Option<usize>,
    _memory: Reservation,
}

impl CommonChanges {
    /// The changes of these shingles, which are in the order of their places.
    pub(crate) fn of(
        engine: &Engine<'_>,
        changed: Vec<BorderlineRecord>,
    ) -> Result<CommonChanges, Error> {
        let path = engine.dir(PHASE).join("profiles.run-cells");
        let documents = engine.segments()?.documents() as usize;
        let cells = SpillableCells::create(&engine.disk, &path, documents, &engine.budget);
        let memory = engine.budget.reserve_share(1, 8);
        Ok(CommonChanges {
            changed,
            cells: cells.map_err(Error::work(PHASE))?,
            profiles: Vec::new(),
            numbers: HashMap::new(),
            room: Some(memory.bytes()),
            _memory: memory,
        })
    }

    /// Adds all runs of a document.
    pub(crate) fn add(&mut self, runs: &[BorderlineRunRecord]) -> Result<(), FormatError> {
        let mut profile = Profile::default();
        for run in runs {
            let first = self.changed.partition_point(|one| one.place < run.first);
            let end = run.first.saturating_add(run.count);
            for one in self.changed[first..]
                .iter()
                .take_while(|one| one.place < end)
            {
                let list = if one.is_common == 1 {
                    &mut profile.entered
                } else {
                    &mut profile.left
                };
                list.push(u64::from(one.place));
            }
        }
        let Some(doc) = runs.first().map(|run| run.doc) else {
            return Ok(());
        };
        // the runs of a large document come from several chunks
        for list in [&mut profile.entered, &mut profile.left] {
            list.sort_unstable();
            list.dedup();
        }
        let number = match self.numbers.entry(profile) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let profile = entry.key();
                let shingles = profile.entered.len() + profile.left.len();
                let bytes = PROFILE_BYTES + 16 * shingles;
                self.room = self.room.and_then(|room| room.checked_sub(bytes));
                if self.room.is_none() {
                    return Ok(());
                }
                self.profiles.push(profile.clone());
                *entry.insert(self.profiles.len() as u32)
            }
        };
        self.cells.set(doc, number)
    }

    /// Whether all profiles fit.
    pub(crate) fn is_complete(&self) -> bool {
        self.room.is_some()
    }

    /// The counts of a pair by the present list, from those by the list before; `None` if one of
    /// its documents has no profile.
    pub(crate) fn corrected(
        &mut self,
        settled: SettledRecord,
    ) -> Result<Option<SettledRecord>, FormatError> {
        let numbers = [self.cells.get(settled.a)?, self.cells.get(settled.b)?];
        let profiles = numbers.map(|number| self.profiles.get((number as usize).wrapping_sub(1)));
        let [Some(a), Some(b)] = profiles else {
            return Ok(None);
        };
        let entered = SetOverlap::of(&a.entered, &b.entered);
        let left = SetOverlap::of(&a.left, &b.left);
        let content = |count: u32, of: fn(&SetOverlap) -> u32| {
            count.wrapping_add(of(&left)).wrapping_sub(of(&entered))
        };
        let common = |count: u32, of: fn(&SetOverlap) -> u32| {
            count.wrapping_add(of(&entered)).wrapping_sub(of(&left))
        };
        Ok(Some(SettledRecord {
            a: settled.a,
            b: settled.b,
            shared: content(settled.shared, |one| one.shared),
            size_a: content(settled.size_a, |one| one.size_a),
            size_b: content(settled.size_b, |one| one.size_b),
            common_shared: common(settled.common_shared, |one| one.shared),
            common_a: common(settled.common_a, |one| one.size_a),
            common_b: common(settled.common_b, |one| one.size_b),
        }))
    }
}
