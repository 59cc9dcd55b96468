//! Remembers which borderline shingles the compared documents contain.
//!
//! The exact counts of a pair depend on the list of common shingles. When a shingle enters the list
//! or leaves it, the counts of the pairs whose documents contain it change. *Input.* Shingles about
//! as frequent as the common limit (`frequencies`); the sets of compared documents. *Output.* Both
//! as files for the next run. *Algorithm.* Shingles of one frame are in the same documents. They
//! get successive places, so a few runs of places describe a document. *Memory.* 24 bytes for each
//! borderline shingle, and up to 128 while they are found. If an eighth of the free
//! memory is too small, no shingle is borderline: then any change of the list is one of unknown
//! effect. *Disk.* 13 bytes for each shingle, 12 for each run.

use engine::{DocumentSet, Engine};
use format::{
    BorderlineRecord, BorderlineRunRecord, CommonRecord, FileKind, FormatError, RecordReader,
    Sealed,
};
use runtime::{Error, PhaseName};
use sets::SetObserver;
use sort::{Distinct, Prefixes, Reservation, Sorter};
use std::sync::{Mutex, PoisonError};

const PHASE: PhaseName = PhaseName::Settle;

/// The file of borderline shingles, by its name among those of the phase.
pub(crate) const SHINGLES: &str = "borderline";

/// The file of their runs.
pub(crate) const RUNS: &str = "borderline-runs";

/// Memory of a borderline shingle, with what is needed to find it.
const BYTES_EACH: usize = 128;

/// An odd number without pattern: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Borderline shingles in order.
pub(crate) struct BorderlineShingles {
    list: Vec<BorderlineRecord>,
    /// A table of bits that most other shingles do not pass.
    bits: Vec<u64>,
    /// Where the shingles begin whose highest bits are this number or more. They are uniform, so
    /// about one has each.
    starts: Vec<u32>,
    _memory: Reservation,
}

impl BorderlineShingles {
    /// Reserves memory, for no shingles yet; also gives how many fit.
    fn none(engine: &Engine<'_>) -> (BorderlineShingles, usize) {
        let memory = engine.budget.reserve_share(1, 8);
        let fitting = memory.bytes() / BYTES_EACH;
        let none = BorderlineShingles {
            list: Vec::new(),
            bits: Vec::new(),
            starts: Vec::new(),
            _memory: memory,
        };
        (none, fitting)
    }

    /// Finds the borderline shingles of this run, which are not marked as common yet. There are
    /// none where no snapshot will follow.
    pub(crate) fn find(engine: &Engine<'_>) -> Result<BorderlineShingles, Error> {
        let (mut shingles, fitting) = BorderlineShingles::none(engine);
        if !engine.config.has_snapshots {
            return Ok(shingles);
        }
        let mut found = Vec::new();
        let all_fit = frequencies::borderline(engine, |one| {
            found.push((one.documents, one.example, one.shingle));
            found.len() <= fitting
        })?;
        if !all_fit {
            return Ok(shingles);
        }
        found.sort_unstable();
        let placed = (0..)
            .zip(found)
            .map(|(place, (_, _, shingle))| BorderlineRecord {
                shingle,
                place,
                is_common: 0,
            });
        shingles.list = placed.collect();
        shingles.list.sort_unstable();
        shingles.make_tables();
        Ok(shingles)
    }

    /// Reads those of an earlier run, marked as that run did; `None` if they do not fit.
    pub(crate) fn read(
        engine: &Engine<'_>,
        sealed: &Sealed,
    ) -> Result<Option<BorderlineShingles>, FormatError> {
        let (mut shingles, fitting) = BorderlineShingles::none(engine);
        if sealed.records > fitting as u64 {
            return Ok(None);
        }
        let (dir, kind) = (engine.dir(PHASE), FileKind::Borderline);
        let mut reader = RecordReader::open_sealed(&engine.disk, &dir, sealed, kind)?;
        while let Some(slice) = reader.next_slice()? {
            shingles.list.extend_from_slice(slice);
        }
        shingles.make_tables();
        Ok(Some(shingles))
    }

    /// Marks the shingles that are common now. Gives those whose mark changed, and a digest of the
    /// common shingles that are not borderline.
    pub(crate) fn mark(
        &mut self,
        engine: &Engine<'_>,
    ) -> Result<(Vec<BorderlineRecord>, u64), Error> {
        let mut common =
            engine.reader::<CommonRecord>(PhaseName::Pairs, "common", FileKind::Common)?;
        let (mut next, mut digest) = (common.next()?, 0_u64);
        let mut changed = Vec::new();
        let mut pass = |next: &mut Option<CommonRecord>, shingle: Option<u64>| {
            while let Some(one) = next.filter(|one| shingle.is_none_or(|end| one.shingle < end)) {
                digest = (digest.rotate_left(5) ^ one.shingle).wrapping_mul(MULTIPLIER);
                *next = common.next()?;
            }
            let is_common = next.is_some_and(|one| Some(one.shingle) == shingle);
            if is_common {
                *next = common.next()?;
            }
            Ok::<_, Error>(is_common)
        };
        for one in &mut self.list {
            let is_common = u8::from(pass(&mut next, Some(one.shingle))?);
            if is_common != one.is_common {
                one.is_common = is_common;
                changed.push(*one);
            }
        }
        pass(&mut next, None)?;
        changed.sort_unstable_by_key(|one| one.place);
        Ok((changed, digest))
    }

    /// Writes them for the next run.
    pub(crate) fn write(&self, engine: &Engine<'_>) -> Result<Sealed, Error> {
        let mut writer = engine.writer(PHASE, SHINGLES, FileKind::Borderline)?;
        let work = Error::work(PHASE);
        writer.push_all(&self.list).map_err(work)?;
        writer.finish().map_err(work)
    }

    fn bit(&self, shingle: u64) -> (usize, u64) {
        let hash = shingle.wrapping_mul(MULTIPLIER);
        let bits = self.bits.len() as u64 * 64;
        let bit = ((u128::from(hash) * u128::from(bits)) >> 64) as u64;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// The number of the highest bits of a shingle.
    fn bucket(&self, shingle: u64) -> usize {
        ((u128::from(shingle) * self.list.len() as u128) >> 64) as usize
    }

    /// 16 bits and a bucket for each shingle.
    fn make_tables(&mut self) {
        self.bits = vec![0; self.list.len().div_ceil(4)];
        for at in 0..self.list.len() {
            let shingle = self.list[at].shingle;
            let (word, bit) = self.bit(shingle);
            self.bits[word] |= bit;
            let bucket = self.bucket(shingle);
            if self.starts.len() <= bucket {
                self.starts.resize(bucket + 1, at as u32);
            }
        }
        self.starts
            .resize(self.list.len() + 1, self.list.len() as u32);
    }

    /// The place of a shingle; `None` if it is not borderline.
    fn place(&self, shingle: u64) -> Option<u32> {
        let (word, bit) = self.bit(shingle);
        if self.bits.get(word)? & bit == 0 {
            return None;
        }
        let bucket = self.bucket(shingle);
        let [first, end] = [bucket, bucket + 1].map(|at| self.starts[at] as usize);
        let mut of_bucket = self.list[first..end].iter();
        of_bucket
            .find(|one| one.shingle == shingle)
            .map(|one| one.place)
    }
}

/// Collects the runs of documents.
pub(crate) struct BorderlineRuns<'a> {
    shingles: &'a BorderlineShingles,
    runs: Mutex<Sorter<BorderlineRunRecord, Distinct>>,
    /// The documents of earlier runs, if they fit the memory.
    known: Option<DocumentSet>,
    _memory: Reservation,
}

impl<'a> BorderlineRuns<'a> {
    /// Begins; takes an eighth of the free memory.
    pub(crate) fn begin(
        engine: &Engine<'_>,
        shingles: &'a BorderlineShingles,
    ) -> Result<BorderlineRuns<'a>, Error> {
        let memory = engine.budget.reserve_share(1, 8);
        let sorter = engine.sorter(PHASE, RUNS, memory.bytes(), Distinct);
        let documents = engine.segments()?.documents();
        let sorter = sorter.expecting(Prefixes::documents(documents));
        Ok(BorderlineRuns {
            shingles,
            runs: Mutex::new(sorter),
            known: DocumentSet::new(&engine.budget, documents),
            _memory: memory,
        })
    }

    /// Adds all runs of a document of an earlier run.
    pub(crate) fn add_known(&mut self, runs: &[BorderlineRunRecord]) -> Result<(), FormatError> {
        if let (Some(known), Some(first)) = (&mut self.known, runs.first()) {
            known.add(first.doc);
        }
        self.add(runs)
    }

    fn add(&self, runs: &[BorderlineRunRecord]) -> Result<(), FormatError> {
        let mut sorter = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        sorter.push_all(runs)
    }

    /// Writes all in order, for the next run.
    pub(crate) fn write(self, engine: &Engine<'_>) -> Result<Sealed, Error> {
        let work = Error::work(PHASE);
        let sorter = self
            .runs
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut sorted = sorter.finish().map_err(work)?;
        let mut writer = engine.writer(PHASE, RUNS, FileKind::BorderlineRuns)?;
        while let Some(slice) = sorted.next_slice().map_err(work)? {
            writer.push_all(slice).map_err(work)?;
        }
        writer.finish().map_err(work)
    }
}

impl SetObserver for BorderlineRuns<'_> {
    fn see(&self, doc: u32, shingles: &[u64]) -> Result<(), FormatError> {
        let is_known = self.known.as_ref().is_some_and(|known| known.has(doc));
        if is_known || self.shingles.list.is_empty() {
            return Ok(());
        }
        let places = shingles.iter().filter_map(|one| self.shingles.place(*one));
        let mut places: Vec<u32> = places.collect();
        places.sort_unstable();
        self.add(&runs_of(doc, &places))
    }
}

/// Sorted places of a document as runs.
fn runs_of(doc: u32, places: &[u32]) -> Vec<BorderlineRunRecord> {
    let run = |places: &[u32]| BorderlineRunRecord {
        doc,
        first: places.first().copied().unwrap_or(0),
        count: places.len() as u32,
    };
    if places.is_empty() {
        return vec![run(&[])];
    }
    places
        .chunk_by(|one, next| one + 1 == *next)
        .map(run)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Shingles are uniform, but any may come.
        #[test]
        fn each_borderline_shingle_has_its_place(
            list in prop::collection::btree_map(prop_oneof![any::<u64>(), 0u64..50], any::<u32>(), 0..300), others: Vec<u64>,
        ) {
            let budget = sort::MemoryBudget::new(0);
            let mut shingles = BorderlineShingles {
                list: list.iter().map(|(&shingle, &place)| BorderlineRecord { shingle, place, is_common: 0 }).collect(),
                bits: Vec::new(),
                starts: Vec::new(),
                _memory: budget.reserve_share(1, 1),
            };
            shingles.make_tables();
            let asked: Vec<u64> = list.keys().copied().chain(others).chain(0..60).collect();
            let found: BTreeMap<u64, Option<u32>> = asked.iter().map(|one| (*one, shingles.place(*one))).collect();
            let expected = asked.iter().map(|one| (*one, list.get(one).copied())).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn runs_have_the_places_and_no_others(places in prop::collection::btree_set(0u32..60, 0..40)) {
            let sorted: Vec<u32> = places.iter().copied().collect();
            let runs = runs_of(7, &sorted);
            let covered: Vec<u32> = runs.iter().flat_map(|run| run.first..run.first + run.count).collect();
            prop_assert_eq!(covered, sorted);
            prop_assert!(!runs.is_empty() && runs.iter().all(|run| run.doc == 7));
            let is_apart = |pair: &[BorderlineRunRecord]| pair[0].first + pair[0].count < pair[1].first;
            prop_assert!(runs.windows(2).all(is_apart));
        }
    }
}
