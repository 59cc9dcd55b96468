//! Decides which pairs are compared by all their shingles: all that may be links.
//!
//! *Algorithm.* A pair may be a link if a threshold t is within six standard errors of its estimate
//! of n shared among N, or below them: if n ≥ t N, or (n − t N)² ≤ z² (1 − 1/m) t (1 − t) N, where
//! m is the modulus of the sample. This is Wilson's interval (1927), as in `model::Interval`,
//! solved for t. *Limits.* At modulus 1 the sketches hold all shingles, and nothing is uncertain.

use crate::partition::PairRule;
use model::{LinkPolicy, ThresholdsMet};
use model::{Overlap, SizesByLevel, Threshold};

/// The square of six standard errors. Pages of one frame err together, so what is improbable for
/// one pair happens to all pairs of a site at once: 99.9 % would not be enough.
const Z2: f64 = 36.0;

/// The rule by which pairs are chosen.
#[derive(Clone, Copy, Debug)]
pub struct SettleRule(LinkPolicy);

/// Whether `shared` of a sample among `all` leave it open that the documents reach the threshold.
fn may_reach(threshold: Threshold, shared: u32, all: f64, modulus: u32) -> bool {
    let t = threshold.to_f64();
    let difference = f64::from(shared) - t * all;
    let square = Z2 * (1.0 - 1.0 / f64::from(modulus)) * t * (1.0 - t) * all;
    // Doubles round in the sixteenth digit.
    difference >= 0.0 || difference * difference <= square * (1.0 + 1e-12) + 1e-9
}

impl SettleRule {
    /// The rule for the links of a policy.
    pub fn new(policy: LinkPolicy) -> SettleRule {
        SettleRule(policy)
    }
}

fn union_of(overlap: &Overlap) -> f64 {
    f64::from(overlap.size_a) + f64::from(overlap.size_b) - f64::from(overlap.shared)
}

impl PairRule for SettleRule {
    fn least_shared(&self, sizes: &[u32]) -> u32 {
        let known = sizes
            .iter()
            .copied()
            .filter(|size| *size != SizesByLevel::UNKNOWN);
        let (Some(smallest), None) = (known.min(), self.0.containment) else {
            return 1;
        };
        // The union is at least as large as the sketch. From `turn` on, the least number of shared
        // shingles grows with the union.
        let t = self.0.resemblance.to_f64();
        let turn = Z2 * (1.0 - t) / (4.0 * t.max(1e-9));
        let union = f64::from(smallest).max(turn);
        let least = t * union - (Z2 * t * (1.0 - t) * union).sqrt();
        (least * (1.0 - 1e-9) - 1e-9).ceil().max(1.0) as u32
    }

    fn passes(&self, shared: u32, _size_a: u32, _size_b: u32) -> bool {
        shared > 0
    }

    fn judge(&self, overlap: &Overlap) -> Option<ThresholdsMet> {
        let may_reach = |threshold, all| may_reach(threshold, overlap.shared, all, overlap.modulus);
        let contains = |size| {
            let threshold = self.0.containment;
            threshold.is_some_and(|threshold| may_reach(threshold, f64::from(size)))
        };
        let met = ThresholdsMet {
            resemblance: may_reach(self.0.resemblance, union_of(overlap)),
            a_in_b: contains(overlap.size_a),
            b_in_a: contains(overlap.size_b),
        };
        let is_open = met.resemblance || met.a_in_b || met.b_in_a;
        (overlap.modulus > 1 && is_open).then_some(met)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn policy(resemblance: u32, containment: Option<u32>) -> LinkPolicy {
        let threshold = |percent: u32| Threshold::from_f64(f64::from(percent) / 100.0).unwrap();
        LinkPolicy {
            resemblance: threshold(resemblance),
            containment: containment.map(threshold),
            containment_joins: false,
            sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
            min_shared: 2,
        }
    }

    fn overlap(shared: u32, size_a: u32, size_b: u32, modulus: u32) -> Overlap {
        Overlap {
            shared,
            size_a,
            size_b,
            modulus,
        }
    }

    #[test]
    fn all_that_may_be_links_are_compared() {
        let rule = SettleRule::new(policy(50, None));
        assert!(rule.judge(&overlap(99, 100, 100, 8)).is_some());
        assert!(rule.judge(&overlap(60, 100, 100, 8)).is_some());
        assert!(rule.judge(&overlap(20, 100, 100, 8)).is_none());
        // Where sketches hold all shingles, there is nothing to compare.
        assert!(rule.judge(&overlap(60, 100, 100, 1)).is_none());
        let rule = SettleRule::new(policy(50, Some(90)));
        assert!(rule.judge(&overlap(3, 3, 128, 32)).is_some());
    }

    proptest! {
        /// The interval is Wilson's: a threshold may be reached if it is not above it.
        #[test]
        fn the_interval_is_that_of_wilson(shared in 1u32..60, more in 0u32..60, percent in 1u32..100, modulus in 2u32..40) {
            let all = f64::from(shared + more);
            let threshold = Threshold::from_f64(f64::from(percent) / 100.0).unwrap();
            let z2 = Z2 * (1.0 - 1.0 / f64::from(modulus));
            let p = f64::from(shared) / all;
            let centre = (p + z2 / (2.0 * all)) / (1.0 + z2 / all);
            let half = ((p * (1.0 - p) / all + z2 / (4.0 * all * all)) * z2).sqrt() / (1.0 + z2 / all);
            let t = threshold.to_f64();
            prop_assume!((t - centre - half).abs() > 1e-9);
            prop_assert_eq!(may_reach(threshold, shared, all, modulus), t < centre + half);
        }

        #[test]
        fn no_chosen_pair_shares_less_than_the_least(
            sizes in (1u32..200, 1u32..200), shared in 1u32..200, thresholds in (0u32..=100, prop::option::of(0u32..=100)),
            modulus in 1u32..40,
        ) {
            let rule = SettleRule::new(policy(thresholds.0, thresholds.1));
            let overlap = overlap(shared.min(sizes.0).min(sizes.1), sizes.0, sizes.1, modulus);
            if rule.judge(&overlap).is_some() {
                let least = rule.least_shared(&[SizesByLevel::UNKNOWN, overlap.size_a]);
                prop_assert!(overlap.shared >= least, "{overlap:?} has less than {least}");
                prop_assert!(rule.passes(overlap.shared, overlap.size_a, overlap.size_b));
            }
        }
    }
}
