//! A run held against the exact values.
//!
//! *Input.* [`Corpus`], [`Exact`], [`Outcome`]. *Output.* [`Score`]. *Algorithm.* The unit is the
//! pair of groups, documents of equal sets. A run sees a group as the representative of the group's
//! first document: all documents of a group have the same sketch. Two groups with one
//! representative were declared equal (their sketches are): that is an estimate of 1 and a link,
//! with the interval of n hits among n. A pair that a run does not list has the estimate 0, and no
//! interval.

use crate::agreement::Agreement;
use crate::corpus::Corpus;
use crate::engine::{Outcome, Sampled};
use crate::exact::Exact;
use anyhow::{Result, ensure};
use model::{Interval, Ratio};
use std::collections::HashMap;

/// Upper ends of the bins of exact resemblance, in tenths; the first begins at 0.1, the last leaves
/// 1 out.
pub(crate) const BINS: [u64; 5] = [3, 5, 7, 9, 10];

/// How often intervals held the exact value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Pairs.
    pub(crate) pairs: u64,
    /// Pairs whose interval lies wholly below the exact value.
    pub(crate) below: u64,
    /// Pairs whose interval lies wholly above it.
    pub(crate) above: u64,
    /// Pairs the run does not list, so that they have no interval.
    pub(crate) unlisted: u64,
    /// Pairs of groups that the run declared equal, in whichever of the counts above they are.
    pub(crate) declared_equal: u64,
}

impl Tally {
    /// Pairs whose interval holds the exact value.
    pub(crate) fn inside(&self) -> u64 {
        self.pairs - self.below - self.above - self.unlisted
    }

    /// Adds another tally.
    pub(crate) fn add(&mut self, other: &Tally) {
        self.pairs += other.pairs;
        self.below += other.below;
        self.above += other.above;
        self.unlisted += other.unlisted;
        self.declared_equal += other.declared_equal;
    }

    fn count(&mut self, seen: &Seen, exact: f64) {
        self.pairs += 1;
        self.declared_equal +=
            u64::from(seen.estimate.is_some_and(|estimate| estimate.is_declared));
        match seen.estimate {
            None => self.unlisted += 1,
            Some(Estimated { interval, .. }) if interval.contains(exact) => {}
            Some(Estimated { interval, .. }) if interval.high < exact => self.below += 1,
            Some(_) => self.above += 1,
        }
    }
}

/// The figures of one run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    /// Pairs at exact resemblance 0.5 or more.
    pub(crate) truth: u64,
    /// Linked pairs.
    pub(crate) links: u64,
    /// Pairs that are both.
    pub(crate) right: u64,
    /// Linked pairs with an exact resemblance below 0.4.
    pub(crate) wrong: u64,
    /// Pairs at exact resemblance 0.6 or more.
    pub(crate) near: u64,
    /// Those of them that are not linked.
    pub(crate) missed: u64,
    /// Pairs that are linked or at 0.5 or more.
    pub(crate) judged: u64,
    /// The sum of |estimate − exact| over them.
    pub(crate) error_sum: f64,
    /// Sampled shingles a document.
    pub(crate) postings_per_page: f64,
    /// The clusters.
    pub(crate) agreement: Agreement,
    /// Intervals by bin: of pairs compared at a modulus above 1, and at modulus 1.
    pub(crate) sampled: [Tally; BINS.len()],
    /// See `sampled`.
    pub(crate) whole: [Tally; BINS.len()],
}

impl Score {
    /// Mean error of the estimates of all judged pairs.
    pub(crate) fn mean_error(&self) -> f64 {
        self.error_sum / self.judged as f64
    }

    fn count(&mut self, seen: &Seen) {
        let at_least = |tenths: u64| seen.exact >= Ratio::new(tenths, 10);
        let (exact, linked) = (
            seen.exact.to_f64(),
            seen.estimate.is_some_and(|estimate| estimate.is_link),
        );
        self.truth += u64::from(at_least(5));
        self.links += u64::from(linked);
        self.right += u64::from(linked && at_least(5));
        self.wrong += u64::from(linked && !at_least(4));
        self.near += u64::from(at_least(6));
        self.missed += u64::from(!linked && at_least(6));
        if linked || at_least(5) {
            self.judged += 1;
            self.error_sum += (seen.estimate.map_or(0.0, |estimate| estimate.value) - exact).abs();
        }
        if at_least(1)
            && let Some(bin) = BINS.iter().position(|end| !at_least(*end))
        {
            let tallies = if seen.modulus > 1 {
                &mut self.sampled
            } else {
                &mut self.whole
            };
            tallies[bin].count(seen, exact);
        }
    }
}

/// A pair of groups.
#[derive(Clone, Copy, Debug)]
struct Seen {
    exact: Ratio,
    /// The coarser of the two moduli.
    modulus: u32,
    /// What the run says of it.
    estimate: Option<Estimated>,
}

#[derive(Clone, Copy, Debug)]
struct Estimated {
    value: f64,
    interval: Interval,
    is_link: bool,
    /// By equal sketches, not by counting.
    is_declared: bool,
}

/// Judges a run.
pub(crate) fn of(corpus: &Corpus, exact: &Exact, outcome: &Outcome) -> Result<Score> {
    let documents = &outcome.documents;
    let same = documents
        .iter()
        .map(|document| document.words)
        .eq(corpus.words.iter().copied());
    ensure!(
        same,
        "the run read other documents: {}, expected {}",
        documents.len(),
        corpus.words.len()
    );
    let groups: Vec<Sampled> = corpus
        .first_of
        .iter()
        .map(|doc| documents[*doc as usize])
        .collect();
    let estimates = estimates(exact, outcome, &groups)?;
    let mut score = Score::default();
    let seen = |pair: (u32, u32), exact: Ratio| {
        let modulus = groups[pair.0 as usize]
            .modulus
            .max(groups[pair.1 as usize].modulus);
        Seen {
            exact,
            modulus,
            estimate: estimates.get(&pair).copied(),
        }
    };
    for (&pair, &ratio) in &exact.pairs {
        score.count(&seen(pair, ratio));
    }
    for &pair in estimates
        .keys()
        .filter(|pair| !exact.pairs.contains_key(pair))
    {
        score.count(&seen(pair, exact.resemblance(pair)));
    }
    let clusters = documents.iter().zip(&corpus.group_of);
    score.agreement = Agreement::of(
        clusters.map(|(document, group)| (document.cluster, exact.cluster_of[*group as usize])),
    );
    score.postings_per_page =
        outcome.report.sketch.shingles_sampled as f64 / documents.len() as f64;
    Ok(score)
}

/// What the run says of every pair at exact resemblance 0.1 or more, and of every link.
fn estimates(
    exact: &Exact,
    outcome: &Outcome,
    groups: &[Sampled],
) -> Result<HashMap<(u32, u32), Estimated>> {
    let mut groups_of: HashMap<u32, Vec<u32>> = HashMap::new();
    for (group, sampled) in (0..).zip(groups) {
        groups_of
            .entry(sampled.representative)
            .or_default()
            .push(group);
    }
    let mut estimates = HashMap::new();
    for list in groups_of.values() {
        for (at, &b) in list.iter().enumerate() {
            for &a in &list[..at] {
                let Sampled {
                    sketch_size,
                    modulus,
                    ..
                } = groups[a as usize];
                let interval =
                    Interval::wilson(u64::from(sketch_size), u64::from(sketch_size), modulus);
                estimates.insert(
                    (a, b),
                    Estimated {
                        value: 1.0,
                        interval,
                        is_link: true,
                        is_declared: true,
                    },
                );
            }
        }
    }
    let (none, mut links) = (Vec::new(), 0);
    outcome.each_listed(&mut |listed| {
        let is_link = listed.is_link();
        links += u64::from(is_link);
        let interval = Interval {
            low: listed.low,
            high: listed.high,
        };
        let estimate = Estimated {
            value: listed.estimate,
            interval,
            is_link,
            is_declared: false,
        };
        for &a in groups_of.get(&listed.a).unwrap_or(&none) {
            for &b in groups_of.get(&listed.b).unwrap_or(&none) {
                let pair = (a.min(b), a.max(b));
                if is_link || exact.pairs.contains_key(&pair) {
                    estimates.insert(pair, estimate);
                }
            }
        }
    })?;
    ensure!(
        links == outcome.links,
        "{links} of the estimates are links, but the run lists {}",
        outcome.links
    );
    Ok(estimates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(exact: (u64, u64), low: f64, high: f64) -> Seen {
        let value = (low + high) / 2.0;
        let interval = Interval { low, high };
        let estimate = Some(Estimated {
            value,
            interval,
            is_link: value >= 0.5,
            is_declared: false,
        });
        Seen {
            exact: Ratio::new(exact.0, exact.1),
            modulus: 2,
            estimate,
        }
    }

    #[test]
    fn pairs_are_counted_where_they_belong() {
        let mut score = Score::default();
        for seen in [
            seen((1, 2), 0.5, 0.6),
            seen((39, 100), 0.5, 0.6),
            seen((4, 10), 0.5, 0.6),
            seen((6, 10), 0.3, 0.5),
            Seen {
                estimate: None,
                ..seen((6, 10), 0.0, 0.0)
            },
            Seen {
                modulus: 1,
                ..seen((1, 10), 0.1, 0.1)
            },
            seen((9, 100), 0.0, 0.1),
        ] {
            score.count(&seen);
        }
        let counts = [
            score.truth,
            score.links,
            score.right,
            score.wrong,
            score.near,
            score.missed,
            score.judged,
        ];
        assert_eq!(counts, [3, 3, 1, 1, 2, 2, 5]);
        assert!((score.mean_error() - (0.05 + 0.16 + 0.15 + 0.2 + 0.6) / 5.0).abs() < 1e-12);
        let tally = |pairs, below, above, unlisted| Tally {
            pairs,
            below,
            above,
            unlisted,
            declared_equal: 0,
        };
        let none = Tally::default();
        assert_eq!(
            score.sampled,
            [none, tally(2, 0, 2, 0), tally(3, 1, 0, 1), none, none]
        );
        assert_eq!(score.whole, [tally(1, 0, 0, 0), none, none, none, none]);
        assert_eq!(score.sampled[2].inside(), 1);
    }
}
