//! The sketch of the union of two documents, from their sketches alone.
//!
//! *Input.* Two sketches by one [`Sampling`] and one seed. *Output.* The sketch of the set of
//! shingles that either document has: that of a document with both sets, without any error. So it
//! can be joined with a third one, and compared with any. The union of an adaptive sketch is as
//! coarse as the coarser of both at least. *Algorithm.* The multiples of a modulus in a union are
//! the union of the multiples; levels are made coarser until the target is met. *Memory.* The
//! sketch. *Limits.* Labelled shingles: of a shingle that both have, the higher number of
//! occurrences counts.

use model::Sampling;

/// The sketch of a union.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnionSketch {
    /// Index into the levels of the [`Sampling`].
    pub level: u8,
    /// The sample: sorted, distinct.
    pub fingerprints: Vec<u64>,
}

impl UnionSketch {
    /// Joins two sketches, each given by its level and its sample.
    pub fn new(sampling: Sampling, a: (u8, &[u64]), b: (u8, &[u64])) -> UnionSketch {
        let mut level = a.0.max(b.0);
        let mut fingerprints = [a.1, b.1].concat();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        match sampling {
            Sampling::Min { size, .. } => fingerprints.truncate(size as usize),
            // Of the two values of a permutation, the lower one comes first.
            Sampling::MinHash { .. } => fingerprints.dedup_by_key(|element| *element >> 56),
            Sampling::Modulus { .. } | Sampling::Adaptive { .. } => {
                level = coarsened(sampling, level, &mut fingerprints);
            }
        }
        UnionSketch {
            level,
            fingerprints,
        }
    }

    /// An estimate of the number of shingles in the union, and its standard error: of n sampled
    /// shingles at modulus m, n m and m √(n (1 − 1/m)), by the variance of the binomial
    /// distribution. For sketches by a modulus, fixed or adaptive.
    pub fn shingles(&self, sampling: Sampling) -> (f64, f64) {
        let modulus = f64::from(sampling.modulus_at(usize::from(self.level)));
        let sampled = self.fingerprints.len() as f64;
        let error = modulus * (sampled * (1.0 - 1.0 / modulus)).sqrt();
        (sampled * modulus, error)
    }
}

/// Keeps the multiples of the finest modulus from this level on that meets the target.
fn coarsened(sampling: Sampling, mut level: u8, fingerprints: &mut Vec<u64>) -> u8 {
    loop {
        let modulus = u64::from(sampling.modulus_at(usize::from(level)));
        fingerprints.retain(|print| print.is_multiple_of(modulus));
        match sampling {
            Sampling::Adaptive {
                target,
                coarsest_log2,
            } if fingerprints.len() > target as usize && level < coarsest_log2 => level += 1,
            _ => return level,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sampler;
    use model::PermutationFamily;
    use proptest::prelude::*;

    fn rules() -> impl Strategy<Value = Sampling> {
        prop_oneof![
            (1u32..50).prop_map(|modulus| Sampling::Modulus { modulus }),
            (1u32..40, 0u8..8).prop_map(|(target, coarsest_log2)| Sampling::Adaptive {
                target,
                coarsest_log2
            }),
            (1u32..40, 1u32..5).prop_map(|(size, modulus)| Sampling::Min { size, modulus }),
            (1u32..40).prop_map(|permutations| Sampling::MinHash {
                permutations,
                family: PermutationFamily::Linear,
            }),
        ]
    }

    fn sketch(sampling: Sampling, shingles: &[u64]) -> (u8, Vec<u64>) {
        let mut sampler = Sampler::new(sampling, 7, crate::cpu::Cpu::chosen());
        shingles.iter().for_each(|&shingle| sampler.offer(shingle));
        let (level, kept) = sampler.finish();
        (level, kept.to_vec())
    }

    proptest! {
        #[test]
        fn the_sketch_of_a_union_is_that_of_all_its_shingles(
            sampling in rules(),
            a in prop::collection::vec(0u64..3000, 0..800), b in prop::collection::vec(0u64..3000, 0..800),
        ) {
            let [one, other] = [&a, &b].map(|shingles| sketch(sampling, shingles));
            let joined = UnionSketch::new(sampling, (one.0, &one.1), (other.0, &other.1));
            let (level, fingerprints) = sketch(sampling, &[a, b].concat());
            prop_assert_eq!(joined, UnionSketch { level, fingerprints });
        }
    }

    /// The mean error over 200 samples is within four of its standard deviations, and the errors
    /// are as large as stated.
    #[test]
    fn the_number_of_shingles_has_the_stated_error() {
        let sampling = Sampling::Modulus { modulus: 25 };
        let (mut sum, mut squares, mut stated) = (0.0, 0.0, 0.0);
        for seed in 0..200_u64 {
            // a bijection of 64 bits (Vigna, SplitMix64)
            let print = |n: u64| {
                let z = (n ^ seed << 32).wrapping_add(0x9E37_79B9_7F4A_7C15);
                let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
                z ^ z >> 31
            };
            let [a, b] = [0..2_000, 1_500..4_000]
                .map(|range| sketch(sampling, &range.map(print).collect::<Vec<_>>()));
            let joined = UnionSketch::new(sampling, (a.0, &a.1), (b.0, &b.1));
            let (shingles, error) = joined.shingles(sampling);
            sum += shingles - 4_000.0;
            squares += (shingles - 4_000.0).powi(2);
            stated += error * error;
        }
        assert!(sum.abs() <= 4.0 * f64::sqrt(stated), "{sum}");
        // the ratio of two variances of 200 normal values: 1 ± 4 √(2 / 200)
        assert!((squares / stated - 1.0).abs() < 0.4, "{squares} {stated}");
    }
}
