//! The current pair counts, summed over the files of all steps, in order.
//!
//! The files of the steps count the shingles that are not common. Where the sketches of both
//! documents have common shingles, the file of whole counts has what they share in all, and its
//! count is taken.

use super::level_sums::{LevelSums, has_one_of};
use super::merged_levels::MergedLevels;
use super::{NEW_PAIRS, WHOLE, renumbering};
use crate::{DocumentSet, Engine};
use crate::{Error, PhaseName};
use format::{FileKind, MergeLevel, MergeLevels, RecordReader, Sealed, TakenSnapshot};
use model::PairCount;
use std::sync::Arc;

/// The levels of a finished phase `pairs`; without a file if its counts are those of keys, by which
/// pairs are only found.
pub(super) fn counted_levels(engine: &Engine<'_>) -> MergeLevels {
    match engine.config.sketch.sampling.has_fixed_size() {
        true => MergeLevels::default(),
        false => engine.levels(PhaseName::Pairs).unwrap_or_default(),
    }
}

impl Engine<'_> {
    /// The counts of a finished phase `pairs`.
    pub fn pair_counts(&self) -> Result<PairCounts, Error> {
        let (levels, now) = (counted_levels(self), self.taken());
        PairCounts::of_levels(self, &levels.files, &now)?.with_whole(whole_of(self, &levels)?)
    }
}

/// The counts of all pairs, in order. Signed counts of several files are added; pairs with a sum of
/// zero are left out. Whole counts replace them.
pub struct PairCounts {
    source: PairSource,
    whole: Option<WholeCounts>,
    records: u64,
    /// The documents of which a pair has to have one, if not all pairs are wanted.
    wanted: Option<Arc<DocumentSet>>,
    /// The wanted pairs of a slice.
    selected: Vec<PairCount>,
}

enum PairSource {
    /// One file in the current numbers.
    OneLevel(RecordReader<PairCount>),
    /// Several files.
    Levels(Box<LevelSums>),
    /// A file of new pairs, or a partition that `cluster` made.
    File(RecordReader<PairCount>),
}

impl PairCounts {
    /// These counts, replaced where a file has whole ones.
    pub fn with_whole(
        mut self,
        whole: Option<RecordReader<PairCount>>,
    ) -> Result<PairCounts, Error> {
        if let Some(whole) = whole {
            self.records += whole.records();
            self.whole = Some(WholeCounts::of(whole)?);
        }
        Ok(self)
    }

    /// Opens the counts of the pairs with one of these documents.
    pub fn with_one_of(
        engine: &Engine<'_>,
        documents: Arc<DocumentSet>,
    ) -> Result<PairCounts, Error> {
        let (levels, now) = (counted_levels(engine), engine.taken());
        let whole = whole_of(engine, &levels)?;
        PairCounts::of_levels_with(engine, levels.files, &now, documents)?.with_whole(whole)
    }

    /// Opens the counts of the pairs with one of these documents in the files of some levels.
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
            let reader = engine.open(phase, &level.sealed, kind)?;
            return Ok(PairCounts::of(PairSource::OneLevel(reader), records));
        }
        let merged = MergedLevels::open(engine, phase, kind, files, now)?;
        let source = PairSource::Levels(Box::new(LevelSums::of(merged)?));
        Ok(PairCounts::of(source, records))
    }

    fn of(source: PairSource, records: u64) -> PairCounts {
        PairCounts {
            source,
            whole: None,
            records,
            wanted: None,
            selected: Vec::new(),
        }
    }

    /// Opens the counts of the pairs that no run has judged as they are now; `None` if they are not
    /// known.
    pub fn open_new(engine: &Engine<'_>) -> Result<Option<PairCounts>, Error> {
        let levels = counted_levels(engine);
        let new_pairs = levels.others.get(NEW_PAIRS);
        let open = |sealed| engine.open(PhaseName::Pairs, sealed, FileKind::Pairs);
        Ok(new_pairs.map(open).transpose()?.map(PairCounts::of_file))
    }

    /// The counts in one file, in the current numbers.
    pub fn of_file(reader: RecordReader<PairCount>) -> PairCounts {
        let records = reader.records();
        PairCounts::of(PairSource::File(reader), records)
    }

    /// An upper bound on the number of pairs.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The next counts, at least one; `None` after the last.
    pub fn next_slice(&mut self) -> Result<Option<&[PairCount]>, Error> {
        let PairCounts {
            source,
            whole,
            wanted,
            ..
        } = self;
        let Some(wanted) = wanted else {
            return next_slice(source, whole);
        };
        self.selected.clear();
        while self.selected.is_empty() {
            let Some(slice) = next_slice(source, whole)? else {
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
            PairSource::OneLevel(reader) | PairSource::File(reader) => Ok(reader.next_slice()?),
            PairSource::Levels(sums) => sums.next_slice(),
        }
    }
}

/// The whole counts among these levels; `None` if there are none.
fn whole_of(
    engine: &Engine<'_>,
    levels: &MergeLevels,
) -> Result<Option<RecordReader<PairCount>>, Error> {
    let whole = levels.others.get(WHOLE);
    whole.map(|whole| open_whole(engine, whole)).transpose()
}

/// Opens a file of whole counts.
pub fn open_whole(engine: &Engine<'_>, sealed: &Sealed) -> Result<RecordReader<PairCount>, Error> {
    let (phase, kind) = (PhaseName::Pairs, FileKind::Pairs);
    engine.open(phase, sealed, kind)
}

/// The next counts of a source, with whole ones among them if there are any.
fn next_slice<'s>(
    source: &'s mut PairSource,
    whole: &'s mut Option<WholeCounts>,
) -> Result<Option<&'s [PairCount]>, Error> {
    match whole {
        None => source.next_slice(),
        Some(whole) => whole.next_slice(source),
    }
}

/// Puts whole counts in the places of others.
struct WholeCounts {
    reader: RecordReader<PairCount>,
    next: Option<PairCount>,
    merged: Vec<PairCount>,
}

impl WholeCounts {
    fn of(mut reader: RecordReader<PairCount>) -> Result<WholeCounts, Error> {
        Ok(WholeCounts {
            next: reader.next()?,
            reader,
            merged: Vec::new(),
        })
    }

    /// The next counts of a source with the whole ones among them; `None` after the last.
    fn next_slice<'s>(
        &'s mut self,
        source: &'s mut PairSource,
    ) -> Result<Option<&'s [PairCount]>, Error> {
        let place = |pair: &PairCount| (pair.a, pair.b);
        self.merged.clear();
        let Some(slice) = source.next_slice()? else {
            if let Some(next) = self.next.take() {
                self.merged.push(next);
                if let Some(rest) = self.reader.next_slice()? {
                    self.merged.extend_from_slice(rest);
                }
                self.next = self.reader.next()?;
            }
            return Ok((!self.merged.is_empty()).then_some(&self.merged));
        };
        let end = slice.last().map(place);
        if self.next.as_ref().map(place) > end || self.next.is_none() {
            return Ok(Some(slice));
        }
        for pair in slice {
            while let Some(next) = self.next.filter(|next| place(next) < place(pair)) {
                self.merged.push(next);
                self.next = self.reader.next()?;
            }
            match self.next.filter(|next| place(next) == place(pair)) {
                Some(next) => {
                    self.merged.push(next);
                    self.next = self.reader.next()?;
                }
                None => self.merged.push(*pair),
            }
        }
        Ok(Some(&self.merged))
    }
}
