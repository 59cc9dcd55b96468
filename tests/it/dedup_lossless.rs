//! `pipeline dedup --lossless`: what is contained in a document that stays; and copies of many
//! corpora.

use crate::dedup::{copies, lines, lines_of_input, published, removed, value};
use crate::harness::{Place, files_below};
use parquet::record::Row;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn lossless_keeps_what_is_not_contained_in_what_is_kept() {
    let place = Place::with_corpus(63, 600);
    place.config(&["cluster.resemblance = 0.3"]);
    place.run();
    copies(&place, "all", &[]);
    let all = removed(&place, "all");
    let mut elsewhere = 0;
    for share in ["0.7", "0.9", "1"] {
        copies(&place, share, &["--lossless", share]);
        let some = removed(&place, share);
        let enough = |row: &Row| {
            value(row, "containment_in_kept")
                .as_f64()
                .expect("a number")
                >= share.parse().expect("a number")
        };
        assert!(
            some.len() < all.len() && !some.is_empty(),
            "{share}: {} of {}",
            some.len(),
            all.len()
        );
        assert!(
            some.iter().all(enough),
            "{share}: something goes that is contained in nothing"
        );
        let of = |rows: &[Row]| -> BTreeMap<i64, String> {
            rows.iter()
                .map(|row| {
                    (
                        value(row, "doc_id").as_i64().expect("an id"),
                        row.to_string(),
                    )
                })
                .collect()
        };
        let (before, now) = (of(&all), of(&some));
        // Whoever is contained in what the cluster keeps goes for it; others only for another
        // document that stays.
        for row in &all {
            let doc = value(row, "doc_id").as_i64().expect("an id");
            assert!(
                !enough(row) || now.get(&doc) == before.get(&doc),
                "{share}: {row}"
            );
        }
        for row in some
            .iter()
            .filter(|row| before.values().all(|other| *other != row.to_string()))
        {
            let [doc, kept] =
                ["doc_id", "kept_doc_id"].map(|name| value(row, name).as_i64().expect("an id"));
            assert!(
                before.contains_key(&doc) && !now.contains_key(&kept),
                "{share}: {row}"
            );
            assert!(
                value(row, "links").is_null() || value(row, "links").as_i64() <= Some(1),
                "{share}: {row}"
            );
            elsewhere += 1;
        }
    }
    assert!(
        elsewhere > 0,
        "nothing is held by another document than its cluster keeps"
    );
    place
        .pipeline(&["dedup", "-n", "--lossless", "1.5"])
        .exits(2);
}

#[test]
fn what_is_in_another_document_than_its_cluster_keeps_goes_for_that_one() {
    // One page of which two others, alike, have the half; and a part of those two.
    let words = |from: usize, to: usize| {
        (from..to)
            .map(|n| format!("w{}", n * 7919 % 10_007))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let pages = [
        words(0, 400),
        words(200, 620),
        words(200, 620) + " .",
        words(390, 620),
    ];
    let place = Place::new();
    place.write(
        "crawl/x.jsonl",
        pages
            .map(|page| format!("{{\"text\": \"{page}\"}}\n"))
            .concat(),
    );
    place.config(&[
        "sketch.method = { kind = \"modulus\", modulus = 1 }",
        "cluster.resemblance = 0.3",
        "work.memory = \"1GiB\"",
    ]);
    place.run();
    let pairs = |name: &str, options: &[&str]| -> Vec<[serde_json::Value; 3]> {
        copies(&place, name, options);
        removed(&place, name)
            .iter()
            .map(|row| ["doc_id", "kept_doc_id", "links"].map(|column| value(row, column)))
            .collect()
    };
    let expected = |rows: &[[i64; 3]]| {
        rows.iter()
            .map(|row| row.map(serde_json::Value::from))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        pairs("all", &[]),
        expected(&[[1, 0, 1], [2, 0, 1], [3, 0, 2]])
    );
    assert_eq!(
        pairs("most", &["--lossless", "0.9"]),
        expected(&[[2, 1, 0], [3, 1, 1]])
    );
}

/// `PIPELINE_DEDUP_CASES` tries more corpora.
#[test]
fn copies_of_many_corpora_are_whole_and_the_same_on_any_number_of_threads() {
    let cases = std::env::var("PIPELINE_DEDUP_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(12);
    for seed in 0..cases {
        let place = Place::with_corpus(5000 + seed, 40 + (seed * 37 % 160) as u32);
        let linkage = if seed % 2 == 0 {
            "cluster.linkage = \"star\""
        } else {
            "cluster.linkage = \"components\""
        };
        let options: &[&str] = if seed % 3 == 0 {
            &["--lossless", "0.8"]
        } else {
            &[]
        };
        let mut first = None;
        for threads in ["1", "4"] {
            place.config(&[linkage, &format!("work.threads = {threads}")]);
            place.run();
            copies(&place, threads, options);
            let files = files_below(&place.path(threads));
            assert!(
                *first.get_or_insert_with(|| files.clone()) == files,
                "seed {seed}, {threads} threads: other bytes"
            );
        }
        let gone: BTreeSet<i64> = removed(&place, "1")
            .iter()
            .map(|row| value(row, "doc_id").as_i64().expect("an id"))
            .collect();
        let (all, kept) = (lines_of_input(&place), lines(&place, "1"));
        let staying = (0_i64..)
            .zip(&all)
            .filter(|(doc, _)| !gone.contains(doc))
            .map(|(_, line)| line);
        assert!(kept.iter().eq(staying), "seed {seed}: other lines");
        assert_eq!(kept.len() + gone.len(), all.len(), "seed {seed}");
        let run = published(&place);
        for row in removed(&place, "1") {
            let [doc, other] =
                ["doc_id", "kept_doc_id"].map(|name| value(&row, name).as_i64().expect("an id"));
            assert!(
                !run.cluster[&doc].1 && !gone.contains(&other),
                "seed {seed}: {row}"
            );
        }
    }
}

#[test]
fn what_has_no_body_in_the_copies_holds_no_other_document() {
    let words = |name: &str, count: usize| {
        (0..count)
            .map(|at| format!("{name}{at}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let record = |kind: &str, id: &str, more: &str, text: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{text}");
        let head =
            format!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.test/{id}\r\n");
        let ids =
            format!("WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:{id}>\r\n{more}");
        format!(
            "{head}{ids}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let place = Place::new();
    let sketch = "[sketch]\nseed = \"tests\"\nmethod = { kind = \"modulus\", modulus = 1 }\n";
    place.write("pipeline.toml", format!("version = 1\n{sketch}"));
    // `part` is all in `whole`, and near `first`, which is kept; `again` is `whole`, found
    // unchanged.
    let part = words("w", 100);
    let whole = record(
        "response",
        "whole",
        "",
        &format!("{part} {}", words("y", 200)),
    );
    let first = record(
        "response",
        "first",
        "",
        &format!("{} {}", words("w", 75), words("x", 25)),
    );
    let again = record("revisit", "again", "WARC-Refers-To: <urn:whole>\r\n", "");
    place.write("crawls/one/a.warc", &whole);
    place.write(
        "crawls/two/a.warc",
        [first, record("response", "part", "", &part), again].concat(),
    );
    for name in ["one", "two"] {
        place
            .pipeline(&["snapshot", "add", name, &format!("crawls/{name}")])
            .exits(0);
    }
    place.run();
    let removed = || {
        let ran = place.pipeline(&["dedup", "--lossless", "0.9", "--dry-run", "--json"]);
        ran.exits(0);
        ran.json()["removed"].clone()
    };
    // `again` goes for `whole`, and `part` is held by it.
    assert_eq!(removed(), 2);
    place.pipeline(&["snapshot", "drop", "one"]).exits(0);
    place.run();
    assert_eq!(place.rows("documents").len(), 3, "`again` is still there");
    assert_eq!(
        removed(),
        0,
        "no copy would hold the text of http://a.test/part"
    );
}
