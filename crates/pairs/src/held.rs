//! Lists of documents held in memory, equal ones once.
//!
//! *Input.* Lists of documents in order, with counts. *Output.* The lists, each with a count.
//! *Algorithm.* A list lies in one array of words as ⟨length, documents, count, shares⟩, the latter
//! only of rows. A list of `k` documents stands for k²/2 increments, so a long one is always worth
//! a look into a hash table of those before: pages of one template share hundreds of shingles with
//! all others of it. A short one is where equal lists come together: near-duplicates share most of
//! their shingles with the same documents. *Memory.* What the caller states, taken as lists come.
//! *Limits.* A list counts [`COUNT_MAX`] times at most. Probing ends after [`PROBES_MAX`] steps: a
//! list that finds no slot is held again, which changes no sum.

use crate::lists::{ROW, length, put_docs, share_words};
use crate::row::Place;
use crate::{List, Lists};
use model::Sampling;

/// How often a list came, at most, in the word behind its documents; above it there is room for a
/// level.
pub(crate) const COUNT_MAX: u32 = u32::MAX >> LEVEL_BITS;
const LEVEL_BITS: u32 = Sampling::LEVELS_MAX.ilog2();

/// The level above a count.
#[inline]
pub(crate) fn level_of(word: u32) -> u8 {
    (word >> (u32::BITS - LEVEL_BITS)) as u8
}

/// Slots looked at for one list.
const PROBES_MAX: usize = 16;

/// Documents of a list that is always looked up.
const LONG: usize = 32;

/// Slots at most where only long lists are looked up; where all are, as many as memory allows.
const SLOTS_MAX: usize = 1 << 15;

/// A slot: the upper half of the hash, and the list's place in the words plus one.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    tag: u32,
    place: u32,
}

/// Lists with counts within a given memory.
#[derive(Debug, Default)]
pub(crate) struct HeldLists {
    /// Documents of a list that is looked up.
    looked_up: usize,
    /// ⟨length, documents, count, shares⟩, list after list.
    words: Vec<u32>,
    words_max: usize,
    count: usize,
    slots: Vec<Slot>,
    slots_max: usize,
    /// Of lists that come together.
    hashes: Vec<u64>,
}

impl HeldLists {
    /// For lists of which few are equal.
    pub(crate) fn new(memory_bytes: usize) -> HeldLists {
        HeldLists::of(
            (memory_bytes / 8, SLOTS_MAX),
            memory_bytes - memory_bytes / 8,
            LONG,
        )
    }

    /// For lists of which many are equal, whatever their length.
    pub(crate) fn of_equal(memory_bytes: usize) -> HeldLists {
        HeldLists::of(
            (memory_bytes / 4, usize::MAX),
            memory_bytes - memory_bytes / 4,
            0,
        )
    }

    fn of(
        (slot_bytes, slots_max): (usize, usize),
        word_bytes: usize,
        looked_up: usize,
    ) -> HeldLists {
        let slots_max = (slot_bytes / size_of::<Slot>()).min(slots_max);
        let slots_max = if slots_max.is_power_of_two() {
            slots_max
        } else {
            slots_max.next_power_of_two() / 2
        };
        let words_max = (word_bytes / size_of::<u32>()).min(Place::WORDS_MAX);
        HeldLists {
            looked_up,
            words: Vec::new(),
            words_max,
            count: 0,
            slots: Vec::new(),
            slots_max,
            hashes: Vec::new(),
        }
    }

    /// Forgets all lists and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.count = 0;
        self.slots.fill(Slot::default());
    }

    /// So many words are to come, and the hash table is as large as that asks for, to stay in the
    /// caches. Nothing may be held.
    pub(crate) fn begin(&mut self, words: u64) {
        let slots = usize::try_from(words / 2)
            .unwrap_or(usize::MAX)
            .clamp(1, 1 << 30)
            .next_power_of_two();
        self.slots
            .resize(slots.min(self.slots_max), Slot::default());
    }

    /// Holds a list; false if there is no room.
    #[inline]
    pub(crate) fn add(&mut self, list: List<'_>) -> bool {
        // Rows are never equal.
        let is_looked_up = list.docs.len() >= self.looked_up && !list.is_row();
        if is_looked_up {
            self.look_up(list, list_hash(list.docs))
        } else {
            self.append(list)
        }
    }

    /// Holds lists, given as words, all of them looked up, until there is no room; gives those that
    /// are left.
    pub(crate) fn add_all<'a>(&mut self, words: &'a [u32]) -> Lists<'a> {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(Lists(words).map(|list| list_hash(list.docs)));
        self.ask(&hashes);
        let mut left = Lists(words);
        for hash in &hashes {
            let before = left;
            if !left.next().is_none_or(|list| self.look_up(list, *hash)) {
                left = before;
                break;
            }
        }
        self.hashes = hashes;
        left
    }

    /// Asks for the slots of lists, then for what is held there: both lie anywhere, and are waited
    /// for together. The loads must happen though nobody wants their values yet; the processor does
    /// not wait for them.
    fn ask(&self, hashes: &[u64]) {
        let mask = self.slots.len().wrapping_sub(1);
        let place = |hash: &u64| {
            self.slots
                .get(*hash as usize & mask)
                .map_or(0, |slot| slot.place)
        };
        std::hint::black_box(hashes.iter().map(place).fold(0, u32::wrapping_add));
        let word = |hash: &u64| self.words.get(place(hash) as usize).copied().unwrap_or(0);
        std::hint::black_box(hashes.iter().map(word).fold(0, u32::wrapping_add));
    }

    #[inline]
    fn append(&mut self, list: List<'_>) -> bool {
        let List {
            docs,
            count,
            shares,
        } = list;
        if self.words.len() + docs.len() + shares.len() + 2 > self.words_max {
            return false;
        }
        if self.words.capacity() == 0 {
            // All at once, since growing would hold the old and the new; the system gives pages as
            // they are touched.
            self.words.reserve_exact(self.words_max);
        }
        self.count += 1;
        self.words
            .push(docs.len() as u32 | if list.is_row() { ROW } else { 0 });
        put_docs(&mut self.words, docs);
        self.words.push(count.min(COUNT_MAX));
        self.words.extend_from_slice(shares);
        true
    }

    fn look_up(&mut self, list: List<'_>, hash: u64) -> bool {
        if self.slots_max == 0 {
            return self.append(list);
        }
        if self.slots.is_empty() {
            self.slots.resize(self.slots_max, Slot::default());
        }
        let (mask, tag) = (self.slots.len() - 1, (hash >> 32) as u32);
        let mut at = hash as usize & mask;
        for _ in 0..PROBES_MAX.min(self.slots.len()) {
            let slot = self.slots[at];
            if slot.place == 0 {
                let place = self.words.len() as u32 + 1;
                let held = self.append(list);
                if held {
                    self.slots[at] = Slot { tag, place };
                }
                return held;
            }
            if slot.tag == tag && self.absorb(slot.place as usize - 1, list) {
                return true;
            }
            at = (at + 1) & mask;
        }
        self.append(list)
    }

    /// Adds to the count of the list at `place` if it is this one.
    fn absorb(&mut self, place: usize, List { docs, count, .. }: List<'_>) -> bool {
        let end = place + 1 + docs.len();
        if self.words[place] as usize != docs.len() || self.words[place + 1..end] != *docs {
            return false;
        }
        self.words[end] = self.words[end].saturating_add(count).min(COUNT_MAX);
        true
    }

    /// Writes above the count of each list what is said of its documents; no list may come after
    /// that.
    pub(crate) fn note(&mut self, level: impl Fn(&[u32]) -> u8) {
        let mut place = 0;
        while let Some(&first) = self.words.get(place) {
            let (docs, end) = (place + 1, place + 1 + length(first));
            let level = level(&self.words[docs..end]);
            self.words[end] |= u32::from(level) << (u32::BITS - LEVEL_BITS);
            place = end + 1 + share_words(first);
        }
    }

    /// All lists, with the place of each one's first document in [`HeldLists::words`]; nothing may
    /// be noted above their counts.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (usize, List<'_>)> {
        let mut place = 0;
        std::iter::from_fn(move || {
            (place < self.words.len()).then(|| {
                let (docs, list) = (place + 1, self.at(place));
                place = docs + list.docs.len() + 1 + list.shares.len();
                (docs, list)
            })
        })
    }

    /// How many lists are held.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The list whose words begin there.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> List<'_> {
        let first = self.words[place];
        let (docs, rest) = self.words[place + 1..].split_at(length(first));
        List {
            docs,
            count: rest[0],
            shares: &rest[1..1 + share_words(first)],
        }
    }

    /// All words: behind the documents of a list stands its count.
    #[inline]
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }
}

/// A 64-bit hash of a list.
fn list_hash(docs: &[u32]) -> u64 {
    docs.iter()
        .fold(docs.len() as u64, |hash, &doc| mix(hash ^ u64::from(doc)))
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
    use crate::lists::Own;
    use crate::put_list;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn holds_what_came_and_stays_within_its_memory(
            lists in proptest::collection::vec((2u32..50, 0u32..4, 1u32..4, any::<bool>()), 0..300), memory in 16usize..40_000,
            of_equal in any::<bool>(),
        ) {
            let mut held = if of_equal { HeldLists::of_equal(memory) } else { HeldLists::new(memory) };
            let (mut expected, mut rows) = (BTreeMap::new(), Vec::new());
            let mut full = false;
            for (length, first, times, is_row) in lists {
                let docs: Vec<u32> = (first..first + length).collect();
                let shares: Vec<u8> = (1..length as u8).collect();
                for count in [times, 1] {
                    let own = Own::of(docs.clone(), count, if is_row && !of_equal { &shares } else { &[] });
                    let mut words = Vec::new();
                    put_list(&mut words, own.list());
                    let fits = if of_equal { held.add_all(&words).0.is_empty() } else { held.add(own.list()) };
                    if !fits {
                        full = true;
                    } else if own.list().is_row() {
                        rows.push(own);
                    } else {
                        *expected.entry(docs.clone()).or_insert(0) += count;
                    }
                }
            }
            prop_assert!(!full || held.words.len() * 4 + 65 * 4 > memory / 4 * 3, "full at {} of {}", held.words.len(), memory);
            prop_assert!(held.words.len() * 4 + held.slots.len() * 8 <= memory);
            prop_assert_eq!(held.lists().count(), held.count());
            let mut got = BTreeMap::new();
            let (mut long, mut got_rows) = (0, Vec::new());
            for (place, list) in held.lists() {
                prop_assert_eq!(held.at(place - 1), list);
                if list.is_row() {
                    got_rows.push(Own::from(list));
                    continue;
                }
                *got.entry(list.docs.to_vec()).or_insert(0) += held.words()[place + list.docs.len()];
                long += usize::from(list.docs.len() >= held.looked_up);
            }
            if held.slots_max >= 256 {
                prop_assert_eq!(long, expected.keys().filter(|docs| docs.len() >= held.looked_up).count(), "a list twice");
            }
            prop_assert_eq!(got, expected);
            prop_assert_eq!(got_rows, rows);
        }

        #[test]
        fn lists_that_come_together_are_taken_until_there_is_no_room(
            lists in proptest::collection::vec((2u32..20, 0u32..4, 1u32..4), 0..60), memory in 16usize..4_000,
        ) {
            let own = |(length, first, count): (u32, u32, u32)| Own::of((first..first + length).collect(), count, &[]);
            let lists: Vec<Own> = lists.into_iter().map(own).collect();
            let mut words = Vec::new();
            lists.iter().for_each(|own| put_list(&mut words, own.list()));
            let (mut together, mut alone) = (HeldLists::of_equal(memory), HeldLists::of_equal(memory));
            let left: Vec<Own> = together.add_all(&words).map(Own::from).collect();
            let taken = lists.iter().take_while(|own| alone.add(own.list())).count();
            prop_assert_eq!(&left[..], &lists[taken..]);
            prop_assert_eq!(together.words(), alone.words());
        }
    }

    #[test]
    fn the_count_of_a_list_does_not_wrap() {
        let docs: Vec<u32> = (0..LONG as u32).collect();
        let mut held = HeldLists::new(1 << 12);
        assert!(held.add(List::of(&docs, 1)));
        held.words[LONG + 1] = COUNT_MAX;
        assert!(held.add(List::of(&docs, 1)));
        assert_eq!((held.words[LONG + 1], held.lists().count()), (COUNT_MAX, 1));
        held.note(|docs| docs.len() as u8 % 16);
        assert_eq!(
            (
                held.words[LONG + 1] & COUNT_MAX,
                level_of(held.words[LONG + 1])
            ),
            (COUNT_MAX, 0)
        );
        held.clear();
        assert!(held.add(List::of(&docs[1..], 7)));
        held.note(|docs| docs.len() as u8 % 16);
        assert_eq!(
            (held.words[LONG] & COUNT_MAX, level_of(held.words[LONG])),
            (7, 15)
        );
    }
}
