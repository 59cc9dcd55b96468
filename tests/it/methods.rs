//! Every method of sketches: the same bytes however a run is made, questions, and refusals.

use crate::harness::Place;
use std::collections::BTreeSet;

/// Each kind of method with sketches of a fixed size.
const FIXED: [&str; 8] = [
    r#"{ kind = "min", size = 24 }"#,
    r#"{ kind = "min-of-modulus", size = 24, modulus = 2 }"#,
    r#"{ kind = "minhash", permutations = 64 }"#,
    r#"{ kind = "minhash", permutations = 64, family = "linear" }"#,
    r#"{ kind = "minhash", permutations = 64, numpy-seed = 42 }"#,
    r#"{ kind = "minhash", permutations = 128, bands = 64 }"#,
    r#"{ kind = "super-shingles", size = 64, length = 2 }"#,
    r#"{ kind = "super-shingles", sketch = "minhash", permutations = 128, length = 2, shared = 2 }"#,
];

/// The links of a publication, as pairs of documents.
fn links(place: &Place) -> Vec<(i64, i64)> {
    let id = |row: &serde_json::Value, key: &str| row[key].as_i64().expect("a document");
    let rows = place.rows("pairs");
    rows.iter()
        .map(|row| (id(row, "a"), id(row, "b")))
        .collect()
}

#[test]
fn a_kill_is_resumed_to_the_same_bytes() {
    let place_of = |method: &str| {
        let place = Place::with_corpus(32, 60);
        place.config(&[&format!("sketch.method = {method}")]);
        place
    };
    let mut kills = 0;
    for (at, method) in FIXED.into_iter().enumerate() {
        let undisturbed = place_of(method);
        undisturbed.run();
        let golden = undisturbed.published();
        for operation in (1 + at..200).step_by(19) {
            let place = place_of(method);
            let mut command = place.command(&["run", "-q"]);
            command.env("PIPELINE_FAULT", format!("kill:any:{operation}"));
            let killed = command.output().expect("the program starts");
            kills += u32::from(!killed.status.success());
            place.run();
            assert!(golden == place.published(), "{method}, {operation}");
        }
    }
    assert!(kills >= 50, "only {kills} kills");
}

#[test]
fn threads_memory_and_earlier_runs_change_no_byte() {
    let place = Place::with_corpus(31, 300);
    for method in FIXED {
        let setting = format!("sketch.method = {method}");
        let mut first = None;
        for (threads, memory) in [("1", "64MiB"), ("2", "1GiB"), ("2", "64MiB")] {
            let (threads, memory) = (
                format!("work.threads = {threads}"),
                format!("work.memory = {memory:?}"),
            );
            place.config(&[
                &setting,
                &threads,
                &memory,
                "pairs.common-shingle-limit = 20",
            ]);
            // Without a work directory, and again with that of another method.
            if first.is_some() {
                std::fs::remove_dir_all(place.path("work")).expect("removed");
            }
            place.run();
            let files = place.published();
            let first = first.get_or_insert_with(|| files.clone());
            assert!(
                *first == files,
                "{method}: {threads}, {memory}: other bytes"
            );
        }
    }
}

/// Methods that keep one sketch and sort by other keys.
#[test]
fn other_keys_of_a_sketch_give_the_tables_of_a_fresh_run() {
    let kinds = [
        [
            r#"{ kind = "minhash", permutations = 64, bands = 1 }"#,
            r#"{ kind = "minhash", permutations = 64, bands = 32 }"#,
            r#"{ kind = "minhash", permutations = 64, bands = 8 }"#,
            r#"{ kind = "minhash", permutations = 64 }"#,
            r#"{ kind = "super-shingles", sketch = "minhash", permutations = 64, length = 2 }"#,
        ],
        [
            r#"{ kind = "super-shingles", size = 64, length = 20 }"#,
            r#"{ kind = "min", size = 64 }"#,
            r#"{ kind = "super-shingles", size = 64, length = 2 }"#,
            r#"{ kind = "super-shingles", size = 64, length = 2, shared = 4 }"#,
            r#"{ kind = "super-shingles", size = 64, length = 6 }"#,
        ],
    ];
    for methods in kinds {
        let place = Place::with_corpus(32, 200);
        let mut different = BTreeSet::new();
        for method in methods {
            place.config(&[&format!("sketch.method = {method}")]);
            place.run();
            let fresh = Place::with_corpus(32, 200);
            fresh.config(&[&format!("sketch.method = {method}")]);
            fresh.run();
            assert!(
                place.published() == fresh.published(),
                "{method}: other bytes"
            );
            different.insert(links(&fresh));
        }
        assert!(different.len() > 2, "{methods:?}");
    }
}

#[test]
fn right_links_are_found_and_compared_exactly() {
    let place = Place::with_corpus(32, 1200);
    place.config(&[
        r#"sketch.method = { kind = "modulus", modulus = 1 }"#,
        "work.memory = \"1GiB\"",
        "pairs.common-shingle-limit = \"unlimited\"",
        "cluster.links = \"all\"",
    ]);
    place.run();
    let exact = links(&place);
    assert!(exact.len() > 40, "{}", exact.len());
    for method in FIXED {
        place.config(&[
            &format!("sketch.method = {method}"),
            "pairs.common-shingle-limit = \"unlimited\"",
            "cluster.links = \"all\"",
            "cluster.settle = \"links\"",
        ]);
        place.run();
        let found = links(&place);
        let wrong = found.iter().filter(|link| !exact.contains(link)).count();
        let right = found.len() - wrong;
        assert_eq!(wrong, 0, "{method}");
        assert!(
            100 * right >= 70 * exact.len(),
            "{method}: {right} of {}",
            exact.len()
        );
    }
}

#[test]
fn questions_are_answered_or_refused_with_the_reason() {
    let place = Place::with_corpus(33, 200);
    for method in FIXED {
        place.config(&[&format!("sketch.method = {method}")]);
        place.run();
        let (a, b) = links(&place)[0];
        let [a, b] = [a, b].map(|doc| doc.to_string());
        let like = place.pipeline(&["query", "like", "--json", &a]);
        like.exits(0);
        assert!(
            like.stdout().contains(&format!("\"doc_id\": {b},")),
            "{method}: {}",
            like.stdout()
        );
        for question in [
            &["compare", &a, &b][..],
            &["explain", &a, &b],
            &["tune"],
            &["verify"],
            &["status"],
            &["dedup", "--dry-run"],
        ] {
            place.pipeline(question).exits(0);
        }
        for question in [
            &["query", "within", &a][..],
            &["query", "contains", &a],
            &["dedup", "--dry-run", "--lossless", "0.9"],
        ] {
            let refused = place.pipeline(question);
            refused.exits(2);
            refused.says("containment");
        }
        place.config(&[
            &format!("sketch.method = {method}"),
            "cluster.containment = 0.9",
        ]);
        let refused = place.pipeline(&["run"]);
        refused.exits(2);
        refused.says(
            "containment in [cluster]: the method in [sketch] keeps sketches of a fixed size",
        );
    }
}

/// Min-hashes do not say how long a document is.
#[test]
fn no_containment_is_estimated_from_min_hashes() {
    let place = Place::with_corpus(33, 200);
    for method in FIXED {
        let is_minhash = method.contains("minhash");
        place.config(&[
            &format!("sketch.method = {method}"),
            "cluster.settle = \"off\"",
        ]);
        place.run();
        let rows = place.rows("pairs");
        assert!(!rows.is_empty(), "{method}");
        for row in &rows {
            for column in ["size_a", "containment_a_in_b", "containment_b_in_a_high"] {
                assert_eq!(row[column].is_null(), is_minhash, "{method}: {row}");
            }
            assert!(row["resemblance_low"].is_number(), "{method}: {row}");
        }
        let removed = place.rows("removed");
        let near = removed.iter().filter(|row| row["class"] == "similar");
        let near: Vec<_> = near.collect();
        assert!(!near.is_empty(), "{method}");
        assert!(
            near.iter()
                .all(|row| row["containment_in_kept"].is_null() == is_minhash),
            "{method}"
        );
        let [a, b] = ["a", "b"].map(|side| rows[0][side].to_string());
        let compared = place.pipeline(&["compare", "--json", &a, &b]);
        compared.exits(0);
        let compared: serde_json::Value = serde_json::from_str(&compared.stdout()).expect("JSON");
        let (exact, estimated) = (&compared["exact"], &compared["estimated"]);
        assert!(exact["containment_a_in_b"].is_object(), "{compared}");
        assert_eq!(
            estimated["containment_a_in_b"].is_null(),
            is_minhash,
            "{compared}"
        );
        let shown = place.pipeline(&["compare", &a, &b]);
        assert_eq!(
            shown.stdout().contains("min-hashes are equal"),
            is_minhash,
            "{}",
            shown.stdout()
        );
    }
}

/// Each family of fingerprints, each width. The lowest bits of the multiplicative one are bad, so
/// that a sample by a modulus may miss links; no family finds wrong ones.
#[test]
fn every_family_of_fingerprints_finds_the_links() {
    let place = Place::with_corpus(33, 300);
    let found = |family: &str, bits: u32, threads: u32| {
        place.config(&[
            &format!("sketch.fingerprint = {family:?}"),
            &format!("sketch.fingerprint-bits = {bits}"),
            &format!("work.threads = {threads}"),
            "pairs.common-shingle-limit = \"unlimited\"",
            "cluster.links = \"all\"",
            "cluster.settle = \"links\"",
        ]);
        place.run();
        links(&place)
    };
    let ours = found("keyed", 64, 2);
    assert!(ours.len() > 10, "{}", ours.len());
    for (family, bits) in [
        ("keyed", 32),
        ("rabin", 64),
        ("rabin", 40),
        ("modular", 64),
        ("multiplicative", 40),
        ("murmur3", 64),
        ("xxh64", 64),
        ("xxh3", 32),
    ] {
        let links = found(family, bits, 2);
        let wrong = links.iter().filter(|link| !ours.contains(link)).count();
        let missed = ours.iter().filter(|link| !links.contains(link)).count();
        assert!(
            wrong <= 1 && (missed <= 1 || family == "multiplicative"),
            "{family}: {wrong} {missed}"
        );
        let files = place.published();
        std::fs::remove_dir_all(place.path("work")).expect("removed");
        found(family, bits, 1);
        assert!(
            files == place.published(),
            "{family}: other bytes by one thread"
        );
    }
}

/// The rows of `evaluate` are those of the methods as a run has them.
#[test]
fn evaluate_finds_the_links_of_a_run() {
    let place = Place::with_corpus(32, 300);
    let methods = [
        ("modulus", 8, r#"{ kind = "modulus", modulus = 8 }"#),
        (
            "adaptive-modulus",
            64,
            r#"{ kind = "adaptive-modulus", target = 64 }"#,
        ),
        ("min", 100, r#"{ kind = "min", size = 100 }"#),
        (
            "min-of-modulus, 4",
            100,
            r#"{ kind = "min-of-modulus", size = 100, modulus = 4 }"#,
        ),
        (
            "minhash",
            100,
            r#"{ kind = "minhash", permutations = 100 }"#,
        ),
        (
            "minhash, linear",
            200,
            r#"{ kind = "minhash", family = "linear" }"#,
        ),
        (
            "minhash, bands of 10",
            200,
            r#"{ kind = "minhash", bands = 20 }"#,
        ),
        (
            "super-shingles of min, 200",
            14,
            r#"{ kind = "super-shingles", size = 200, length = 14 }"#,
        ),
        (
            "super-shingles of minhash, 200",
            6,
            r#"{ kind = "super-shingles", sketch = "minhash", permutations = 200, length = 6 }"#,
        ),
    ];
    let evaluated = place.pipeline(&["evaluate", "--json", "-c", "pipeline.toml", "crawl"]);
    evaluated.exits(0);
    let tables: serde_json::Value = serde_json::from_str(&evaluated.stdout()).expect("JSON");
    let rows = tables["tables"][0]["rows"].as_array().expect("rows");
    for (name, size, method) in methods {
        let of_method = |row: &&serde_json::Value| row["method"] == name && row["size"] == size;
        let row = rows.iter().find(of_method).expect("a row");
        place.config(&[
            &format!("sketch.method = {method}"),
            "pairs.common-shingle-limit = \"unlimited\"",
            "cluster.links = \"all\"",
            "cluster.settle = \"off\"",
            "work.memory = \"96MiB\"",
        ]);
        place.run();
        let found = links(&place).len();
        assert!(found > 0, "{method}");
        assert_eq!(row["links"], found, "{method}");
    }
}
