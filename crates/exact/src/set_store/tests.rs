//! Sets in memory and on disk, and comparisons of all pairs.

use super::*;
use crate::SetOverlap;
use engine::{Engine, PhaseName, runtime::progress::Reporter};
use format::{Disk, Manifest};
use proptest::prelude::*;
use sort::MemoryBudget;
use std::collections::{BTreeMap, BTreeSet};

/// The overlap of two sets, and the level of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PairOverlap {
    level: u8,
    overlap: SetOverlap,
}

/// The longest piece of a set that comes, and the longest chunk that is stored.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    piece: usize,
    chunk: usize,
}

/// Stores sets within a budget and compares all pairs.
fn overlaps(
    sets: &BTreeMap<u32, BTreeSet<u64>>,
    memory_bytes: usize,
    lengths: Lengths,
    is_folded: bool,
) -> BTreeMap<[u32; 2], PairOverlap> {
    let dir = testbed::tempdir();
    let case = testkit::OracleCase::from_seed(1);
    let config = testbed::config(&case.params, dir.path());
    let reporter = Reporter::silent();
    let mut engine = Engine::over(&config, Disk::default(), Manifest::default(), &reporter);
    engine.budget = MemoryBudget::new(memory_bytes + if is_folded { 4 << 20 } else { 0 });
    let place = Workplace::of(&engine, PhaseName::Pairs);
    std::fs::create_dir_all(&place.dir).unwrap();
    let feeder = SetFeeder {
        chunk_shingles: lengths.chunk,
        ..SetFeeder::new(&place, 1000).unwrap()
    };
    if is_folded {
        let memory = engine.budget.reserve("sets", memory_bytes).unwrap();
        feeder.lock().memory = memory;
    }
    let mut thread = feeder.thread();
    for (doc, set) in sets {
        let list: Vec<u64> = set.iter().copied().collect();
        let mut unfinished = thread.begin(*doc, (doc % 7) as u8).unwrap();
        let (lowest, higher) = list.split_at(list.len().min(lengths.piece));
        for piece in higher.rchunks(lengths.piece) {
            thread.push_piece(&mut unfinished, piece).unwrap();
        }
        thread.push_last_piece(&mut unfinished, lowest).unwrap();
        thread.push(*doc, 9, &[]).unwrap();
    }
    let mut store = feeder.finish().unwrap();
    assert_eq!(store.cell(999).unwrap(), 0);
    if is_folded {
        let sample: Vec<u32> = sets.keys().copied().chain([998]).collect();
        store = store.fold(&sample).unwrap();
    }
    let docs = || sets.keys().copied().chain([998]);
    let mut pairs = docs().flat_map(|a| docs().map(move |b| [a, b]));
    let mut all = BTreeMap::new();
    let compare = |[one, other]: [ShingleSet<'_>; 2]| PairOverlap {
        level: one.level,
        overlap: SetOverlap::of(one, other),
    };
    let take = |pair: [u32; 2], compared: Option<PairOverlap>| {
        assert_eq!(pair.contains(&998), compared.is_none());
        all.extend(compared.map(|compared| (pair, compared)));
        Ok(())
    };
    let join = |one: PairOverlap, other: PairOverlap| {
        assert_eq!(one.level, other.level);
        PairOverlap {
            level: one.level,
            overlap: one.overlap.plus(other.overlap),
        }
    };
    store
        .compare_pairs(|| Ok(pairs.next()), compare, join, take)
        .unwrap();
    let (readers, bytes) = (store.readers_max(), 2 * 8 * store.largest as usize);
    let fits = readers.saturating_mul(bytes) <= store.memory.bytes();
    assert!(readers == 1 || store.words.is_some() || fits);
    store.remove().unwrap();
    assert_eq!(std::fs::read_dir(&place.dir).unwrap().count(), 0);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn sets_are_found_in_memory_and_on_disk(
        sets in prop::collection::btree_map(0u32..998, prop::collection::btree_set(0u64..400, 0..200), 1..12),
        frame in prop::collection::btree_set(u64::MAX - 5000.., 0..300),
        large in prop::collection::btree_set(any::<u64>(), 0..3000), other in prop::collection::btree_set(any::<u64>(), 0..3000),
        piece in 1usize..5000, chunk in prop_oneof![5usize..50, 500usize..5000],
    ) {
        let mut sets = sets;
        // a set of several chunks, of which the highest may hold a frame, too
        let large: BTreeSet<u64> = large.into_iter().chain(frame.iter().copied()).collect();
        for set in sets.iter_mut().filter(|(doc, _)| *doc % 4 != 0).map(|(_, set)| set) {
            set.extend(frame.iter().skip(set.len() % 30));
        }
        let lengths = Lengths { piece, chunk };
        sets.insert(501, other.iter().chain(large.iter().step_by(3)).copied().collect());
        sets.insert(500, large);
        let overlap = |x: &BTreeSet<u64>, y: &BTreeSet<u64>| {
            SetOverlap { shared: x.intersection(y).count() as u32, size_a: x.len() as u32, size_b: y.len() as u32 }
        };
        let expected: BTreeMap<[u32; 2], PairOverlap> = sets.iter().flat_map(|(a, x)| sets.iter().map(move |(b, y)| {
            ([*a, *b], PairOverlap { level: (a % 7) as u8, overlap: overlap(x, y) })
        })).collect();
        for memory_bytes in [0, 9_000, 60_000, 1 << 20] {
            for is_folded in [false, true] {
                prop_assert_eq!(&overlaps(&sets, memory_bytes, lengths, is_folded), &expected);
            }
        }
    }
}
