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
const BUCKETS_MAX: usize = 1024;

/// Sorts a bin.
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
    let bucket = |record: &R| ((record.prefix() - low) >> shift) as usize & (BUCKETS_MAX - 1);
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
            let end = end as usize;
            if end - from > INSERTION_MAX {
                records[from..end].sort_unstable();
            }
            from = end;
        }
    }
    insertion_sort(records);
}

/// Takes linear time if records are nearly in order.
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
    use model::Posting;
    use proptest::prelude::*;

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
}
