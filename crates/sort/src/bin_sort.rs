//! Sorting the records of a bin: one more round of parting by prefix, then insertion.
//!
//! *Algorithm.* The prefixes' range is cut into about half as many buckets as there are records;
//! records are counted, moved to their buckets in a scratch buffer, and moved back; what is out of
//! order within a bucket is put right by one insertion pass (distributive partitioning:
//! Dobosiewicz, *Sorting by distributive partitioning*, 1978). Buckets that got many records, and
//! bins of one prefix, go to the standard library's sort, so that no input takes more than n log n.
//! *Memory.* The scratch buffer: as many records as the bin.

use model::Record;

/// Up to here insertion alone is fastest.
const INSERTION_MAX: usize = 20;
/// Larger bins are sorted where they are: they do not fit the cache, and have no scratch.
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

/// Linear where records are nearly in order.
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
