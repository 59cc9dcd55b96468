//! Documents that are lists of tokens, and tokens that are characters with white space.

use crate::harness::Place;

/// A line of JSONL with features `from..to`.
fn line(url: &str, from: u32, to: u32) -> String {
    let features: Vec<String> = (from..to).map(|n| format!("Feature {n}")).collect();
    serde_json::json!({ "url": url, "features": features }).to_string() + "\n"
}

#[test]
fn documents_that_are_lists_of_features_are_clustered() {
    let place = Place::new();
    let lines = [
        line("http://a.test/", 0, 100),
        line("http://b.test/", 20, 100),
        line("http://c.test/", 20, 100),
        line("http://d.test/", 60, 140),
        "{\"url\": \"http://e.test/\", \"features\": [1, 2]}\n".to_owned(),
    ];
    place.write("crawl/one.jsonl", lines.concat());
    place.config(&[
        "input.features-field = \"features\"",
        "input.max-document = \"1MiB\"",
        "sketch.shingle-size = 1",
        "sketch.method = { kind = \"modulus\", modulus = 1 }",
    ]);
    place.run();
    let pairs = place.rows("pairs");
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    assert_eq!(pairs[0]["resemblance"], 0.8);
    let clusters: Vec<i64> = place
        .rows("membership")
        .iter()
        .map(|row| row["cluster_id"].as_i64().expect("an id"))
        .collect();
    assert_eq!(clusters, [0, 0, 0, 3]);
    let report = std::fs::read_to_string(place.path("out/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["input"]["url_bytes"], 4 * "http://a.test/".len());
    let rejected = std::fs::read_to_string(place.path("out/rejected.jsonl")).expect("a list");
    assert_eq!(rejected.matches("bad-field").count(), 1, "{rejected}");
    let explained = place.pipeline(&["explain", "0", "1"]);
    explained.exits(0);
    let copied = place.pipeline(&["dedup", "-o", "copies"]);
    copied.exits(0);
    let copy = std::fs::read_to_string(place.path("copies/data/one.jsonl")).expect("a copy");
    assert_eq!(copy.lines().count(), 3, "{copy}");
}

#[test]
fn characters_come_with_or_without_white_space() {
    let place = Place::new();
    place.write("a.txt", " A  b\n");
    let tokens = |unit: &str| {
        let set = format!("sketch.tokens={unit}");
        let ran = place.pipeline(&["tokens", "a.txt", "--set", &set]);
        ran.exits(0);
        ran.stdout().to_owned()
    };
    assert_eq!(tokens("chars"), "a b\n");
    assert_eq!(tokens("chars-and-spaces"), "a   b\n");
    assert_eq!(tokens("all-chars"), "  a     b \\n\n");
}
