//! Lists of documents held in memory, the long ones among them each once.
//!
//! *Input.* Lists of documents in order. *Output.* The lists, each with a count. *Algorithm.* A list lies in one array of
//! words as ⟨length, documents, count⟩. A list of `k` documents stands for k²/2 increments, so a long one is worth a look into
//! a hash table of those before: pages of one template share hundreds of shingles with all others of it. *Memory.* What
//! the caller states, taken as lists come. *Limits.* The hash table is small, and probing ends after [`PROBES_MAX`] steps: a
//! list that finds no slot is held again, which changes no sum.

use crate::put_list;
use crate::row::Place;

/// Slots looked at for one list.
const PROBES_MAX: usize = 16;

/// Documents of a list that is looked up.
pub(crate) const LONG: usize = 32;

/// Slots at most.
const SLOTS_MAX: usize = 1 << 15;

/// A slot: the upper half of the hash, and the list's place in the words plus one.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    tag: u32,
    place: u32,
}

/// Lists with counts within a given memory.
#[derive(Debug)]
pub(crate) struct HeldLists {
    /// ⟨length, documents, count⟩, list after list.
    words: Vec<u32>,
    words_max: usize,
    slots: Vec<Slot>,
    slots_max: usize,
}

impl HeldLists {
    pub(crate) fn new(memory_bytes: usize) -> HeldLists {
        let slots_max = (memory_bytes / 8 / size_of::<Slot>()).min(SLOTS_MAX);
        let slots_max = if slots_max.is_power_of_two() { slots_max } else { slots_max.next_power_of_two() / 2 };
        let words_max = (memory_bytes - memory_bytes / 8) / size_of::<u32>();
        HeldLists { words: Vec::new(), words_max: words_max.min(Place::WORDS_MAX), slots: Vec::new(), slots_max }
    }

    /// Forgets all lists and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.slots.fill(Slot::default());
    }

    /// Holds a list; false if there is no room.
    #[inline]
    pub(crate) fn add(&mut self, docs: &[u32]) -> bool {
        if docs.len() < LONG { self.append(docs) } else { self.add_long(docs) }
    }

    #[inline]
    fn append(&mut self, docs: &[u32]) -> bool {
        if self.words.len() + docs.len() + 2 > self.words_max {
            return false;
        }
        if self.words.capacity() == 0 {
            // All at once, since growing would hold the old and the new; the system gives pages as they are touched.
            self.words.reserve_exact(self.words_max);
        }
        put_list(&mut self.words, docs);
        self.words.push(1);
        true
    }

    fn add_long(&mut self, docs: &[u32]) -> bool {
        if self.slots_max == 0 {
            return self.append(docs);
        }
        if self.slots.is_empty() {
            self.slots.resize(self.slots_max, Slot::default());
        }
        let hash = list_hash(docs);
        let (mask, tag) = (self.slots.len() - 1, (hash >> 32) as u32);
        let mut at = hash as usize & mask;
        for _ in 0..PROBES_MAX.min(self.slots.len()) {
            let slot = self.slots[at];
            if slot.place == 0 {
                let place = self.words.len() as u32 + 1;
                let held = self.append(docs);
                if held {
                    self.slots[at] = Slot { tag, place };
                }
                return held;
            }
            if slot.tag == tag && self.absorb(slot.place as usize - 1, docs) {
                return true;
            }
            at = (at + 1) & mask;
        }
        self.append(docs)
    }

    /// Adds to the count of the list at `place` if it is this one.
    fn absorb(&mut self, place: usize, docs: &[u32]) -> bool {
        let count = place + 1 + docs.len();
        if self.words[place] as usize != docs.len() || self.words[place + 1..count] != *docs {
            return false;
        }
        self.words[count] = self.words[count].saturating_add(1);
        true
    }

    /// All lists, with the place of each one's first document in [`HeldLists::words`].
    pub(crate) fn lists(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let mut place = 0;
        std::iter::from_fn(move || {
            let length = *self.words.get(place)? as usize;
            let docs = place + 1;
            place = docs + length + 1;
            Some((docs, &self.words[docs..docs + length]))
        })
    }

    /// All words: behind the documents of a list stands its count.
    #[inline]
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }
}

/// A 64-bit hash of a list.
fn list_hash(docs: &[u32]) -> u64 {
    docs.iter().fold(docs.len() as u64, |hash, &doc| mix(hash ^ u64::from(doc)))
}

/// Both halves of a product by an odd constant, folded.
#[inline]
fn mix(value: u64) -> u64 {
    let product = u128::from(value ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn holds_what_came_and_stays_within_its_memory(
            lists in proptest::collection::vec((2u32..50, 0u32..4, 1usize..4), 0..300), memory in 16usize..40_000,
        ) {
            let (mut held, mut expected) = (HeldLists::new(memory), BTreeMap::new());
            let mut full = false;
            for (length, first, times) in lists {
                let docs: Vec<u32> = (first..first + length).collect();
                for _ in 0..times {
                    if held.add(&docs) {
                        *expected.entry(docs.clone()).or_insert(0) += 1;
                    } else {
                        full = true;
                    }
                }
            }
            prop_assert!(!full || held.words.len() * 4 + 52 * 4 > memory / 8 * 7, "full at {} of {}", held.words.len(), memory);
            prop_assert!(held.words.len() * 4 + held.slots.len() * 8 <= memory);
            let mut got = BTreeMap::new();
            let mut long = 0;
            for (place, docs) in held.lists() {
                *got.entry(docs.to_vec()).or_insert(0) += held.words()[place + docs.len()];
                long += usize::from(docs.len() >= LONG);
            }
            if held.slots_max >= 256 {
                prop_assert_eq!(long, expected.keys().filter(|docs| docs.len() >= LONG).count(), "a long list twice");
            }
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn the_count_of_a_list_does_not_wrap() {
        let docs: Vec<u32> = (0..LONG as u32).collect();
        let mut held = HeldLists::new(1 << 12);
        assert!(held.add(&docs));
        held.words[LONG + 1] = u32::MAX;
        assert!(held.add(&docs));
        assert_eq!((held.words[LONG + 1], held.lists().count()), (u32::MAX, 1));
    }
}
