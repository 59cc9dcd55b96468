//! Small records of a few 32-bit numbers, for sorts that live only within a phase.

use model::{Ratio, Record};
use sort::Combine;

/// `N` numbers, ordered from the first on. 4 `N` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Words<const N: usize>(pub [u32; N]);

impl<const N: usize> Record for Words<N> {
    const SIZE: usize = 4 * N;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        for (slot, word) in bytes.chunks_exact_mut(4).zip(self.0) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        let mut words = [0; N];
        for (word, slot) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([slot[0], slot[1], slot[2], slot[3]]);
        }
        Words(words)
    }
    #[inline]
    fn prefix(&self) -> u64 {
        // The first number alone: some sorts combine records that differ in the others.
        u64::from(self.0[0]) << 32
    }
}

/// ⟨cluster, shared, union⟩: keeps the lowest ratio of a cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weakest;

impl Combine<Words<3>> for Weakest {
    fn absorb(&self, into: &mut Words<3>, next: &Words<3>) -> bool {
        let ratio = |words: &Words<3>| Ratio::new(u64::from(words.0[1]), u64::from(words.0[2]));
        if into.0[0] != next.0[0] {
            return false;
        }
        // Of equal ratios the smaller numbers, so that the order of merging does not show.
        let lower = (ratio(next), next.0).cmp(&(ratio(into), into.0)).is_lt();
        if lower {
            *into = *next;
        }
        true
    }
}

/// ⟨document, level, count⟩ as [`format::LostRecord`]: adds the counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumLost;

impl Combine<format::LostRecord> for SumLost {
    fn absorb(&self, into: &mut format::LostRecord, next: &format::LostRecord) -> bool {
        if (into.doc, into.level) != (next.doc, next.level) {
            return false;
        }
        into.count = into.count.saturating_add(next.count);
        true
    }
}

/// Adds the counts of equal pairs, signs heeded: what wraps is negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddSigned;

impl Combine<model::PairCount> for AddSigned {
    fn absorb(&self, into: &mut model::PairCount, next: &model::PairCount) -> bool {
        if (into.a, into.b) != (next.a, next.b) {
            return false;
        }
        into.shared = into.shared.wrapping_add(next.shared);
        true
    }
}
