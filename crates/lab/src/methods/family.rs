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
pub(crate) struct HashFamily {
    pub(crate) name: &'static str,
    /// Makes a function from random numbers.
    draw: fn(&mut dyn FnMut() -> u64) -> HashFunction,
}

/// A function of a family, as what is asked of it: the least value over some keys, the largest
/// number if there is none.
pub(crate) type HashFunction = Box<dyn Fn(&[u64]) -> u32>;

/// Bits of Rabin's fingerprint, as in 1997.
pub(crate) const RABIN_BITS: u32 = 40;

/// The least prime above 2^32.
const PRIME: u64 = (1 << 32) + 15;

pub(crate) const FAMILIES: [HashFamily; 5] = [KEYED, RABIN, MODULAR, MULTIPLICATIVE, MURMUR3];

pub(crate) const KEYED: HashFamily = HashFamily {
    name: "keyed (ours)",
    draw: |bits| {
        let rounds = [(); 3].map(|()| (bits(), bits() | 1));
        least(move |key| keyed(&rounds, key))
    },
};

pub(crate) const RABIN: HashFamily = HashFamily {
    name: "Rabin",
    draw: |bits| {
        let rabin = Rabin::new(RABIN_BITS, bits);
        least(move |key| (rabin.of(&key.to_le_bytes()) >> (RABIN_BITS - 32)) as u32)
    },
};

pub(crate) const MODULAR: HashFamily = HashFamily {
    name: "modular",
    draw: |bits| {
        let (a, b) = ((bits() >> 32).max(1), bits() >> 32);
        // Below 2^32 but for 15 values, which are taken as the largest number.
        least(move |key| u32::try_from((a * (key >> 32) + b) % PRIME).unwrap_or(u32::MAX))
    },
};

pub(crate) const MULTIPLICATIVE: HashFamily = HashFamily {
    name: "multiplicative",
    draw: |bits| {
        let factor = bits() | 1;
        least(move |key| (key.wrapping_mul(factor) >> 32) as u32)
    },
};

pub(crate) const MURMUR3: HashFamily = HashFamily {
    name: "MurmurHash3",
    draw: |bits| {
        let seed = (bits() >> 32) as u32;
        least(move |key| (mur3::murmurhash3_x64_128(&key.to_le_bytes(), seed).0 >> 32) as u32)
    },
};

impl HashFamily {
    /// The `number`th function under a seed.
    pub(crate) fn function(&self, seed: u64, number: u64) -> HashFunction {
        let mut random = Random::new(seed, number);
        (self.draw)(&mut || random.bits())
    }
}

/// The kind of function is looked at once for all keys.
fn least(f: impl Fn(u64) -> u32 + 'static) -> HashFunction {
    Box::new(move |keys| keys.iter().fold(u32::MAX, |least, &key| least.min(f(key))))
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
        for family in &FAMILIES {
            let functions = (0..400).map(|number| family.function(1, number));
            let sum: f64 = functions.map(|f| f64::from(f(&keys))).sum();
            let mean = sum / 400.0 * 1001.0 / 2.0_f64.powi(32);
            assert!((0.8..1.2).contains(&mean), "{}: {mean}", family.name);
        }
    }

    #[test]
    fn functions_of_a_family_differ() {
        for family in &FAMILIES {
            let [one, two] = [0, 1].map(|number| family.function(1, number)(&[7 << 40 | 3]));
            assert_ne!(one, two, "{}", family.name);
        }
        assert_eq!(RABIN.function(1, 1)(&[]), u32::MAX);
    }
}
