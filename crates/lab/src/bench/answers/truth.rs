//! The exact sets of a corpus, and the pairs and clusters that follow from them.
//!
//! *Input.* A corpus and a configuration. *Output.* [`Truth`], made once for all seeds, and
//! [`Limited`], the sets without the shingles that a run published as common. *Algorithm.*
//! Documents of equal sets are one group: nothing that follows can tell them apart. A fingerprint
//! depends on the seed, so the corpus is read again with the seed of a run to find the published
//! shingles in it. *Memory.* 8 bytes for each shingle of each group, twice, and the lists of
//! [`crate::exact`].

use crate::corpus;
use crate::exact::{Components, Pair, common, pairs};
use anyhow::{Result, ensure};
use config::{Config, UNLIMITED_COMMON_SHINGLES};
use engine::Reporter;
use model::{Ratio, Threshold};
use std::collections::{HashMap, HashSet};

/// The documents of the input, in its order, and their groups.
pub(super) struct GroupedCorpus {
    /// The group of each document; groups are numbered in the order of their first documents.
    pub(super) group_of: Vec<u32>,
    /// The first document of each group.
    pub(super) first_of: Vec<u32>,
    /// Tokens of each document, to see that a run read the same documents in the same order.
    pub(super) words: Vec<u64>,
    /// The set of each group.
    pub(super) sets: Vec<Vec<u64>>,
}

impl GroupedCorpus {
    /// Reads all documents below `path`. Fields, limits, tokens and keys are those of `config`.
    pub(super) fn read(path: &str, config: &Config) -> Result<GroupedCorpus> {
        let mut corpus = GroupedCorpus {
            group_of: Vec::new(),
            first_of: Vec::new(),
            words: Vec::new(),
            sets: Vec::new(),
        };
        let mut groups: HashMap<Vec<u64>, u32> = HashMap::new();
        let (paths, base) = (vec![path.to_owned()], std::env::current_dir()?);
        corpus::read(paths, base, config, &Reporter::silent(), &mut |sketched| {
            let (document, next) = (corpus.words.len() as u32, groups.len() as u32);
            let group = *groups.entry(sketched.fingerprints.to_vec()).or_insert(next);
            if group == next {
                corpus.first_of.push(document);
            }
            corpus.group_of.push(group);
            corpus.words.push(sketched.words);
            Ok(())
        })?;
        corpus.sets.resize(groups.len(), Vec::new());
        for (set, group) in groups {
            corpus.sets[group as usize] = set;
        }
        Ok(corpus)
    }
}

/// The thresholds of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    /// Resemblance of a link.
    pub(super) resemblance: Threshold,
    /// Containment of a directed link, if there are any.
    pub(super) containment: Option<Threshold>,
    /// Shingles that two linked documents share.
    pub(super) min_shared: u32,
}

impl Thresholds {
    pub(super) fn of(config: &Config) -> Result<Thresholds> {
        let (resemblance, containment) = (config.cluster.resemblance, config.cluster.containment);
        let mut all = [Some(resemblance), containment].into_iter().flatten();
        ensure!(
            all.all(|threshold| threshold.to_f64() > 0.0),
            "the thresholds must be above 0"
        );
        Ok(Thresholds {
            resemblance,
            containment,
            min_shared: config.cluster.min_shared,
        })
    }
}

/// The exact answer to a corpus.
pub(super) struct Truth {
    /// The documents, their groups and sets.
    pub(super) corpus: GroupedCorpus,
    /// How many shingles are in more groups than the common limit.
    pub(super) common: usize,
    /// Pairs of groups at the threshold of resemblance or above, all shingles counted.
    pub(super) pairs: Vec<Pair>,
    /// The cluster of each group: single linkage of [`Truth::pairs`].
    pub(super) cluster_of: Vec<u32>,
}

impl Truth {
    /// Reads the corpus and compares all pairs.
    pub(super) fn of(path: &str, config: &Config) -> Result<Truth> {
        let limit = match config.pairs.common_shingle_limit {
            UNLIMITED_COMMON_SHINGLES => usize::MAX,
            limit => limit as usize,
        };
        let corpus = GroupedCorpus::read(path, config)?;
        Ok(Truth::compared(corpus, limit, Thresholds::of(config)?))
    }

    /// Compares all pairs of groups.
    pub(super) fn compared(corpus: GroupedCorpus, limit: usize, thresholds: Thresholds) -> Truth {
        let sets = &corpus.sets;
        let pairs = pairs(sets, |pair| {
            let resemblance = pair.resemblance(sets);
            thresholds.resemblance.reached_by(resemblance)
        });
        let links = pairs.iter().map(|pair| (pair.a, pair.b));
        Truth {
            cluster_of: Components::of(sets.len(), links),
            common: common(sets.iter(), limit).len(),
            pairs,
            corpus,
        }
    }
}

/// The exact answer without the common shingles that a run published.
pub(super) struct Limited {
    /// The set of each group.
    pub(super) sets: Vec<Vec<u64>>,
    /// Pairs of groups that are to be links.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Pairs of groups that are to be directed links: the first is contained in the second.
    pub(super) contained: Vec<(u32, u32)>,
}

impl Limited {
    /// Reads the corpus with the seed of `config` and takes the `common` shingles out.
    pub(super) fn of(
        path: &str,
        config: &Config,
        truth: &Truth,
        common: &HashSet<u64>,
    ) -> Result<Limited> {
        let mut corpus = GroupedCorpus::read(path, config)?;
        ensure!(
            corpus.group_of == truth.corpus.group_of,
            "two sets are equal with one seed and not with another, or the corpus has changed"
        );
        for set in &mut corpus.sets {
            set.retain(|shingle| !common.contains(shingle));
        }
        Ok(Limited::compared(corpus.sets, Thresholds::of(config)?))
    }

    /// Compares all pairs of sets.
    pub(super) fn compared(sets: Vec<Vec<u64>>, thresholds: Thresholds) -> Limited {
        let is_link = |pair: Pair| thresholds.resemblance.reached_by(pair.resemblance(&sets));
        let is_inside = |pair: Pair, inner: u32| {
            let share = Ratio::new(pair.shared.into(), sets[inner as usize].len() as u64);
            let least = thresholds.containment;
            least.is_some_and(|least| least.reached_by(share))
        };
        let all = pairs(&sets, |pair| {
            pair.shared >= thresholds.min_shared
                && (is_link(pair) || is_inside(pair, pair.a) || is_inside(pair, pair.b))
        });
        let (mut links, mut contained) = (Vec::new(), Vec::new());
        for pair in all {
            let (a, b) = (pair.a, pair.b);
            links.extend(is_link(pair).then_some((a, b)));
            contained.extend(is_inside(pair, a).then_some((a, b)));
            contained.extend(is_inside(pair, b).then_some((b, a)));
        }
        Limited {
            pairs: links,
            contained,
            sets,
        }
    }
}
