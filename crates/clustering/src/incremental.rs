//! The links of an earlier run by their estimates, and the pairs that it has not judged.
//!
//! *Input.* The links of then; pairs of the documents that came since, with each other and with the
//! older ones. *Output.* Links in the order of the pairs. *Algorithm.* A pair is judged by what it
//! shares and by two sizes. Where no document is gone and no shingle of older documents became
//! common or ceased to be, which phase `pairs` knows, all this is for older pairs what it was: so
//! are their links, and those of the others are put among them. *Limits.* Where it is not, or a run
//! of `cluster` was left out, all pairs are judged.

use crate::link_policy::PHASE;
use engine::merge_levels::{self, PairCounts};
use engine::{Engine, Output};
use format::{FileKind, FormatError, LinkRecord, MergeLevels, RecordReader, Sealed};
use runtime::{Error, PhaseName};
use std::collections::BTreeMap;

/// The file of links, by its name among those of the phase.
const LINKS: &str = "links";

/// Named counts for the manifest.
pub(super) type NamedCounts<const N: usize> = [(&'static str, u64); N];

/// What judging pairs counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinkCounts {
    pub(super) links: u64,
    pub(super) resemblance: u64,
    pub(super) directed: u64,
    /// Links by resemblance with common shingles.
    pub(super) crowd: u64,
    pub(super) pairs: u64,
}

impl LinkCounts {
    pub(super) fn named(&self) -> NamedCounts<5> {
        let LinkCounts {
            links,
            resemblance,
            directed,
            crowd,
            pairs,
        } = *self;
        [
            ("links", links),
            ("resemblance_links", resemblance),
            ("directed_links", directed),
            ("crowd_links", crowd),
            ("pairs", pairs),
        ]
    }

    fn of(counts: &BTreeMap<String, u64>) -> Option<LinkCounts> {
        let get = |name: &str| counts.get(name).copied();
        let [links, resemblance] = [get("links")?, get("resemblance_links")?];
        Some(LinkCounts {
            links,
            resemblance,
            directed: get("directed_links")?,
            crowd: get("crowd_links")?,
            pairs: get("pairs")?,
        })
    }

    /// Counts links.
    pub(super) fn add_links(&mut self, links: &[LinkRecord]) {
        self.links += links.len() as u64;
        for link in links {
            let has = |bits: u8| u64::from(link.reached & bits != 0);
            self.resemblance += has(LinkRecord::RESEMBLANCE);
            self.directed += has(LinkRecord::A_IN_B | LinkRecord::B_IN_A);
            self.crowd += has(LinkRecord::CROWD);
        }
    }

    pub(super) fn plus(self, other: &LinkCounts) -> LinkCounts {
        LinkCounts {
            links: self.links + other.links,
            resemblance: self.resemblance + other.resemblance,
            directed: self.directed + other.directed,
            crowd: self.crowd + other.crowd,
            pairs: self.pairs + other.pairs,
        }
    }
}

/// What an earlier run judged, and what it did not.
pub(super) struct EarlierLinks {
    pub(super) links: Output<LinkRecord>,
    pub(super) new_pairs: PairCounts,
    pub(super) counts: LinkCounts,
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
        let files = (
            known.others.get(LINKS),
            PairCounts::open_new(engine)?,
            LinkCounts::of(&known.counts),
        );
        let (Some(links), Some(new_pairs), Some(counts)) = files else {
            return Ok(None);
        };
        let links = match RecordReader::open_sealed(
            &engine.disk,
            &engine.dir(PHASE),
            links,
            FileKind::Links,
        ) {
            Ok(links) => Output::of(links, PHASE),
            Err(source @ FormatError::Interrupted) => {
                return Err(Error::from_format(Some(PHASE), source));
            }
            Err(_) => return Ok(None),
        };
        Ok(Some(EarlierLinks {
            links,
            new_pairs,
            counts,
        }))
    }
}

/// The files that were put down for the next run.
pub(super) fn kept(engine: &Engine<'_>) -> Option<BTreeMap<String, Sealed>> {
    if engine.cluster_apart.is_some() {
        return None;
    }
    let manifest = engine.manifest();
    manifest.levels.get(PHASE.name()).map(merge_levels::outputs)
}

/// Puts down the links of this run, as estimates judge them, for the next one.
pub(super) fn keep(engine: &Engine<'_>, links: &Sealed, counts: &LinkCounts) {
    if engine.cluster_apart.is_some() {
        return;
    }
    let pairs = engine
        .manifest()
        .levels
        .get(PhaseName::Pairs.name())
        .map(|pairs| (pairs.base.clone(), pairs.step));
    let Some((base, source_step)) = pairs else {
        return;
    };
    let kept = MergeLevels {
        parameters: merge_levels::parameters_of(engine, PHASE),
        base,
        source_step,
        others: [(LINKS.to_owned(), links.clone())].into(),
        counts: counts
            .named()
            .into_iter()
            .map(|(name, n)| (name.to_owned(), n))
            .collect(),
        ..MergeLevels::default()
    };
    merge_levels::keep(engine, PHASE, kept);
}
