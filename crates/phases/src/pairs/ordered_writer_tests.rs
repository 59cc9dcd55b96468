//! Threads that write in turn, in many orders of their steps (shuttle): `scripts/models`.

use super::*;
use format::{Disk, Durability, FileKind, RecordReader, RecordSpec};
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::thread;

/// How many ranges there are, and how many pairs each has.
const RANGES: usize = 5;
const PAIRS: u32 = 3;

fn pair(range: usize, b: u32) -> PairCount {
    PairCount {
        a: range as u32,
        b,
        shared: 1,
    }
}

/// Two threads take ranges; the one that meets the range `failing` ends there. Gives the pairs in
/// the file.
fn write(failing: usize) -> Vec<PairCount> {
    let dir = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let path = dir.path().join("pairs");
    let spec = RecordSpec {
        durability: Durability::Scratch,
        ..RecordSpec::durable(path.clone(), FileKind::Pairs, [0; 16])
    };
    let writer = RecordWriter::create(&disk, spec).unwrap();
    let ordered = OrderedPairs::new(writer, SnapshotCounter::of(&[]));
    let next = AtomicUsize::new(0);
    let count = || -> Result<(), Stop> {
        let mut waiting = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= RANGES {
                return Ok(());
            }
            let mut turn = ordered.turn_of(number, &mut waiting, 2);
            if number == failing {
                return Err(None);
            }
            for b in 0..PAIRS {
                turn.push(pair(number, b))?;
            }
            turn.finish()?;
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let ended = count();
                assert!(failing < RANGES || ended.is_ok());
            });
        }
    });
    let (sealed, _) = ordered.finish().unwrap();
    let mut reader = RecordReader::<PairCount>::open(&disk, &path, FileKind::Pairs).unwrap();
    let mut pairs = Vec::new();
    while let Some(pair) = reader.next().unwrap() {
        pairs.push(pair);
    }
    assert_eq!(sealed.records, pairs.len() as u64);
    pairs
}

/// Tries 2000 orders at random, and as many with few context switches.
fn in_many_orders(failing: usize, written: usize) {
    let expected = move || (0..written).flat_map(|range| (0..PAIRS).map(move |b| pair(range, b)));
    let check = move || assert!(write(failing).into_iter().eq(expected()));
    shuttle::check_random(check, 2000);
    shuttle::check_pct(check, 2000, 3);
}

#[test]
fn pairs_are_in_the_order_of_their_ranges() {
    in_many_orders(RANGES, RANGES);
}

#[test]
fn a_range_that_fails_ends_all_threads_after_those_before_it() {
    in_many_orders(2, 2);
}
