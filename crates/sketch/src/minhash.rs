//! Min-hashes: the least value of a document's fingerprints under each of some permutations.
//!
//! *Input.* The fingerprints of a document, with or without repeats. *Output.* An element for each
//! permutation: its number in the upper byte, the upper bits of the least value below. So sorted
//! order is that of the permutations, and two sketches share an element where both have the same
//! least value. *Algorithm.* Bergillos, Rambla, Cabeza, *Document similarity detection using
//! hashing* (2018), section 4; Manning, Raghavan, Schütze, *Introduction to Information Retrieval*
//! (2008), section 19.6. The constants of permutation i are the numbers [`mix`]`(key + 8 i + j)`,
//! or those that NumPy draws for datatrove and text-dedup.
//! *Memory.* 56 bytes a permutation. *Limits.* Time grows with the permutations: each fingerprint
//! is permuted by each.

use crate::cpu::Cpu;
use crate::dispatch;
use crate::fingerprint::mixed;
use crate::isa::{Isa, Task};
use model::{PermutationFamily, Sampling, mix};
use rand_mt::Mt;

/// The modulus of linear permutations, a Mersenne prime.
const PRIME: u64 = (1 << PRIME_BITS) - 1;

const PRIME_BITS: u32 = 61;

/// A permutation.
#[derive(Clone, Copy, Debug)]
enum Permutation {
    /// x ↦ a x + b modulo [`PRIME`].
    Linear { factor: u64, summand: u64 },
    /// The mixer of fingerprints with other keys.
    Keyed([(u64, u64); 3]),
    /// x ↦ (a x + b modulo 2^64) modulo [`PRIME`], the lowest bits.
    Numpy {
        factor: u64,
        summand: u64,
        bits: u32,
    },
}

/// How many places of two signatures are equal.
// Compiled here, at the level of this crate: callers are optimised for size.
#[inline(never)]
pub fn equal_places(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).map(|(a, b)| usize::from(a == b)).sum()
}

/// The min-hashes of one document, in the making.
pub(crate) struct MinHasher {
    cpu: Cpu,
    permutations: Vec<Permutation>,
    minima: Vec<u64>,
}

impl MinHasher {
    /// For a rule; without permutations if it takes no min-hashes.
    pub(crate) fn new(rule: Sampling, key: u64, cpu: Cpu) -> MinHasher {
        let permutations = match rule {
            Sampling::MinHash {
                permutations,
                family,
            } => Permutation::all(family, permutations as usize, key),
            _ => Vec::new(),
        };
        MinHasher {
            cpu,
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
            let least = Least {
                permutation: *permutation,
                of: fingerprints,
            };
            *minimum = dispatch::run(self.cpu.level(), least).min(*minimum);
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
    fn all(family: PermutationFamily, count: usize, key: u64) -> Vec<Permutation> {
        let keys = (0..count as u64).map(|number| key.wrapping_add(8 * number));
        let constant = |key: u64, number| mix(key.wrapping_add(number));
        match family {
            PermutationFamily::Linear => keys
                .map(|key| Permutation::Linear {
                    factor: 1 + constant(key, 0) % (PRIME - 1),
                    summand: constant(key, 1) % PRIME,
                })
                .collect(),
            PermutationFamily::Keyed => keys
                .map(|key| [0, 2, 4].map(|at| (constant(key, at), constant(key, at + 1) | 1)))
                .map(Permutation::Keyed)
                .collect(),
            PermutationFamily::Numpy { seed, bits } => {
                let mut numbers = Mt::new(seed);
                let factors: Vec<u64> = (0..count).map(|_| below_prime(&mut numbers, 1)).collect();
                let of = |factor| Permutation::Numpy {
                    factor,
                    summand: below_prime(&mut numbers, 0),
                    bits: bits.clamp(8, PRIME_BITS),
                };
                factors.into_iter().map(of).collect()
            }
        }
    }
}

/// A number from `least` to [`PRIME`] − 1, as `RandomState.randint` of NumPy draws it: 64 bits, the
/// upper half first, masked, until the number is not too large.
fn below_prime(numbers: &mut Mt, least: u64) -> u64 {
    loop {
        let upper = u64::from(numbers.next_u32()) << 32;
        let drawn = (upper | u64::from(numbers.next_u32())) & PRIME;
        if drawn < PRIME - least {
            return drawn + least;
        }
    }
}

/// The task of finding the least value of some fingerprints under a permutation; the largest number
/// if there are none. The kind of permutation is looked at once, and the loops have no branch, so
/// that the compiler may use the vector instructions of the level.
struct Least<'a> {
    permutation: Permutation,
    of: &'a [u64],
}

impl Task for Least<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self, _isa: impl Isa) -> u64 {
        self.run_portable()
    }

    #[inline(always)]
    fn run_portable(self) -> u64 {
        #[inline(always)]
        fn least(of: &[u64], value: impl Fn(u64) -> u64) -> u64 {
            of.iter()
                .fold(u64::MAX, |least, one| least.min(value(*one)))
        }
        match self.permutation {
            Permutation::Linear { factor, summand } => {
                least(self.of, |one| linear(one, factor, summand))
            }
            Permutation::Keyed(mixer) => least(self.of, |one| mixed(mixer, one)),
            Permutation::Numpy {
                factor,
                summand,
                bits,
            } => {
                let shift = u64::BITS - bits;
                let lowest_bits = u64::MAX >> shift;
                let of_lowest_bits = least(self.of, |one| {
                    let product = one.wrapping_mul(factor).wrapping_add(summand);
                    // 2^61 ≡ 1. The difference wraps where the sum is below the prime.
                    let folded = (product & PRIME) + (product >> PRIME_BITS);
                    folded.min(folded.wrapping_sub(PRIME)) & lowest_bits
                });
                of_lowest_bits << shift
            }
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
        let mut hasher = MinHasher::new(rule, 7, Cpu::chosen());
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

    proptest! {
        #[test]
        fn all_forms_find_the_same_minima(set in prop::collection::vec(any::<u64>(), 1..60), bits in 8u32..65) {
            let families = [
                PermutationFamily::Linear,
                PermutationFamily::Keyed,
                PermutationFamily::Numpy { seed: 3, bits },
            ];
            for family in families {
                let rule = Sampling::MinHash { permutations: 9, family };
                let minima = |cpu| {
                    let mut hasher = MinHasher::new(rule, 7, cpu);
                    hasher.lower(&set);
                    hasher.minima
                };
                let expected = minima(Cpu::portable());
                for cpu in Cpu::all() {
                    prop_assert_eq!(&minima(cpu), &expected);
                }
                if let Some(Permutation::Numpy { factor, summand, bits }) =
                    Permutation::all(family, 9, 7).first().copied()
                {
                    let value = |one: &u64| one.wrapping_mul(factor).wrapping_add(summand) % PRIME;
                    let least = set.iter().map(|one| value(one) << (64 - bits)).min();
                    prop_assert_eq!(least, expected.first().copied());
                }
            }
        }
    }

    /// A = {0, 1, 2, 5, 6} and B = {0, 2, 3, 4, 5, 7, 9} of Bergillos and others share 3 of 9.
    #[test]
    fn equal_min_hashes_estimate_the_resemblance() {
        let numpy = PermutationFamily::Numpy { seed: 1, bits: 64 };
        for family in [PermutationFamily::Linear, PermutationFamily::Keyed, numpy] {
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

    /// `r = numpy.random.RandomState(42); p = 2**61 - 1`, then `r.randint(1, p, 3, "uint64")` and
    /// `r.randint(0, p, 3, "uint64")`.
    #[test]
    fn numpy_draws_the_constants_of_other_programs() {
        let family = PermutationFamily::Numpy { seed: 42, bits: 64 };
        let constants: Vec<(u64, u64)> = Permutation::all(family, 3, 7)
            .into_iter()
            .filter_map(|one| match one {
                Permutation::Numpy {
                    factor, summand, ..
                } => Some((factor, summand)),
                _ => None,
            })
            .collect();
        let expected = [
            (2_297_359_619_001_564_596, 1_819_927_849_474_927_636),
            (1_396_682_528_897_996_047, 572_192_888_165_898_361),
            (1_973_689_801_170_867_272, 571_748_048_327_668_950),
        ];
        assert_eq!(constants, expected);
        let shingles = [123_456_789, 987_654_321, (1 << 63) + 5];
        // `((x * a + b) % p).min(axis=0)`, and the same with `& 0xFFFFFFFF`
        for (bits, minima) in [
            (
                64,
                [
                    1_246_577_643_217_286_538,
                    638_076_505_014_796_747,
                    1_216_825_017_327_229_506,
                ],
            ),
            (32, [149_484_938, 1_467_891_672, 365_692_606_u64]),
        ] {
            let sampling = Sampling::MinHash {
                permutations: 3,
                family: PermutationFamily::Numpy { seed: 42, bits },
            };
            let mut hasher = MinHasher::new(sampling, 7, Cpu::chosen());
            hasher.lower(&shingles);
            let shift = u64::BITS - bits.min(PRIME_BITS);
            let expected = (0..3).map(|at| at << 56 | minima[at as usize] << shift >> 8);
            assert!(hasher.elements().eq(expected), "{bits}");
        }
    }

    #[test]
    fn an_upper_bit_of_a_value_is_not_lost() {
        let all = sketch(PermutationFamily::Linear, &[1]);
        assert!(all.iter().any(|one| one >> 55 & 1 == 1), "{all:?}");
    }
}
