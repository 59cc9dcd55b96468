//! Adds up counts by document, for one row of the matrix of pairs.
//!
//! *Input.* Document numbers with counts. *Output.* Each different document with the sum of its
//! counts, in order. *Algorithm.* A hash table with linear probing; its entries are sorted at the
//! end. *Why it is fast.* The table is only as large as the row requires, so it stays in the
//! nearest cache. *Memory.* As the caller states. *Limits.* More different documents than fit are
//! refused.

use crate::expansion::lists::ListTail;

/// Bytes for each different document: up to four slots, the number of its slot, and its entry in
/// the sorted output.
const BYTES_A_DOCUMENT: usize = 4 * 8 + 4 + 8;

/// So many different documents fit even without memory.
const DOCUMENTS_MIN: usize = 16;

/// The counts of one row.
#[derive(Debug)]
pub(crate) struct RowCounter {
    /// The document in the upper half, its count in the lower; 0 is a free slot. All slots are free
    /// between two rows.
    slots: Vec<u64>,
    /// 64 minus the number of bits of a slot's number.
    shift: u32,
    /// The numbers of the slots in use.
    taken: Vec<u32>,
    sorted: Vec<u64>,
    documents_max: usize,
}

impl RowCounter {
    pub(crate) fn new(memory_bytes: usize) -> RowCounter {
        let documents_max = (memory_bytes / BYTES_A_DOCUMENT).max(DOCUMENTS_MIN);
        RowCounter {
            slots: Vec::new(),
            shift: 0,
            taken: Vec::new(),
            sorted: Vec::new(),
            documents_max,
        }
    }

    /// Begins a row of at most `numbers` documents, repeated ones included.
    #[inline]
    pub(crate) fn begin(&mut self, numbers: usize) {
        let slots = (2 * numbers.min(self.documents_max))
            .next_power_of_two()
            .max(2 * DOCUMENTS_MIN);
        if self.slots.len() < slots {
            self.grow(slots);
        }
        self.shift = 64 - slots.ilog2();
    }

    #[cold]
    fn grow(&mut self, slots: usize) {
        // A new table instead of a longer one: all slots are free, so nothing has to be copied and
        // the old memory can go first.
        self.slots = Vec::new();
        self.slots = vec![0; slots];
        let documents = (slots / 2).min(self.documents_max);
        self.taken.reserve_exact(documents);
        self.sorted = Vec::with_capacity(documents);
    }

    /// Adds the counts of the documents of a tail; false if there are too many different ones.
    #[inline]
    pub(crate) fn add(&mut self, tail: ListTail<'_>) -> bool {
        // Local variables, so that the loop keeps them in registers.
        let RowCounter {
            slots,
            taken,
            documents_max,
            ..
        } = self;
        let (shift, documents_max) = (self.shift, *documents_max);
        let slots = &mut slots[..1 << (64 - shift)];
        let mask = slots.len() - 1;
        tail.each(|doc, count| {
            let mut at = slot_of(doc, shift) & mask;
            loop {
                let slot = &mut slots[at];
                if *slot == 0 {
                    if taken.len() == documents_max {
                        return false;
                    }
                    *slot = u64::from(doc) << 32 | u64::from(count);
                    taken.push(at as u32);
                    return true;
                }
                if *slot >> 32 == u64::from(doc) {
                    *slot = with_more(*slot, count);
                    return true;
                }
                at = (at + 1) & mask;
            }
        })
    }

    /// How many different documents were added.
    #[inline]
    pub(crate) fn known(&self) -> usize {
        self.taken.len()
    }

    /// Adds the counts of a tail for those of its documents that were added before.
    #[inline]
    pub(crate) fn add_to_known(&mut self, tail: ListTail<'_>) {
        let shift = self.shift;
        let slots = &mut self.slots[..1 << (64 - shift)];
        let mask = slots.len() - 1;
        tail.each(|doc, count| {
            let mut at = slot_of(doc, shift) & mask;
            while slots[at] != 0 {
                if slots[at] >> 32 == u64::from(doc) {
                    slots[at] = with_more(slots[at], count);
                    break;
                }
                at = (at + 1) & mask;
            }
            true
        });
    }

    /// Ends the row. Passes each document whose sum is at least `least` to `kept`, and gives those
    /// for which it returns a sum, in order.
    #[inline]
    pub(crate) fn finish(
        &mut self,
        least: u32,
        mut kept: impl FnMut(u32, u32) -> Option<u32>,
    ) -> impl Iterator<Item = (u32, u32)> {
        self.sorted.clear();
        for &at in &self.taken {
            let entry = std::mem::take(&mut self.slots[at as usize]);
            if entry as u32 >= least {
                // Before sorting, because most documents of long lists are dropped here.
                let doc = (entry >> 32) as u32;
                let sum = kept(doc, entry as u32);
                self.sorted
                    .extend(sum.map(|sum| u64::from(doc) << 32 | u64::from(sum)));
            }
        }
        self.taken.clear();
        self.sorted.sort_unstable();
        self.sorted
            .iter()
            .map(|&entry| ((entry >> 32) as u32, entry as u32))
    }

    /// Removes all documents of the row.
    pub(crate) fn forget(&mut self) {
        for at in self.taken.drain(..) {
            self.slots[at as usize] = 0;
        }
    }
}

/// The slot where a document is looked for first.
#[inline]
fn slot_of(doc: u32, shift: u32) -> usize {
    (u64::from(doc).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize
}

/// A slot with `count` added to its count.
#[inline]
fn with_more(slot: u64, count: u32) -> u64 {
    slot >> 32 << 32 | u64::from((slot as u32).saturating_add(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::List;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn counts_like_a_map_row_after_row(
            rows in proptest::collection::vec(proptest::collection::vec((0u32..200, 1u32..4), 0..400), 1..6),
            memory in 0usize..20_000,
        ) {
            let mut counter = RowCounter::new(memory);
            for row in rows {
                counter.begin(row.len());
                let mut expected: BTreeMap<u32, u32> = BTreeMap::new();
                let fits = row.iter().all(|&(doc, count)| {
                    *expected.entry(doc).or_default() += count;
                    counter.add(List::of(&[0, doc], count).tail())
                });
                prop_assert_eq!(fits, expected.len() <= (memory / BYTES_A_DOCUMENT).max(DOCUMENTS_MIN));
                if fits {
                    prop_assert_eq!(counter.known(), expected.len());
                    // The tail begins after the first document.
                    let more: Vec<u32> = std::iter::once(0).chain((0..200).filter(|doc| doc % 7 < 2)).collect();
                    counter.add_to_known(List::of(&more, 5).tail());
                    expected.iter_mut().filter(|(doc, _)| **doc % 7 < 2).for_each(|(_, sum)| *sum += 5);
                    let kept = |doc: u32, sum: u32| (!doc.is_multiple_of(3)).then_some(sum + doc);
                    let expected = expected.into_iter().filter(|(_, sum)| *sum > 1);
                    let expected: Vec<_> = expected.filter_map(|(doc, sum)| Some((doc, kept(doc, sum)?))).collect();
                    prop_assert_eq!(counter.finish(2, kept).collect::<Vec<_>>(), expected);
                } else {
                    counter.forget();
                }
                let bytes = 8 * counter.slots.capacity() + 4 * counter.taken.capacity() + 8 * counter.sorted.capacity();
                prop_assert!(bytes <= memory.max(DOCUMENTS_MIN * BYTES_A_DOCUMENT), "{} of {}", bytes, memory);
            }
        }
    }

    #[test]
    fn sums_do_not_wrap() {
        let mut counter = RowCounter::new(1 << 10);
        counter.begin(2);
        assert!(
            [u32::MAX, 2]
                .iter()
                .all(|count| counter.add(List::of(&[0, 7], *count).tail()))
        );
        assert_eq!(
            counter.finish(0, |_, sum| Some(sum)).collect::<Vec<_>>(),
            [(7, u32::MAX)]
        );
    }
}
