//! The pairs that have to be compared, in order.
//!
//! *Input.* Pair counts and sketch sizes. *Output.* Pairs by (a, b), each once. *Algorithm.* After
//! an earlier run, the rule is applied to pairs with a new document, and to those with a document
//! of a shingle that became common, or is no longer common. The others are chosen if they were.
//! *Memory.* A bit a document. *Disk.* 25 bytes for each pair that the rule chooses; where
//! snapshots may follow, two to four more for the next run.

use super::earlier::usable;
use cluster::{Settle, SettleRule};
use engine::merge_levels::{self, PairCounts};
use engine::{DocumentSet, Engine};
use exact::Workplace;
use format::{
    BLOCK_BYTES, FileKind, FormatError, LinkRecord, MergeLevels, RecordReader, RecordWriter, Sealed,
};
use model::PairCount;
use runtime::{Error, PhaseName, parameters};

const PHASE: PhaseName = PhaseName::Settle;

/// The scratch file of the pairs that are chosen by their counts.
const CHOSEN: &str = "chosen.run-0";

/// The file of the pairs that are chosen by their counts, for the next run.
pub(super) const KEPT_CHOICES: &str = "chosen";

/// Where the choice of pairs comes from, by which the next run sees whether it may go on from it:
/// the start and the step of phase `pairs`.
pub(super) fn source(engine: &Engine<'_>) -> Option<(String, u64)> {
    let manifest = engine.manifest();
    let pairs = manifest.levels.get(PhaseName::Pairs.name())?;
    let parameters = [PhaseName::Settle, PhaseName::Pairs, PhaseName::Cluster]
        .map(|phase| parameters::of(phase, engine.config));
    Some((pairs.base.clone() + &parameters.concat(), pairs.step))
}

/// The choice of an earlier run, and the pairs to which the rule has to be applied again.
struct EarlierChoice {
    chosen: EarlierChosen,
    pairs: PairCounts,
}

impl EarlierChoice {
    /// Opens them; `None` if the rule has to be applied to all pairs.
    fn open(
        engine: &Engine<'_>,
        levels: Option<&MergeLevels>,
    ) -> Result<Option<EarlierChoice>, Error> {
        let Some(((base, step), levels)) = source(engine).zip(levels) else {
            return Ok(None);
        };
        if engine.config.sketch.sampling.has_fixed_size() {
            // The rule is always applied to all compared pairs.
            return Ok(None);
        }
        let chosen = levels.others.get(KEPT_CHOICES);
        let Some(chosen) =
            chosen.filter(|_| (&levels.base, levels.source_step + 1) == (&base, step))
        else {
            return Ok(None);
        };
        let (dir, kind) = (engine.dir(PHASE), FileKind::Pairs);
        let chosen = RecordReader::open_sealed(&engine.disk, &dir, chosen, kind);
        let Some(reader) = usable(chosen)? else {
            return Ok(None);
        };
        let new_pairs = PairCounts::open_new(engine)?;
        let Some((pairs, affected)) = new_pairs.zip(merge_levels::affected(engine)?) else {
            return Ok(None);
        };
        let chosen = EarlierChosen { reader, affected };
        Ok(Some(EarlierChoice { chosen, pairs }))
    }
}

/// The pairs that an earlier run chose, but for those with an affected document.
struct EarlierChosen {
    reader: RecordReader<PairCount>,
    affected: DocumentSet,
}

impl EarlierChosen {
    fn next(&mut self) -> Result<Option<PairCount>, FormatError> {
        while let Some(pair) = self.reader.next()? {
            if !self.affected.has(pair.a) && !self.affected.has(pair.b) {
                return Ok(Some(pair));
            }
        }
        Ok(None)
    }
}

/// Chosen pairs in order.
pub(super) struct Candidates<'a> {
    place: Workplace<'a>,
    chosen: RecordReader<LinkRecord>,
    next_chosen: Option<PairCount>,
    earlier: Option<EarlierChosen>,
    next_earlier: Option<PairCount>,
    kept: Option<RecordWriter<PairCount>>,
}

impl<'a> Candidates<'a> {
    /// Chooses pairs; `levels` are the files of an earlier run over the same snapshots.
    pub(super) fn find(
        place: &Workplace<'a>,
        levels: Option<&MergeLevels>,
    ) -> Result<Candidates<'a>, Error> {
        let engine = place.engine;
        let settle = engine.config.cluster.settle;
        let rule = SettleRule::new(engine.config.cluster.link_policy());
        let mut writer = place.write::<LinkRecord>(CHOSEN, BLOCK_BYTES)?;
        let mut earlier = None;
        if settle != Settle::Off {
            let pairs = match EarlierChoice::open(engine, levels)? {
                Some(EarlierChoice { chosen, pairs }) => {
                    earlier = Some(chosen);
                    pairs
                }
                None => PairCounts::open(engine)?,
            };
            clustering::write_chosen(engine, PHASE, &rule, pairs, &mut writer)?;
        }
        writer.finish()?;
        let kept = if engine.config.has_snapshots {
            Some(engine.writer(PHASE, KEPT_CHOICES, FileKind::Pairs)?)
        } else {
            None
        };
        let mut candidates = Candidates {
            place: place.clone(),
            chosen: place.read::<LinkRecord>(CHOSEN)?,
            next_chosen: None,
            earlier,
            next_earlier: None,
            kept,
        };
        candidates.next_chosen = candidates.advance_chosen()?;
        candidates.next_earlier = candidates.advance_earlier()?;
        Ok(candidates)
    }

    /// The next pair that was chosen by this run.
    fn advance_chosen(&mut self) -> Result<Option<PairCount>, Error> {
        let chosen = self.chosen.next()?;
        Ok(chosen.map(|LinkRecord { a, b, shared, .. }| PairCount { a, b, shared }))
    }

    /// The next pair that was chosen by the earlier run.
    fn advance_earlier(&mut self) -> Result<Option<PairCount>, Error> {
        match &mut self.earlier {
            Some(earlier) => earlier.next().map_err(Error::from),
            None => Ok(None),
        }
    }

    /// The next pair that is chosen by its count, after it was written for the next run.
    fn take_chosen(&mut self) -> Result<(), Error> {
        let earlier = self.next_earlier.filter(|one| {
            let is_first = |other: PairCount| (one.a, one.b) < (other.a, other.b);
            self.next_chosen.is_none_or(is_first)
        });
        let Some(taken) = earlier.or(self.next_chosen) else {
            return Ok(());
        };
        if let Some(kept) = &mut self.kept {
            kept.push(&taken)?;
        }
        if earlier.is_some() {
            self.next_earlier = self.advance_earlier()?;
        } else {
            self.next_chosen = self.advance_chosen()?;
        }
        Ok(())
    }

    /// The next pair.
    pub(super) fn next(&mut self) -> Result<Option<[u32; 2]>, Error> {
        let chosen = self.next_chosen.into_iter().chain(self.next_earlier);
        let pair = chosen.map(|count| [count.a, count.b]).min();
        if pair.is_some() {
            self.take_chosen()?;
        }
        Ok(pair)
    }

    /// Removes the scratch file; gives the file for the next run.
    pub(super) fn finish(self) -> Result<Option<Sealed>, Error> {
        self.place.remove(CHOSEN)?;
        self.kept
            .map(RecordWriter::finish)
            .transpose()
            .map_err(Error::from)
    }
}
