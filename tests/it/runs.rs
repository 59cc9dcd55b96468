//! The first run, reruns, parts of the line.

use crate::harness::Place;
use std::collections::BTreeMap;

/// Phase → whether it ran, from `run --json`.
pub(crate) fn verdicts(place: &Place, arguments: &[&str]) -> BTreeMap<String, String> {
    let ran = place.pipeline(&[&["run", "--json"], arguments].concat());
    ran.exits(0);
    let json = ran.json();
    let phases = json["phases"].as_array().expect("phases").iter();
    phases
        .map(|plan| {
            let text = |key: &str| plan[key].as_str().unwrap_or_default().to_owned();
            (
                text("phase"),
                if text("verdict") == "run" {
                    format!("run: {}", text("why"))
                } else {
                    text("verdict")
                },
            )
        })
        .collect()
}

#[test]
fn the_first_run_publishes_everything_and_says_so() {
    let place = Place::with_corpus(1, 300);
    let ran = place.run();
    for word in ["documents", "clusters", "identical", "Results: ", "Next:"] {
        assert!(
            ran.stdout().contains(word),
            "{word} is missing in\n{}",
            ran.stdout()
        );
    }
    let names = place.tables();
    assert_eq!(
        names,
        [
            "cluster_changes.parquet",
            "clusters.parquet",
            "common_shingles.parquet",
            "documents/default.parquet",
            "host_pairs.parquet",
            "membership.parquet",
            "pairs.parquet",
            "rejected.jsonl",
            "removed.parquet",
            "report.json"
        ]
    );
    let (documents, membership) = (place.rows("documents"), place.rows("membership"));
    assert_eq!((documents.len(), membership.len()), (300, 300));
    for (position, row) in documents.iter().enumerate() {
        assert_eq!(row["doc_id"], position as i64);
    }
    assert!(!place.rows("clusters").is_empty() && !place.rows("pairs").is_empty());
    let ran = place.pipeline(&["verify"]);
    ran.exits(0);
    assert!(ran.stdout().contains("all sound"), "{}", ran.stdout());
}

#[test]
fn a_second_run_does_nothing_and_changes_nothing() {
    let place = Place::with_corpus(2, 120);
    place.run();
    let link = std::fs::read_link(place.path("out")).expect("a link");
    let again = verdicts(&place, &[]);
    assert!(
        again.values().all(|verdict| verdict == "up_to_date"),
        "{again:?}"
    );
    assert_eq!(std::fs::read_link(place.path("out")).expect("a link"), link);
    place.pipeline(&["status"]).exits(0);
}

#[test]
fn another_threshold_runs_only_cluster_and_index() {
    let place = Place::with_corpus(3, 200);
    place.run();
    place.config(&["cluster.resemblance = 0.8"]);
    let again = verdicts(&place, &[]);
    assert_eq!(again["cluster"], "run: resemblance was 0.5, is 0.8");
    assert!(again["index"].starts_with("run: "), "{again:?}");
    for phase in ["sketch", "distinct", "sort", "pairs"] {
        assert_eq!(again[phase], "up_to_date", "{phase}");
    }
    // The result is that of a run from scratch.
    let resumed = place.published();
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    place.run();
    assert!(
        resumed == place.published(),
        "a rerun gives other bytes than a first run"
    );
}

#[test]
fn the_floor_leaves_out_pairs_and_no_link() {
    let place = Place::with_corpus(3, 400);
    let found = |keys: &[&str]| {
        place.config(keys);
        place.run();
        let tables = ["pairs", "clusters", "membership"].map(|table| place.rows(table));
        let report = std::fs::read(place.path("out/report.json")).expect("a report");
        (
            tables,
            serde_json::from_slice::<serde_json::Value>(&report).expect("JSON")["pairs"].clone(),
        )
    };
    for rest in [
        &[][..],
        &["cluster.resemblance = 0.3"],
        &["cluster.min-shared = 1"],
        &["cluster.linkage = \"star\""],
    ] {
        let (with, floor) = found(rest);
        let (without, none) = found(&[rest, &["pairs.floor = 0"]].concat());
        assert!(with == without && !with[0].is_empty(), "{rest:?}");
        assert_eq!(
            (&floor["floor"], &none["floor"]),
            (&serde_json::json!(0.25), &serde_json::json!(0.0))
        );
        let distinct =
            |pairs: &serde_json::Value| pairs["distinct_pairs"].as_u64().expect("a count");
        assert!(distinct(&floor) < distinct(&none), "{floor} {none}");
        assert!(distinct(&floor) >= with[0].len() as u64);
    }
    place.config(&[]);
    assert_eq!(verdicts(&place, &[])["pairs"], "run: floor was 0, is 0.25");
    place.config(&["cluster.resemblance = 0.26"]);
    assert_eq!(verdicts(&place, &[])["pairs"], "up_to_date");
    place.pipeline(&["tune", "--at", "0.25"]).exits(0);
    let below = place.pipeline(&["tune", "--at", "0.24"]);
    below.exits(2);
    below.says("below the floor of the pairs that were counted; set `floor = 0.24`");
    place.config(&["cluster.containment = 0.9"]);
    assert_eq!(verdicts(&place, &[])["pairs"], "run: floor was 0.25, is 0");
    let directed = place.rows("pairs");
    assert!(directed == found(&["cluster.containment = 0.9", "pairs.floor = 0"]).0[0]);
}

#[test]
fn a_changed_new_or_lost_input_file_is_noticed_and_a_touched_one_is_not() {
    let place = Place::with_corpus(4, 150);
    place.run();
    let first = place.published();
    let name = "crawl/part-1.jsonl";
    let bytes = std::fs::read(place.path(name)).expect("a file");
    place.write(name, &bytes);
    assert_eq!(
        verdicts(&place, &[])["sketch"],
        "up_to_date",
        "touched only"
    );
    let mut other = bytes.clone();
    let at = other
        .windows(5)
        .position(|w| w == b"text\"")
        .expect("a text")
        + 12;
    other[at] = if other[at] == b'q' { b'z' } else { b'q' };
    place.write(name, &other);
    assert_eq!(
        verdicts(&place, &[])["sketch"],
        format!("run: input {} changed", &name[6..]),
        "one byte"
    );
    assert!(first != place.published());
    place.write(name, &bytes);
    place.write("crawl/part-9.jsonl", "{\"text\": \"a new page\"}\n");
    assert!(
        verdicts(&place, &[])["sketch"].starts_with("run: input part-"),
        "new file"
    );
    std::fs::remove_file(place.path("crawl/part-9.jsonl")).expect("removed");
    assert_eq!(
        verdicts(&place, &[])["sketch"],
        "run: input part-9.jsonl is gone"
    );
    assert!(
        first == place.published(),
        "back to the first input, other bytes"
    );
}

#[test]
fn parts_of_the_line_can_be_run_alone() {
    let place = Place::with_corpus(5, 100);
    let plan = place.pipeline(&["run", "--dry-run"]);
    plan.exits(0);
    assert!(
        plan.stdout().contains("sketch") && !place.path("work").exists(),
        "a dry run does nothing"
    );
    let ran = place.pipeline(&["run", "--only", "pairs"]);
    ran.exits(2);
    ran.says("sketch must run first");
    place.pipeline(&["run", "--until", "sort"]).exits(0);
    assert!(!place.path("out").exists(), "nothing to publish yet");
    let rest = verdicts(&place, &["--from", "pairs"]);
    assert_eq!(rest["sort"], "up_to_date");
    let first = place.published();
    let forced = verdicts(&place, &["--only", "sort", "--force"]);
    assert_eq!(forced["sort"], "run: forced");
    assert!(
        verdicts(&place, &[])
            .values()
            .all(|verdict| verdict == "up_to_date"),
        "the same postings, so nothing follows"
    );
    assert!(first == place.published());
}

#[test]
fn a_call_that_cannot_go_on_with_changed_input_ends_with_3() {
    let place = Place::with_corpus(5, 60);
    place.run();
    let path = place.path("crawl/part-0.jsonl");
    let bytes = std::fs::read(&path).expect("a file");
    let refused = |what: &str| {
        for words in ["run --from cluster", "run --only index", "dedup --dry-run"] {
            let ran = place.pipeline(&words.split(' ').collect::<Vec<_>>());
            ran.exits(3);
            ran.says(what);
            ran.says("run `pipeline run`");
        }
    };
    std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
    refused("input part-0.jsonl changed");
    std::fs::write(&path, &bytes).expect("written");
    place.write("crawl/junk.bin", [0, 1, 2]);
    refused("the files that cannot be read are not the same as before");
}

#[test]
fn the_last_two_publications_stay() {
    let place = Place::with_corpus(6, 60);
    for resemblance in ["0.4", "0.5", "0.6", "0.7"] {
        place.config(&[&format!("cluster.resemblance = {resemblance}")]);
        place.run();
    }
    let mut names: Vec<String> = std::fs::read_dir(place.path("out.d"))
        .expect("out.d")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    names.sort();
    assert_eq!(names, [".pipeline", "g000003", "g000004"]);
    assert_eq!(
        std::fs::read_link(place.path("out")).expect("a link"),
        std::path::Path::new("out.d/g000004")
    );
}

#[test]
fn an_output_that_is_not_ours_is_refused() {
    let place = Place::with_corpus(7, 20);
    place.write("out/precious.txt", "mine");
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("was not made by this program");
    assert_eq!(
        std::fs::read(place.path("out/precious.txt")).expect("still there"),
        b"mine"
    );
    std::fs::remove_dir_all(place.path("out")).expect("removed");
    place.write("out.d/precious.txt", "mine");
    place.pipeline(&["run"]).exits(2);
    assert_eq!(
        std::fs::read(place.path("out.d/precious.txt")).expect("still there"),
        b"mine"
    );
}

#[test]
fn work_files_hold_only_what_the_manifest_names() {
    let place = Place::with_corpus(8, 100);
    place.run();
    place.write("work/sketch/foreign.txt", "mine");
    place.write("work/sort/postings.run-00099.part", "left by a kill");
    place.pipeline(&["run", "--force"]).exits(0);
    assert!(
        place.path("work/sketch/foreign.txt").exists(),
        "a foreign file was removed"
    );
    assert!(
        !place.path("work/sort/postings.run-00099.part").exists(),
        "a leftover stays"
    );
}
