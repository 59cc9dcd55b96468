//! How a method does on the pairs of documents, at the threshold and at others.

use super::method::{Judged, Sketch};
use crate::exact::{Agreement, Components};

/// Thresholds that are tried beside the configured one.
pub(super) const THRESHOLDS: [f64; 7] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// Parts of the axis of resemblance for the share of pairs that are compared.
pub(super) const BINS: usize = 20;

/// Pairs of a lower resemblance do not count for errors.
pub(super) const JUDGED_FROM: f64 = 0.1;

/// Links that a method finds, and how many of them are links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) all: usize,
    pub(super) right: usize,
}

impl Found {
    fn add(&mut self, is_found: bool, is_link: bool) {
        self.all += usize::from(is_found);
        self.right += usize::from(is_found && is_link);
    }
}

/// How a method did so far. The exact sets are one, too.
pub(super) struct Score {
    pub(super) links: Found,
    pub(super) by_threshold: [Found; THRESHOLDS.len()],
    pub(super) judged: usize,
    pub(super) errors: f64,
    pub(super) worst: f64,
    pub(super) covered: usize,
    /// Pairs by their resemblance, and those of them that the method compares.
    pub(super) compared: [Found; BINS],
    clusters: Components,
    /// Records and bytes of all sketches, and the CPU seconds that they took.
    pub(super) records: usize,
    pub(super) bytes: usize,
    pub(super) seconds: f64,
}

impl Score {
    pub(super) fn none(documents: usize) -> Score {
        Score {
            links: Found::default(),
            by_threshold: Default::default(),
            judged: 0,
            errors: 0.0,
            worst: 0.0,
            covered: 0,
            compared: Default::default(),
            clusters: Components::new(documents),
            records: 0,
            bytes: 0,
            seconds: 0.0,
        }
    }

    /// Adds what the sketches of more documents cost.
    pub(super) fn add_cost(&mut self, sketches: &[Sketch], seconds: f64) {
        for (records, bytes) in sketches.iter().map(Sketch::size) {
            self.records += records;
            self.bytes += bytes;
        }
        self.seconds += seconds;
    }

    /// Takes the next pair, the lower document first, and whether the method links it at a
    /// threshold.
    pub(super) fn add(
        &mut self,
        [a, b]: [u32; 2],
        exact: f64,
        threshold: f64,
        reaches: impl Fn(f64) -> bool,
    ) {
        let is_found = reaches(threshold);
        self.links.add(is_found, exact >= threshold);
        if is_found {
            self.clusters.join(a, b);
        }
        for (found, at) in self.by_threshold.iter_mut().zip(THRESHOLDS) {
            found.add(reaches(at), exact >= at);
        }
    }

    /// Takes the judgement of a method that compares sketches.
    pub(super) fn judge(&mut self, pair: [u32; 2], judged: &Judged, exact: f64, threshold: f64) {
        self.add(pair, exact, threshold, |at| judged.reaches(at));
        let bin = ((exact * BINS as f64) as usize).min(BINS - 1);
        self.compared[bin].add(true, judged.is_candidate);
        if let Some(estimate) = judged.estimate.filter(|_| exact >= JUDGED_FROM) {
            let error = (estimate.ratio.to_f64() - exact).abs();
            self.judged += 1;
            self.errors += error;
            self.worst = self.worst.max(error);
            self.covered += usize::from(estimate.interval.contains(exact));
        }
    }

    /// Pairs of documents in one cluster: by this method, by the exact sets, and by both.
    pub(super) fn together(&mut self, exact: &mut Score, documents: usize) -> Agreement {
        let clusters = |document| (self.clusters.root(document), exact.clusters.root(document));
        Agreement::of((0..documents as u32).map(clusters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Estimate, Interval, Ratio};

    #[test]
    fn clusters_are_compared_by_their_pairs() {
        let (mut links, mut score) = (Score::none(5), Score::none(5));
        let judged = |is_candidate, estimate: f64| Judged {
            is_candidate,
            estimate: is_candidate.then(|| Estimate {
                ratio: Ratio::new((100.0 * estimate) as u64, 100),
                interval: Interval::wilson(1, 2, 4),
            }),
        };
        // exactly {0, 1, 2} and {3, 4}; found {0, 1} and {2, 3, 4}
        for (pair, exact, found) in [
            ([0, 1], 0.8, judged(true, 0.9)),
            ([1, 2], 0.55, judged(true, 0.4)),
            ([2, 3], 0.2, judged(true, 0.6)),
            ([3, 4], 0.95, judged(true, 0.95)),
            ([0, 4], 0.2, judged(false, 0.9)),
        ] {
            links.add(pair, exact, 0.5, |at| exact >= at);
            score.judge(pair, &found, exact, 0.5);
        }
        let together = Agreement {
            both: 2,
            run: 4,
            exact: 4,
        };
        assert_eq!(score.together(&mut links, 5), together);
        assert_eq!(score.links, Found { all: 3, right: 2 });
        let by_threshold = links.by_threshold.map(|found| found.all);
        assert_eq!(by_threshold, [3, 3, 3, 2, 2, 2, 1]);
        assert_eq!(score.by_threshold[6], Found { all: 2, right: 1 });
        assert_eq!(score.compared[4], Found { all: 2, right: 1 });
        assert!((score.worst - 0.4).abs() < 1e-9);
    }
}
