//! Sorts that partition their records, with every kind of skew, feeders, threads, ways to take
//! records and ways to access the disk.

use crate::{Combine, Distinct, KeepAll, Prefixes, SortSpec, Sorted, Sorter, SumShared};
use format::{Disk, DiskOptions, Faults, FormatError, IoMode};
use model::{PairCount, Posting, Record};
use proptest::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How keys are spread.
#[derive(Clone, Copy, Debug)]
enum Spread {
    Even,
    OneKey,
    Ascending,
    HotRange,
    TwoEnds,
    FewKeys,
    Steps,
}

const SPREADS: [Spread; 7] = [
    Spread::Even,
    Spread::OneKey,
    Spread::Ascending,
    Spread::HotRange,
    Spread::TwoEnds,
    Spread::FewKeys,
    Spread::Steps,
];

impl Spread {
    fn postings(self, records: u32, seed: u64) -> Vec<Posting> {
        let mut state = seed | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let key = |n: u64, random: u64| match self {
            Spread::Even => random,
            Spread::OneKey => 1 << 40,
            Spread::Ascending => n << 32,
            Spread::HotRange if !random.is_multiple_of(9) => (5 << 60) + (random >> 40),
            Spread::TwoEnds if random & 1 == 0 => random >> 50,
            Spread::TwoEnds => u64::MAX - (random >> 50),
            Spread::FewKeys => (random % 7) << 61,
            // Half of the records in the first half of what is left, again and again.
            Spread::Steps => u64::MAX >> (random % 64),
            Spread::HotRange => random,
        };
        (0..records)
            .map(|n| Posting {
                shingle: key(u64::from(n), random()),
                doc: random() as u32 % 50,
            })
            .collect()
    }
}

/// How records are taken.
#[derive(Clone, Copy, Debug)]
enum Taking {
    Single,
    Slices,
    Mixed,
    Parts,
}

fn take<R: Record, C: Combine<R>>(
    mut sorted: Sorted<R, C>,
    taking: Taking,
) -> Result<Vec<R>, FormatError> {
    let mut out = Vec::new();
    match taking {
        Taking::Single => {
            while let Some(record) = sorted.next()? {
                out.push(record);
            }
        }
        Taking::Slices => {
            while let Some(records) = sorted.next_slice()? {
                assert!(!records.is_empty());
                out.extend_from_slice(records);
            }
        }
        Taking::Mixed => {
            while let Some(record) = sorted.next()? {
                out.push(record);
                out.extend_from_slice(sorted.next_slice()?.unwrap_or_default());
            }
        }
        Taking::Parts => {
            let parts = sorted.for_each_part(|part| {
                let mut records = Vec::new();
                while let Some(slice) = part.next_slice()? {
                    records.extend_from_slice(slice);
                }
                Ok::<_, FormatError>((part.index(), records))
            })?;
            let mut last = None;
            for (expected, (index, records)) in parts.into_iter().enumerate() {
                assert_eq!(index, expected);
                assert!(
                    records.first().map(R::prefix) > last || records.is_empty(),
                    "a prefix in two parts"
                );
                last = records.last().map(R::prefix).or(last);
                out.extend(records);
            }
        }
    }
    Ok(out)
}

fn push_all(sorter: &mut Sorter<Posting, KeepAll>, records: &[Posting]) {
    let mut records = records.iter();
    records.try_for_each(|one| sorter.push(*one)).unwrap();
}

/// Pushes records through so many feeders, or none, and takes them.
fn run<R: Record, C: Combine<R>>(
    sorter: Sorter<R, C>,
    records: &[R],
    feeders: usize,
    taking: Taking,
) -> Result<Vec<R>, FormatError> {
    let mut sorter = sorter;
    let (own, fed) = records.split_at(if feeders == 0 {
        records.len()
    } else {
        records.len() / 5
    });
    own.iter().try_for_each(|record| sorter.push(*record))?;
    let feed = |share: &[R]| {
        let mut feeder = sorter.feeder();
        share.iter().try_for_each(|record| feeder.push(*record))?;
        feeder.finish()
    };
    std::thread::scope(|scope| {
        let shares = fed.chunks(fed.len().div_ceil(feeders.max(1)).max(1));
        let threads: Vec<_> = shares
            .map(|share| scope.spawn(move || feed(share)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    assert_eq!(sorter.pushed(), records.len() as u64);
    take(sorter.finish()?, taking)
}

fn spec(dir: &Path, memory_bytes: usize, io: IoMode) -> SortSpec {
    let disk = Disk::new(DiskOptions {
        io,
        ..DiskOptions::default()
    });
    SortSpec::new(disk, dir.to_path_buf(), "test".into(), memory_bytes)
}

fn expectation() -> impl Strategy<Value = Prefixes> {
    prop_oneof![
        Just(Prefixes::UNKNOWN),
        Just(Prefixes::ALL),
        Just(Prefixes::ALL_BY_NUMBER),
        (0u32..5000).prop_map(Prefixes::documents),
        (any::<u64>(), any::<u64>()).prop_map(|(first, last)| Prefixes::between(first, last)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn whatever_the_skew_the_threads_and_the_disk(
        spread in proptest::sample::select(&SPREADS[..]),
        records in 0u32..12_000,
        (memory, seed) in (3_000usize..150_000, any::<u64>()),
        (threads, feeders) in (1usize..4, 0usize..4),
        taking in proptest::sample::select(&[Taking::Single, Taking::Slices, Taking::Mixed, Taking::Parts][..]),
        io in proptest::sample::select(&[IoMode::Auto, IoMode::Buffered, IoMode::Direct][..]),
        prefixes in expectation(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let records = spread.postings(records, seed);
        let mut expected = records.clone();
        expected.sort_unstable();
        let spec = SortSpec { threads, prefixes, fan_in_max: 40, ..spec(dir.path(), memory, io) };
        let feeders = feeders.min(threads);
        let sorted = run(Sorter::new(spec.clone(), KeepAll), &records, feeders, taking).unwrap();
        prop_assert!(sorted == expected, "{} records", records.len());
        expected.dedup();
        let sorted = run(Sorter::new(spec, Distinct), &records, feeders, taking).unwrap();
        prop_assert!(sorted == expected);
        prop_assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "files were left behind");
    }

    #[test]
    fn counts_add_up_whatever_the_threads(
        documents in 2u32..400, records in 0usize..8000, memory in 3_000usize..100_000, threads in 1usize..4, seed: u64,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let pairs: Vec<PairCount> = Spread::Even.postings(records as u32, seed).iter()
            .map(|p| PairCount { a: p.shingle as u32 % documents, b: (p.shingle >> 32) as u32 % documents, shared: p.doc % 3 + 1 })
            .collect();
        let mut map = std::collections::BTreeMap::new();
        pairs.iter().for_each(|pair| *map.entry((pair.a, pair.b)).or_insert(0) += pair.shared);
        let expected: Vec<PairCount> = map.into_iter().map(|((a, b), shared)| PairCount { a, b, shared }).collect();
        let spec = SortSpec { threads, ..spec(dir.path(), memory, IoMode::Auto) };
        let sorter = Sorter::new(spec, SumShared).expecting(Prefixes::documents(documents));
        prop_assert_eq!(run(sorter, &pairs, threads, Taking::Parts).unwrap(), expected);
    }
}

#[test]
fn what_fits_memory_is_never_written() {
    let dir = tempfile::tempdir().unwrap();
    for threads in [1, 2] {
        let spec = SortSpec {
            threads,
            ..spec(dir.path(), 1 << 20, IoMode::Auto)
        };
        let disk = spec.disk.clone();
        let records = Spread::Even.postings(40_000, 3);
        let sorted = run(Sorter::new(spec, KeepAll), &records, 0, Taking::Single).unwrap();
        assert_eq!((sorted.len(), disk.traffic()), (40_000, (0, 0)));
    }
}

#[test]
fn even_keys_are_written_once_and_skewed_ones_a_few_times() {
    for (spread, times) in [
        (Spread::Even, 1.05),
        (Spread::FewKeys, 2.1),
        (Spread::HotRange, 2.1),
        (Spread::OneKey, 2.1),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let spec = SortSpec {
            prefixes: Prefixes::ALL,
            ..spec(dir.path(), 1 << 20, IoMode::Buffered)
        };
        let disk = spec.disk.clone();
        let records = spread.postings(200_000, 5);
        run(Sorter::new(spec, KeepAll), &records, 0, Taking::Slices).unwrap();
        let packed = (records.len() * Posting::SIZE) as f64;
        let written = disk.traffic().0 as f64 / packed;
        assert!(
            written > 0.5 && written < times,
            "{spread:?}: {written} times the records"
        );
    }
}

#[test]
fn a_feeder_dropped_with_records_fails_the_sort() {
    let dir = tempfile::tempdir().unwrap();
    let sorter = Sorter::new(spec(dir.path(), 1 << 20, IoMode::Auto), KeepAll);
    sorter
        .feeder()
        .push(Posting { shingle: 1, doc: 1 })
        .unwrap();
    assert!(sorter.finish().is_err());
    let sorter: Sorter<Posting, KeepAll> =
        Sorter::new(spec(dir.path(), 1 << 20, IoMode::Auto), KeepAll);
    drop(sorter.feeder());
    assert!(sorter.finish().is_ok(), "an empty one loses nothing");
}

#[test]
fn every_failing_operation_is_reported() {
    let ways = [
        (IoMode::Buffered, 1, Taking::Single, Spread::HotRange),
        // Even keys, so that threads have parts to sort.
        (IoMode::Buffered, 2, Taking::Slices, Spread::Even),
        (IoMode::Direct, 2, Taking::Parts, Spread::HotRange),
    ];
    for (io, threads, taking, spread) in ways {
        let records = spread.postings(4000, 9);
        let mut failures = 0;
        for nth in 1.. {
            let dir = tempfile::tempdir().unwrap();
            let faults = Faults::failing(None, nth, 5);
            let disk = Disk::new(DiskOptions {
                faults,
                io,
                ..DiskOptions::default()
            });
            let spec = SortSpec {
                disk: disk.clone(),
                threads,
                ..spec(dir.path(), 16 << 10, io)
            };
            match run(Sorter::new(spec, KeepAll), &records, threads - 1, taking) {
                Err(_) => failures += 1,
                // Only a failing removal may pass unreported: the file is then left for the next
                // start to clear.
                Ok(sorted) => {
                    assert_eq!(sorted.len(), records.len());
                    if nth > disk.operations().iter().sum() {
                        break;
                    }
                }
            }
        }
        assert!(failures > 20, "{failures} with {io:?}");
    }
}

#[test]
fn damage_to_what_was_put_aside_is_reported() {
    let records = Spread::Even.postings(8000, 11);
    for (threads, taking) in [
        (1, Taking::Single),
        (2, Taking::Slices),
        (2, Taking::Parts),
        (1, Taking::Parts),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let spec = SortSpec {
            threads,
            ..spec(dir.path(), 96 << 10, IoMode::Auto)
        };
        let mut sorter = Sorter::new(spec, KeepAll);
        push_all(&mut sorter, &records);
        let sorted = sorter.finish().unwrap();
        let mut damaged = 0;
        for entry in std::fs::read_dir(dir.path()).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[100] ^= 4;
            std::fs::write(&path, bytes).unwrap();
            damaged += 1;
        }
        assert!(damaged > 0, "nothing was spilled");
        let error = take(sorted, taking).expect_err("damage");
        assert!(matches!(error, FormatError::Damaged { .. }), "{error}");
    }
}

#[test]
fn after_a_failure_no_part_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let mut sorter = Sorter::new(spec(dir.path(), 96 << 10, IoMode::Auto), KeepAll);
    push_all(&mut sorter, &Spread::Even.postings(8000, 11));
    let used = AtomicUsize::new(0);
    let failed = sorter.finish().unwrap().for_each_part(|_| {
        used.fetch_add(1, Ordering::Relaxed);
        Err::<(), _>(FormatError::Interrupted)
    });
    assert!(failed.is_err());
    assert_eq!(used.into_inner(), 1, "of several parts");
}

#[test]
fn records_taken_before_the_parts_do_not_come_again() {
    let records = Spread::Even.postings(8000, 11);
    let mut expected = records.clone();
    expected.sort_unstable();
    for taken in [0, 1] {
        let dir = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(spec(dir.path(), 96 << 10, IoMode::Auto), KeepAll);
        push_all(&mut sorter, &records);
        let mut sorted = sorter.finish().unwrap();
        for record in &expected[..taken] {
            assert_eq!(sorted.next().unwrap().as_ref(), Some(record));
        }
        let parts = sorted.for_each_part(|part| {
            let mut own = Vec::new();
            while let Some(slice) = part.next_slice()? {
                own.extend_from_slice(slice);
            }
            Ok::<_, FormatError>(own)
        });
        let parts = parts.unwrap();
        assert_eq!(parts.len() > 1, taken == 0, "{} parts", parts.len());
        assert!(parts.concat() == expected[taken..]);
    }
}
