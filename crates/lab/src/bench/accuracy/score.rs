//! A run held against the exact values.
//!
//! *Input.* [`Corpus`], [`Exact`], [`Outcome`]. *Output.* [`Score`]. *Algorithm.* The unit is the
//! pair of groups, documents of equal sets. A run sees a group as the representative of the group's
//! first document: all documents of a group have the same sketch. Two groups with one
//! representative were declared equal (their sketches are): that is an estimate of 1 and a link,
//! with the interval of n hits among n. A pair that a run does not list has the estimate 0, and no
//! interval.

use super::engine::Outcome;
use crate::agreement::Agreement;
use crate::corpus::Corpus;
use crate::exact::Exact;
use crate::published::PublishedDocument;
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
    /// Pairs whose interval holds the exact value.
    pub(crate) inside: u64,
}

impl Tally {
    /// All of them together.
    pub(crate) fn sum(tallies: impl IntoIterator<Item = Tally>) -> Tally {
        let add = |sum: Tally, tally: Tally| Tally {
            pairs: sum.pairs + tally.pairs,
            inside: sum.inside + tally.inside,
        };
        tallies.into_iter().fold(Tally::default(), add)
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
    /// Intervals by bin: of pairs compared at modulus 1, and at a modulus above 1.
    pub(crate) intervals: [[Tally; BINS.len()]; 2],
}

impl Score {
    /// Mean error of the estimates of all judged pairs.
    pub(crate) fn mean_error(&self) -> f64 {
        self.error_sum / self.judged as f64
    }

    /// Counts a pair of this exact resemblance, compared at the coarser of the two moduli.
    fn count(&mut self, exact: Ratio, modulus: u32, estimate: Option<&Estimate>) {
        let at_least = |tenths: u64| exact >= Ratio::new(tenths, 10);
        let linked = estimate.is_some_and(|estimate| estimate.is_link);
        self.truth += u64::from(at_least(5));
        self.links += u64::from(linked);
        self.right += u64::from(linked && at_least(5));
        self.wrong += u64::from(linked && !at_least(4));
        self.near += u64::from(at_least(6));
        self.missed += u64::from(!linked && at_least(6));
        if linked || at_least(5) {
            self.judged += 1;
            let value = estimate.map_or(0.0, |estimate| estimate.value);
            self.error_sum += (value - exact.to_f64()).abs();
        }
        let bin = BINS.iter().position(|end| !at_least(*end));
        if let Some(bin) = bin.filter(|_| at_least(1)) {
            let is_inside = |of: &Estimate| of.interval.contains(exact.to_f64());
            let tally = &mut self.intervals[usize::from(modulus > 1)][bin];
            tally.pairs += 1;
            tally.inside += u64::from(estimate.is_some_and(is_inside));
        }
    }
}

/// The estimate of a run for a pair of groups.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    value: f64,
    interval: Interval,
    is_link: bool,
}

/// Judges a run.
pub(crate) fn of(corpus: &Corpus, exact: &Exact, outcome: &Outcome) -> Result<Score> {
    let documents = &outcome.documents;
    let words = documents.iter().map(|document| document.words);
    ensure!(
        words.eq(corpus.words.iter().copied()),
        "the run read other documents: {}, expected {}",
        documents.len(),
        corpus.words.len()
    );
    let first = |doc: &u32| documents[*doc as usize];
    let groups: Vec<PublishedDocument> = corpus.first_of.iter().map(first).collect();
    let estimates = estimates(exact, outcome, &groups)?;
    let mut score = Score::default();
    let mut count = |pair: (u32, u32), exact: Ratio| {
        let [a, b] = [pair.0, pair.1].map(|group| groups[group as usize].modulus);
        score.count(exact, a.max(b), estimates.get(&pair));
    };
    for (&pair, &ratio) in &exact.pairs {
        count(pair, ratio);
    }
    for &pair in estimates.keys() {
        if !exact.pairs.contains_key(&pair) {
            count(pair, exact.resemblance(pair));
        }
    }
    let clusters = documents.iter().zip(&corpus.group_of);
    score.agreement = Agreement::of(
        clusters.map(|(document, group)| (document.cluster, exact.cluster_of[*group as usize])),
    );
    score.postings_per_page =
        outcome.report.sketch.shingles_sampled as f64 / documents.len() as f64;
    Ok(score)
}

/// The estimates of every pair at exact resemblance 0.1 or more, and of every link.
fn estimates(
    exact: &Exact,
    outcome: &Outcome,
    groups: &[PublishedDocument],
) -> Result<HashMap<(u32, u32), Estimate>> {
    let mut groups_of: HashMap<u32, Vec<u32>> = HashMap::new();
    for (group, sampled) in (0..).zip(groups) {
        let of = groups_of.entry(sampled.representative).or_default();
        of.push(group);
    }
    let mut estimates = HashMap::new();
    for list in groups_of.values() {
        for (at, &b) in list.iter().enumerate() {
            for &a in &list[..at] {
                let sampled = groups[a as usize];
                let size = u64::from(sampled.sketch_size);
                let declared = Estimate {
                    value: 1.0,
                    interval: Interval::wilson(size, size, sampled.modulus),
                    is_link: true,
                };
                estimates.insert((a, b), declared);
            }
        }
    }
    let (none, mut links) = (Vec::new(), 0);
    outcome.each_listed(&mut |listed| {
        let is_link = listed.is_link();
        links += u64::from(is_link);
        let estimate = Estimate {
            value: listed.estimate,
            interval: listed.interval,
            is_link,
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

    #[test]
    fn pairs_are_counted_where_they_belong() {
        let mut score = Score::default();
        for (exact, modulus, interval) in [
            ((1, 2), 2, Some((0.5, 0.6))),
            ((39, 100), 2, Some((0.5, 0.6))),
            ((4, 10), 2, Some((0.5, 0.6))),
            ((6, 10), 2, Some((0.3, 0.5))),
            ((6, 10), 2, None),
            ((1, 10), 1, Some((0.1, 0.1))),
            ((9, 100), 2, Some((0.0, 0.1))),
        ] {
            let estimate = interval.map(|(low, high)| Estimate {
                value: (low + high) / 2.0,
                interval: Interval { low, high },
                is_link: low + high >= 1.0,
            });
            score.count(Ratio::new(exact.0, exact.1), modulus, estimate.as_ref());
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
        let tally = |pairs, inside| Tally { pairs, inside };
        let none = Tally::default();
        let expected = [
            [tally(1, 1), none, none, none, none],
            [none, tally(2, 0), tally(3, 1), none, none],
        ];
        assert_eq!(score.intervals, expected);
    }
}
