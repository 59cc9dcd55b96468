//! Clusters in which nearly every two pages are linked: few of their links are published, and
//! nothing else changes.

use crate::harness::Place;
use crate::runs::verdicts;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use testkit::Random;

/// Words of a page. Each page has three words of its own among them.
const WORDS: usize = 320;

/// Pages, as lines of JSON, of which nearly every two are linked. Other seeds give other texts.
pub(crate) fn near_equal_pages(seed: u64, pages: usize) -> Vec<String> {
    let mut random = Random::for_item(seed, 1);
    let base: Vec<String> = (0..WORDS)
        .map(|_| format!("w{}", random.below(1 << 40)))
        .collect();
    let page = |number: usize| {
        let mut words = base.clone();
        for _ in 0..3 {
            let at = random.index(WORDS);
            words[at] = format!("p{number}x{at}");
        }
        let url = format!("http://near.example/{seed}/{number}");
        let text = words.join(" ");
        format!("{{\"id\":\"{seed}-{number}\",\"url\":\"{url}\",\"text\":\"{text}\"}}")
    };
    (0..pages).map(page).collect()
}

/// Two dense clusters, and the pages of a usual corpus.
fn crowded(settings: &[&str]) -> Place {
    let place = Place::with_corpus(5, 200);
    let pages = [near_equal_pages(1, 300), near_equal_pages(2, 60)].concat();
    place.write("crawl/near.jsonl", pages.join("\n"));
    place.config(settings);
    place.run();
    place
}

fn id(value: &Value) -> i64 {
    value.as_i64().expect("an id")
}

fn ends(pair: &Value) -> (i64, i64) {
    (id(&pair["a"]), id(&pair["b"]))
}

/// The lowest document that each document of a link reaches.
fn components(pairs: &[Value]) -> BTreeMap<i64, i64> {
    let mut lowest: BTreeMap<i64, i64> = BTreeMap::new();
    loop {
        let before = lowest.clone();
        for (a, b) in pairs.iter().map(ends) {
            let of = |doc| lowest.get(&doc).copied().unwrap_or(doc);
            let low = of(a).min(of(b));
            lowest.extend([(a, low), (b, low)]);
        }
        if lowest == before {
            return lowest;
        }
    }
}

/// The answers of `explain` to some pages of one cluster, and of `tune`.
fn answers(place: &Place, clusters: &[Value]) -> Vec<Value> {
    let ask = |arguments: &[&str]| {
        let ran = place.pipeline(&[arguments, &["--json"]].concat());
        ran.exits(0);
        ran.json()
    };
    let mut answers = Vec::new();
    for cluster in clusters {
        let name = cluster["cluster_id"].to_string();
        answers.push(ask(&["explain", "cluster", &name, "--limit", "9"]));
        let last = (id(&cluster["cluster_id"]) + 40).to_string();
        answers.push(ask(&["explain", &name, &last])["why"].clone());
        answers.push(ask(&["query", "cluster", &name, "--limit", "9"])["members"].clone());
    }
    answers.push(ask(&["tune", "--at", "0.7"])["steps"].clone());
    answers
}

#[test]
fn few_links_of_a_dense_cluster_are_published_and_nothing_else_changes() {
    let place = crowded(&[]);
    let tables =
        |place: &Place| ["clusters", "membership", "documents"].map(|table| place.rows(table));
    let report = |place: &Place| -> Value {
        let bytes = std::fs::read(place.path("out/report.json")).expect("a report");
        serde_json::from_slice::<Value>(&bytes).expect("JSON")["clusters"].clone()
    };
    let (few, published, counts) = (place.rows("pairs"), tables(&place), report(&place));
    let dense: Vec<Value> = published[0]
        .iter()
        .filter(|cluster| cluster["representatives"].as_u64() > Some(50))
        .cloned()
        .collect();
    assert_eq!(dense.len(), 2, "{:?}", published[0]);
    let selected = place.path("work/cluster/published-links");
    assert!(selected.exists());
    let asked = answers(&place, &dense);
    let copied = place.pipeline(&["dedup", "--list"]);
    copied.exits(0);

    place.config(&["cluster.links = \"all\""]);
    let again = verdicts(&place, &[]);
    assert_eq!(again["cluster"], "run: links was strongest, is all");
    assert!(again["index"].starts_with("run: "), "{again:?}");
    for phase in ["sketch", "distinct", "sort", "pairs"] {
        assert_eq!(again[phase], "up_to_date", "{phase}");
    }
    assert!(!selected.exists(), "a file that nothing reads");
    assert_eq!(tables(&place), published);
    assert_eq!(answers(&place, &dense), asked);
    assert_eq!(
        place.pipeline(&["dedup", "--list"]).stdout(),
        copied.stdout()
    );
    let (all, all_counts) = (place.rows("pairs"), report(&place));
    assert_eq!(
        (&counts["links"], all.len() as u64),
        (&all_counts["links"], all.len() as u64)
    );
    assert_eq!(counts["published_links"], few.len());
    assert_eq!(all_counts["published_links"], all.len());
    assert_eq!(all_counts["links"], all.len());

    // What is published is of all links, of usual clusters each of them.
    let of_dense: BTreeSet<i64> = dense.iter().map(|row| id(&row["cluster_id"])).collect();
    let cluster_of: BTreeMap<i64, i64> = published[1]
        .iter()
        .map(|row| (id(&row["doc_id"]), id(&row["cluster_id"])))
        .collect();
    let is_dense = |pair: &&Value| of_dense.contains(&cluster_of[&id(&pair["a"])]);
    let usual = |pairs: &[Value]| -> Vec<Value> {
        pairs
            .iter()
            .filter(|pair| !is_dense(pair))
            .cloned()
            .collect()
    };
    assert_eq!(usual(&few), usual(&all));
    assert!(!usual(&few).is_empty());
    let listed: BTreeMap<(i64, i64), &Value> = all.iter().map(|pair| (ends(pair), pair)).collect();
    assert!(few.iter().all(|pair| listed[&ends(pair)] == pair));
    assert_eq!(components(&few), components(&all));
    for cluster in &dense {
        let own = |pairs: &[Value]| -> Vec<Value> {
            let own = pairs.iter();
            own.filter(|pair| Some(cluster_of[&id(&pair["a"])]) == cluster["cluster_id"].as_i64())
                .cloned()
                .collect()
        };
        let (few, all) = (own(&few), own(&all));
        let distinct = cluster["representatives"].as_u64().expect("a count") as usize;
        assert!(
            all.len() > 16 * distinct,
            "{} links of {distinct} pages",
            all.len()
        );
        assert!(
            few.len() <= 11 * distinct,
            "{} rows for {distinct} pages",
            few.len()
        );
        assert!(
            few.iter()
                .any(|pair| pair["resemblance"] == cluster["min_resemblance"])
        );
        let kept = id(&cluster["kept_doc_id"]);
        let with_kept = |pairs: &[Value]| {
            let is_with = |pair: &&Value| ends(pair).0 == kept || ends(pair).1 == kept;
            pairs.iter().filter(is_with).count()
        };
        assert_eq!(with_kept(&few), with_kept(&all));
    }
}

#[test]
fn the_summary_says_how_many_links_are_listed() {
    let place = crowded(&[]);
    let shown = place.pipeline(&["run", "--force", "-v"]).stdout();
    assert!(shown.contains("in pairs.parquet"), "{shown}");
    let usual = Place::with_corpus(5, 200);
    let shown = usual.pipeline(&["run", "-v"]).stdout();
    assert!(shown.contains("Clusters") && !shown.contains("in pairs.parquet"));
}

#[test]
fn threads_and_memory_do_not_change_what_is_published_of_dense_clusters() {
    for linkage in ["components", "star", "leader"] {
        let linkage = format!("cluster.linkage = {linkage:?}");
        let published = |threads: &str, memory: &str| {
            let settings = [
                linkage.clone(),
                format!("work.threads = {threads}"),
                format!("work.memory = {memory:?}"),
            ];
            let place = crowded(&settings.each_ref().map(String::as_str));
            assert!(place.path("work/cluster/published-links").exists());
            place.published()
        };
        let one = published("1", "1GiB");
        assert!(one == published("3", "64MiB"), "{linkage}");
    }
}
