//! The pairs that have to be compared, in order.
//!
//! *Input.* Pair counts and sketch sizes. *Output.* Pairs by (a, b), each once. *Algorithm.* After
//! an earlier run, the rule is applied to pairs with a new document, and to those with a document
//! of a shingle that became common, or is no longer common. The others are chosen if they were.
//! *Memory.* A bit a document. *Disk.* 25 bytes for each pair that the rule chooses; where
//! snapshots may follow, two to four more for the next run.

use clustering::partition::SettleRule;
use engine::{
    DocumentSet, Engine, Error, FileLookup, PhaseName,
    merge_levels::{self, PairCounts},
    runtime::parameters,
};
use exact::Workplace;
use format::{
    BLOCK_BYTES, FileKind, FormatError, LinkRecord, MergeLevels, RecordReader, RecordWriter, Sealed,
};
use model::PairCount;
use model::Settle;
use sort::{Lookup, Stream};

const PHASE: PhaseName = PhaseName::Settle;

/// The scratch file of the pairs that are chosen by their counts.
const CHOSEN: &str = "chosen.run-0";

/// The file of the pairs that are chosen by their counts, for the next run.
pub(super) const KEPT_CHOICES: &str = "chosen";

/// Where the choice of pairs comes from, by which the next run sees whether it may go on from it:
/// the start and the step of phase `pairs`.
pub(super) fn source(engine: &Engine<'_>) -> Option<(String, u64)> {
    let pairs = engine.levels(PhaseName::Pairs)?;
    let parameters = [PhaseName::Settle, PhaseName::Pairs, PhaseName::Cluster]
        .map(|phase| parameters::of(phase, engine.config));
    Some((pairs.base + &parameters.concat(), pairs.step))
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
        let reader = match engine.open(PHASE, chosen, FileKind::Pairs) {
            Err(Error::Interrupted { signal }) => return Err(Error::Interrupted { signal }),
            Err(_) => return Ok(None),
            Ok(reader) => reader,
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

impl Stream for EarlierChosen {
    type Record = PairCount;
    type Error = FormatError;
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
pub(super) struct SettleCandidates<'a> {
    place: Workplace<'a>,
    chosen: FileLookup<LinkRecord>,
    earlier: Lookup<Option<EarlierChosen>>,
    kept: Option<RecordWriter<PairCount>>,
}

impl<'a> SettleCandidates<'a> {
    /// Chooses pairs; `levels` are the files of an earlier run over the same snapshots.
    pub(super) fn find(
        place: &Workplace<'a>,
        levels: Option<&MergeLevels>,
    ) -> Result<SettleCandidates<'a>, Error> {
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
                None => engine.pair_counts()?,
            };
            clustering::write_chosen(engine, PHASE, &rule, pairs, &mut writer)?;
        }
        writer.finish()?;
        let kept = if engine.config.has_snapshots {
            Some(engine.writer(PHASE, KEPT_CHOICES, FileKind::Pairs)?)
        } else {
            None
        };
        Ok(SettleCandidates {
            place: place.clone(),
            chosen: Lookup::over(place.read(CHOSEN)?)?,
            earlier: Lookup::over(earlier)?,
            kept,
        })
    }

    /// The next pair, after it was written for the next run.
    pub(super) fn next(&mut self) -> Result<Option<[u32; 2]>, Error> {
        let Some(both) = self.earlier.join::<_, [u32; 2]>(&mut self.chosen)? else {
            return Ok(None);
        };
        let count = |link: LinkRecord| PairCount {
            a: link.a,
            b: link.b,
            shared: link.shared,
        };
        let pair = both.right.map(count).or(both.left);
        if let Some((kept, pair)) = self.kept.as_mut().zip(pair.as_ref()) {
            kept.push(pair)?;
        }
        Ok(pair.map(|pair| [pair.a, pair.b]))
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
