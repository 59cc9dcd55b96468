//! What changed between snapshots, as users see it: tables, the report, lost URLs, histories; the
//! page of the guide.

use crate::harness::{Place, files_below};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// A text of so many words that no other number has; some words of it are others.
fn text(number: u32, words: u32, other_from: u32) -> String {
    let word = |at: u32| {
        let other = u32::from(at >= other_from);
        format!("w{}x{}", number * 2 + other, at)
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// Two crawls in which something of every kind happens, each a page a line, and a third one like
/// the second without one page.
pub(crate) fn place() -> Place {
    let place = Place::new();
    place.write(
        "pipeline.toml",
        "version = 1\n[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n",
    );
    let page = |url: &str, date: &str, text: &str| {
        json!({"url": format!("http://a.test/{url}"), "date": date, "text": text}).to_string()
            + "\n"
    };
    let old = "2026-01-01T00:00:00Z";
    let first: String = [
        page("same", old, &text(1, 300, 300)),
        page("respelt", old, &text(2, 300, 300)),
        page("edited", old, &text(3, 300, 300)),
        page("rewritten", old, &text(4, 300, 300)),
        page("gone", old, &text(5, 300, 300)),
        page("moved/from", old, &text(6, 300, 300)),
        page("moved/edited/from", old, &text(7, 300, 300)),
        // Of two documents of one URL the later stands for it.
        page("twice", "2026-01-02T00:00:00Z", &text(8, 300, 300)),
        page("twice", old, &text(9, 300, 300)),
        json!({"text": text(10, 300, 300)}).to_string() + "\n",
    ]
    .concat();
    let new = "2026-01-11T00:00:00Z";
    let second: Vec<String> = [
        page("same", new, &text(1, 300, 300)),
        page("respelt", new, &text(2, 300, 300).to_uppercase()),
        page("edited", new, &text(3, 300, 270)),
        page("rewritten", new, &text(4, 300, 0)),
        page("moved/to", new, &text(6, 300, 300)),
        page("moved/too", new, &text(6, 300, 290)),
        page("moved/edited/to", new, &text(7, 300, 280)),
        page("twice", new, &text(8, 300, 300)),
        page("new", new, &text(11, 300, 300)),
    ]
    .to_vec();
    place.write("crawls/one/a.jsonl", first);
    place.write("crawls/two/a.jsonl", second.concat());
    place.write(
        "crawls/three/a.jsonl",
        [&second[1..4], &second[5..]].concat().concat(),
    );
    for (name, date) in [
        ("one", "2026-01-01"),
        ("two", "2026-01-11"),
        ("three", "2026-01-21"),
    ] {
        place
            .pipeline(&[
                "snapshot",
                "add",
                name,
                &format!("crawls/{name}"),
                "--date",
                date,
            ])
            .exits(0);
    }
    place
}

fn of_snapshot(rows: &[Value], snapshot: &str) -> BTreeMap<String, Value> {
    let rows = rows.iter().filter(|row| row["new_snapshot"] == snapshot);
    rows.map(|row| {
        (
            row["url"]
                .as_str()
                .expect("a URL")
                .replace("http://a.test/", ""),
            row.clone(),
        )
    })
    .collect()
}

#[test]
fn each_url_has_a_row_that_says_what_became_of_it() {
    let place = place();
    place.run();
    let rows = place.rows("changes");
    let second = of_snapshot(&rows, "two");
    let classes: BTreeMap<&str, &str> = second
        .iter()
        .map(|(url, row)| (url.as_str(), row["class"].as_str().expect("a class")))
        .collect();
    let expected = [
        ("same", "identical"),
        ("respelt", "lexical"),
        ("edited", "similar"),
        ("rewritten", "changed"),
        ("gone", "gone"),
        ("moved/from", "moved"),
        ("moved/edited/from", "moved"),
        ("moved/to", "new"),
        ("moved/too", "new"),
        ("moved/edited/to", "new"),
        ("twice", "identical"),
        ("new", "new"),
    ];
    assert_eq!(classes, BTreeMap::from(expected));
    let id = |snapshot: i64, position: i64| Value::from((snapshot << 32) + position);
    assert_eq!(
        (
            &second["twice"]["old_doc_id"],
            &second["twice"]["new_doc_id"]
        ),
        (&id(1, 7), &id(2, 7))
    );
    let row = |url: &str| {
        (
            second[url]["resemblance"].as_f64(),
            second[url]["containment_old_in_new"].as_f64(),
        )
    };
    assert_eq!(
        (row("same"), row("respelt")),
        ((Some(1.0), Some(1.0)), (Some(1.0), Some(1.0)))
    );
    assert_eq!(
        (row("rewritten"), row("gone"), row("new")),
        ((Some(0.0), Some(0.0)), (None, None), (None, None))
    );
    let (resemblance, containment) = row("edited");
    assert!((0.6..0.95).contains(&resemblance.expect("one")) && containment > resemblance);

    let moved = place.rows("moved");
    let of = |url: &str| {
        moved
            .iter()
            .find(|row| row["old_url"] == format!("http://a.test/{url}"))
            .expect("a row")
    };
    let best = of("moved/from");
    assert_eq!(
        (&best["new_url"], &best["class"]),
        (&json!("http://a.test/moved/to"), &json!("identical"))
    );
    // The other one is linked with it.
    assert_eq!(
        (
            &best["candidates"],
            &best["old_snapshot"],
            &best["resemblance"]
        ),
        (&json!(2), &json!("one"), &json!(1.0))
    );
    let edited = of("moved/edited/from");
    assert_eq!(
        (&edited["new_url"], &edited["class"]),
        (&json!("http://a.test/moved/edited/to"), &json!("similar"))
    );
    let third = of_snapshot(&rows, "three");
    assert_eq!(
        (third["same"]["class"].as_str(), third.len()),
        (Some("gone"), 9)
    );
    // What went where something like it is already has not moved.
    assert_eq!(third["moved/to"]["class"], "gone");
    assert_eq!(moved.len(), 2);
    place.pipeline(&["verify"]).exits(0);
}

#[test]
fn the_report_counts_and_has_a_half_life() {
    let place = place();
    place.run();
    let report: Value =
        serde_json::from_slice(&fs::read(place.path("out/report.json")).expect("a report"))
            .expect("JSON");
    let changes = &report["changes"];
    let first = &changes["between"][0];
    let expected = json!({
        "identical": 2, "lexical": 1, "shingle": 0, "similar": 1, "changed": 1, "gone": 1, "moved": 2, "new": 4
    });
    assert_eq!(
        (&first["classes"], &first["old_urls"], &first["urls"]),
        (&expected, &json!(8), &json!(9))
    );
    assert_eq!(
        (&first["shares"]["identical"], &first["shares"]["gone"]),
        (&json!(0.25), &json!(0.125))
    );
    assert_eq!(
        (
            &first["days"],
            &first["documents"],
            &first["half_life"]["unit"]
        ),
        (&json!(10.0), &json!(9), &json!("days"))
    );
    let deciles: Vec<u64> = serde_json::from_value(first["resemblance"].clone()).expect("counts");
    assert_eq!(
        (deciles.iter().sum::<u64>(), deciles[0], deciles[9]),
        (5, 1, 3)
    );
    // One of five pages is another, one lost a tenth: some 78 % survive ten days.
    let half_life = first["half_life"]["value"].as_f64().expect("one");
    assert!((20.0..40.0).contains(&half_life), "{half_life}");
    assert!(first["half_life"]["low"].as_f64() < Some(half_life));
    let hosts = place.rows("host_changes");
    assert_eq!(
        (hosts.len(), &hosts[0]["host"], &hosts[0]["moved"]),
        (2, &json!("a.test"), &json!(2))
    );
    assert_eq!(
        (&hosts[0]["half_life"], &first["hosts"][0]["host"]),
        (&first["half_life"]["value"], &json!("a.test"))
    );
    assert_eq!(first["hosts"][0]["classes"], first["classes"]);
    // Nothing that stays changes afterwards.
    assert_eq!(changes["between"][1]["half_life"]["value"], Value::Null);
    assert!(changes["half_life"]["value"].as_f64() > Some(half_life));
}

#[test]
fn a_date_that_is_corrected_counts_in_the_next_run() {
    let place = place();
    place.run();
    let list = fs::read_to_string(place.path("snapshots.toml")).expect("a list");
    place.write("snapshots.toml", list.replace("2026-01-11", "2026-01-16"));
    place.pipeline(&["status"]).exits(0);
    let ran = place.run();
    ran.says("index: the date of a snapshot changed");
    assert!(!ran.stderr().contains("cluster: "), "{}", ran.stderr());
    let report: Value =
        serde_json::from_slice(&fs::read(place.path("out/report.json")).expect("a report"))
            .expect("JSON");
    let days = |place: usize| &report["changes"]["between"][place]["days"];
    assert_eq!((days(0), days(1)), (&json!(15.0), &json!(5.0)));
    place.run().says("nothing new");
}

#[test]
fn a_single_snapshot_has_no_changes() {
    let place = Place::with_corpus(77, 60);
    place.run();
    let report = fs::read_to_string(place.path("out/report.json")).expect("a report");
    assert!(
        !report.contains("changes") && place.tables().len() == 10,
        "{:?}",
        place.tables()
    );
    let refused = place.pipeline(&["export", "moved"]);
    refused.exits(1);
    refused.says("fewer than two snapshots");
}

#[test]
fn a_lost_url_is_found_and_a_history_told() {
    let place = place();
    place.run();
    let ask = |arguments: &[&str]| {
        let ran = place.pipeline(&[&["query"], arguments, &["--json"]].concat());
        ran.exits(0);
        ran.json()
    };
    // Lost two snapshots ago, and its first place is gone, too.
    let lost = ask(&["lost", "http://a.test/moved/from"]);
    assert_eq!(
        (
            &lost["class"],
            &lost["last_snapshot"],
            &lost["newest_snapshot"]
        ),
        (&json!("moved"), &json!("one"), &json!("three"))
    );
    assert_eq!(
        (&lost["now"]["url"], &lost["relation"]),
        (&json!("http://a.test/moved/too"), &json!("similar"))
    );
    assert_eq!(ask(&["lost", "http://a.test/gone"])["class"], "gone");
    assert_eq!(ask(&["lost", "http://a.test/twice"])["class"], "there");
    let history = ask(&["history", "http://a.test/moved/from"])["history"].clone();
    let told: Vec<(&str, Option<&str>)> = (0..3)
        .map(|at| {
            (
                history[at]["snapshot"].as_str().expect("a name"),
                history[at]["class"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [("one", None), ("two", Some("moved")), ("three", None)]
    );
    for verb in ["lost", "history"] {
        let unknown = place.pipeline(&["query", verb, "https://a.test/same/"]);
        unknown.exits(1);
        unknown.says("similar URLs:");
        unknown.says("http://a.test/same");
        for url in [
            "http://a.test/moved/from",
            "http://a.test/gone",
            "http://a.test/same",
            "http://a.test/edited",
        ] {
            let shown = place.pipeline(&["query", verb, url]);
            shown.exits(0);
            assert!(shown.stdout().contains(url), "{}", shown.stdout());
        }
    }
    // Rows of the last two snapshots say what the table says.
    let rows = place.rows("changes");
    for (url, row) in of_snapshot(&rows, "three") {
        let history = ask(&["history", &format!("http://a.test/{url}")])["history"].clone();
        assert_eq!(history[2]["class"], row["class"], "{url}");
        if row["resemblance"] != Value::Null {
            assert_eq!(
                (&history[2]["resemblance"], &history[2]["doc_id"]),
                (&row["resemblance"], &row["new_doc_id"])
            );
        }
    }
}

#[test]
fn changes_are_those_of_a_run_from_scratch_at_any_number_of_threads() {
    let place = place();
    let list = fs::read(place.path("snapshots.toml")).expect("a list");
    place.pipeline(&["run"]).exits(0);
    let changes = |place: &Place| {
        let files = files_below(&place.path("out"));
        [
            "changes.parquet",
            "moved.parquet",
            "host_changes.parquet",
            "report.json",
        ]
        .map(|name| files[name].clone())
    };
    let whole = changes(&place);
    // Night after night.
    let toml = fs::read_to_string(place.path("pipeline.toml")).expect("a configuration");
    let nights = Place::new();
    for (name, bytes) in files_below(&place.path("crawls")) {
        nights.write(&format!("crawls/{name}"), bytes);
    }
    nights.write("pipeline.toml", format!("{toml}threads = 1\n"));
    for (name, date) in [
        ("one", "2026-01-01"),
        ("two", "2026-01-11"),
        ("three", "2026-01-21"),
    ] {
        nights
            .pipeline(&[
                "snapshot",
                "add",
                name,
                &format!("crawls/{name}"),
                "--date",
                date,
            ])
            .exits(0);
        nights.run();
    }
    assert!(changes(&nights) == whole);
    // Without the first snapshot there is one pair left, as it was.
    let before = place.rows("changes");
    place.pipeline(&["snapshot", "drop", "one"]).exits(0);
    place.run();
    let left: Vec<Value> = before
        .into_iter()
        .filter(|row| row["old_snapshot"] == "two")
        .collect();
    assert_eq!(place.rows("changes"), left);
    assert!(fs::read(place.path("snapshots.toml")).expect("a list") != list);
}

/// Pages near the threshold: estimates of some of them are on its other side.
fn near_the_threshold(moved: f64) -> Place {
    let place = Place::new();
    place.write(
        "pipeline.toml",
        format!(
            "version = 1\n[sketch]\nseed = \"near\"\n[snapshots]\nmoved = {moved}\n\
             [work]\nmemory = \"64MiB\"\n"
        ),
    );
    let page = |url: String, text: String| json!({"url": url, "text": text}).to_string() + "\n";
    let (mut old, mut new, mut later) = (String::new(), String::new(), String::new());
    for number in 0..40 {
        let url = format!("http://h.test/{number}");
        let page_text = text(number, 1500, 1500);
        old += &page(url.clone(), page_text.clone());
        new += &page(url.clone(), text(number, 1500, 980 + number));
        later += &page(url + "/new", page_text);
    }
    for (name, pages) in [("one", old), ("two", new), ("three", later)] {
        place.write(&format!("crawls/{name}/a.jsonl"), pages);
        let dir = format!("crawls/{name}");
        place.pipeline(&["snapshot", "add", name, &dir]).exits(0);
    }
    place.run();
    place
}

#[test]
fn what_the_run_compared_exactly_is_exact_in_changes_too() {
    for moved in [0.3, 0.5] {
        let place = near_the_threshold(moved);
        let pairs = place.rows("pairs");
        let of_pair = |a: &Value, b: &Value| {
            pairs
                .iter()
                .find(|row| [&row["a"], &row["b"]] == [a, b] || [&row["a"], &row["b"]] == [b, a])
        };
        let mut by_class = BTreeMap::<String, u32>::new();
        for row in place.rows("changes") {
            let class = row["class"].as_str().expect("a class").to_owned();
            *by_class.entry(class.clone()).or_default() += 1;
            if class == "changed" || class == "similar" {
                let pair = of_pair(&row["old_doc_id"], &row["new_doc_id"]);
                assert_eq!(class == "similar", pair.is_some(), "{row}");
                let resemblance = row["resemblance"].as_f64().expect("a number");
                assert_eq!(class == "similar", resemblance >= 0.5, "{row}");
                assert!(pair.is_none_or(|pair| pair["resemblance"] == row["resemblance"]));
            }
            if class == "moved" {
                assert!(row["resemblance"].as_f64() >= Some(moved), "{row}");
            }
            let (Some(url), "two") = (
                row["url"].as_str(),
                row["new_snapshot"].as_str().unwrap_or(""),
            ) else {
                continue;
            };
            let told = place.pipeline(&["query", "history", url, "--json"]).json();
            let told = &told["history"][1];
            assert_eq!(told["class"], row["class"]);
            assert_eq!(told["resemblance"], row["resemblance"]);
        }
        assert!(
            by_class["similar"] > 5 && by_class["changed"] > 5,
            "{by_class:?}"
        );
        for row in place.rows("moved") {
            let url = row["old_url"].as_str().expect("a URL");
            let lost = place.pipeline(&["query", "lost", url, "--json"]).json();
            assert_eq!(lost["now"]["url"], row["new_url"], "{row}");
            assert_eq!(lost["relation"], row["class"], "{row}");
        }
    }
}
