//! Families of hash functions of a key of 64 bits.
//!
//! *Output.* 32 bits. *Algorithm.*
//!
//! | family | function | from |
//! |---|---|---|
//! | keyed | three rounds of keyed multiplication and shift, as the mixer of the fingerprints | – |
//! | Rabin | the residue of the key modulo a random irreducible polynomial | Broder 1997 |
//! | modular | (a k + b) mod m; m is the least prime above 2^32, k the upper half of the key | Bergillos 2018, 6.1 |
//! | multiplicative | the upper half of k s mod 2^64; s is odd and random | the same, 6.2 |
//! | MurmurHash3 | x64, 128 bits, of which 32 are taken; a seed for each function | the same, 6.2.1 |

use crate::random::Random;
use sketch::Rabin;

/// A kind of hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Keyed,
    Rabin,
    Modular,
    Multiplicative,
    Murmur3,
}

/// Bits of Rabin's fingerprint, as in 1997.
pub(crate) const RABIN_BITS: u32 = 40;

/// The least prime above 2^32.
const PRIME: u64 = (1 << 32) + 15;

impl Family {
    pub(crate) const ALL: [Family; 5] = [
        Family::Keyed,
        Family::Rabin,
        Family::Modular,
        Family::Multiplicative,
        Family::Murmur3,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Family::Keyed => "keyed (ours)",
            Family::Rabin => "Rabin",
            Family::Modular => "modular",
            Family::Multiplicative => "multiplicative",
            Family::Murmur3 => "MurmurHash3",
        }
    }
}

/// A function of a family.
pub(crate) enum HashFunction {
    Keyed([(u64, u64); 3]),
    Rabin(Box<Rabin>),
    Modular { a: u64, b: u64 },
    Multiplicative(u64),
    Murmur3(u32),
}

impl HashFunction {
    /// The `number`th function of a family under a seed.
    pub(crate) fn new(family: Family, seed: u64, number: u64) -> HashFunction {
        let mut random = Random::new(seed, number);
        let mut bits = || random.bits();
        match family {
            Family::Keyed => HashFunction::Keyed([(); 3].map(|()| (bits(), bits() | 1))),
            Family::Rabin => HashFunction::Rabin(Box::new(Rabin::new(RABIN_BITS, bits))),
            Family::Modular => HashFunction::Modular {
                a: (bits() >> 32).max(1),
                b: bits() >> 32,
            },
            Family::Multiplicative => HashFunction::Multiplicative(bits() | 1),
            Family::Murmur3 => HashFunction::Murmur3((bits() >> 32) as u32),
        }
    }

    /// The least value over some keys; the largest number if there is none. The kind of function is
    /// looked at once, not for each key.
    pub(crate) fn minimum(&self, keys: &[u64]) -> u32 {
        fn least(keys: &[u64], f: impl Fn(u64) -> u32) -> u32 {
            keys.iter().fold(u32::MAX, |least, &key| least.min(f(key)))
        }
        match self {
            HashFunction::Keyed(rounds) => least(keys, |key| keyed(rounds, key)),
            HashFunction::Rabin(rabin) => least(keys, |key| {
                (rabin.of(&key.to_le_bytes()) >> (RABIN_BITS - 32)) as u32
            }),
            // Below 2^32 but for 15 values, which are taken as the largest number.
            HashFunction::Modular { a, b } => least(keys, |key| {
                u32::try_from((a * (key >> 32) + b) % PRIME).unwrap_or(u32::MAX)
            }),
            HashFunction::Multiplicative(factor) => {
                least(keys, |key| (key.wrapping_mul(*factor) >> 32) as u32)
            }
            HashFunction::Murmur3(seed) => least(keys, |key| {
                (mur3::murmurhash3_x64_128(&key.to_le_bytes(), *seed).0 >> 32) as u32
            }),
        }
    }
}

/// The mixer of the fingerprints: a bijection of 64 bits, of which the upper half is taken.
fn keyed(rounds: &[(u64, u64); 3], key: u64) -> u32 {
    let mixed = rounds.iter().fold(key, |f, (a, b)| {
        let f = f ^ a;
        (f ^ (f >> 32)).wrapping_mul(*b)
    });
    ((mixed ^ (mixed >> 32)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modulus_is_prime() {
        assert!((2..65_537).all(|divisor| !PRIME.is_multiple_of(divisor)));
        assert!((1..15).all(|less| (2..65_537_u64).any(|d| (PRIME - less).is_multiple_of(d))));
    }

    /// Values that are spread evenly have a least one near 2^32 / (n + 1).
    #[test]
    fn values_are_spread_evenly() {
        // 0 is left out: two families map it to 0.
        let keys: Vec<u64> = (1..=1000).map(crate::random::mix).collect();
        for family in Family::ALL {
            let functions = (0..400).map(|number| HashFunction::new(family, 1, number));
            let sum: f64 = functions.map(|f| f64::from(f.minimum(&keys))).sum();
            let mean = sum / 400.0 * 1001.0 / 2.0_f64.powi(32);
            assert!((0.8..1.2).contains(&mean), "{family:?}: {mean}");
        }
    }

    #[test]
    fn functions_of_a_family_differ() {
        for family in Family::ALL {
            let [one, two] =
                [0, 1].map(|number| HashFunction::new(family, 1, number).minimum(&[7 << 40 | 3]));
            assert_ne!(one, two, "{family:?}");
        }
        let none: [u64; 0] = [];
        assert_eq!(
            HashFunction::new(Family::Rabin, 1, 1).minimum(&none),
            u32::MAX
        );
    }
}
