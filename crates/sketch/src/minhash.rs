//! Min-hashes: the least value of a document's fingerprints under each of some permutations.
//!
//! *Input.* The fingerprints of a document, with or without repeats. *Output.* An element for each
//! permutation: its number in the upper byte, the upper bits of the least value below. So sorted
//! order is that of the permutations, and two sketches share an element where both have the same
//! least value. *Algorithm.* Bergillos, Rambla, Cabeza, *Document similarity detection using
//! hashing* (2018), section 4; Manning, Raghavan, Schütze, *Introduction to Information Retrieval*
//! (2008), section 19.6. The constants of permutation i are the numbers [`mix`]`(key + 8 i + j)`.
//! *Memory.* 56 bytes a permutation. *Limits.* Time grows with the permutations: each fingerprint
//! is permuted by each.

use crate::fingerprint::mixed;
use model::{PermutationFamily, Sampling, mix};

/// The modulus of linear permutations, a Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;

/// A permutation.
#[derive(Clone, Copy, Debug)]
enum Permutation {
    /// x ↦ a x + b modulo [`PRIME`].
    Linear { factor: u64, summand: u64 },
    /// The mixer of fingerprints with other keys.
    Keyed([(u64, u64); 3]),
}

/// The min-hashes of one document, in the making.
pub(crate) struct MinHasher {
    permutations: Vec<Permutation>,
    minima: Vec<u64>,
}

impl MinHasher {
    /// For a rule; without permutations if it takes no min-hashes.
    pub(crate) fn new(rule: Sampling, key: u64) -> MinHasher {
        let permutations = match rule {
            Sampling::MinHash {
                permutations,
                family,
            } => (0..u64::from(permutations))
                .map(|number| Permutation::new(family, key.wrapping_add(8 * number)))
                .collect(),
            _ => Vec::new(),
        };
        MinHasher {
            minima: vec![u64::MAX; permutations.len()],
            permutations,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.minima.fill(u64::MAX);
    }

    /// Lowers the minima by the values of more fingerprints.
    pub(crate) fn lower(&mut self, fingerprints: &[u64]) {
        for (minimum, permutation) in self.minima.iter_mut().zip(&self.permutations) {
            let least = match *permutation {
                Permutation::Linear { factor, summand } => {
                    let values = fingerprints.iter().map(|one| linear(*one, factor, summand));
                    values.min()
                }
                Permutation::Keyed(mixer) => {
                    fingerprints.iter().map(|one| mixed(mixer, *one)).min()
                }
            };
            *minimum = least.map_or(*minimum, |least| least.min(*minimum));
        }
    }

    /// The elements, after at least one fingerprint.
    pub(crate) fn elements(&self) -> impl Iterator<Item = u64> + '_ {
        (0_u64..)
            .zip(&self.minima)
            .map(|(number, least)| number << Sampling::MIN_HASH_BITS | least >> 8)
    }
}

impl Permutation {
    fn new(family: PermutationFamily, key: u64) -> Permutation {
        let constant = |number| mix(key.wrapping_add(number));
        match family {
            PermutationFamily::Linear => Permutation::Linear {
                factor: 1 + constant(0) % (PRIME - 1),
                summand: constant(1) % PRIME,
            },
            PermutationFamily::Keyed => Permutation::Keyed(
                [0, 2, 4].map(|first| (constant(first), constant(first + 1) | 1)),
            ),
        }
    }
}

/// a x + b modulo the prime, as the upper 61 bits.
#[inline]
fn linear(x: u64, factor: u64, summand: u64) -> u64 {
    let product = u128::from(factor) * u128::from(x) + u128::from(summand);
    // 2^61 ≡ 1.
    let folded =
        (product as u64 & PRIME) + ((product >> 61) as u64 & PRIME) + (product >> 122) as u64;
    let folded = (folded & PRIME) + (folded >> 61);
    (if folded >= PRIME {
        folded - PRIME
    } else {
        folded
    }) << 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sketch(family: PermutationFamily, set: &[u64]) -> Vec<u64> {
        let rule = Sampling::MinHash {
            permutations: 256,
            family,
        };
        let mut hasher = MinHasher::new(rule, 7);
        set.chunks(3).for_each(|some| hasher.lower(some));
        hasher.elements().collect()
    }

    proptest! {
        #[test]
        fn linear_permutations_are_the_definition(x: u64, factor in 1..PRIME, summand in 0..PRIME) {
            let expected = (u128::from(factor) * u128::from(x) + u128::from(summand)) % u128::from(PRIME);
            prop_assert_eq!(u128::from(linear(x, factor, summand) >> 3), expected);
        }
    }

    /// A = {0, 1, 2, 5, 6} and B = {0, 2, 3, 4, 5, 7, 9} of Bergillos and others share 3 of 9.
    #[test]
    fn equal_min_hashes_estimate_the_resemblance() {
        for family in [PermutationFamily::Linear, PermutationFamily::Keyed] {
            let mut equal = 0;
            for trial in 0..40 {
                let spread = |set: &[u64]| -> Vec<u64> {
                    set.iter().map(|one| mix(one + 100 * trial)).collect()
                };
                let a = sketch(family, &spread(&[0, 1, 2, 5, 6]));
                let b = sketch(family, &spread(&[0, 2, 3, 4, 5, 7, 9]));
                assert!(a.is_sorted() && a.len() == 256);
                equal += a.iter().filter(|one| b.contains(one)).count();
            }
            let share = equal as f64 / (40.0 * 256.0);
            assert!((share - 3.0 / 9.0).abs() < 0.03, "{family:?}: {share}");
        }
    }

    #[test]
    fn an_upper_bit_of_a_value_is_not_lost() {
        let all = sketch(PermutationFamily::Linear, &[1]);
        assert!(all.iter().any(|one| one >> 55 & 1 == 1), "{all:?}");
    }
}
