//! Decides which pairs are compared by all their shingles, because their sketches do not say
//! enough.
//!
//! *Algorithm.* A threshold t is within six standard errors of an estimate of n shared among N if
//! (n − t N)² ≤ z² (1 − 1/m) t (1 − t) N, where m is the modulus of the sample. This is Wilson's
//! interval (1927), as in `model::Interval`, solved for t. *Limits.* At modulus 1 the sketches hold
//! all shingles, and nothing is uncertain.

use crate::{LinkPolicy, PairRule, Settle, ThresholdsMet};
use model::{Overlap, SizesByLevel, Threshold};

/// The square of six standard errors. Pages of one frame err together, so what is improbable for
/// one pair happens to all pairs of a site at once: 99.9 % would not be enough.
const Z2: f64 = 36.0;

/// The rule by which pairs are chosen.
#[derive(Clone, Copy, Debug)]
pub struct SettleRule {
    policy: LinkPolicy,
    settle: Settle,
}

/// A threshold beside an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// The threshold is above the interval.
    Above,
    /// It is inside.
    Inside,
    /// It is below, or the estimate is exact and reaches it.
    Below,
}

/// Where a threshold lies beside the interval of `shared` among `all`.
fn position(threshold: Threshold, shared: u32, all: f64, modulus: u32) -> Position {
    let (t, n) = (threshold.to_f64(), f64::from(shared));
    let difference = n - t * all;
    let square = Z2 * (1.0 - 1.0 / f64::from(modulus)) * t * (1.0 - t) * all;
    // Doubles round in the sixteenth digit.
    if modulus > 1 && difference * difference <= square * (1.0 + 1e-12) + 1e-9 {
        Position::Inside
    } else if difference < 0.0 {
        Position::Above
    } else {
        Position::Below
    }
}

impl SettleRule {
    /// The rule for the links of a policy.
    pub fn new(policy: LinkPolicy, settle: Settle) -> SettleRule {
        SettleRule { policy, settle }
    }

    fn chooses(&self, positions: &[Position], modulus: u32) -> bool {
        match self.settle {
            Settle::Off => false,
            _ if modulus <= 1 => false,
            Settle::Uncertain => positions.contains(&Position::Inside),
            Settle::Links => positions
                .iter()
                .any(|position| *position != Position::Above),
        }
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
        let (Some(smallest), None) = (known.min(), self.policy.containment) else {
            return 1;
        };
        // The union is at least as large as the sketch. From `turn` on, the least number of shared
        // shingles grows with the union.
        let t = self.policy.resemblance.to_f64();
        let turn = Z2 * (1.0 - t) / (4.0 * t.max(1e-9));
        let union = f64::from(smallest).max(turn);
        let least = t * union - (Z2 * t * (1.0 - t) * union).sqrt();
        (least * (1.0 - 1e-9) - 1e-9).ceil().max(1.0) as u32
    }

    fn passes(&self, shared: u32, _size_a: u32, _size_b: u32) -> bool {
        shared > 0
    }

    fn judge(&self, overlap: &Overlap) -> Option<ThresholdsMet> {
        let at = |threshold, all| position(threshold, overlap.shared, all, overlap.modulus);
        let resemblance = at(self.policy.resemblance, union_of(overlap));
        let [a, b] = [overlap.size_a, overlap.size_b].map(|size| match self.policy.containment {
            Some(containment) => at(containment, f64::from(size)),
            None => Position::Above,
        });
        let is_chosen = self.chooses(&[resemblance, a, b], overlap.modulus);
        is_chosen.then_some(ThresholdsMet {
            resemblance: resemblance != Position::Above,
            a_in_b: a != Position::Above,
            b_in_a: b != Position::Above,
        })
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
    fn a_pair_near_the_threshold_is_uncertain() {
        let rule = SettleRule::new(policy(50, None), Settle::Uncertain);
        assert!(rule.judge(&overlap(60, 100, 100, 8)).is_some());
        assert!(rule.judge(&overlap(99, 100, 100, 8)).is_none());
        assert!(rule.judge(&overlap(20, 100, 100, 8)).is_none());
        assert!(rule.judge(&overlap(60, 100, 100, 1)).is_none());
        let links = SettleRule::new(policy(50, None), Settle::Links);
        assert!(links.judge(&overlap(99, 100, 100, 8)).is_some());
        assert!(links.judge(&overlap(20, 100, 100, 8)).is_none());
        // Where sketches hold all shingles, there is nothing to compare.
        assert!(links.judge(&overlap(99, 100, 100, 1)).is_none());
        let off = SettleRule::new(policy(50, None), Settle::Off);
        assert!(off.judge(&overlap(60, 100, 100, 8)).is_none());
    }

    #[test]
    fn all_of_a_sample_does_not_prove_all_of_a_document() {
        let rule = SettleRule::new(policy(100, None), Settle::Uncertain);
        assert!(rule.judge(&overlap(100, 100, 100, 2)).is_some());
        let rule = SettleRule::new(policy(50, Some(90)), Settle::Uncertain);
        assert!(rule.judge(&overlap(3, 3, 128, 32)).is_some());
    }

    proptest! {
        /// The interval is Wilson's: a threshold is inside if the interval holds it.
        #[test]
        fn the_interval_is_that_of_wilson(shared in 1u32..60, more in 0u32..60, percent in 1u32..100, modulus in 2u32..40) {
            let all = f64::from(shared + more);
            let threshold = Threshold::from_f64(f64::from(percent) / 100.0).unwrap();
            let z2 = Z2 * (1.0 - 1.0 / f64::from(modulus));
            let p = f64::from(shared) / all;
            let centre = (p + z2 / (2.0 * all)) / (1.0 + z2 / all);
            let half = ((p * (1.0 - p) / all + z2 / (4.0 * all * all)) * z2).sqrt() / (1.0 + z2 / all);
            let t = threshold.to_f64();
            prop_assume!((t - centre + half).abs() > 1e-9 && (t - centre - half).abs() > 1e-9);
            let expected = if t > centre + half { Position::Above } else if t < centre - half { Position::Below } else { Position::Inside };
            prop_assert_eq!(position(threshold, shared, all, modulus), expected);
        }

        #[test]
        fn no_chosen_pair_shares_less_than_the_least(
            sizes in (1u32..200, 1u32..200), shared in 1u32..200, thresholds in (0u32..=100, prop::option::of(0u32..=100)),
            modulus in 1u32..40, links: bool,
        ) {
            let settle = if links { Settle::Links } else { Settle::Uncertain };
            let rule = SettleRule::new(policy(thresholds.0, thresholds.1), settle);
            let overlap = overlap(shared.min(sizes.0).min(sizes.1), sizes.0, sizes.1, modulus);
            if rule.judge(&overlap).is_some() {
                let least = rule.least_shared(&[SizesByLevel::UNKNOWN, overlap.size_a]);
                prop_assert!(overlap.shared >= least, "{overlap:?} has less than {least}");
                prop_assert!(rule.passes(overlap.shared, overlap.size_a, overlap.size_b));
            }
        }
    }
}
