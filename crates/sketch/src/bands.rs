//! Bands of min-hashes: keys that two sketches probably share if they resemble each other.
//!
//! *Input.* The fingerprints of a sketch and its level. *Output.* [`BANDS`] keys at that level, and
//! as many at the next coarser one if that keeps any of them. *Algorithm.* Each function permutes
//! the fingerprints. The least value of a set is its min-hash. Two sets have the same min-hash with
//! a probability that is their resemblance (Broder, Charikar, Frieze, Mitzenmacher, *Min-wise
//! independent permutations*, 1998). A band is [`BAND_HASHES`] min-hashes, and its key is a hash of
//! them (Indyk, Motwani, *Approximate nearest neighbors*, 1998). Two sets of resemblance r share a
//! key of a level with probability 1 − (1 − r²)^32: 0.9999 at r = 0.5, 0.87 at r = 0.25. Two
//! sketches compare at the coarser of their levels. The keys of the second level find pairs of
//! sketches that are one level apart. *Memory.* 512 bytes and a buffer of 1 KiB.
//!
//! The bands of `[sketch] method` ([`model::KeyRule::Bands`]) have keys of the same kind
//! ([`model::key_of`]). Their min-hashes differ: they have 56 bits and are of all shingles of a
//! document, as in other programs; these have 32 bits and are of a sketch, at two levels.
//!
//! *Why it is fast.* A function is an exclusive or and a multiplication of 32 bits, of which vector
//! instructions do four or more at a time. Fingerprints are uniform and keyed by the secret seed,
//! so no better permutation is needed. The loop is compiled for each level of processor
//! ([`dispatch`]). The min-hashes at the level of the sketch are the lesser of
//! those of its fingerprints that the next level keeps and those of the others. So each fingerprint
//! is hashed once. With 16 bands, a sketch of 100 took 1.3 µs (virtual Intel Xeon).

use crate::cpu::Cpu;
use crate::dispatch;
use crate::isa::Task;
use model::{Sampling, key_of, mix};

/// Bands of a sketch at a level.
pub const BANDS: usize = 32;

/// Min-hashes of a band.
const BAND_HASHES: usize = 2;

/// Min-hashes of a sketch at a level.
const HASHES: usize = BANDS * BAND_HASHES;

/// Fingerprints that are hashed together.
const CHUNK: usize = 128;

/// An odd number without pattern: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// A permutation of 32-bit numbers: x ↦ (x ⊕ `mask`) · `factor`.
#[derive(Clone, Copy)]
struct HashFunction {
    mask: i32,
    /// Odd.
    factor: i32,
}

const FUNCTIONS: [HashFunction; HASHES] = {
    let mut functions = [HashFunction { mask: 0, factor: 1 }; HASHES];
    let mut at = 0;
    while at < HASHES {
        let bits = mix(at as u64);
        functions[at] = HashFunction {
            mask: bits as i32,
            factor: (bits >> 32) as i32 | 1,
        };
        at += 1;
    }
    functions
};

/// The fingerprint as a number of 32 bits. Sampled fingerprints have zeros below, short ones above.
fn folded(fingerprint: u64) -> i32 {
    (fingerprint.wrapping_mul(MULTIPLIER) >> 32) as i32
}

/// Makes the keys of sketches, one after the other.
pub struct BandKeys {
    cpu: Cpu,
    sampling: Sampling,
    /// The min-hashes of the fingerprints that the next level keeps, and of those that it does not.
    minima: [[i32; HASHES]; 2],
    keys: Vec<u64>,
}

impl BandKeys {
    /// For sketches of a sampling rule.
    pub fn new(sampling: Sampling) -> BandKeys {
        BandKeys {
            cpu: Cpu::chosen(),
            sampling,
            minima: [[i32::MAX; HASHES]; 2],
            keys: Vec::with_capacity(2 * BANDS),
        }
    }

    /// The keys of a sketch of a level; none if it is empty.
    pub fn of(&mut self, level: usize, fingerprints: &[u64]) -> &[u64] {
        self.keys.clear();
        self.minima = [[i32::MAX; HASHES]; 2];
        let mut is_at_next = false;
        for chunk in fingerprints.chunks(CHUNK) {
            is_at_next |= self.hash(level, chunk);
        }
        let [next, others] = self.minima;
        if is_at_next {
            self.push_keys(level + 1, &next);
        }
        if !fingerprints.is_empty() {
            self.push_keys(level, &std::array::from_fn(|at| next[at].min(others[at])));
        }
        &self.keys
    }

    /// Hashes some fingerprints; says whether the next level keeps any of them.
    fn hash(&mut self, level: usize, fingerprints: &[u64]) -> bool {
        // Those that the next level keeps from the front on, the others from the back.
        let mut parted = [0; CHUNK];
        let (mut front, mut back) = (0, CHUNK);
        for &fingerprint in fingerprints {
            let is_kept = self.sampling.coarsest_level_of(fingerprint) > level;
            back -= usize::from(!is_kept);
            parted[if is_kept { front } else { back }] = folded(fingerprint);
            front += usize::from(is_kept);
        }
        let numbers = [&parted[..front], &parted[back..]];
        for (minima, numbers) in self.minima.iter_mut().zip(numbers) {
            dispatch::run(self.cpu.level(), Lower { minima, numbers });
        }
        front > 0
    }

    fn push_keys(&mut self, level: usize, minima: &[i32; HASHES]) {
        let mut places = (level * HASHES) as u64..;
        for pair in minima.as_chunks::<BAND_HASHES>().0 {
            let element = |hash| places.next().unwrap_or(0) << 32 | u64::from(hash as u32);
            self.keys.push(key_of(&pair.map(element)));
        }
    }
}

/// The task of lowering the min-hashes by those of more numbers.
struct Lower<'a> {
    minima: &'a mut [i32; HASHES],
    numbers: &'a [i32],
}

impl Task for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn run_portable(self) {
        for (minimum, function) in self.minima.iter_mut().zip(FUNCTIONS) {
            for number in self.numbers {
                let hash = (number ^ function.mask).wrapping_mul(function.factor);
                *minimum = hash.min(*minimum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const ADAPTIVE: Sampling = Sampling::Adaptive {
        target: 128,
        coarsest_log2: 5,
    };

    /// The keys by their definition, level by level.
    fn plain(sampling: Sampling, level: usize, fingerprints: &[u64]) -> BTreeSet<u64> {
        let mut keys = BTreeSet::new();
        for at in level..sampling.levels().min(level + 2) {
            let modulus = u64::from(sampling.modulus_at(at));
            let is_kept = |one: &&u64| at == level || one.is_multiple_of(modulus);
            let kept: Vec<u64> = fingerprints.iter().filter(is_kept).copied().collect();
            for band in 0..BANDS {
                let minimum = |function: &HashFunction| {
                    let hash =
                        |one: &u64| (folded(*one) ^ function.mask).wrapping_mul(function.factor);
                    kept.iter().map(hash).min()
                };
                let minima: Vec<i32> = FUNCTIONS[band * BAND_HASHES..][..BAND_HASHES]
                    .iter()
                    .filter_map(minimum)
                    .collect();
                if let [first, second] = minima[..] {
                    let place = (at * HASHES + band * BAND_HASHES) as u64;
                    let elements = [(place, first), (place + 1, second)];
                    let elements = elements.map(|(place, one)| place << 32 | u64::from(one as u32));
                    keys.insert(key_of(&elements));
                }
            }
        }
        keys
    }

    fn set_of(keys: &[u64]) -> BTreeSet<u64> {
        keys.iter().copied().collect()
    }

    /// Numbers without pattern, the same in every run.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        (0..).map(move |at| mix(mix(seed) ^ at))
    }

    proptest! {
        #[test]
        fn keys_are_those_of_the_definition(
            fingerprints in prop::collection::btree_set(prop_oneof![any::<u64>(), 0u64..3000], 0..400), level in 0usize..6, fixed: bool,
        ) {
            let (sampling, level) = if fixed { (Sampling::Modulus { modulus: 25 }, 0) } else { (ADAPTIVE, level) };
            let fingerprints: Vec<u64> = fingerprints.into_iter().map(|one| one << level).collect::<BTreeSet<_>>().into_iter().collect();
            for cpu in Cpu::all() {
                let mut bands = BandKeys { cpu, ..BandKeys::new(sampling) };
                bands.of(0, &[1, 2, 3]);
                let keys = bands.of(level, &fingerprints);
                prop_assert_eq!(set_of(keys), plain(sampling, level, &fingerprints));
                prop_assert!(keys.len() <= 2 * BANDS && keys.is_empty() == fingerprints.is_empty());
            }
        }

        #[test]
        fn a_set_has_the_same_keys_in_sketches_one_level_apart(seed: u64, size in 1usize..200, level in 0usize..5) {
            let fine: Vec<u64> = numbers(seed).take(size).map(|one| one << level).collect();
            let coarse: Vec<u64> = fine.iter().copied().filter(|one| ADAPTIVE.coarsest_level_of(*one) > level).collect();
            let mut bands = BandKeys::new(ADAPTIVE);
            let of_fine = set_of(bands.of(level, &fine));
            let of_coarse = set_of(bands.of(level + 1, &coarse));
            prop_assert_eq!(of_fine.intersection(&of_coarse).count(), if coarse.is_empty() { 0 } else { BANDS });
            prop_assert_eq!(set_of(bands.of(level, &fine)), of_fine);
        }
    }

    /// Shares of equal min-hashes, of equal keys, and of pairs with an equal key, among sets that
    /// share some fingerprints and have others only one of them has.
    fn equal_shares(shared: usize, only: usize) -> [f64; 3] {
        const PAIRS: usize = 3000;
        let (mut minima, mut keys, mut found) = (0, 0, 0);
        let modulus = Sampling::Modulus { modulus: 8 };
        let mut bands = [BandKeys::new(modulus), BandKeys::new(modulus)];
        for pair in 0..PAIRS {
            let all = numbers(pair as u64).take(shared + 2 * only);
            let all: Vec<u64> = all.map(|one| one << 3).collect();
            let a = &all[..shared + only];
            let b = [&all[..shared], &all[shared + only..]].concat();
            let of_a = set_of(bands[0].of(0, a));
            let of_b = bands[1].of(0, &b).iter();
            let equal = of_b.filter(|key| of_a.contains(key)).count();
            keys += equal;
            found += usize::from(equal > 0);
            let [[_, a], [_, b]] = [bands[0].minima, bands[1].minima];
            minima += a.iter().zip(b).filter(|(a, b)| **a == *b).count();
        }
        let share = |count: usize, each: usize| count as f64 / (PAIRS * each) as f64;
        [share(minima, HASHES), share(keys, BANDS), share(found, 1)]
    }

    #[test]
    fn equal_min_hashes_estimate_the_resemblance() {
        for (shared, only) in [(0, 50), (20, 40), (40, 60), (50, 25), (90, 5), (60, 0)] {
            let resemblance = shared as f64 / (shared + 2 * only) as f64;
            let square = resemblance * resemblance;
            let [minima, keys, found] = equal_shares(shared, only);
            assert!(
                (minima - resemblance).abs() < 0.01,
                "{minima} of min-hashes at {resemblance}"
            );
            assert!(
                (keys - square).abs() < 0.015,
                "{keys} of keys at {resemblance}"
            );
            let expected = 1.0 - (1.0 - square).powi(BANDS as i32);
            assert!(
                (found - expected).abs() < 0.03,
                "{found} of pairs at {resemblance}, not {expected}"
            );
        }
    }
}
