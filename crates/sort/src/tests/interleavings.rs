//! Threads that work together, in many orders of their steps (shuttle): `scripts/models`.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, thread};
use crate::workers::{Answer, Workers, answer};
use crate::{Keep, MemoryBudget, Prefixes, Share, SortSpec, Sorter};
use format::{Disk, FormatError};
use model::Posting;
use std::path::Path;

/// How many orders are tried at random, and how many with few context switches, which finds other
/// mistakes (Burckhardt and others, *A randomized scheduler with probabilistic guarantees of
/// finding bugs*, 2010).
const ORDERS: usize = 2000;

fn in_many_orders(steps: impl Fn() + Send + Sync + 'static) {
    let steps = Arc::new(steps);
    let again = Arc::clone(&steps);
    shuttle::check_random(move || again(), ORDERS);
    shuttle::check_pct(move || steps(), ORDERS, 3);
}

#[test]
fn workers_answer_each_task_and_end() {
    in_many_orders(|| {
        let workers = Workers::start(2);
        let give = |n| {
            let (sender, answer) = answer();
            workers.give(Box::new(move || {
                // A task may end without an answer.
                if n != 1 {
                    sender.send(n);
                }
            }));
            answer
        };
        let first = give(0);
        let others: Vec<Answer<u32>> = (1..4).map(give).collect();
        assert_eq!(first.wait(), Some(0));
        drop(workers);
        let others: Vec<Option<u32>> = others.into_iter().map(Answer::wait).collect();
        assert_eq!(others, [None, Some(2), Some(3)]);
    });
}

#[test]
fn a_budget_is_never_exceeded_and_all_of_it_comes_back() {
    in_many_orders(|| {
        let budget = MemoryBudget::new(100);
        let held = Arc::new(AtomicUsize::new(0));
        let reserve = |own: usize| {
            let (budget, held) = (budget.clone(), Arc::clone(&held));
            thread::spawn(move || {
                for wants_share in [false, true] {
                    let reserved = match wants_share {
                        true => Some(budget.take(Share::of(1, 2))),
                        false => budget.reserve("test", own).ok(),
                    };
                    let Some(reserved) = reserved else { continue };
                    let before = held.fetch_add(reserved.bytes(), Ordering::SeqCst);
                    assert!(before + reserved.bytes() <= 100);
                    held.fetch_sub(reserved.bytes(), Ordering::SeqCst);
                }
            })
        };
        for thread in [40, 50, 60].map(reserve) {
            thread.join().unwrap();
        }
        assert_eq!(budget.free_bytes(), 100);
        assert!((60..=100).contains(&budget.peak_bytes()));
    });
}

/// The key of most records; the part that has it does not fit memory.
const HOT: u64 = 3 << 62;

/// Memory for four parts, and for sorting two of the small ones at once.
const MEMORY_BYTES: usize = 3000;

/// A few records of each of three parts, and many of one key.
fn postings() -> Vec<Posting> {
    let posting = |doc| Posting {
        shingle: match doc % 16 {
            3.. => HOT,
            part => u64::from(part) << 62 | u64::from(doc),
        },
        doc,
    };
    (0..300).rev().map(posting).collect()
}

/// Two threads push the records, by a feeder each.
fn fed(dir: &Path, records: &[Posting]) -> Sorter<Posting, Keep> {
    let spec = SortSpec {
        threads: 2,
        fan_in_max: 4,
        prefixes: Prefixes::ALL,
        ..SortSpec::new(Disk::default(), dir.into(), "test".into(), MEMORY_BYTES)
    };
    let sorter = Sorter::new(spec, Keep);
    thread::scope(|scope| {
        for share in records.chunks(records.len() / 2) {
            let mut feeder = sorter.feeder();
            scope.spawn(move || {
                share
                    .iter()
                    .for_each(|record| feeder.push(*record).unwrap());
                feeder.finish().unwrap();
            });
        }
    });
    sorter
}

#[test]
fn feeders_lose_nothing_and_workers_sort_ahead_in_order() {
    in_many_orders(|| {
        let dir = tempfile::tempdir().unwrap();
        let mut records = postings();
        let mut sorted = fed(dir.path(), &records).finish().unwrap();
        records.sort_unstable();
        for record in records {
            assert_eq!(sorted.next().unwrap(), Some(record));
        }
        assert_eq!(sorted.next().unwrap(), None);
    });
}

#[test]
fn a_part_that_does_not_fit_memory_is_used_alone() {
    in_many_orders(|| {
        let dir = tempfile::tempdir().unwrap();
        let mut records = postings();
        let sorter = fed(dir.path(), &records);
        let (using, hot) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let parts = sorter.finish().unwrap().for_each_part(|part| {
            let others = using.fetch_add(1, Ordering::SeqCst);
            let mut own = Vec::new();
            while let Some(slice) = part.next_slice()? {
                own.extend_from_slice(slice);
            }
            if own.iter().any(|record| record.shingle == HOT) {
                hot.fetch_add(1, Ordering::SeqCst);
                assert_eq!(others, 0, "others are in memory");
                assert_eq!(using.load(Ordering::SeqCst), 1, "others came into memory");
            }
            using.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, FormatError>(own)
        });
        records.sort_unstable();
        assert_eq!(parts.unwrap().concat(), records);
        assert_eq!(hot.load(Ordering::SeqCst), 1);
    });
}

#[derive(Debug, PartialEq)]
struct Failed(usize);

impl From<FormatError> for Failed {
    fn from(error: FormatError) -> Failed {
        panic!("{error}");
    }
}

#[test]
fn the_first_part_that_fails_is_the_error() {
    in_many_orders(|| {
        let dir = tempfile::tempdir().unwrap();
        let sorter = fed(dir.path(), &postings());
        let failed = sorter
            .finish()
            .unwrap()
            .for_each_part(|part| match part.index() {
                0 => Ok(()),
                index => Err(Failed(index)),
            });
        assert_eq!(failed, Err(Failed(1)));
    });
}
