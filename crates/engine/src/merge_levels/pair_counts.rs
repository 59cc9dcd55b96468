//! The current pair counts, summed over the files of all steps: read in order, or looked up.

use super::level_sums::{LevelSums, has_one_of};
use super::merged_levels::{LevelReader, MergedLevels};
use super::{NEW_PAIRS, NEW_PAIRS_FROM, renumbering};
use crate::{DocumentSet, Engine, Output};
use format::{FileKind, Manifest, MergeLevel, MergeLevels, RecordReader, TakenSnapshot};
use model::PairCount;
use runtime::{Error, PhaseName};
use std::sync::Arc;

impl LevelReader<PairCount> {
    /// Skips the counts of pairs below this one.
    fn skip_pairs(&mut self, (a, b): (u32, u32)) -> Result<(), Error> {
        if self.head.is_none_or(|head| (head.a, head.b) >= (a, b)) {
            return Ok(());
        }
        // The lowest pair, in the numbers of the file, that is not below. No document has the
        // highest number.
        let first = match &self.by {
            None => (a, b),
            Some(by) => match by.first_at_least(a) {
                None => (u32::MAX, 0),
                Some((a, false)) => (a, 0),
                Some((a, true)) => (a, by.first_at_least(b).map_or(u32::MAX, |(b, _)| b)),
            },
        };
        self.skip_while(|pair| (pair.a, pair.b) < first)
    }
}

/// Pair counts looked up in ascending order of pairs.
///
/// Pairs with a document of the last step are looked up in the file of new pairs, if there is one.
/// The other files are opened at the first lookup of an older pair.
pub struct PairLookup<'a> {
    engine: &'a Engine<'a>,
    /// The first document of the last step, and the file of new pairs.
    new_pairs: Option<(u32, LevelLookup)>,
    all: Option<LevelLookup>,
}

impl<'a> PairLookup<'a> {
    /// Opens the counts of a finished phase `pairs`.
    ///
    /// # Errors
    /// When a file is missing or damaged.
    pub fn open(engine: &'a Engine<'a>) -> Result<PairLookup<'a>, Error> {
        let manifest = engine.manifest();
        let levels = counted_levels(engine, &manifest);
        let new_pairs = levels.and_then(|levels| {
            let first = u32::try_from(*levels.counts.get(NEW_PAIRS_FROM)?).ok()?;
            Some((first, levels.others.get(NEW_PAIRS)?.clone()))
        });
        let now = super::taken(&manifest);
        drop(manifest);
        let new_pairs = new_pairs.map(|(first, sealed)| {
            let records = vec![0; now.len()];
            let level = super::level(sealed, [0; 2], &now, &records);
            Ok::<_, Error>((first, LevelLookup::open(engine, &[level], &now)?))
        });
        Ok(PairLookup {
            engine,
            new_pairs: new_pairs.transpose()?,
            all: None,
        })
    }

    /// Shared shingles of a pair; 0 if there are none.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn of(&mut self, a: u32, b: u32) -> Result<u32, Error> {
        if let Some((first, new_pairs)) = &mut self.new_pairs
            && b >= *first
        {
            return new_pairs.of(a, b);
        }
        let all = match &mut self.all {
            Some(all) => all,
            empty => {
                let (files, now) = pair_files(self.engine);
                empty.insert(LevelLookup::open(self.engine, &files, &now)?)
            }
        };
        all.of(a, b)
    }
}

/// Counts of some files.
struct LevelLookup {
    merged: MergedLevels<PairCount>,
    next: Option<PairCount>,
}

impl LevelLookup {
    fn open(
        engine: &Engine<'_>,
        files: &[MergeLevel],
        now: &[TakenSnapshot],
    ) -> Result<LevelLookup, Error> {
        let mut merged = MergedLevels::open(engine, PhaseName::Pairs, FileKind::Pairs, files, now)?;
        Ok(LevelLookup {
            next: merged.next_sum()?,
            merged,
        })
    }

    fn of(&mut self, a: u32, b: u32) -> Result<u32, Error> {
        if self.next.is_some_and(|pair| (pair.a, pair.b) < (a, b)) {
            self.merged
                .sources
                .iter_mut()
                .try_for_each(|source| source.skip_pairs((a, b)))?;
            self.next = self.merged.next_sum()?;
        }
        Ok(self
            .next
            .filter(|pair| (pair.a, pair.b) == (a, b))
            .map_or(0, |pair| pair.shared))
    }
}

/// The levels of a finished phase `pairs`; `None` if its counts are those of keys, by which pairs
/// are only found.
fn counted_levels<'a>(engine: &Engine<'_>, manifest: &'a Manifest) -> Option<&'a MergeLevels> {
    let levels = manifest.levels.get(PhaseName::Pairs.name());
    levels.filter(|_| !engine.config.sketch.sampling.has_fixed_size())
}

/// The files of a finished phase `pairs`, and the current snapshots.
fn pair_files(engine: &Engine<'_>) -> (Vec<MergeLevel>, Vec<TakenSnapshot>) {
    let manifest = engine.manifest();
    let levels = counted_levels(engine, &manifest);
    (
        levels
            .map(|levels| levels.files.clone())
            .unwrap_or_default(),
        super::taken(&manifest),
    )
}

/// The counts of all pairs, in order. Signed counts of several files are added; pairs with a sum of
/// zero are left out.
pub struct PairCounts {
    source: PairSource,
    records: u64,
    /// The documents of which a pair has to have one, if not all pairs are wanted.
    wanted: Option<Arc<DocumentSet>>,
    /// The wanted pairs of a slice.
    selected: Vec<PairCount>,
}

enum PairSource {
    /// One file in the current numbers.
    OneLevel(Output<PairCount>),
    /// Several files.
    Levels(Box<LevelSums>),
    /// A file of new pairs, or a partition that `cluster` made.
    File(Output<PairCount>),
}

impl PairCounts {
    /// Opens the counts of a finished phase `pairs`.
    ///
    /// # Errors
    /// When a file is missing or damaged.
    pub fn open(engine: &Engine<'_>) -> Result<PairCounts, Error> {
        let (files, now) = pair_files(engine);
        PairCounts::of_levels(engine, &files, &now)
    }

    /// Opens the counts of the pairs with one of these documents.
    ///
    /// # Errors
    /// When a file is missing or damaged.
    pub fn with_one_of(
        engine: &Engine<'_>,
        documents: Arc<DocumentSet>,
    ) -> Result<PairCounts, Error> {
        let (files, now) = pair_files(engine);
        PairCounts::of_levels_with(engine, files, &now, documents)
    }

    /// Opens the counts of the pairs with one of these documents in the files of some levels.
    ///
    /// # Errors
    /// When a file is missing or damaged.
    pub fn of_levels_with(
        engine: &Engine<'_>,
        mut files: Vec<MergeLevel>,
        now: &[TakenSnapshot],
        documents: Arc<DocumentSet>,
    ) -> Result<PairCounts, Error> {
        // A file has no pair with a document that came after it.
        let lowest = documents.lowest();
        files.retain(|level| {
            let last = level.snapshots.last().map_or(0, |last| last.number);
            let until = now.iter().take_while(|one| one.number <= last);
            until.map(|one| one.documents).sum::<u32>() > lowest.unwrap_or(u32::MAX)
        });
        let mut all = PairCounts::of_levels(engine, &files, now)?;
        if let PairSource::Levels(sums) = &mut all.source {
            sums.wanted = Some(Arc::clone(&documents));
        }
        Ok(PairCounts {
            wanted: Some(documents),
            ..all
        })
    }

    /// Opens the counts in the files of some levels.
    ///
    /// # Errors
    /// When a file is missing or damaged.
    pub fn of_levels(
        engine: &Engine<'_>,
        files: &[MergeLevel],
        now: &[TakenSnapshot],
    ) -> Result<PairCounts, Error> {
        let records = files.iter().map(|level| level.sealed.records).sum();
        let (phase, kind) = (PhaseName::Pairs, FileKind::Pairs);
        if let [level] = files
            && renumbering(level, now).is_identity()
        {
            let reader =
                RecordReader::open_sealed(&engine.disk, &engine.dir(phase), &level.sealed, kind);
            let reader = Output::of(reader?, phase);
            return Ok(PairCounts::of(PairSource::OneLevel(reader), records));
        }
        let merged = MergedLevels::open(engine, phase, kind, files, now)?;
        let source = PairSource::Levels(Box::new(LevelSums::of(merged)?));
        Ok(PairCounts::of(source, records))
    }

    fn of(source: PairSource, records: u64) -> PairCounts {
        PairCounts {
            source,
            records,
            wanted: None,
            selected: Vec::new(),
        }
    }

    /// Opens the counts of the pairs that no run has judged as they are now; `None` if they are not
    /// known.
    ///
    /// # Errors
    /// When the file is missing or damaged.
    pub fn open_new(engine: &Engine<'_>) -> Result<Option<PairCounts>, Error> {
        let phase = PhaseName::Pairs;
        let manifest = engine.manifest();
        let levels = counted_levels(engine, &manifest);
        let Some(new_pairs) = levels
            .and_then(|levels| levels.others.get(NEW_PAIRS))
            .cloned()
        else {
            return Ok(None);
        };
        drop(manifest);
        let (dir, kind) = (engine.dir(phase), FileKind::Pairs);
        let reader = RecordReader::open_sealed(&engine.disk, &dir, &new_pairs, kind);
        let reader = Output::of(reader?, phase);
        Ok(Some(PairCounts::of_file(reader)))
    }

    /// The counts in one file, in the current numbers.
    pub fn of_file(reader: Output<PairCount>) -> PairCounts {
        let records = reader.reader.records();
        PairCounts::of(PairSource::File(reader), records)
    }

    /// An upper bound on the number of pairs.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The next counts, at least one; `None` after the last.
    ///
    /// # Errors
    /// When a file is damaged or cannot be read.
    pub fn next_slice(&mut self) -> Result<Option<&[PairCount]>, Error> {
        let Some(wanted) = &self.wanted else {
            return self.source.next_slice();
        };
        self.selected.clear();
        while self.selected.is_empty() {
            let Some(slice) = self.source.next_slice()? else {
                return Ok(None);
            };
            let slice = slice.iter().filter(|pair| has_one_of(wanted, pair));
            self.selected.extend(slice);
        }
        Ok(Some(&self.selected))
    }
}

impl PairSource {
    fn next_slice(&mut self) -> Result<Option<&[PairCount]>, Error> {
        match self {
            PairSource::OneLevel(reader) | PairSource::File(reader) => reader.next_slice(),
            PairSource::Levels(sums) => sums.next_slice(),
        }
    }
}
