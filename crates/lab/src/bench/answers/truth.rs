//! The exact sets of a corpus, and the pairs and clusters that follow from them.
//!
//! *Input.* A corpus and a configuration. *Output.* [`Truth`], made once for all seeds, and
//! [`Limited`], the sets without the shingles that a run published as common. *Algorithm.* A
//! fingerprint depends on the seed, so the corpus is read again with the seed of a run to find the
//! published shingles in it. *Memory.* 12 bytes a shingle of each distinct set, three times.

use crate::bench::all_pairs::{Measure, Pair, all_pairs};
use crate::bench::corpus::{self, Corpus};
use crate::bench::sets::{components, numbered, without_common};
use anyhow::{Result, ensure};
use model::Ratio;
use pipeline::config::{Config, UNLIMITED_COMMON_SHINGLES};
use std::collections::HashSet;

/// The thresholds of a configuration, as exact fractions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Thresholds {
    /// Resemblance of a link.
    pub(super) resemblance: Ratio,
    /// Containment of a directed link, if there are any.
    pub(super) containment: Option<Ratio>,
    /// Shingles that two linked documents share.
    pub(super) min_shared: u32,
}

/// The nearest fraction of six decimals: a threshold has no more.
pub(super) fn millionths(value: f64) -> Ratio {
    Ratio::new((value * 1e6).round() as u64, 1_000_000)
}

impl Thresholds {
    pub(super) fn of(config: &Config) -> Result<Thresholds> {
        let resemblance = config.cluster.resemblance.to_f64();
        let containment = config.cluster.containment.map(model::Threshold::to_f64);
        ensure!(
            resemblance > 0.0 && containment != Some(0.0),
            "the thresholds must be above 0"
        );
        Ok(Thresholds {
            resemblance: millionths(resemblance),
            containment: containment.map(millionths),
            min_shared: config.cluster.min_shared,
        })
    }
}

/// The exact answer to a corpus.
pub(super) struct Truth {
    /// The documents and their groups.
    pub(super) corpus: Corpus,
    /// The set of each group.
    pub(super) sets: Vec<Vec<u32>>,
    /// How many shingles are in more groups than the common limit.
    pub(super) common: usize,
    /// Pairs of groups at the threshold of resemblance or above, all shingles counted.
    pub(super) pairs: Vec<Pair>,
    /// The cluster of each group: single linkage of [`Truth::pairs`].
    pub(super) cluster_of: Vec<u32>,
}

impl Truth {
    /// Reads the corpus and compares all pairs.
    pub(super) fn of(paths: &[String], config: &Config) -> Result<Truth> {
        let corpus = corpus::read(paths, config)?;
        let sets = numbered(&corpus.fingerprints);
        let limit = match config.pairs.common_shingle_limit {
            UNLIMITED_COMMON_SHINGLES => usize::MAX,
            limit => limit as usize,
        };
        let least = Thresholds::of(config)?.resemblance;
        let pairs = all_pairs(&sets, Measure::Resemblance, least);
        let links = pairs.iter().map(|pair| (pair.a, pair.b));
        Ok(Truth {
            cluster_of: components(sets.len(), links),
            common: without_common(&sets, limit).1,
            corpus,
            sets,
            pairs,
        })
    }
}

/// The exact answer without the common shingles that a run published.
pub(super) struct Limited {
    /// The set of each group.
    pub(super) sets: Vec<Vec<u32>>,
    /// Pairs of groups that are to be links.
    pub(super) pairs: Vec<Pair>,
    /// Pairs of groups that are to be directed links: A is contained in B.
    pub(super) contained: Vec<Pair>,
}

impl Limited {
    /// Reads the corpus with the seed of `config` and takes the `common` shingles out.
    pub(super) fn of(
        paths: &[String],
        config: &Config,
        truth: &Truth,
        common: &HashSet<u64>,
    ) -> Result<Limited> {
        let mut corpus = corpus::read(paths, config)?;
        ensure!(
            corpus.group_of == truth.corpus.group_of,
            "two sets are equal with one seed and not with another, or the corpus has changed"
        );
        for set in &mut corpus.fingerprints {
            set.retain(|shingle| !common.contains(shingle));
        }
        let sets = numbered(&corpus.fingerprints);
        Ok(Limited::compared(sets, Thresholds::of(config)?))
    }

    /// Compares all pairs of sets.
    pub(super) fn compared(sets: Vec<Vec<u32>>, thresholds: Thresholds) -> Limited {
        let reached = |measure, least: Option<Ratio>| {
            let mut pairs = least.map_or_else(Vec::new, |least| all_pairs(&sets, measure, least));
            pairs.retain(|pair| pair.shared >= thresholds.min_shared);
            pairs
        };
        Limited {
            pairs: reached(Measure::Resemblance, Some(thresholds.resemblance)),
            contained: reached(Measure::Containment, thresholds.containment),
            sets,
        }
    }
}
