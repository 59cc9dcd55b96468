//! The bytes that other thresholds remove, beside the tables of runs with them.

use crate::harness::Place;
use serde_json::Value;
use std::collections::BTreeMap;
use testkit::Random;

const THRESHOLDS: [f64; 3] = [0.3, 0.5, 0.8];

/// A WARC file of pages and revisits: near-copies and excerpts of a few texts, equal words with
/// other bytes between them, equal bodies. Ids start with the name.
fn crawl(random: &mut Random, name: &str, earlier: &mut Vec<String>) -> String {
    let mut warc = String::new();
    for n in 0..random.within(4, 16) {
        let id = format!("urn:{name}:{n}");
        let original = random.index(earlier.len());
        let (kind, refers_to, page) = match earlier.get(original) {
            Some(original) if random.chance(400) => {
                let field = format!("WARC-Refers-To: <{original}>\r\n");
                ("revisit", field, String::new())
            }
            _ => {
                earlier.push(id.clone());
                ("response", String::new(), page(random))
            }
        };
        let day = random.within(1, 28);
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
        warc += &format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{id}>\r\n\
             WARC-Target-URI: http://a.example/{name}/{kind}/{n}\r\n{refers_to}\
             WARC-Date: 2026-01-{day:02}T00:00:00Z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
    }
    warc
}

fn page(random: &mut Random) -> String {
    let text = random.below(3);
    let words = 30 + text + random.pick([0, 0, 8, 60]);
    let mut words: Vec<String> = (0..words).map(|word| format!("t{text}w{word}")).collect();
    if random.chance(600) {
        let place = random.index(words.len());
        words[place] = format!("changed{}", random.below(2));
    }
    let space = random.pick([" ", " ", "\n  ", "        "]);
    format!("<html><body>{}</body></html>", words.join(space))
}

/// What a run with this threshold removes, in bytes, and what it says of the others.
fn run_at(place: &Place, resemblance: f64, settings: &[&str]) -> (u64, BTreeMap<String, Value>) {
    let own = format!("cluster.resemblance={resemblance}");
    let mut arguments = vec!["run", "-q", "--set", &own];
    settings
        .iter()
        .for_each(|setting| arguments.extend(["--set", setting]));
    place.pipeline(&arguments).exits(0);
    let removed = place.rows("removed");
    // A revisit has no body of its own, which would be saved.
    let is_revisit = |row: &&Value| {
        row["url"]
            .as_str()
            .is_some_and(|url| url.contains("/revisit/"))
    };
    let with_body = removed.iter().filter(|row| !is_revisit(row));
    let bytes = with_body.filter_map(|row| row["bytes"].as_u64());
    let report = std::fs::read(place.path("out/report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let rows = report["thresholds"]["at"].as_array().expect("rows").iter();
    let said = rows.map(|row| (row["resemblance"].to_string(), row["bytes"].clone()));
    (bytes.sum(), said.collect())
}

#[test]
fn bytes_at_other_thresholds_are_those_of_runs_whatever_is_a_revisit() {
    let cases = std::env::var("PIPELINE_REVISITS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(15);
    for seed in 0..cases {
        let (mut random, mut earlier) = (Random::new(seed), Vec::new());
        let place = Place::new();
        place.write(
            "pipeline.toml",
            "version = 1\n[sketch]\nseed = \"tests\"\nmethod = { kind = \"modulus\", modulus = 1 }\n\
             [cluster]\nsettle = \"off\"\n[input]\nmax-document = \"64KiB\"\n",
        );
        for name in ["first", "second"] {
            let warc = crawl(&mut random, name, &mut earlier);
            place.write(&format!("{name}/0.warc"), warc);
            place.pipeline(&["snapshot", "add", name, name]).exits(0);
        }
        let linkage = ["components", "star", "leader"][seed as usize % 3];
        let keep = random.pick(["first", "longest", "newest", "oldest"]);
        let containment = random.pick([&[][..], &["cluster.containment=0.8"]]);
        let [linkage, keep] = [("linkage", linkage), ("keep", keep)]
            .map(|(key, value)| format!("cluster.{key}={value}"));
        let settings = [&[linkage.as_str(), keep.as_str()], containment].concat();
        // Pages of the second that were found unchanged lose the documents with their bodies.
        if random.chance(500) {
            place.pipeline(&["run", "-q"]).exits(0);
            place.pipeline(&["snapshot", "drop", "first"]).exits(0);
        }
        let runs = THRESHOLDS.map(|resemblance| run_at(&place, resemblance, &settings));
        for (resemblance, (bytes, _)) in THRESHOLDS.iter().zip(&runs) {
            for (_, said) in &runs {
                let said = &said[&resemblance.to_string()];
                assert_eq!(
                    said, bytes,
                    "seed {seed}, {settings:?}, threshold {resemblance}"
                );
            }
        }
    }
}
