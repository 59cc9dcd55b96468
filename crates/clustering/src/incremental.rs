//! The links of an earlier run by their estimates, and the pairs that it has not judged.
//!
//! *Input.* The links of then; pairs of the documents that came since, with each other and with the
//! older ones. *Output.* Links in the order of the pairs. *Algorithm.* A pair is judged by what it
//! shares and by two sizes. Where no document is gone, phase `pairs` knows of which older documents
//! shingles became common or ceased to be. For pairs without such a document all this is what it
//! was: so are their links, and those of the others are put among them. *Limits.* Where documents
//! are gone, or a run of `cluster` was left out, all pairs are judged.

use crate::link_policy::{PHASE, loosest};
use engine::{
    DocumentSet, Engine, Error, PhaseName,
    figures::{LinkFigures, PairsLevels},
    merge_levels::{self, PairCounts},
};
use format::{FileKind, LinkRecord, MergeLevels, PhaseFigures, RecordReader, Sealed};
use model::LinkPolicy;
use std::collections::BTreeMap;

/// The file of links as estimates judge them, by its name among those of the phase. It has those of
/// the loosest policy that a sweep asks for.
const JUDGED: &str = "judged";

/// Counts links.
pub(super) fn add_links(figures: &mut LinkFigures, links: &[LinkRecord]) {
    figures.links += links.len() as u64;
    for link in links {
        let has = |bits: u8| u64::from(link.reached & bits != 0);
        figures.resemblance += has(LinkRecord::RESEMBLANCE);
        figures.directed += has(LinkRecord::A_IN_B | LinkRecord::B_IN_A);
    }
}

/// The pairs that an earlier run judged, and those that it did not.
pub(super) struct EarlierLinks {
    pub(super) links: RecordReader<LinkRecord>,
    /// Documents whose pairs are all judged again.
    pub(super) affected: DocumentSet,
    pub(super) new_pairs: PairCounts,
    /// The pairs that are not judged again.
    pub(super) other_pairs: u64,
}

impl EarlierLinks {
    /// Opens them; `None` if all pairs have to be judged.
    ///
    /// # Errors
    /// An interrupt, or when the new pairs cannot be read; earlier links that cannot be read are
    /// not used.
    pub(super) fn open(engine: &Engine<'_>) -> Result<Option<EarlierLinks>, Error> {
        if engine.cluster_apart.is_some() {
            return Ok(None);
        }
        let levels = engine.levels(PHASE).zip(engine.levels(PhaseName::Pairs));
        let Some((known, pairs)) = levels else {
            return Ok(None);
        };
        let follows = known.base == pairs.base && known.source_step + 1 == pairs.step;
        if !follows || known.parameters != engine.parameters_of(PHASE) {
            return Ok(None);
        }
        let Some(links) = known.others.get(JUDGED) else {
            return Ok(None);
        };
        let Some(new_pairs) = PairCounts::open_new(engine)? else {
            return Ok(None);
        };
        let before: u64 = known.figures.read();
        let others = pairs.figures.read::<PairsLevels>().other_pairs;
        let links = match engine.open(PHASE, links, FileKind::Links) {
            Err(Error::Interrupted { signal }) => return Err(Error::Interrupted { signal }),
            Err(_) => return Ok(None),
            Ok(links) => links,
        };
        let Some(affected) = merge_levels::affected(engine)? else {
            return Ok(None);
        };
        Ok(Some(EarlierLinks {
            links,
            affected,
            new_pairs,
            other_pairs: others.unwrap_or(before),
        }))
    }
}

/// The judged links of the finished phase, if there are all that such a policy makes.
pub(super) fn judged_links(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
) -> Result<Option<RecordReader<LinkRecord>>, Error> {
    let has_all = policy.resemblance.to_f64() >= loosest(engine.config).resemblance.to_f64();
    if !has_all || engine.cluster_apart.is_some() {
        return Ok(None);
    }
    let levels = engine.levels(PHASE).zip(engine.levels(PhaseName::Pairs));
    let Some((known, pairs)) = levels else {
        return Ok(None);
    };
    let is_of_now = known.base == pairs.base && known.source_step == pairs.step;
    let is_of_now = is_of_now && known.parameters == engine.parameters_of(PHASE);
    let judged = known.others.get(JUDGED).filter(|_| is_of_now);
    let open = |judged| engine.open(PHASE, judged, FileKind::Links);
    judged.map(open).transpose()
}

/// The files that were put down for the next run.
pub(super) fn kept(engine: &Engine<'_>) -> Option<BTreeMap<String, Sealed>> {
    if engine.cluster_apart.is_some() {
        return None;
    }
    engine.levels(PHASE).as_ref().map(merge_levels::outputs)
}

/// Puts down the links of this run, as estimates judge them, for the next one; `judged` is the
/// number of all pairs.
pub(super) fn keep(engine: &Engine<'_>, links: &Sealed, judged: u64) {
    if engine.cluster_apart.is_some() {
        return;
    }
    let Some(pairs) = engine.levels(PhaseName::Pairs) else {
        return;
    };
    let kept = MergeLevels {
        parameters: engine.parameters_of(PHASE),
        base: pairs.base,
        source_step: pairs.step,
        others: [(JUDGED.to_owned(), links.clone())].into(),
        figures: PhaseFigures::of(&judged),
        ..MergeLevels::default()
    };
    engine.keep_levels(PHASE, kept);
}
