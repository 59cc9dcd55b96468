//! Equal lists of documents are counted before they make pairs.
//!
//! *Input.* Lists of documents in order, with a count. *Output.* Each different list once, with the sum of its counts, in
//! no stated order. *Algorithm.* A hash table with linear probing over one array of words; a list lies there as ⟨count,
//! length, documents⟩. *Memory.* What the caller states; when it is used up, [`EqualLists::add`] says so, and the caller
//! empties the table. A list may then be handed out twice: the sums of pairs do not change. *Limits.* Probing ends after
//! [`PROBES_MAX`] steps as if the table were full, so no input makes it slow.

use model::PairCount;

/// Slots looked at for one list.
const PROBES_MAX: usize = 64;

/// Words of a list before its documents.
const HEAD_WORDS: usize = 2;

/// Slots of a new table.
const SLOTS_MIN: usize = 1 << 10;

/// A 64-bit hash of a list; equal lists have equal hashes everywhere.
#[inline]
pub fn list_hash(docs: &[u32]) -> u64 {
    let mut hash = docs.len() as u64;
    let mut two = docs.chunks_exact(2);
    for pair in &mut two {
        hash = mix(hash ^ (u64::from(pair[0]) << 32 | u64::from(pair[1])));
    }
    if let [last] = two.remainder() {
        hash = mix(hash ^ u64::from(*last));
    }
    hash
}

/// Both halves of a product by an odd constant, folded.
#[inline]
fn mix(value: u64) -> u64 {
    let product = u128::from(value ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
    (product as u64) ^ (product >> 64) as u64
}

/// Makes the pairs of a list, each with `count` shared shingles.
///
/// # Errors
/// Those of `emit`.
#[inline]
pub fn pairs_of<E>(docs: &[u32], count: u32, mut emit: impl FnMut(PairCount) -> Result<(), E>) -> Result<(), E> {
    for (i, &a) in docs.iter().enumerate() {
        for &b in &docs[i + 1..] {
            emit(PairCount { a, b, shared: count })?;
        }
    }
    Ok(())
}

/// Appends a list as the words that [`Lists`] reads.
#[inline]
pub fn put_list(words: &mut Vec<u32>, docs: &[u32], count: u32) {
    words.extend_from_slice(&[count, docs.len() as u32]);
    words.extend_from_slice(docs);
}

/// Reads lists one after the other from words; what is left may be the beginning of one.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a>(pub &'a [u32]);

impl<'a> Iterator for Lists<'a> {
    /// Documents and count.
    type Item = (&'a [u32], u32);
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (&[count, length], rest) = self.0.split_first_chunk()?;
        let (docs, rest) = rest.split_at_checked(length as usize)?;
        self.0 = rest;
        Some((docs, count))
    }
}

/// A slot: the upper half of the hash, and the list's place in the words plus one.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    tag: u32,
    place: u32,
}

/// Counts equal lists within a given memory.
#[derive(Debug)]
pub struct EqualLists {
    words: Vec<u32>,
    slots: Vec<Slot>,
    lists: usize,
    words_max: usize,
    slots_max: usize,
}

impl EqualLists {
    /// A table that takes up to `memory_bytes`, little of it until lists come.
    pub fn new(memory_bytes: usize) -> EqualLists {
        // Slots grow by doubling, and the old ones are there meanwhile: a third for them is half at that moment.
        let slots_max = (memory_bytes / 3 / size_of::<Slot>()).max(4);
        let slots_max = if slots_max.is_power_of_two() { slots_max } else { slots_max.next_power_of_two() / 2 };
        let words_max = (memory_bytes / 4).saturating_sub(slots_max * size_of::<Slot>() / 4 * 3 / 2);
        let words_max = words_max.min(u32::MAX as usize - 1);
        EqualLists { words: Vec::new(), slots: Vec::new(), lists: 0, words_max, slots_max }
    }

    /// Adds `count` to a list, of which `hash` is the [`list_hash`]. False if there is no room: then nothing has
    /// changed, and the list has its room once the table is emptied, unless it is larger than the table.
    #[inline]
    pub fn add(&mut self, docs: &[u32], hash: u64, count: u32) -> bool {
        if self.lists * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let tag = (hash >> 32) as u32;
        let mut at = hash as usize & mask;
        for _ in 0..PROBES_MAX.min(self.slots.len()) {
            let slot = self.slots[at];
            if slot.place == 0 {
                return self.insert(at, tag, docs, count);
            }
            if slot.tag == tag && self.absorb(slot.place as usize - 1, docs, count) {
                return true;
            }
            at = (at + 1) & mask;
        }
        false
    }

    /// Asks for what [`EqualLists::add`] is going to look at, for several lists at once: the waits overlap.
    #[inline]
    pub fn bring_near(&self, hashes: &[u64]) {
        let mask = self.slots.len().wrapping_sub(1);
        let slot = |hash: u64| self.slots.get(hash as usize & mask);
        // The loads must happen though nobody wants their values; the processor does not wait for them.
        for &hash in hashes {
            std::hint::black_box(slot(hash).map(|slot| slot.place));
        }
        for &hash in hashes {
            let place = slot(hash).map_or(0, |slot| slot.place as usize);
            std::hint::black_box(self.words.get(place.wrapping_sub(1)).copied());
        }
    }

    /// Adds to the count of the list at `place` if it is this one.
    #[inline]
    fn absorb(&mut self, place: usize, docs: &[u32], count: u32) -> bool {
        let Some(list) = self.words.get_mut(place..place + HEAD_WORDS + docs.len()) else { return false };
        if list[1] as usize != docs.len() || &list[HEAD_WORDS..] != docs {
            return false;
        }
        list[0] = list[0].saturating_add(count);
        true
    }

    fn insert(&mut self, at: usize, tag: u32, docs: &[u32], count: u32) -> bool {
        let needed = self.words.len() + HEAD_WORDS + docs.len();
        if needed > self.words_max || self.lists * 4 >= self.slots_max * 3 {
            return false;
        }
        if needed > self.words.capacity() {
            let wanted = (2 * self.words.capacity()).max(needed).clamp(SLOTS_MIN.min(self.words_max), self.words_max);
            self.words.reserve_exact(wanted - self.words.len());
        }
        self.slots[at] = Slot { tag, place: self.words.len() as u32 + 1 };
        put_list(&mut self.words, docs, count);
        self.lists += 1;
        true
    }

    /// Doubles the slots while they may grow. The place of a slot follows from its list's hash.
    #[cold]
    fn grow(&mut self) {
        let wanted = (2 * self.slots.len()).max(SLOTS_MIN).min(self.slots_max);
        if wanted == self.slots.len() {
            return;
        }
        let mut slots = vec![Slot::default(); wanted];
        for slot in self.slots.iter().filter(|slot| slot.place != 0) {
            let place = slot.place as usize - 1;
            let Some((docs, _)) = Lists(&self.words[place..]).next() else { continue };
            let mut at = list_hash(docs) as usize & (wanted - 1);
            while slots[at].place != 0 {
                at = (at + 1) & (wanted - 1);
            }
            slots[at] = *slot;
        }
        self.slots = slots;
    }

    /// All lists as they came first, with their counts.
    pub fn lists(&self) -> Lists<'_> {
        Lists(&self.words)
    }

    /// Forgets all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.slots.fill(Slot::default());
        self.lists = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn counts_like_a_map_and_stays_within_its_memory(
            lists in prop_oneof![Just((7_u32, 6)), Just((40, 30)), Just((400, 5))].prop_flat_map(|(documents, longest)| {
                proptest::collection::vec(proptest::collection::btree_set(0..documents, 2..longest), 0..1500)
            }),
            memory in 64usize..20_000,
        ) {
            let mut table = EqualLists::new(memory);
            let mut expected: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
            let mut got: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
            for (n, list) in lists.iter().enumerate() {
                let (docs, count): (Vec<u32>, u32) = (list.iter().copied().collect(), n as u32 % 3 + 1);
                *expected.entry(docs.clone()).or_default() += count;
                if !table.add(&docs, list_hash(&docs), count) {
                    for (docs, count) in table.lists() {
                        *got.entry(docs.to_vec()).or_default() += count;
                    }
                    table.clear();
                    if !table.add(&docs, list_hash(&docs), count) {
                        prop_assert!(docs.len() * 4 + 24 > memory / 2, "no room for {} documents", docs.len());
                        *got.entry(docs).or_default() += count;
                    }
                }
                prop_assert!(table.words.capacity() * 4 + table.slots.capacity() * 8 <= memory.max(64 + 32));
            }
            for (docs, count) in table.lists() {
                *got.entry(docs.to_vec()).or_default() += count;
            }
            prop_assert_eq!(got, expected);
        }

        #[test]
        fn in_one_filling_every_list_is_there_once(
            lists in proptest::collection::vec(proptest::collection::btree_set(0u32..50, 2..5), 0..3000),
        ) {
            let mut table = EqualLists::new(1 << 20);
            for list in &lists {
                let docs: Vec<u32> = list.iter().copied().collect();
                prop_assert!(table.add(&docs, list_hash(&docs), 1));
            }
            let different: std::collections::BTreeSet<_> = lists.iter().collect();
            prop_assert_eq!(table.lists().count(), different.len());
        }
    }

    #[test]
    fn lists_with_one_hash_fill_the_table_instead_of_slowing_it() {
        let mut table = EqualLists::new(1 << 20);
        let taken = (0..1000_u32).take_while(|&doc| table.add(&[doc, doc + 1], 7, 1)).count();
        assert_eq!(taken, PROBES_MAX);
    }

    #[test]
    fn the_count_of_a_list_does_not_wrap() {
        let mut table = EqualLists::new(1 << 10);
        for count in [u32::MAX, 5] {
            assert!(table.add(&[1, 2], list_hash(&[1, 2]), count));
        }
        assert_eq!(table.lists().next(), Some((&[1, 2][..], u32::MAX)));
    }
}
