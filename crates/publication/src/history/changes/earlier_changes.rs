//! The changes that an earlier run found between two snapshots, reused where this run would find
//! the same.
//!
//! *Input.* The list that the run before left in the work directory, and the tables of the
//! publication it made. *Output.* For each pair of consecutive snapshots, by the place of the older
//! one, whether it is taken over: its counts, and its row groups in each table, which are copied as
//! they lie. *Algorithm.* What is found between two snapshots follows from their documents, the
//! time between them, the parameters, and which shingles are common, as those are left out of all
//! sketches; a key stands for these. The snapshot before tells which URLs are copies; without
//! copies it may be dropped. Other snapshots have no part in it: documents have the public ids that
//! they keep, and which document stands for a class makes no difference, as all of it have one
//! sketch. Tables are compared with their digests before a row group of them is taken.
//! *Memory.* The list; the footers of the tables. *Disk.* The list: some KB for each pair.
//! *Limits.* With one shingle more or less that is common, nothing is taken over. Nor is it if
//! sketches have a fixed size, if the publication shown is not the one that the list is of, or if a
//! file is not as it was written.

use super::statistics::StepFigures;
use super::step_key::{StepKey, keys};
use crate::PHASE;
use crate::history::reuse_error::ReuseError;
use crate::publish::Publication;
use engine::{Engine, Error};
use format::PhaseFigures;
use format::SnapshotSpan;
use format::{AtomicFile, MergeLevels, Sealed};
use output::{CHANGES, HOST_CHANGES, MOVED, OutputError, Table, TableGroups};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::ops::Range;

/// The tables, in the order of the row groups in [`ListEntry`], and their files.
pub(super) const TABLES: [(&Table, &str); 3] = [
    (&CHANGES, "changes.parquet"),
    (&MOVED, "moved.parquet"),
    (&HOST_CHANGES, "host_changes.parquet"),
];

/// The name of the list among the files of the phase, followed by the number of its publication.
const LIST: &str = "between";

/// An entry of the list: the changes between two snapshots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListEntry {
    /// The origin of the changes.
    #[serde(flatten)]
    pub(super) key: StepKey,
    pub(super) has_copies: bool,
    pub(super) figures: StepFigures,
    /// Row groups of it in each table.
    pub(super) groups: [usize; 3],
}

/// The tables of a publication; by the place of the older snapshot, the row groups of each and the
/// figures.
pub(super) struct ChangeTables {
    pub(super) tables: Vec<Sealed>,
    pub(super) groups: Vec<[usize; 3]>,
    pub(super) steps: Vec<StepFigures>,
}

/// The changes of an earlier run that are reused.
pub(super) struct EarlierChanges {
    /// By the place of the older snapshot: its row groups in each table, and its counts.
    reused: Vec<Option<ReusedChanges>>,
    keys: Vec<StepKey>,
    tables: Vec<TableGroups>,
}

/// The changes between two snapshots, as the earlier run wrote them.
struct ReusedChanges {
    has_copies: bool,
    figures: StepFigures,
    groups: [Range<usize>; 3],
}

impl EarlierChanges {
    /// Opens the changes that an earlier run left for these snapshots.
    ///
    /// # Errors
    /// An error of the system, or when the common shingles cannot be read: what is wrong with
    /// earlier files is no reason not to go on.
    pub(super) fn open(
        engine: &Engine<'_>,
        publication: &Publication,
        spans: &[SnapshotSpan],
    ) -> Result<EarlierChanges, Error> {
        let keys = keys(engine, publication.parameters(), spans)?;
        let nothing = keys.iter().map(|_| None).collect();
        let earlier = if engine.config.sketch.sampling.has_fixed_size() {
            // Which pairs are compared may depend on documents of other snapshots.
            Err(ReuseError::Unusable("sketches have a fixed size".into()))
        } else {
            read(engine, publication, &keys)
        };
        match earlier {
            Ok((reused, tables)) => Ok(EarlierChanges {
                reused,
                keys,
                tables,
            }),
            Err(ReuseError::Fatal(error)) => Err(error),
            Err(ReuseError::Unusable(why)) => {
                tracing::info!(why, "changes between all snapshots are looked for");
                Ok(EarlierChanges {
                    reused: nothing,
                    keys,
                    tables: Vec::new(),
                })
            }
        }
    }

    /// Whether what is between the snapshot at a place and the next one has to be found.
    pub(super) fn is_wanted(&self, place: usize) -> bool {
        self.reused.get(place).is_some_and(Option::is_none)
    }

    /// Whether anything has to be found of what is in a snapshot.
    pub(super) fn is_looked_at(&self, place: usize) -> bool {
        let is_wanted = |place: Option<usize>| place.is_some_and(|place| self.is_wanted(place));
        // As the older one, the newer one, or the one before both.
        [Some(place), place.checked_sub(1), place.checked_add(1)]
            .into_iter()
            .any(is_wanted)
    }

    /// The figures taken over, if they are.
    pub(super) fn figures(&self, place: usize) -> Option<&StepFigures> {
        Some(&self.reused.get(place)?.as_ref()?.figures)
    }

    /// A table, by its place in [`TABLES`], and the row groups taken over, if they are.
    pub(super) fn groups(
        &self,
        place: usize,
        table: usize,
    ) -> Option<(&TableGroups, Range<usize>)> {
        let reused = self.reused.get(place)?.as_ref()?;
        Some((self.tables.get(table)?, reused.groups[table].clone()))
    }

    /// Puts down what this run found and took over, for the next one; `with_copies` are the places
    /// of the steps in which a copy counted.
    pub(super) fn keep(
        self,
        engine: &Engine<'_>,
        publication: &Publication,
        written: ChangeTables,
        with_copies: &BTreeSet<u32>,
    ) -> Result<MergeLevels, Error> {
        let ChangeTables {
            tables,
            groups,
            steps,
        } = written;
        let taken_over = self.reused.iter().filter(|reused| reused.is_some()).count() as u64;
        tracing::info!(
            taken_over,
            of = self.reused.len(),
            "changes between snapshots"
        );
        let had_copies = |reused: &Option<ReusedChanges>| {
            let reused = reused.as_ref();
            reused.is_some_and(|reused| reused.has_copies)
        };
        let with_copies = (0..)
            .zip(&self.reused)
            .map(|(place, reused)| with_copies.contains(&place) || had_copies(reused));
        let found = self.keys.into_iter().zip(steps).zip(groups);
        let list: Vec<ListEntry> = found
            .zip(with_copies)
            .map(|(((key, figures), groups), has_copies)| ListEntry {
                key,
                has_copies,
                figures,
                groups,
            })
            .collect();
        let number = publication.number();
        let path = engine.dir(PHASE).join(format!("{LIST}-{number}"));
        let bytes = serde_json::to_vec(&list)
            .map_err(|e| Error::io("write the list of changes")(e.into()))?;
        let mut file = AtomicFile::create(&engine.disk, &path)?;
        let failed = |source| OutputError::Write {
            table: LIST.to_owned(),
            source,
        };
        file.write_all(&bytes).map_err(failed)?;
        let list = file.commit(list.len() as u64)?;
        let named = tables
            .iter()
            .map(|sealed| (sealed.name.clone(), sealed.clone()));
        let others = named.chain([(LIST.to_owned(), list)]).collect();
        Ok(MergeLevels {
            step: number,
            snapshots: engine.taken(),
            others,
            figures: PhaseFigures::of(&taken_over),
            ..MergeLevels::default()
        })
    }
}

/// The changes that can be reused, and the row groups of the tables they are in.
fn read(
    engine: &Engine<'_>,
    publication: &Publication,
    keys: &[StepKey],
) -> Result<(Vec<Option<ReusedChanges>>, Vec<TableGroups>), ReuseError> {
    let unusable = |why: &str| ReuseError::Unusable(why.to_owned());
    let known = engine.levels(PHASE);
    let known = known.ok_or_else(|| unusable("there is no list"))?;
    let shown = publication
        .shown()
        .filter(|shown| shown.number == known.step);
    let shown = shown.ok_or_else(|| unusable("the list is of another publication"))?;
    let sealed = |name: &str| {
        known
            .others
            .get(name)
            .ok_or_else(|| unusable("the list is not whole"))
    };
    let path = engine.dir(PHASE).join(&sealed(LIST)?.name);
    AtomicFile::verify(&engine.disk, &path, sealed(LIST)?)?;
    let text = engine
        .disk
        .read_text(&path)?
        .ok_or_else(|| unusable("the list is missing"))?;
    let list: Vec<ListEntry> =
        serde_json::from_str(&text).map_err(|e| ReuseError::Unusable(e.to_string()))?;
    let mut first = [0; 3];
    let mut by_key = BTreeMap::new();
    for ListEntry {
        key,
        has_copies,
        figures,
        groups,
    } in list
    {
        let groups = [0, 1, 2].map(|table: usize| first[table]..first[table] + groups[table]);
        first = [0, 1, 2].map(|table: usize| groups[table].end);
        let changes = ReusedChanges {
            has_copies,
            figures,
            groups,
        };
        by_key.insert(key.key.clone(), (key, changes));
    }
    let of_key = |wanted: &StepKey| {
        let (key, changes) = by_key.remove(&wanted.key)?;
        Some(changes).filter(|changes| key.serves(changes.has_copies, wanted))
    };
    let reused: Vec<Option<ReusedChanges>> = keys.iter().map(of_key).collect();
    if reused.iter().all(Option::is_none) {
        return Err(unusable("nothing is as it was"));
    }
    let mut tables = Vec::new();
    for (table, name) in TABLES {
        let path = shown.dir.join(name);
        AtomicFile::verify(&engine.disk, &path, sealed(name)?)?;
        tables.push(TableGroups::open(&path, &table.schema())?);
    }
    Ok((reused, tables))
}

#[cfg(test)]
mod tests {
    use super::StepKey;

    #[test]
    fn without_copies_the_snapshot_before_may_be_dropped() {
        let key = |before: &str| StepKey {
            key: "both".to_owned(),
            before: before.to_owned(),
        };
        let cases = [
            (key("a"), true, key("a"), true),
            (key("a"), true, key("b"), false),
            (key("a"), true, key(""), false),
            (key("a"), false, key(""), true),
            (key("a"), false, key("b"), false),
            (key(""), false, key("a"), false),
        ];
        for (found, has_copies, wanted, serves) in cases {
            let case = format!("{found:?}, {has_copies}, {wanted:?}");
            assert_eq!(found.serves(has_copies, &wanted), serves, "{case}");
        }
        let other = StepKey {
            key: "others".to_owned(),
            ..key("a")
        };
        assert!(!key("a").serves(false, &other));
    }
}
