//! The pairs that have to be compared, in order.
//!
//! *Input.* Pair counts and sketch sizes; pairs of crowds. *Output.* Pairs by (a, b), each once.
//! *Algorithm.* The rule is applied to both, and the two lists are merged. *Disk.* 25 bytes for
//! each pair that the rule chooses by its pair count.

use cluster::{Settle, SettleRule};
use config::Crowds;
use engine::merge_levels::PairCounts;
use engine::{Engine, Output};
use format::{BLOCK_BYTES, FileKind, LinkRecord, RecordReader};
use model::Overlap;
use runtime::{Error, PhaseName};
use sets::Workplace;

const PHASE: PhaseName = PhaseName::Settle;

/// The scratch file of the pairs that are chosen by their counts.
const CHOSEN: &str = "chosen.run-0";

/// Chosen pairs in order.
pub(crate) struct Candidates<'a> {
    place: Workplace<'a>,
    rule: SettleRule,
    chosen: RecordReader<LinkRecord>,
    next_chosen: Option<LinkRecord>,
    crowds: Option<Output<LinkRecord>>,
    next_crowd: Option<LinkRecord>,
}

impl<'a> Candidates<'a> {
    /// Chooses pairs.
    pub(crate) fn find(place: &Workplace<'a>) -> Result<Candidates<'a>, Error> {
        let (engine, work) = (place.engine, Error::work(PHASE));
        let settle = engine.config.cluster.settle;
        let rule = SettleRule::new(clustering::policy(engine), settle);
        let mut writer = place
            .write::<LinkRecord>(CHOSEN, BLOCK_BYTES)
            .map_err(work)?;
        if settle != Settle::Off {
            let pairs = PairCounts::open(engine)?;
            clustering::write_chosen(engine, PHASE, &rule, pairs, &mut writer)?;
        }
        writer.finish().map_err(work)?;
        let mut chosen = place.read::<LinkRecord>(CHOSEN).map_err(work)?;
        let mut candidates = Candidates {
            place: place.clone(),
            rule,
            next_chosen: chosen.next().map_err(work)?,
            chosen,
            crowds: crowds(engine)?,
            next_crowd: None,
        };
        candidates.next_crowd = candidates.advance_crowds()?;
        Ok(candidates)
    }

    /// The next pair of a crowd that has to be compared.
    fn advance_crowds(&mut self) -> Result<Option<LinkRecord>, Error> {
        let Some(crowds) = &mut self.crowds else {
            return Ok(None);
        };
        while let Some(crowd) = crowds.next()? {
            let overlap = Overlap {
                shared: crowd.shared,
                size_a: crowd.size_a,
                size_b: crowd.size_b,
                modulus: crowd.modulus,
            };
            if self.rule.chooses_crowd(&overlap) {
                return Ok(Some(crowd));
            }
        }
        Ok(None)
    }

    /// The next pair.
    pub(crate) fn next(&mut self) -> Result<Option<[u32; 2]>, Error> {
        let pair_of = |record: LinkRecord| [record.a, record.b];
        let chosen = self.next_chosen.map(pair_of);
        let crowd = self.next_crowd.map(pair_of);
        let Some(pair) = chosen.into_iter().chain(crowd).min() else {
            return Ok(None);
        };
        if crowd == Some(pair) {
            self.next_crowd = self.advance_crowds()?;
        }
        if chosen == Some(pair) {
            self.next_chosen = self.chosen.next().map_err(Error::work(PHASE))?;
        }
        Ok(Some(pair))
    }

    /// Removes the scratch file.
    pub(crate) fn remove(self) -> Result<(), Error> {
        self.place.remove(CHOSEN).map_err(Error::work(PHASE))
    }
}

/// The pairs of crowds, if there are any.
fn crowds(engine: &Engine<'_>) -> Result<Option<Output<LinkRecord>>, Error> {
    let has_crowds = engine.config.pairs.crowds == Crowds::Chain;
    if !has_crowds || !engine.has_records(PhaseName::Pairs, "crowds") {
        return Ok(None);
    }
    let crowds = engine.reader(PhaseName::Pairs, "crowds", FileKind::Links)?;
    Ok(Some(crowds))
}
