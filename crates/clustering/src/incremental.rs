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

/// What an earlier run judged, and what it did not.
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
        let manifest = engine.manifest();
        let known = manifest.levels.get(PHASE.name()).cloned();
        let pairs = manifest.levels.get(PhaseName::Pairs.name()).cloned();
        drop(manifest);
        let Some((known, pairs)) = known.zip(pairs) else {
            return Ok(None);
        };
        let follows = known.base == pairs.base && known.source_step + 1 == pairs.step;
        if !follows || known.parameters != merge_levels::parameters_of(engine, PHASE) {
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
    let has_all = policy.resemblance.to_f64() >= loosest(engine).resemblance.to_f64();
    if !has_all || engine.cluster_apart.is_some() {
        return Ok(None);
    }
    let manifest = engine.manifest();
    let [levels, pairs] = [PHASE, PhaseName::Pairs].map(|phase| manifest.levels.get(phase.name()));
    let parameters = merge_levels::parameters_of(engine, PHASE);
    let is_of_now = |levels: &&MergeLevels| {
        let source = pairs.map(|pairs| (&pairs.base, pairs.step));
        levels.parameters == parameters && source == Some((&levels.base, levels.source_step))
    };
    let levels = levels.filter(is_of_now);
    let judged = levels.and_then(|levels| levels.others.get(JUDGED)).cloned();
    drop(manifest);
    let judged = judged.map(|judged| engine.open(PHASE, &judged, FileKind::Links));
    judged.transpose()
}

/// The files that were put down for the next run.
pub(super) fn kept(engine: &Engine<'_>) -> Option<BTreeMap<String, Sealed>> {
    if engine.cluster_apart.is_some() {
        return None;
    }
    let manifest = engine.manifest();
    manifest.levels.get(PHASE.name()).map(merge_levels::outputs)
}

/// Puts down the links of this run, as estimates judge them, for the next one; `pairs` is the
/// number of all pairs.
pub(super) fn keep(engine: &Engine<'_>, links: &Sealed, pairs: u64) {
    if engine.cluster_apart.is_some() {
        return;
    }
    let source = engine
        .manifest()
        .levels
        .get(PhaseName::Pairs.name())
        .map(|pairs| (pairs.base.clone(), pairs.step));
    let Some((base, source_step)) = source else {
        return;
    };
    let kept = MergeLevels {
        parameters: merge_levels::parameters_of(engine, PHASE),
        base,
        source_step,
        others: [(JUDGED.to_owned(), links.clone())].into(),
        figures: PhaseFigures::of(&pairs),
        ..MergeLevels::default()
    };
    merge_levels::keep(engine, PHASE, kept);
}
