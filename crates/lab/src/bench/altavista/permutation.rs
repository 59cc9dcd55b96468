//! A shuffle of so many things, without a list of them.
//!
//! *Input.* A count and a seed. *Output.* A bijection of the numbers below the count. *Algorithm.*
//! A balanced Feistel network of four rounds (Luby and Rackoff, *How to construct pseudorandom
//! permutations*, 1988) over the next power of four; what falls outside is sent through again until
//! it falls inside (Black and Rogaway, *Ciphers with arbitrary finite domains*, 2002), at most four
//! times on average. *Memory.* Five words.

use testkit::random::mix;

/// A bijection of the numbers below a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    count: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// The shuffle of `count` things under a seed.
    pub(crate) fn new(count: u64, seed: u64) -> Permutation {
        let bits = 64 - count.saturating_sub(1).leading_zeros();
        let keys = [1, 2, 3, 4].map(|round| mix(seed ^ mix(round)));
        Permutation {
            count,
            half_bits: bits.div_ceil(2).max(1),
            keys,
        }
    }

    /// Where the `number`th thing goes; numbers at or beyond the count stay.
    #[inline]
    pub(crate) fn apply(&self, number: u64) -> u64 {
        if number >= self.count {
            return number;
        }
        let mut at = self.once(number);
        while at >= self.count {
            at = self.once(at);
        }
        at
    }

    #[inline]
    fn once(&self, number: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_is_reached_once(count in 0u64..3000, seed: u64) {
            let permutation = Permutation::new(count, seed);
            let mut reached: Vec<u64> = (0..count).map(|number| permutation.apply(number)).collect();
            reached.sort_unstable();
            prop_assert_eq!(reached, (0..count).collect::<Vec<_>>());
            prop_assert_eq!(permutation.apply(count), count);
        }
    }

    #[test]
    fn neighbours_are_parted() {
        let permutation = Permutation::new(1 << 20, 1);
        let near = (0..1000_u64)
            .filter(|&n| permutation.apply(n).abs_diff(permutation.apply(n + 1)) < 1000);
        assert!(near.count() < 20);
    }
}
