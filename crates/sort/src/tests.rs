//! The whole sort beside a sort in memory.

#[cfg(shuttle)]
mod interleavings;
mod partitioned;

use crate::{Combine, Distinct, KeepAll, SortSpec, Sorter, SumShared};
use format::{Disk, FormatError};
use model::{PairCount, Posting, Record};
use proptest::prelude::*;
use std::path::Path;

fn spec(dir: &Path, memory_bytes: usize, fan_in_max: usize) -> SortSpec {
    SortSpec {
        fan_in_max,
        ..SortSpec::new(
            Disk::default(),
            dir.to_path_buf(),
            "test".into(),
            memory_bytes,
        )
    }
}

fn sorted<R: Record, C: Combine<R>>(spec: SortSpec, records: &[R], combine: C) -> Vec<R> {
    let dir = spec.dir.clone();
    let mut sorter = Sorter::new(spec, combine);
    for record in records {
        sorter.push(*record).unwrap();
    }
    let mut sorted = sorter.finish().unwrap();
    let mut out = Vec::new();
    while let Some(record) = sorted.next().unwrap() {
        out.push(record);
    }
    drop(sorted);
    assert_eq!(
        std::fs::read_dir(dir).unwrap().count(),
        0,
        "runs were left behind"
    );
    out
}

fn postings() -> impl Strategy<Value = Vec<Posting>> {
    proptest::collection::vec(
        (0u64..300, 0u32..20).prop_map(|(shingle, doc)| Posting { shingle, doc }),
        0..600,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn sorts_like_memory(records in postings(), memory in 40usize..3000, fan_in in 2usize..7) {
        let dir = tempfile::tempdir().unwrap();
        let mut expected = records.clone();
        expected.sort_unstable();
        prop_assert_eq!(&sorted(spec(dir.path(), memory, fan_in), &records, KeepAll), &expected);
        expected.dedup();
        prop_assert_eq!(&sorted(spec(dir.path(), memory, fan_in), &records, Distinct), &expected);
    }

    #[test]
    fn adds_like_a_map(pairs in proptest::collection::vec((0u32..12, 0u32..12, 1u32..4), 0..500), memory in 30usize..2000) {
        let dir = tempfile::tempdir().unwrap();
        let mut map = std::collections::BTreeMap::new();
        for (a, b, n) in &pairs {
            *map.entry((*a, *b)).or_insert(0) += n;
        }
        let expected: Vec<PairCount> = map.into_iter().map(|((a, b), shared)| PairCount { a, b, shared }).collect();
        let records: Vec<PairCount> = pairs.iter().map(|&(a, b, shared)| PairCount { a, b, shared }).collect();
        prop_assert_eq!(sorted(spec(dir.path(), memory, 3), &records, SumShared), expected);
    }
}

#[test]
fn many_spilled_records_come_out_in_order() {
    let mut state = 7_u64;
    let records: Vec<Posting> = (0..100_000)
        .map(|doc| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            Posting {
                shingle: state >> 40,
                doc,
            }
        })
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let mut expected = records.clone();
    expected.sort_unstable();
    assert_eq!(
        sorted(spec(dir.path(), 64 << 10, 5), &records, KeepAll),
        expected
    );
}

#[test]
fn every_failing_operation_is_reported() {
    use format::{DiskOptions, Faults};
    let records: Vec<Posting> = (0..400)
        .map(|i| Posting {
            shingle: 400 - u64::from(i),
            doc: i,
        })
        .collect();
    let mut failures = 0;
    for nth in 1.. {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::new(DiskOptions {
            faults: Faults::failing(None, nth, 5),
            ..DiskOptions::default()
        });
        let mut sorter = Sorter::new(
            SortSpec {
                disk,
                ..spec(dir.path(), 600, 3)
            },
            KeepAll,
        );
        let result = (|| {
            for record in &records {
                sorter.push(*record)?;
            }
            let mut sorted = sorter.finish()?;
            let mut out = 0;
            while sorted.next()?.is_some() {
                out += 1;
            }
            Ok::<_, FormatError>(out)
        })();
        match result {
            Err(_) => failures += 1,
            Ok(n) => {
                // Only a failing removal may pass unreported: the run is then left for the next
                // start to clear.
                assert_eq!(n, 400);
                if nth > 300 {
                    break;
                }
            }
        }
    }
    assert!(failures > 50, "{failures}");
}
