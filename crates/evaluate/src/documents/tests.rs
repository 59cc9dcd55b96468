use super::*;
use crate::set::shared;
use proptest::prelude::*;

proptest! {
    #[test]
    fn pairs_are_those_of_all_sets(sets in prop::collection::vec(prop::collection::btree_set(0_u64..30, 0..12), 0..12)) {
        let sets: Vec<Vec<u64>> = sets.into_iter().map(set_of).collect();
        let mut found = Vec::new();
        each_pair(&sets, |a, b, count| found.push((b, a, count)));
        found.sort_unstable();
        let pairs = (0..sets.len()).flat_map(|b| (0..b).map(move |a| (b, a)));
        let expected = pairs.map(|(b, a)| (b, a, shared(&sets[a], &sets[b])));
        prop_assert_eq!(found, expected.filter(|pair| pair.2 > 0).collect::<Vec<_>>());
    }
}

#[test]
fn methods_find_the_near_copies_of_a_directory() {
    let scratch = crate::program::Scratch::new().expect("a directory");
    let pages = (0..40).map(|number| {
        let mut words = crate::words::text(number / 4, 900);
        for edit in 0..number % 4 * 4 {
            words[(edit * 53 % 900) as usize] = format!("edit{number}");
        }
        words.join(" ")
    });
    scratch
        .write_documents("pages.jsonl", "text", pages)
        .expect("written");
    let config = pipeline::default_config().expect("the default");
    let paths = vec![scratch.path("pages.jsonl").to_string_lossy().into_owned()];
    let evaluation = evaluate_documents(paths.clone(), &config).expect("documents");
    let table = &evaluation.tables[0];
    for (method, cells) in METHODS.iter().zip(&table.rows) {
        let Cell::Number(recall) = cells[4] else {
            panic!("{cells:?}")
        };
        // Sketches of 36 values, and super-shingles of them, may miss a pair near 0.5.
        assert!(
            recall > 0.8 || matches!(method, Method::SuperShingles(14) | Method::Bands(_)),
            "{evaluation}"
        );
    }
    let mut small = config;
    small.work.memory_bytes = 100_000;
    assert!(matches!(
        evaluate_documents(paths, &small),
        Err(Error::Budget(_))
    ));
}
