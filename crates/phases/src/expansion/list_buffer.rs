//! Stores lists of documents in memory; equal lists are stored once, with a count.
//!
//! *Input.* Lists of documents in order, with counts. *Output.* The distinct lists with their
//! counts. *Algorithm.* All lists are in one array of words, as ⟨length, documents, count, shares⟩;
//! only row lists have shares. A hash table finds equal lists. *When it pays.* A list of k
//! documents stands for k²/2 increments, so a long list is always looked up: pages of one template
//! share hundreds of shingles with all others of it. Short lists are looked up where equal ones
//! come together ([`ListBuffer::of_equal`]): near-duplicates share most of their shingles with the
//! same documents. *Memory.* As the caller states, allocated as lists come. *Limits.* Counts end at
//! [`COUNT_MAX`]. Probing stops after [`PROBES_MAX`] slots; a list without a slot is stored a
//! second time, which does not change the totals.

use crate::expansion::lists::{ROW, length, put_docs, share_words};
use crate::expansion::tail_range::{COUNT_MAX, TailRange, level_bits};
use crate::expansion::{List, Lists};

/// Most slots that are probed for one list.
const PROBES_MAX: usize = 16;

/// A list of at least so many documents is always looked up.
const LONG: usize = 32;

/// Most slots if only long lists are looked up. If all are, memory alone limits the slots.
const SLOTS_MAX: usize = 1 << 15;

/// A slot of the hash table: the upper half of the hash, and the place of the list in the array of
/// words, plus one.
#[derive(Clone, Copy, Debug, Default)]
struct ListSlot {
    tag: u32,
    place: u32,
}

/// Distinct lists with counts, within a given memory.
#[derive(Debug, Default)]
pub(crate) struct ListBuffer {
    /// A list of at least so many documents is looked up.
    looked_up_min: usize,
    /// ⟨length, documents, count, shares⟩, list after list.
    words: Vec<u32>,
    words_max: usize,
    count: usize,
    slots: Vec<ListSlot>,
    slots_max: usize,
    /// The hashes of the lists of one call of [`ListBuffer::add_all`].
    hashes: Vec<u64>,
}

impl ListBuffer {
    /// A buffer for lists of which few are equal: only long ones are looked up.
    pub(crate) fn new(memory_bytes: usize) -> ListBuffer {
        let slots_max = (memory_bytes / 8 / size_of::<ListSlot>()).min(SLOTS_MAX);
        ListBuffer::of(slots_max, memory_bytes - memory_bytes / 8, LONG)
    }

    /// A buffer for lists of which many are equal: all are looked up.
    pub(crate) fn of_equal(memory_bytes: usize) -> ListBuffer {
        let slots_max = memory_bytes / 4 / size_of::<ListSlot>();
        ListBuffer::of(slots_max, memory_bytes - memory_bytes / 4, 0)
    }

    fn of(slots_max: usize, word_bytes: usize, looked_up_min: usize) -> ListBuffer {
        let slots_max = if slots_max.is_power_of_two() {
            slots_max
        } else {
            slots_max.next_power_of_two() / 2
        };
        let words_max = (word_bytes / size_of::<u32>()).min(TailRange::WORDS_MAX);
        ListBuffer {
            looked_up_min,
            words: Vec::new(),
            words_max,
            count: 0,
            slots: Vec::new(),
            slots_max,
            hashes: Vec::new(),
        }
    }

    /// Removes all lists and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.count = 0;
        self.slots.fill(ListSlot::default());
    }

    /// Sizes the hash table for lists of so many words together, so that a small one stays in the
    /// caches. The buffer must be empty.
    pub(crate) fn begin(&mut self, words: u64) {
        let slots = usize::try_from(words / 2)
            .unwrap_or(usize::MAX)
            .clamp(1, 1 << 30)
            .next_power_of_two();
        self.slots
            .resize(slots.min(self.slots_max), ListSlot::default());
    }

    /// Stores a list; false if it does not fit.
    #[inline]
    pub(crate) fn add(&mut self, list: List<'_>) -> bool {
        // Row lists are never equal.
        let is_looked_up = list.docs.len() >= self.looked_up_min && !list.is_row();
        if is_looked_up {
            self.look_up(list, list_hash(list.docs))
        } else {
            self.append(list)
        }
    }

    /// Stores lists, given as words, until one does not fit; returns the lists that are left. All
    /// are looked up.
    pub(crate) fn add_all<'a>(&mut self, words: &'a [u32]) -> Lists<'a> {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(Lists(words).map(|list| list_hash(list.docs)));
        self.prefetch(&hashes);
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

    /// Loads the slots of lists, then the lists that they point to. Both are anywhere in memory, so
    /// the waits for them overlap. `black_box` keeps the compiler from removing loads whose values
    /// are not used.
    fn prefetch(&self, hashes: &[u64]) {
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
            // All at once, since growing would need the old and the new memory at the same time.
            // The system provides pages only when they are touched.
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
            self.slots.resize(self.slots_max, ListSlot::default());
        }
        let (mask, tag) = (self.slots.len() - 1, (hash >> 32) as u32);
        let mut at = hash as usize & mask;
        for _ in 0..PROBES_MAX.min(self.slots.len()) {
            let slot = self.slots[at];
            if slot.place == 0 {
                let place = self.words.len() as u32 + 1;
                let fits = self.append(list);
                if fits {
                    self.slots[at] = ListSlot { tag, place };
                }
                return fits;
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

    /// Writes the level of each list into the upper bits of its count; no list may be added after
    /// that.
    pub(crate) fn set_levels(&mut self, level: impl Fn(&[u32]) -> u8) {
        let mut place = 0;
        while let Some(&first) = self.words.get(place) {
            let (docs, end) = (place + 1, place + 1 + length(first));
            let level = level(&self.words[docs..end]);
            self.words[end] |= level_bits(level);
            place = end + 1 + share_words(first);
        }
    }

    /// All lists, each with the place of its first document in [`ListBuffer::words`]. Levels must
    /// not be set yet.
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

    /// How many lists are stored.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The list whose words begin at `place`.
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

    /// The array of words. The documents of each list are followed by its count.
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

/// The two halves of a product with an odd constant, combined by exclusive or.
#[inline]
fn mix(value: u64) -> u64 {
    let product = u128::from(value ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::lists::OwnedList;
    use crate::expansion::put_list;
    use crate::expansion::tail_range::level_of;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn stores_every_list_and_stays_within_its_memory(
            lists in proptest::collection::vec((2u32..50, 0u32..4, 1u32..4, any::<bool>()), 0..300), memory in 16usize..40_000,
            of_equal in any::<bool>(),
        ) {
            let mut buffer = if of_equal { ListBuffer::of_equal(memory) } else { ListBuffer::new(memory) };
            let (mut expected, mut rows) = (BTreeMap::new(), Vec::new());
            let mut full = false;
            for (length, first, times, is_row) in lists {
                let docs: Vec<u32> = (first..first + length).collect();
                let shares: Vec<u8> = (1..length as u8).collect();
                for count in [times, 1] {
                    let own = OwnedList::of(docs.clone(), count, if is_row && !of_equal { &shares } else { &[] });
                    let mut words = Vec::new();
                    put_list(&mut words, own.list());
                    let fits = if of_equal { buffer.add_all(&words).0.is_empty() } else { buffer.add(own.list()) };
                    if !fits {
                        full = true;
                    } else if own.list().is_row() {
                        rows.push(own);
                    } else {
                        *expected.entry(docs.clone()).or_insert(0) += count;
                    }
                }
            }
            prop_assert!(!full || buffer.words.len() * 4 + 65 * 4 > memory / 4 * 3, "full at {} of {}", buffer.words.len(), memory);
            prop_assert!(buffer.words.len() * 4 + buffer.slots.len() * 8 <= memory);
            prop_assert_eq!(buffer.lists().count(), buffer.count());
            let mut got = BTreeMap::new();
            let (mut long, mut got_rows) = (0, Vec::new());
            for (place, list) in buffer.lists() {
                prop_assert_eq!(buffer.at(place - 1), list);
                if list.is_row() {
                    got_rows.push(OwnedList::from(list));
                    continue;
                }
                *got.entry(list.docs.to_vec()).or_insert(0) += buffer.words()[place + list.docs.len()];
                long += usize::from(list.docs.len() >= buffer.looked_up_min);
            }
            if buffer.slots_max >= 256 {
                prop_assert_eq!(long, expected.keys().filter(|docs| docs.len() >= buffer.looked_up_min).count(), "a list twice");
            }
            prop_assert_eq!(got, expected);
            prop_assert_eq!(got_rows, rows);
        }

        #[test]
        fn lists_are_stored_until_one_does_not_fit(
            lists in proptest::collection::vec((2u32..20, 0u32..4, 1u32..4), 0..60), memory in 16usize..4_000,
        ) {
            let own = |(length, first, count): (u32, u32, u32)| OwnedList::of((first..first + length).collect(), count, &[]);
            let lists: Vec<OwnedList> = lists.into_iter().map(own).collect();
            let mut words = Vec::new();
            lists.iter().for_each(|own| put_list(&mut words, own.list()));
            let (mut together, mut alone) = (ListBuffer::of_equal(memory), ListBuffer::of_equal(memory));
            let left: Vec<OwnedList> = together.add_all(&words).map(OwnedList::from).collect();
            let taken = lists.iter().take_while(|own| alone.add(own.list())).count();
            prop_assert_eq!(&left[..], &lists[taken..]);
            prop_assert_eq!(together.words(), alone.words());
        }
    }

    #[test]
    fn the_count_of_a_list_does_not_wrap() {
        let docs: Vec<u32> = (0..LONG as u32).collect();
        let mut buffer = ListBuffer::new(1 << 12);
        assert!(buffer.add(List::of(&docs, 1)));
        buffer.words[LONG + 1] = COUNT_MAX;
        assert!(buffer.add(List::of(&docs, 1)));
        assert_eq!(
            (buffer.words[LONG + 1], buffer.lists().count()),
            (COUNT_MAX, 1)
        );
        buffer.set_levels(|docs| docs.len() as u8 % 16);
        assert_eq!(
            (
                buffer.words[LONG + 1] & COUNT_MAX,
                level_of(buffer.words[LONG + 1])
            ),
            (COUNT_MAX, 0)
        );
        buffer.clear();
        assert!(buffer.add(List::of(&docs[1..], 7)));
        buffer.set_levels(|docs| docs.len() as u8 % 16);
        assert_eq!(
            (buffer.words[LONG] & COUNT_MAX, level_of(buffer.words[LONG])),
            (7, 15)
        );
    }
}
