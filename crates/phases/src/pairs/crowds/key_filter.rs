//! The keys of new documents, to tell the groups that they are in.
//!
//! *Algorithm.* A table of bits (Bloom, *Space/time trade-offs in hash coding*, 1970, with one hash
//! function): keys are uniform, so their highest bits are the place. *Memory.* Two bytes a key.

use sketch::BANDS;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits for each key.
const BITS_EACH: usize = 16;

/// A set of keys (a Bloom filter). It may report keys that were not added.
pub(super) struct KeyFilter(Vec<AtomicU64>);

impl KeyFilter {
    /// Bytes for the keys of so many documents.
    pub(super) fn bytes(documents: u32) -> usize {
        2 * BANDS * documents as usize * BITS_EACH / 8 + 8
    }

    /// No keys; for those of so many documents.
    pub(super) fn new(documents: u32) -> KeyFilter {
        let words = KeyFilter::bytes(documents) / 8;
        KeyFilter((0..words).map(|_| AtomicU64::new(0)).collect())
    }

    fn bit(&self, key: u64) -> (&AtomicU64, u64) {
        let bits = self.0.len() as u128 * 64;
        let bit = ((u128::from(key) * bits) >> 64) as usize;
        (&self.0[bit / 64], 1 << (bit % 64))
    }

    /// Adds a key.
    pub(super) fn add(&self, key: u64) {
        let (word, bit) = self.bit(key);
        word.fetch_or(bit, Ordering::Relaxed);
    }

    /// Whether the key may be one of them.
    pub(super) fn may_have(&self, key: u64) -> bool {
        let (word, bit) = self.bit(key);
        word.load(Ordering::Relaxed) & bit != 0
    }
}
