//! Random numbers that are the same on every machine and in every release.
//!
//! SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, 2014): a
//! counter with an odd step, then a bijective mixing of 64 bits. Enough for tests, not for secrets.
//! Whole numbers only: no rounding differs.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// The step of the counter: 2^64 divided by the golden ratio, made odd.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A stream of its own for the `number`th thing under `seed`: neighbouring things share
    /// nothing.
    pub fn for_item(seed: u64, number: u64) -> Random {
        Random(mix(mix(seed.wrapping_add(STEP)) ^ number.wrapping_mul(STEP)))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number from 0 to `limit` − 1; 0 when `limit` is 0. The bias is below `limit` / 2^64.
    pub fn below(&mut self, limit: u64) -> u64 {
        // the upper half of the 128-bit product is below `limit`, so it fits 64 bits
        let product = u128::from(self.bits()) * u128::from(limit);
        (product >> 64) as u64
    }

    /// A number from `low` to `high`, both included; `low` when the range is empty.
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True `per_mille` times in a thousand.
    pub fn chance(&mut self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }

    /// A position in a slice of this length; 0 when it is empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// One of the choices.
    pub fn pick<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        const { assert!(N > 0, "expected at least one choice") };
        choices[self.index(N)]
    }
}

/// A bijection of 64 bits in which every input bit touches every output bit.
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // first outputs of SplitMix64 from the seed 1234567, as in the reference implementation
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn numbers_stay_in_range_and_reach_both_ends() {
        let mut random = Random::new(1);
        let seen: Vec<u64> = (0..1000).map(|_| random.within(3, 7)).collect();
        assert_eq!((seen.iter().min(), seen.iter().max()), (Some(&3), Some(&7)));
        assert_eq!(
            (
                random.below(0),
                random.within(5, 2),
                random.within(0, u64::MAX) > 0
            ),
            (0, 5, true)
        );
        assert!(!random.chance(0) && random.chance(1000));
    }

    #[test]
    fn items_have_streams_of_their_own() {
        let firsts: std::collections::BTreeSet<u64> =
            (0..1000).map(|n| Random::for_item(7, n).bits()).collect();
        assert_eq!(firsts.len(), 1000);
        assert_ne!(Random::for_item(7, 0).bits(), Random::for_item(8, 0).bits());
    }
}
