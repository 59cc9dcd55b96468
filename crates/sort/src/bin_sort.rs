//! Sorts the records of a bin: one more round of partitioning by prefix, then insertion sort.
//!
//! *Algorithm.* The range of prefixes is cut into about half as many buckets as there are records.
//! Records are counted, copied to a scratch buffer and moved from there to their buckets; one
//! insertion pass then sorts within buckets (Dobosiewicz, *Sorting by distributive partitioning*,
//! 1978). Buckets of many records, and bins of a single prefix, go to the standard library's sort,
//! so that every input takes O(n log n). *Why it is fast.* Few records share a bucket, so nearly no
//! comparison is unpredictable, and everything stays in the nearest caches. *Memory.* The scratch
//! buffer: as many records as the bin.

use model::Record;

/// Up to so many records insertion sort alone is fastest.
const INSERTION_MAX: usize = 20;
/// Bins of more records do not fit the cache: they are sorted in place, without a scratch buffer.
pub(crate) const SCRATCH_RECORDS_MAX: usize = 1 << 15;
/// Buckets of a bin at most; a power of two.
const BUCKETS_MAX: usize = 1024;

/// Sorts a bin. Overwrites the scratch buffer.
pub(crate) fn sort_bin<R: Record>(records: &mut [R], scratch: &mut Vec<R>) {
    if records.len() <= INSERTION_MAX {
        return insertion_sort(records);
    }
    let (low, high) = records.iter().fold((u64::MAX, 0), |(low, high), record| {
        let prefix = record.prefix();
        (low.min(prefix), high.max(prefix))
    });
    if low == high || records.len() > SCRATCH_RECORDS_MAX {
        return records.sort_unstable();
    }
    let buckets = (records.len() / 2).next_power_of_two().min(BUCKETS_MAX);
    let shift = ((high - low).ilog2() + 1).saturating_sub(buckets.ilog2());
    // The mask changes no value: it spares the check of an index.
    let bucket = |record: &R| ((record.prefix() - low) >> shift) as usize & (BUCKETS_MAX - 1);
    // Counts of the buckets, then their starts, then, as records are moved, their ends.
    let mut ends = [0_u32; BUCKETS_MAX];
    for record in records.iter() {
        ends[bucket(record)] += 1;
    }
    let (mut sum, mut most) = (0, 0);
    for end in &mut ends[..buckets] {
        most = most.max(*end);
        sum += std::mem::replace(end, sum);
    }
    scratch.clear();
    scratch.extend_from_slice(records);
    for record in scratch.iter() {
        let end = &mut ends[bucket(record)];
        records[*end as usize] = *record;
        *end += 1;
    }
    if most as usize > INSERTION_MAX {
        let mut from = 0;
        for &end in &ends[..buckets] {
            let bucket = &mut records[from..end as usize];
            if bucket.len() > INSERTION_MAX {
                bucket.sort_unstable();
            }
            from = end as usize;
        }
    }
    insertion_sort(records);
}

/// Sorts in place, in linear time if records are nearly in order.
fn insertion_sort<R: Record>(records: &mut [R]) {
    for at in 1..records.len() {
        let record = records[at];
        let mut hole = at;
        while hole > 0 && record < records[hole - 1] {
            records[hole] = records[hole - 1];
            hole -= 1;
        }
        records[hole] = record;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Posting, record};
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::cmp::Ordering;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(
            keys in proptest::collection::vec((any::<u64>(), 0u32..9), 0..3000), width in 0u32..64, hot in 0u64..4, repeat in 1usize..30,
        ) {
            // From all different to all equal, spread wide or close together.
            let mut records: Vec<Posting> = keys.iter()
                .flat_map(|&(key, doc)| std::iter::repeat_n((key, doc), if key % 4 < hot { repeat } else { 1 }))
                .map(|(key, doc)| Posting { shingle: if key % 4 < hot { 77 } else { key >> width }, doc })
                .collect();
            let mut expected = records.clone();
            expected.sort_unstable();
            sort_bin(&mut records, &mut Vec::new());
            prop_assert_eq!(records, expected);
        }
    }

    thread_local! {
        static COMPARISONS: Cell<usize> = const { Cell::new(0) };
    }

    /// A record that counts how often it is compared.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Counted(u64, u32);

    record! {
        Counted { 0, 1 },
        |record| record.0
    }

    impl Ord for Counted {
        fn cmp(&self, other: &Self) -> Ordering {
            COMPARISONS.set(COMPARISONS.get() + 1);
            (self.0, self.1).cmp(&(other.0, other.1))
        }
    }

    impl PartialOrd for Counted {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    /// Sorts records that have these prefixes; the number of comparisons, and whether there was a
    /// scratch buffer.
    fn comparisons(prefixes: impl Iterator<Item = u64>) -> (usize, bool) {
        let mut records: Vec<Counted> = prefixes.zip(0..).map(|(p, n)| Counted(p, n)).collect();
        let mut scratch = Vec::new();
        COMPARISONS.set(0);
        sort_bin(&mut records, &mut scratch);
        let comparisons = COMPARISONS.get();
        assert!(records.is_sorted());
        (comparisons, !scratch.is_empty())
    }

    #[test]
    fn few_records_are_inserted_and_more_are_put_into_buckets() {
        let descending = |records: u64| comparisons((0..records).rev());
        assert_eq!(descending(20), (20 * 19 / 2, false));
        let (comparisons, scratch) = descending(21);
        assert!(comparisons < 2 * 21 && scratch, "{comparisons}");
    }

    #[test]
    fn records_spread_evenly_need_few_comparisons() {
        // Multiples of an odd number are spread evenly, in no order.
        for records in [512_u64, 1000, 2000] {
            let spread = (0..records).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            for shift in [0, 20, 40] {
                let prefixes = spread.clone().map(|p| (1 << 63) + (p >> 1 >> shift));
                let (comparisons, scratch) = comparisons(prefixes);
                // About two records share a bucket.
                let few = records as usize * 6 / 5..records as usize * 7 / 5;
                assert!(
                    scratch && few.contains(&comparisons),
                    "{comparisons} of {records}"
                );
            }
        }
    }

    #[test]
    fn crowded_buckets_do_not_take_quadratic_time() {
        // The last bucket has one record, the first all others, in descending order.
        let crowded = |records: u64| comparisons((0..records).rev().chain([1 << 40])).0;
        assert!(crowded(1000) < 10_000, "{}", crowded(1000));
        // Records with the crowded bucket at the end.
        let high = (0..1000).rev().map(|n| (1 << 40) + n).chain([0]);
        let (high, _) = comparisons(high);
        assert!(high < 10_000, "{high}");
        assert_eq!(crowded(20), 20 * 19 / 2 + 1, "too few to be sorted apart");
    }

    #[test]
    fn equal_records_are_compared_once() {
        COMPARISONS.set(0);
        insertion_sort(&mut [Counted(7, 7); 1000]);
        assert_eq!(COMPARISONS.get(), 999);
    }

    #[test]
    fn bins_of_one_prefix_or_too_many_records_are_sorted_in_place() {
        assert!(!comparisons(std::iter::repeat_n(7, 100)).1);
        assert!(comparisons((0..1 << 15).map(|n| n * 3)).1);
        assert!(!comparisons((0..(1 << 15) + 1).map(|n| n * 3)).1);
    }
}
