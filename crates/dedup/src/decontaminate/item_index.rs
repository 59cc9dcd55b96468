//! Which items have an n-gram: an index in memory, made once and asked for every word of the input.
//!
//! *Input.* Fingerprints of n-grams, each with an item that has it. *Output.* The items of a
//! fingerprint, each once. *Algorithm.* An entry is a number: the upper bits of the fingerprint,
//! below them the number of the item. Entries are sorted, and a directory says where those with the
//! same first bits begin. Most words of the input belong to no item, so a filter is asked first,
//! which has a bit for each longer beginning of a fingerprint. *Memory.* 8 bytes an entry; between
//! 1 and 2 for the directory, as many for the filter. *Limits.* Fingerprints are cut by as many
//! bits as the number of an item has, so another n-gram may seem to be of an item: whoever asks
//! compares the words.

/// Entries for each bucket of the directory, at least.
const BUCKET_ENTRIES: usize = 2;
/// Bits of the filter for each entry, at least.
const FILTER_BITS: usize = 8;
/// The largest filter: one that stays in the cache of a processor is worth more than a finer one.
const FILTER_BITS_MAX: usize = 64 << 20;

/// Which items have an n-gram.
#[derive(Debug)]
pub(crate) struct ItemIndex {
    entries: Vec<u64>,
    /// Where the entries of each bucket begin, and the end of the last.
    starts: Vec<u32>,
    /// Bits of a fingerprint that tell its bucket.
    bucket_bits: u32,
    filter: Vec<u64>,
    filter_bits: u32,
    item_bits: u32,
}

/// Entries in the making.
pub(crate) struct ItemEntries {
    entries: Vec<u64>,
    item_bits: u32,
}

impl ItemEntries {
    /// Room for so many entries of so many items.
    pub(crate) fn with_capacity(entries: usize, items: usize) -> ItemEntries {
        ItemEntries {
            entries: Vec::with_capacity(entries),
            item_bits: (items.max(2) - 1).ilog2() + 1,
        }
    }

    /// Bytes of an index of so many entries.
    pub(crate) fn bytes(entries: usize) -> usize {
        let filter = (FILTER_BITS * entries)
            .next_power_of_two()
            .min(FILTER_BITS_MAX);
        8 * entries + 4 * (entries / BUCKET_ENTRIES).next_power_of_two() + filter / 8
    }

    pub(crate) fn push(&mut self, print: u64, item: u32) {
        let mask = (1 << self.item_bits) - 1;
        self.entries.push(print & !mask | u64::from(item) & mask);
    }

    /// Makes the index.
    pub(crate) fn finish(self) -> ItemIndex {
        let ItemEntries {
            mut entries,
            item_bits,
        } = self;
        entries.sort_unstable();
        entries.dedup();
        // the numbers of items must not tell buckets apart
        let bits_max = u64::BITS - item_bits;
        let bits = |count: usize| count.next_power_of_two().ilog2().min(bits_max).max(1);
        let bucket_bits = bits(entries.len() / BUCKET_ENTRIES);
        let filter_bits = bits((FILTER_BITS * entries.len()).min(FILTER_BITS_MAX)).max(6);
        let mut filter = vec![0; 1 << (filter_bits - 6)];
        let mut starts = Vec::with_capacity((1 << bucket_bits) + 1);
        for (at, entry) in entries.iter().enumerate() {
            let bucket = (entry >> (u64::BITS - bucket_bits)) as usize;
            while starts.len() <= bucket {
                starts.push(at as u32);
            }
            let bit = entry >> (u64::BITS - filter_bits);
            filter[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        starts.resize((1 << bucket_bits) + 1, entries.len() as u32);
        ItemIndex {
            entries,
            starts,
            bucket_bits,
            filter,
            filter_bits,
            item_bits,
        }
    }
}

impl ItemIndex {
    /// The items that have an n-gram, and perhaps some that have not.
    #[inline]
    pub(crate) fn items(&self, print: u64) -> impl Iterator<Item = u32> + '_ {
        let bit = print >> (u64::BITS - self.filter_bits);
        let may_be = self.filter[(bit / 64) as usize] >> (bit % 64) & 1 == 1;
        let entries = if may_be { self.bucket(print) } else { &[] };
        let print = print >> self.item_bits;
        let from = entries.partition_point(|entry| entry >> self.item_bits < print);
        let entries = entries[from..].iter();
        let equal = entries.take_while(move |entry| **entry >> self.item_bits == print);
        equal.map(|entry| (entry & ((1 << self.item_bits) - 1)) as u32)
    }

    fn bucket(&self, print: u64) -> &[u64] {
        let bucket = (print >> (u64::BITS - self.bucket_bits)) as usize;
        &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn every_item_of_an_entry_is_found(
            entries in prop::collection::vec((0u64..200, 0u32..90), 0..400), spread: bool,
        ) {
            let print = |number: u64| if spread { number.wrapping_mul(0x9e37_79b9_7f4a_7c15) } else { number << 56 };
            let mut index = ItemEntries::with_capacity(entries.len(), 90);
            let mut known: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
            for &(number, item) in &entries {
                index.push(print(number), item);
                known.entry(print(number)).or_default().insert(item);
            }
            let index = index.finish();
            for number in 0..200 {
                let found: Vec<u32> = index.items(print(number)).collect();
                let expected = known.get(&print(number)).into_iter().flatten().copied();
                prop_assert_eq!(found, expected.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn other_fingerprints_are_rarely_of_an_item() {
        let print = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut entries = ItemEntries::with_capacity(1 << 16, 1 << 12);
        (0..1 << 16).for_each(|number| entries.push(print(number), number as u32 % (1 << 12)));
        let bytes = ItemEntries::bytes(1 << 16);
        assert_eq!(bytes, (8 + 2 + 1) << 16);
        let index = entries.finish();
        let held = 8 * (index.entries.len() + index.filter.len()) + 4 * index.starts.len();
        assert!(held <= bytes + 8, "{held} of {bytes}");
        let others =
            (1 << 16..1 << 18).filter(|&number| index.items(print(number)).next().is_some());
        assert_eq!(others.count(), 0);
    }
}
