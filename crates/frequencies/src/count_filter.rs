//! An upper bound of the number of documents that contain a shingle, in a table of bytes.
//!
//! A counting Bloom filter with one hash function (Fan, Cao, Almeida and Broder, *Summary cache*,
//! 2000). Shingles that share a slot are counted together, so a small table lets more of them pass.

use model::COUNTED_MIN;
use std::sync::atomic::{AtomicU8, Ordering};

/// The table. Threads count in it at the same time.
pub(crate) struct CountFilter {
    counts: Vec<AtomicU8>,
    /// The slot of a shingle is the highest bits of its hash.
    shift: u32,
}

impl CountFilter {
    /// A table of at most `bytes` bytes, and at most two slots for each of the shingles to come.
    pub(crate) fn new(bytes: usize, shingles: u64) -> CountFilter {
        let most = bytes.max(2).ilog2();
        let wanted = shingles.max(1).ilog2() + 1;
        let bits = wanted.min(most).min(32);
        let mut counts = Vec::new();
        counts.resize_with(1 << bits, AtomicU8::default);
        CountFilter {
            counts,
            shift: 64 - bits,
        }
    }

    fn slot(&self, shingle: u64) -> &AtomicU8 {
        let hash = shingle.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.counts[(hash >> self.shift) as usize]
    }

    /// Counts a document that contains the shingle.
    pub(crate) fn add(&self, shingle: u64) {
        let slot = self.slot(shingle);
        // Threads at the same time may count beyond the minimum, never below it.
        if u64::from(slot.load(Ordering::Relaxed)) < COUNTED_MIN {
            slot.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether [`COUNTED_MIN`] documents or more may contain the shingle.
    pub(crate) fn may_reach_minimum(&self, shingle: u64) -> bool {
        u64::from(self.slot(shingle).load(Ordering::Relaxed)) >= COUNTED_MIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_shingle_of_enough_documents_passes(shingles in prop::collection::vec(0u64..50, 0..300), bytes in 0usize..200) {
            let filter = CountFilter::new(bytes, shingles.len() as u64);
            let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
            for shingle in &shingles {
                filter.add(*shingle);
                *counts.entry(*shingle).or_default() += 1;
            }
            for (shingle, count) in counts {
                prop_assert!(count < COUNTED_MIN || filter.may_reach_minimum(shingle));
            }
        }
    }

    #[test]
    fn a_large_table_lets_few_others_pass() {
        let filter = CountFilter::new(1 << 20, 200_000);
        (0..100_000).for_each(|n| filter.add(n * n));
        let passed = (0..100_000)
            .filter(|n| filter.may_reach_minimum(n * n))
            .count();
        assert!(passed < 2000, "{passed} of 100,000 pass");
    }
}
