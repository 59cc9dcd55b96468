//! Sets in memory and on disk, and comparisons of all pairs.

use super::*;
use crate::SetOverlap;
use engine::Engine;
use format::{Disk, Manifest};
use proptest::prelude::*;
use runtime::PhaseName;
use runtime::progress::Reporter;
use sort::MemoryBudget;
use std::collections::{BTreeMap, BTreeSet};

/// Stores sets within a budget and compares all pairs.
fn overlaps(
    sets: &BTreeMap<u32, BTreeSet<u64>>,
    memory_bytes: usize,
) -> BTreeMap<[u32; 2], (u8, SetOverlap)> {
    let dir = testbed::tempdir();
    let case = testkit::OracleCase::from_seed(1);
    let config = testbed::config(&case.params, dir.path());
    let reporter = Reporter::silent();
    let engine = Engine {
        budget: MemoryBudget::new(memory_bytes),
        ..Engine::over(&config, Disk::default(), Manifest::default(), &reporter)
    };
    let place = Workplace::of(&engine, PhaseName::Pairs);
    std::fs::create_dir_all(&place.dir).unwrap();
    let common = CommonShingles::none();
    let feeder = SetFeeder::new(&place, 1000, &common).unwrap();
    let mut thread = feeder.thread().unwrap();
    for (doc, set) in sets {
        let list: Vec<u64> = set.iter().copied().collect();
        thread.push(*doc, (doc % 7) as u8, &list).unwrap();
        thread.push(*doc, 9, &[]).unwrap();
    }
    drop(thread);
    let mut store = feeder.finish().unwrap();
    assert_eq!(store.cell(999).unwrap(), 0);
    let docs = || sets.keys().copied().chain([998]);
    let mut pairs = docs().flat_map(|a| docs().map(move |b| [a, b]));
    let mut all = BTreeMap::new();
    let compare =
        |[one, other]: [ShingleSet<'_>; 2]| (one.level, SetOverlap::of(one.content, other.content));
    let take = |pair: [u32; 2], compared: Option<(u8, SetOverlap)>| {
        assert_eq!(pair.contains(&998), compared.is_none());
        all.extend(compared.map(|compared| (pair, compared)));
        Ok(())
    };
    store
        .compare_pairs(|| Ok(pairs.next()), compare, take)
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
        sets in prop::collection::btree_map(0u32..998, prop::collection::btree_set(0u64..40, 0..60), 1..12),
        large in prop::collection::btree_set(any::<u64>(), 0..3000),
    ) {
        let mut sets = sets;
        sets.insert(500, large);
        let expected: BTreeMap<[u32; 2], (u8, SetOverlap)> = sets.iter().flat_map(|(a, x)| sets.iter().map(move |(b, y)| {
            let (shared, size_a, size_b) = (x.intersection(y).count() as u32, x.len() as u32, y.len() as u32);
            ([*a, *b], ((a % 7) as u8, SetOverlap { shared, size_a, size_b }))
        })).collect();
        for memory_bytes in [0, 9_000, 1 << 20] {
            prop_assert_eq!(&overlaps(&sets, memory_bytes), &expected);
        }
    }
}
