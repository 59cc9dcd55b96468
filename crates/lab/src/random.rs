//! Random numbers that are the same on every machine.
//!
//! SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, 2014): a
//! counter with an odd step, then a bijective mixing of 64 bits.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

/// The step of the counter: 2^64 divided by the golden ratio, made odd.
pub(crate) const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// The stream of the `number`th thing under a seed.
    pub(crate) fn new(seed: u64, number: u64) -> Random {
        Random(mix(mix(seed.wrapping_add(STEP)) ^ number.wrapping_mul(STEP)))
    }

    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number below `limit`; 0 when `limit` is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        // The upper half of the product is below `limit`.
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// Puts the items into a random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// A bijection of 64 bits in which every bit of the result depends on every bit of `x`.
pub(crate) fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
