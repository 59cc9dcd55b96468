//! More near-copies of a page than the limit of common shingles.

use crate::harness::Place;
use serde_json::Value;
use testkit::hostile::{Kind, Load};

/// Near-copies; their frame is in more than ten times the documents that may share a shingle.
const COPIES: usize = 600;

/// The clusters by size, the largest first, and the pairs.
fn run(place: &Place, settings: &[&str]) -> (Vec<u64>, Vec<Value>) {
    place.config(&[&["pairs.common-shingle-limit = 50"], settings].concat());
    place.run();
    let clusters = place.rows("clusters");
    let documents = clusters.iter().map(|row| row["documents"].as_u64());
    let mut sizes: Vec<u64> = documents.map(|n| n.expect("a number")).collect();
    sizes.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
    (sizes, place.rows("pairs"))
}

#[test]
fn near_copies_beyond_the_limit_are_one_cluster() {
    let place = Place::new();
    let mut lines = Vec::new();
    let load = Load {
        kind: Kind::NearCopies,
        documents: COPIES as u64,
        document_bytes: 0,
    };
    load.write_jsonl(&mut lines).expect("lines");
    place.write("crawl/copies.jsonl", lines);
    let (sizes, pairs) = run(&place, &[]);
    assert_eq!(sizes, [COPIES as u64]);
    assert!(pairs.iter().all(|pair| pair["kind"] == "resemblance"));
    // All pairs would be 300 a document.
    assert!(pairs.len() < 20 * COPIES, "{} pairs", pairs.len());
    let resemblance = |pair: &Value| pair["resemblance"].as_f64();
    assert!(pairs.iter().filter_map(resemblance).all(|r| r > 0.8));
    let chained = place.published();
    let dropped = [
        "sketch.method = { kind = \"modulus\", modulus = 4 }",
        "work.memory = \"96MiB\"",
        "pairs.common = \"drop\"",
        "cluster.settle = \"off\"",
    ];
    let (sizes, pairs) = run(&place, &dropped);
    // A few have sketches without a shingle of their own.
    assert!(
        sizes.first().is_none_or(|largest| *largest < 60),
        "{sizes:?}"
    );
    assert!(pairs.is_empty());
    run(&place, &["work.threads = 1", "work.memory = \"64MiB\""]);
    assert!(place.published() == chained);
}

#[test]
fn common_shingles_are_dropped_only_where_every_sketch_keeps_the_same() {
    let place = Place::new();
    place.write("crawl/a.txt", "some words of a page");
    place.config(&["pairs.common = \"drop\""]);
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("take the method modulus, as in 1997, or \"count\"");
    place.config(&[
        "sketch.method = { kind = \"modulus\", modulus = 25 }",
        "pairs.common = \"drop\"",
    ]);
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("set settle in [cluster] to \"off\"");
}

/// So many words, which no other call with another name makes.
fn words(name: &str, count: usize) -> String {
    let words: Vec<String> = (0..count).map(|at| format!("{name}{at}")).collect();
    words.join(" ")
}

#[test]
fn pages_that_only_their_frame_joins_meet_the_shortest_of_them() {
    let place = Place::new();
    let mut lines = String::new();
    for page in 0..90 {
        // Two long pages share 91 of 251 shingles, a long one and the short one 91 of 176.
        let own = if page == 40 { 5 } else { 80 };
        let text = format!(
            "{} {}",
            words("frame", 100),
            words(&format!("w{page}x"), own)
        );
        lines += &format!("{{\"id\": \"{page}\", \"text\": \"{text}\"}}\n");
    }
    place.write("crawl/pages.jsonl", lines);
    let (sizes, pairs) = run(&place, &["cluster.links = \"all\""]);
    // The short page is neither among the first eight nor the last two that the pages before it
    // meet, nor are those of its length.
    assert_eq!(sizes, [90]);
    assert_eq!(pairs.len(), 89);
    let with_short = |pair: &&Value| pair["a"] == 40 || pair["b"] == 40;
    assert_eq!(pairs.iter().filter(with_short).count(), 89);
}

#[test]
fn articles_in_frames_of_sites_are_found_where_frames_are_dropped() {
    let place = Place::new();
    let mut lines = String::new();
    for site in 0..10_usize {
        let frame = words(&format!("s{site}f"), 200);
        for page in 0..15 {
            // Article 0 is on sites 0 to 5, article 1 on sites 1 to 6, and so on.
            let is_article = page < 5 && (page..page + 6).contains(&site);
            let name = match is_article {
                true => format!("article{page}w"),
                false => format!("s{site}p{page}w"),
            };
            let text = words(&name, 150);
            lines += &format!("{{\"text\": \"{frame} {text}\"}}\n");
        }
    }
    place.write("crawl/pages.jsonl", lines);
    let (sizes, _) = run(&place, &[]);
    assert!(sizes.is_empty(), "{sizes:?}");
    let dropped = [
        "work.memory = \"96MiB\"",
        "pairs.common-shingle-limit = 9",
        "pairs.common = \"drop\"",
        "sketch.method = { kind = \"modulus\", modulus = 4 }",
        "cluster.settle = \"off\"",
    ];
    let (sizes, _) = run(&place, &dropped);
    assert_eq!(sizes, [6; 5]);
}
