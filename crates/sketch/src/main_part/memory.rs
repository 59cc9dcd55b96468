//! The meanings of short keys, remembered: the tags of a page, and the names in them, stand in it
//! and in the other pages of its site many times.
//!
//! *Input.* A key, and how to find out what it means. *Output.* What it means. *Algorithm.* A slot
//! for each value of a hash holds the key that came last. *Memory.* About 20 KiB. *Limits.* Keys of
//! more than [`LENGTH_MAX`] bytes are not remembered.

/// Bytes of the longest key that is remembered.
const LENGTH_MAX: usize = 56;

/// Keys that are remembered.
const SLOTS: usize = 256;

/// A key, and what it means.
#[derive(Clone, Copy)]
struct MeaningSlot<T> {
    length: usize,
    key: [u8; LENGTH_MAX],
    meaning: T,
}

/// The keys that came last.
pub(super) struct Memory<T>(Vec<MeaningSlot<T>>);

impl<T> Default for Memory<T> {
    fn default() -> Memory<T> {
        Memory(Vec::new())
    }
}

impl<T: Copy> Memory<T> {
    /// The meaning of a key, found by `find` if it is not known.
    #[inline]
    pub(super) fn get(&mut self, key: &[u8], mut find: impl FnMut(&[u8]) -> T) -> T {
        if key.len() > LENGTH_MAX {
            return find(key);
        }
        if self.0.is_empty() {
            let empty = MeaningSlot {
                length: 0,
                key: [0; LENGTH_MAX],
                meaning: find(&[]),
            };
            self.0.resize(SLOTS, empty);
        }
        let slot = &mut self.0[slot_of(key)];
        if slot.key[..slot.length] != *key {
            slot.meaning = find(key);
            slot.length = key.len();
            slot.key[..key.len()].copy_from_slice(key);
        }
        slot.meaning
    }
}

/// Up to seven bytes, the first one lowest.
#[inline]
pub(super) fn rest_of(bytes: &[u8]) -> u64 {
    let places = bytes.iter().zip(0..);
    places.fold(0, |word, (byte, place)| {
        word | u64::from(*byte) << (8 * place)
    })
}

/// A hash of a key.
#[inline]
fn slot_of(key: &[u8]) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = key.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let hash = words.fold(rest_of(rest) ^ key.len() as u64, |hash, word| {
        (hash ^ word).wrapping_mul(FACTOR).rotate_left(29)
    });
    (hash.wrapping_mul(FACTOR) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    proptest! {
        #[test]
        fn what_is_remembered_is_what_was_found(keys in prop::collection::vec("[a-c]{0,5}|[a-b ]{50,60}", 0..400)) {
            let mut memory = Memory::default();
            for key in &keys {
                let found = memory.get(key.as_bytes(), |key| (key.len(), key.first().copied()));
                prop_assert_eq!(found, (key.len(), key.as_bytes().first().copied()));
            }
        }
    }

    #[test]
    fn a_key_is_looked_up_once() {
        let mut memory = Memory::default();
        let found = Cell::new(0);
        let mut get = || memory.get(b"td class=name>", |_| found.set(found.get() + 1));
        get();
        let first = found.get();
        get();
        assert_eq!(found.get(), first);
    }
}
