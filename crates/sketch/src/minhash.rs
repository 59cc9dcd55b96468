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
use crate::isa::HotLoop;
use model::{PermutationFamily, Sampling, mix};
use rand_mt::Mt;

/// The modulus of linear permutations, a Mersenne prime.
const PRIME: u64 = (1 << PRIME_BITS) - 1;

const PRIME_BITS: u32 = 61;

/// Permutations of [`PermutationFamily::Numpy`] that are computed side by side, in vector lanes.
/// Of 16, the compiler made lanes of the fingerprints instead, which took twice the time.
const SIDE_BY_SIDE: usize = 32;

/// The constants of all permutations, of one family.
enum Permutations {
    /// x ↦ a x + b modulo [`PRIME`]: (a, b).
    Linear(Vec<(u64, u64)>),
    /// The mixer of fingerprints with other keys.
    Keyed(Vec<[(u64, u64); 3]>),
    /// x ↦ (a x + b modulo 2^64) modulo [`PRIME`], the lowest bits.
    Numpy { some: Vec<Numpy>, bits: u32 },
}

/// The constants of some permutations; of those behind the last one they are zeros.
#[derive(Clone, Copy, Default)]
struct Numpy {
    factors: [u64; SIDE_BY_SIDE],
    summands: [u64; SIDE_BY_SIDE],
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
    permutations: Permutations,
    minima: Vec<u64>,
}

impl MinHasher {
    /// For a rule; without permutations if it takes no min-hashes.
    pub(crate) fn new(rule: Sampling, key: u64, cpu: Cpu) -> MinHasher {
        let (family, count) = match rule {
            Sampling::MinHash {
                permutations,
                family,
            } => (family, permutations as usize),
            _ => (PermutationFamily::Keyed, 0),
        };
        MinHasher {
            cpu,
            minima: vec![u64::MAX; count],
            permutations: Permutations::new(family, count, key),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.minima.fill(u64::MAX);
    }

    /// Lowers the minima by the values of more fingerprints.
    pub(crate) fn lower(&mut self, fingerprints: &[u64]) {
        if !fingerprints.is_empty() {
            let lower = Lower {
                minima: &mut self.minima,
                permutations: &self.permutations,
                of: fingerprints,
            };
            dispatch::run(self.cpu.level(), lower);
        }
    }

    /// The elements, after at least one fingerprint.
    pub(crate) fn elements(&self) -> impl Iterator<Item = u64> + '_ {
        (0_u64..)
            .zip(&self.minima)
            .map(|(number, least)| number << Sampling::MIN_HASH_BITS | least >> 8)
    }
}

impl Permutations {
    fn new(family: PermutationFamily, count: usize, key: u64) -> Permutations {
        let keys = (0..count as u64).map(|number| key.wrapping_add(8 * number));
        let constant = |key: u64, number| mix(key.wrapping_add(number));
        match family {
            PermutationFamily::Linear => {
                let of = |key| (1 + constant(key, 0) % (PRIME - 1), constant(key, 1) % PRIME);
                Permutations::Linear(keys.map(of).collect())
            }
            PermutationFamily::Keyed => {
                let of = |key| [0, 2, 4].map(|at| (constant(key, at), constant(key, at + 1) | 1));
                Permutations::Keyed(keys.map(of).collect())
            }
            PermutationFamily::Numpy { seed, bits } => {
                let mut numbers = Mt::new(seed);
                let mut some = vec![Numpy::default(); count.div_ceil(SIDE_BY_SIDE)];
                let places = || (0..count).map(|at| (at / SIDE_BY_SIDE, at % SIDE_BY_SIDE));
                for (at, place) in places() {
                    some[at].factors[place] = below_prime(&mut numbers, 1);
                }
                for (at, place) in places() {
                    some[at].summands[place] = below_prime(&mut numbers, 0);
                }
                let bits = bits.clamp(8, PRIME_BITS);
                Permutations::Numpy { some, bits }
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

/// The task of lowering the minima by the values of some fingerprints, at least one. The family is
/// looked at once, and the loops have no branch, so that the compiler may use the vector
/// instructions of the level.
struct Lower<'a> {
    minima: &'a mut [u64],
    permutations: &'a Permutations,
    of: &'a [u64],
}

impl HotLoop for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn run_portable(self) {
        match self.permutations {
            Permutations::Linear(all) => {
                self.lower(all, |(factor, summand), one| linear(one, factor, summand));
            }
            Permutations::Keyed(all) => self.lower(all, mixed),
            Permutations::Numpy { some, bits } => {
                let minima = self.minima.chunks_mut(SIDE_BY_SIDE);
                for (minima, some) in minima.zip(some) {
                    some.lower(minima, self.of, u64::BITS - bits);
                }
            }
        }
    }
}

impl Lower<'_> {
    #[inline(always)]
    fn lower<T: Copy>(self, permutations: &[T], value: impl Fn(T, u64) -> u64) {
        for (minimum, permutation) in self.minima.iter_mut().zip(permutations) {
            let permutation = *permutation;
            let lower = |least: u64, one: &u64| least.min(value(permutation, *one));
            *minimum = self.of.iter().fold(u64::MAX, lower).min(*minimum);
        }
    }
}

impl Numpy {
    /// Lowers the minima by the values shifted left.
    ///
    /// 2^61 ≡ 1, so the value of a product p is its lower 61 bits and its upper three, added,
    /// without the prime if they reach it. Of p + 1, that sum is the value and 1, unless it is
    /// carried to the upper bits, or is 0 in the bits that are kept. Neither is likely, so both are
    /// looked for behind the loop only.
    #[inline(always)]
    fn lower(&self, minima: &mut [u64], of: &[u64], shift: u32) {
        let factors = self.factors;
        let summands = self.summands.map(|summand| summand + 1);
        let mut least = [u64::MAX; SIDE_BY_SIDE];
        let mut carried = [0; SIDE_BY_SIDE];
        for one in of {
            for at in 0..SIDE_BY_SIDE {
                let product = one.wrapping_mul(factors[at]).wrapping_add(summands[at]);
                let sum = product.wrapping_add(product >> PRIME_BITS);
                carried[at] |= sum ^ product;
                least[at] = least[at].min(sum << shift);
            }
        }
        for (at, minimum) in minima.iter_mut().enumerate() {
            let lowered = if least[at] == 0 || carried[at] > PRIME {
                let value = |one: &u64| {
                    let product = one.wrapping_mul(self.factors[at]);
                    (product.wrapping_add(self.summands[at]) % PRIME) << shift
                };
                of.iter().map(value).fold(u64::MAX, u64::min)
            } else {
                least[at] - (1 << shift)
            };
            *minimum = lowered.min(*minimum);
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
                if let Permutations::Numpy { some, bits } = Permutations::new(family, 9, 7) {
                    let least = (0..9).map(|at| numpy(&some[0], at, bits, &set));
                    prop_assert!(least.eq(expected));
                }
            }
        }

        /// Products at both sides of a multiple of the prime and of 2^61, and of one of which the
        /// kept bits are ones.
        #[test]
        fn values_around_the_prime_are_the_definition(
            upper in 0..8u64, offset in 0..24u64, bits in 8u32..62, others in prop::collection::vec(any::<u64>(), 0..3),
        ) {
            let all = Permutations::new(PermutationFamily::Numpy { seed: 5, bits }, 9, 7);
            let Permutations::Numpy { some, .. } = all else { unreachable!() };
            let mut set = others;
            for product in [
                (upper << 61).wrapping_add(PRIME).wrapping_add(offset).wrapping_sub(12),
                (1 << bits) - 1,
            ] {
                for at in (0..9).filter(|at| some[0].factors[*at] % 2 == 1) {
                    set.push(product.wrapping_sub(some[0].summands[at]).wrapping_mul(inverse(some[0].factors[at])));
                    let mut minima = [u64::MAX; 9];
                    some[0].lower(&mut minima, &set, 64 - bits);
                    for (at, minimum) in minima.into_iter().enumerate() {
                        prop_assert_eq!(minimum, numpy(&some[0], at, bits, &set));
                    }
                    set.pop();
                }
            }
        }
    }

    /// The least value of a permutation, by its definition.
    fn numpy(constants: &Numpy, at: usize, bits: u32, set: &[u64]) -> u64 {
        let product = |one: &u64| {
            one.wrapping_mul(constants.factors[at])
                .wrapping_add(constants.summands[at])
        };
        set.iter()
            .map(|one| (product(one) % PRIME) << (64 - bits))
            .min()
            .expect("a set")
    }

    /// Of an odd number modulo 2^64: each step of Newton's doubles the bits that are right.
    fn inverse(odd: u64) -> u64 {
        (0..6).fold(odd, |inverse, _| {
            inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)))
        })
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
        let Permutations::Numpy { some, .. } = Permutations::new(family, 3, 7) else {
            panic!("another family")
        };
        let constants: Vec<(u64, u64)> = (0..3)
            .map(|at| (some[0].factors[at], some[0].summands[at]))
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
