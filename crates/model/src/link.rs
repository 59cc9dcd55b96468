//! Decides which pairs are links, and which links join clusters.
//!
//! *Why it is fast.* Few of the pairs that share something are links, so a [`CandidateFilter`] of
//! one multiplication comes before the exact comparison. Before the size of the higher document is
//! even loaded from far memory, [`CandidateFilter::least_shared`] drops pairs that share too little
//! of the lower one.

use crate::{Estimate, Overlap, SizesByLevel, Threshold};

/// The settings of `[cluster]` that decide links.
#[derive(Clone, Copy, Debug)]
pub struct LinkPolicy {
    /// Resemblance at which two documents are linked.
    pub resemblance: Threshold,
    /// Containment at which a document is linked to the one that contains it; `None` if containment
    /// makes no links.
    pub containment: Option<Threshold>,
    /// Whether links by containment join clusters.
    pub containment_joins: bool,
    /// The fewest sampled shingles that two linked documents share.
    pub min_shared: u32,
    /// The fewest shared shingles of a link by containment, where sketches are samples.
    pub sampled_containment_min: u32,
}

impl LinkPolicy {
    /// The value of [`LinkPolicy::sampled_containment_min`] in a run: two or three shingles of a
    /// sample prove no containment.
    pub const SAMPLED_CONTAINMENT_MIN: u32 = 4;
}

/// The thresholds that a pair reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThresholdsMet {
    /// The resemblance.
    pub resemblance: bool,
    /// The containment of a in b.
    pub a_in_b: bool,
    /// The containment of b in a.
    pub b_in_a: bool,
}

/// A cheap test that every link passes, to drop most other pairs before the exact comparison.
#[derive(Clone, Copy, Debug)]
pub struct CandidateFilter {
    min_shared: u32,
    /// The lowest threshold, rounded down.
    lowest: f64,
    /// The least share of its lower document that a link shares, rounded down; 0 if there is no
    /// bound.
    lowest_of_a: f64,
}

impl CandidateFilter {
    /// The fewest shingles that any link of a document with a higher one shares. `sizes` are those
    /// of its [`crate::SizesByLevel`]; the two may be compared at each level whose size is known.
    /// The bound holds because resemblance is at most the containment of either document in the
    /// other.
    pub fn least_shared(&self, sizes: &[u32]) -> u32 {
        let smallest = sizes
            .iter()
            .copied()
            .filter(|size| *size != SizesByLevel::UNKNOWN)
            .min()
            .unwrap_or(0);
        // The product fits `u32`: one factor is at most 1, the other at most 2³².
        let share = self.lowest_of_a * f64::from(smallest);
        let below = share as u32;
        self.min_shared
            .max(below.saturating_add(u32::from(f64::from(below) < share)))
    }

    /// Whether a pair may be a link. Resemblance is at most the containment of the smaller document
    /// in the other.
    #[inline]
    pub fn passes(&self, shared: u32, size_a: u32, size_b: u32) -> bool {
        shared >= self.min_shared
            && f64::from(shared) >= self.lowest * f64::from(size_a.min(size_b))
    }
}

impl LinkPolicy {
    /// The filter to use before [`LinkPolicy::judge`]. Pairs that reach the floor pass it, too.
    pub fn candidate_filter(&self, floor: Option<Threshold>) -> CandidateFilter {
        let thresholds = [Some(self.resemblance), self.containment, floor]
            .into_iter()
            .flatten();
        let lowest = thresholds
            .map(Threshold::to_f64)
            .fold(f64::INFINITY, f64::min);
        // Doubles round in the sixteenth digit; the filter must not drop a link.
        let lowest = lowest * (1.0 - 1e-12);
        // A link by containment may share only a small part of the lower document.
        let lowest_of_a = if self.containment.is_some() {
            0.0
        } else {
            lowest
        };
        CandidateFilter {
            min_shared: if floor.is_some() { 1 } else { self.min_shared },
            lowest,
            lowest_of_a,
        }
    }

    /// The thresholds that a pair reaches; `None` if it is no link. Exact: ratios of counts are
    /// compared with decimals without rounding.
    pub fn judge(&self, overlap: &Overlap) -> Option<ThresholdsMet> {
        if overlap.shared < self.min_shared {
            return None;
        }
        // Two or three shingles of a sample prove no containment.
        let is_enough = overlap.modulus <= 1 || overlap.shared >= self.sampled_containment_min;
        let directed = |of: u32| {
            is_enough
                && self
                    .containment
                    .is_some_and(|threshold| threshold.reached_by(overlap.share_of(of)))
        };
        let reached = ThresholdsMet {
            resemblance: self.resemblance.reached_by(overlap.shared_of_union()),
            a_in_b: directed(overlap.size_a),
            b_in_a: directed(overlap.size_b),
        };
        (reached.resemblance || reached.a_in_b || reached.b_in_a).then_some(reached)
    }

    /// Whether a link joins its two documents into one cluster.
    pub fn joins(&self, reached: ThresholdsMet) -> bool {
        reached.resemblance || self.containment_joins
    }

    /// Whether a link is certain: the whole confidence interval of a deciding estimate is above its
    /// threshold.
    pub fn certain(&self, overlap: &Overlap, reached: ThresholdsMet) -> bool {
        let above =
            |estimate: Estimate, threshold: Threshold| estimate.interval.low >= threshold.to_f64();
        let directed = |estimate: Option<Estimate>| {
            estimate
                .zip(self.containment)
                .is_some_and(|(estimate, threshold)| above(estimate, threshold))
        };
        (reached.resemblance && above(overlap.resemblance(), self.resemblance))
            || (reached.a_in_b && directed(overlap.containment_a_in_b()))
            || (reached.b_in_a && directed(overlap.containment_b_in_a()))
    }
}

impl ThresholdsMet {
    /// The contained document, if containment is reached in one direction only.
    pub fn contained_document(&self) -> Option<ContainedDocument> {
        match (self.a_in_b, self.b_in_a) {
            (true, false) => Some(ContainedDocument::A),
            (false, true) => Some(ContainedDocument::B),
            _ => None,
        }
    }

    /// The name of the relation in the table of pairs.
    pub fn name(&self) -> &'static str {
        match (self.resemblance, self.a_in_b || self.b_in_a) {
            (true, true) => "both",
            (true, false) => "resemblance",
            (false, _) => "containment",
        }
    }
}

/// The contained document of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainedDocument {
    /// The lower document.
    A,
    /// The higher document.
    B,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn policy(containment: Option<f64>) -> LinkPolicy {
        LinkPolicy {
            resemblance: Threshold::from_f64(0.5).unwrap(),
            containment: containment.map(|c| Threshold::from_f64(c).unwrap()),
            containment_joins: false,
            sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
            min_shared: 2,
        }
    }

    #[test]
    fn the_threshold_itself_is_a_link() {
        let overlap = Overlap {
            shared: 2,
            size_a: 3,
            size_b: 3,
            modulus: 1,
        };
        assert!(policy(None).judge(&overlap).unwrap().resemblance);
        assert_eq!(
            policy(None).judge(&Overlap {
                shared: 1,
                size_a: 1,
                size_b: 1,
                modulus: 1
            }),
            None
        );
    }

    #[test]
    fn three_shingles_of_a_sample_prove_no_containment() {
        let excerpt = |shared: u32, modulus: u32| Overlap {
            shared,
            size_a: shared,
            size_b: 400,
            modulus,
        };
        assert_eq!(policy(Some(0.9)).judge(&excerpt(3, 32)), None);
        assert!(policy(Some(0.9)).judge(&excerpt(4, 32)).is_some());
        assert!(policy(Some(0.9)).judge(&excerpt(3, 1)).is_some());
    }

    #[test]
    fn an_excerpt_is_a_directed_link_that_does_not_join() {
        let overlap = Overlap {
            shared: 10,
            size_a: 10,
            size_b: 400,
            modulus: 4,
        };
        let reached = policy(Some(0.9)).judge(&overlap).unwrap();
        assert_eq!(
            (reached.contained_document(), reached.name()),
            (Some(ContainedDocument::A), "containment")
        );
        assert!(!policy(Some(0.9)).joins(reached));
        assert_eq!(policy(None).judge(&overlap), None);
    }

    proptest! {
        #[test]
        fn the_filter_lets_every_link_through(
            sizes in (1u32..60, 1u32..60), shared in 0u32..60, scale in prop_oneof![Just(1u32), Just(70_000_000)],
            thresholds in (0u32..=100, proptest::option::of(0u32..=100)), min_shared in 0u32..5,
            floor in proptest::option::of(0u32..=100),
        ) {
            let threshold = |percent: u32| Threshold::from_f64(f64::from(percent) / 100.0).unwrap();
            let policy = LinkPolicy {
                resemblance: threshold(thresholds.0),
                containment: thresholds.1.map(threshold),
                containment_joins: false,
                sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
                min_shared,
            };
            let (size_a, size_b) = (sizes.0 * scale, sizes.1 * scale);
            let shared = shared.min(sizes.0).min(sizes.1) * scale;
            let overlap = Overlap { shared, size_a, size_b, modulus: 1 };
            let floor = floor.map(threshold);
            let counts = shared > 0 && floor.is_some_and(|floor| floor.reached_by(overlap.shared_of_union()));
            if policy.judge(&overlap).is_some_and(|_| shared > 0 || floor.is_none()) || counts {
                prop_assert!(policy.candidate_filter(floor).passes(shared, size_a, size_b));
            }
        }
    }

    proptest! {
        /// The lower document's sizes at the level of comparison and at coarser ones; the finer
        /// ones it does not know.
        #[test]
        fn no_link_shares_less_than_the_least(
            mut sizes in proptest::collection::vec(1u32..60, 1..6), at in 0usize..6, size_b in 1u32..60, shared in 0u32..60,
            resemblance in 0u32..=100, containment in proptest::option::of(0u32..=100), min_shared in 0u32..5,
            floor in proptest::option::of(0u32..=100),
        ) {
            let threshold = |percent: u32| Threshold::from_f64(f64::from(percent) / 100.0).unwrap();
            let policy = LinkPolicy {
                resemblance: threshold(resemblance),
                containment: containment.map(threshold),
                containment_joins: false,
                sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
                min_shared,
            };
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let size_a = sizes[at % sizes.len()];
            let shared = shared.min(size_a).min(size_b);
            sizes.insert(0, SizesByLevel::UNKNOWN);
            let overlap = Overlap { shared, size_a, size_b, modulus: 1 };
            let floor = floor.map(threshold);
            let least = policy.candidate_filter(floor).least_shared(&sizes);
            let counts = shared > 0 && floor.is_some_and(|floor| floor.reached_by(overlap.shared_of_union()));
            if policy.judge(&overlap).is_some_and(|_| shared > 0 || floor.is_none()) || counts {
                prop_assert!(shared >= least, "{shared} of {least}");
            }
        }
    }

    #[test]
    fn the_least_shared_is_a_share_of_the_smallest_size_known() {
        let no = SizesByLevel::UNKNOWN;
        assert_eq!(
            policy(None)
                .candidate_filter(None)
                .least_shared(&[no, 21, 10]),
            5
        );
        assert_eq!(
            policy(None).candidate_filter(None).least_shared(&[11, no]),
            6
        );
        assert_eq!(
            policy(None)
                .candidate_filter(None)
                .least_shared(&[no, 21, 1]),
            2
        );
        assert_eq!(
            policy(None).candidate_filter(None).least_shared(&[no, no]),
            2
        );
        assert_eq!(
            policy(Some(0.9))
                .candidate_filter(None)
                .least_shared(&[1000]),
            2
        );
    }

    #[test]
    fn the_filter_stops_what_is_far_from_a_link() {
        let threshold = Threshold::from_f64(0.5).unwrap();
        let policy = LinkPolicy {
            resemblance: threshold,
            containment: Some(threshold),
            containment_joins: false,
            sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
            min_shared: 1,
        };
        assert!(
            !policy.candidate_filter(None).passes(4, 10, 10)
                && !policy.candidate_filter(None).passes(0, 0, 0)
                && policy.candidate_filter(None).passes(5, 10, 90)
        );
    }
}
