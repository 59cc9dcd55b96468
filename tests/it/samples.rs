//! The sample crawl: the clusters its README says are right, from every format it comes in.

use crate::harness::{Place, repository};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The page of the samples says what is alike by all text of the pages.
const ALL_TEXT: &str = "sketch.content = \"page\"";

struct Samples {
    place: Place,
    expected: Value,
}

impl Samples {
    fn run(paths: &str) -> Samples {
        Samples::configured(paths, &[])
    }

    fn configured(paths: &str, settings: &[&str]) -> Samples {
        let place = Place::new();
        let paths = format!(
            "input.paths = [\"{}/{paths}\"]",
            repository().join("data-samples").display()
        );
        place.config(&[&[paths.as_str()], settings].concat());
        place.run();
        let text =
            std::fs::read_to_string(repository().join("data-samples/expected-clusters.json"))
                .expect("expected");
        Samples {
            place,
            expected: serde_json::from_str(&text).expect("JSON"),
        }
    }

    /// URL → (cluster, its kind if it has two or more).
    fn found(&self) -> BTreeMap<String, (i64, Option<String>)> {
        let kinds: BTreeMap<i64, String> = self
            .place
            .rows("clusters")
            .iter()
            .map(|row| {
                (
                    row["cluster_id"].as_i64().expect("an id"),
                    row["kind"].as_str().expect("a kind").to_owned(),
                )
            })
            .collect();
        let documents = self
            .place
            .rows("documents")
            .into_iter()
            .zip(self.place.rows("membership"));
        documents
            .map(|(document, member)| {
                let cluster = member["cluster_id"].as_i64().expect("an id");
                let url = document["url"].as_str().expect("a URL").to_owned();
                (url, (cluster, kinds.get(&cluster).cloned()))
            })
            .collect()
    }

    fn urls(value: &Value) -> BTreeSet<String> {
        value
            .as_array()
            .expect("a list")
            .iter()
            .map(|url| url.as_str().expect("a URL").to_owned())
            .collect()
    }

    fn check(&self) {
        let found = self.found();
        let mut members: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        for (url, (cluster, _)) in &found {
            members.entry(*cluster).or_default().insert(url.clone());
        }
        for cluster in self.expected["clusters"].as_array().expect("clusters") {
            let urls = Samples::urls(&cluster["urls"]);
            let first = urls.first().expect("a URL");
            let (id, kind) = found
                .get(first)
                .unwrap_or_else(|| panic!("{first} is no document"));
            assert_eq!(members[id], urls, "{}", cluster["name"]);
            assert_eq!(
                kind.as_deref(),
                cluster["kind"].as_str(),
                "{}",
                cluster["name"]
            );
        }
        for url in Samples::urls(&self.expected["alone"]) {
            let Some((id, _)) = found.get(&url) else {
                panic!("{url} is no document")
            };
            assert_eq!(
                members[id].len(),
                1,
                "{url} should be alone, but is with {:?}",
                members[id]
            );
        }
    }
}

#[test]
fn the_crawl_as_warc_has_the_clusters_its_readme_says() {
    Samples::configured("web/*.warc.gz", &[ALL_TEXT]).check();
}

#[test]
fn jsonl_and_parquet_of_the_same_pages_give_equal_rows_apart_from_the_source() {
    let [jsonl, parquet] = ["jsonl", "parquet"].map(Samples::run);
    let rows = |samples: &Samples, table: &str| -> Vec<Value> {
        let mut rows = samples.place.rows(table);
        for row in &mut rows {
            let row = row.as_object_mut().expect("an object");
            for column in ["source", "row", "entry_offset", "inner_offset", "length"] {
                row.remove(column);
            }
        }
        rows
    };
    for table in [
        "documents",
        "membership",
        "removed",
        "clusters",
        "pairs",
        "common",
    ] {
        assert_eq!(rows(&jsonl, table), rows(&parquet, table), "{table}");
    }
    // The WARC has the same pages; those that are UTF-8 there give the same rows too.
    let warc = Samples::run("web/crawl-*.warc.gz");
    let not_utf8 = Samples::urls(&warc.expected["not_utf8"]);
    let by_url = |samples: &Samples| -> BTreeMap<String, Value> {
        rows(samples, "documents")
            .into_iter()
            .map(|mut row| {
                row.as_object_mut().expect("an object").remove("doc_id");
                (row["url"].as_str().expect("a URL").to_owned(), row)
            })
            .collect()
    };
    let (jsonl, warc) = (by_url(&jsonl), by_url(&warc));
    let mut compared = 0;
    for (url, row) in &jsonl {
        if let Some(same) = warc.get(url).filter(|_| !not_utf8.contains(url)) {
            assert_eq!(same, row, "{url}");
            compared += 1;
        }
    }
    assert!(compared > 150, "only {compared} pages compared");
}

/// WACZ has a WARC file that is deflated and one that is stored; ARC has the pages of the first.
#[test]
fn wacz_and_arc_have_the_documents_of_their_warc_files() {
    let rows = |paths: &str| -> Vec<Value> {
        let samples = Samples::run(paths);
        let mut rows = samples.place.rows("documents");
        for row in &mut rows {
            let row = row.as_object_mut().expect("an object");
            for column in ["source", "entry_offset", "inner_offset", "length", "id"] {
                row.remove(column);
            }
        }
        rows
    };
    let warc = rows("web/crawl-0000[35].warc.gz");
    let [wacz, arc] = ["wacz", "arc"].map(rows);
    assert_eq!((wacz.len(), arc.len()), (39, 38));
    assert_eq!(wacz, warc);
    for (arc, warc) in arc.iter().zip(&warc) {
        for column in ["url", "date", "words", "doc_id"] {
            assert_eq!(arc[column], warc[column], "{column} of {}", arc["url"]);
        }
    }
}

#[test]
fn wet_and_tree_can_be_run() {
    for (paths, at_least) in [("wet", 150), ("tree", 150)] {
        let samples = Samples::run(paths);
        let documents = samples.place.rows("documents").len();
        assert!(documents >= at_least, "{paths}: {documents} documents");
        assert!(samples.place.rows("clusters").len() > 40, "{paths}");
    }
}

/// The answer to the byte, for whatever machine runs this: UPDATE_GOLDEN=1 rewrites it after a
/// change that is meant.
#[test]
fn the_sample_crawl_gives_the_recorded_answer() {
    let samples = Samples::configured("web/*.warc.gz", &["cluster.containment = 0.7"]);
    let export = |table: &str| {
        samples
            .place
            .pipeline(&["export", table, "--format", "jsonl"])
            .stdout()
    };
    let report = std::fs::read_to_string(samples.place.path("out/report.json")).expect("a report");
    let found = [
        ("report.json", report),
        ("membership.jsonl", export("membership")),
        ("removed.jsonl", export("removed")),
        ("pairs.jsonl", export("pairs")),
    ];
    for (name, text) in found {
        let golden = repository().join("tests/golden").join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&golden, &text).expect("written");
        }
        let expected = std::fs::read_to_string(&golden).expect("a golden file");
        assert!(
            text == expected,
            "{name} is not what tests/golden/{name} says"
        );
    }
}

#[test]
fn excerpts_are_directed_links_that_join_nothing() {
    let settings = [ALL_TEXT, "cluster.containment = 0.7"];
    let samples = Samples::configured("web/*.warc.gz", &settings);
    samples.check();
    let documents = samples.place.rows("documents");
    let id = |url: &str| -> i64 {
        let row = documents
            .iter()
            .find(|row| row["url"] == url)
            .unwrap_or_else(|| panic!("{url} is no document"));
        row["doc_id"].as_i64().expect("an id")
    };
    let members = samples.place.rows("membership");
    let representative = |doc: i64| {
        members[doc as usize]["same_as"]
            .as_i64()
            .unwrap_or(doc)
            .min(doc)
    };
    let pairs = samples.place.rows("pairs");
    for contained in samples.expected["contained"].as_array().expect("a list") {
        let whole = representative(id(contained["in"].as_str().expect("a URL")));
        let part = representative(id(contained["part"].as_str().expect("a URL")));
        let found = pairs.iter().find(|row| {
            let ends = (row["a"].as_i64().expect("a"), row["b"].as_i64().expect("b"));
            ends == (whole.min(part), whole.max(part))
        });
        let row = found.unwrap_or_else(|| panic!("no link for {contained}"));
        let column = if part < whole {
            "containment_a_in_b"
        } else {
            "containment_b_in_a"
        };
        assert!(
            row[column].as_f64().expect("a number") >= 0.7,
            "{contained}: {row}"
        );
    }
}

/// The clusters of the sites that are mostly frame, as `HOST/NUMBER`.
fn clusters_of_frames(content: &str) -> BTreeSet<Vec<String>> {
    let samples = Samples::configured("frames", &[&format!("sketch.content = \"{content}\"")]);
    let mut clusters: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for (url, (cluster, kind)) in samples.found() {
        if kind.is_some() {
            let page = url.trim_end_matches(".html").to_owned();
            clusters.entry(cluster).or_default().push(page);
        }
    }
    clusters.into_values().collect()
}

#[test]
fn pages_are_alike_by_their_main_part_or_by_their_frame() {
    let pages = |hosts: &[&str], numbers: std::ops::Range<u32>| -> Vec<String> {
        let all = hosts
            .iter()
            .flat_map(|host| numbers.clone().map(move |at| (*host, at)));
        all.map(|(host, at)| format!("{host}/{at}")).collect()
    };
    let copies = (0..8).map(|at| pages(&["gazette.example", "mirror.example"], at..at + 1));
    assert_eq!(clusters_of_frames("main"), copies.collect());
    let sites = ["app.example", "mirror.example", "shop.example"];
    let sites = sites.map(|site| pages(&[site], 0..8));
    assert_eq!(clusters_of_frames("page"), sites.into_iter().collect());
}
