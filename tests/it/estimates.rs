//! What a run will cost: before it, and beside what it did.

use crate::harness::{Place, repository};

/// The phases of an estimate.
fn phases(json: &serde_json::Value) -> Vec<String> {
    let phases = json["estimate"]["phases"]
        .as_array()
        .expect("phases of the estimate")
        .iter();
    phases
        .map(|phase| phase["phase"].as_str().expect("a name").to_owned())
        .collect()
}

const FIGURES: [&str; 5] = [
    "wall_s",
    "cpu_s",
    "peak_memory_bytes",
    "bytes_written",
    "peak_disk_bytes",
];

#[test]
fn a_dry_run_says_what_every_phase_will_cost() {
    let place = Place::new();
    let samples = repository().join("data-samples");
    place.config(&[&format!(
        "input.paths = [\"{}/web/*.warc.gz\"]",
        samples.display()
    )]);
    let plan = place.pipeline(&["run", "--dry-run"]);
    plan.exits(0);
    let text = plan.stdout();
    for line in [
        "Estimate         Time         CPU       Memory      Written         Disk",
        "all",
        "100.00 % of the input",
    ] {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
    let json = place.pipeline(&["run", "--dry-run", "--json"]).json();
    assert_eq!(
        phases(&json),
        ["sketch", "distinct", "sort", "pairs", "cluster", "index"]
    );
    for figure in FIGURES {
        assert!(
            json["estimate"]["phases"][0][figure]
                .as_f64()
                .is_some_and(|n| n > 0.0),
            "{figure} in {json}"
        );
        assert!(
            json["estimate"]["total"][figure]
                .as_f64()
                .is_some_and(|n| n > 0.0),
            "{figure} in {json}"
        );
    }
    let status = place.pipeline(&["status", "--json"]).json();
    assert_eq!(status["estimate"]["counts"], json["estimate"]["counts"]);
    assert!(!place.path("work").exists(), "a look changes nothing");
    place.run();
    // All of the input was looked at, so the counts are those of the run.
    let documents = place.rows("documents").len() as u64;
    assert_eq!(
        json["estimate"]["counts"]["documents"].as_u64(),
        Some(documents)
    );
    assert!(
        place.pipeline(&["status", "--json"]).json()["estimate"].is_null(),
        "nothing has to run"
    );
}

#[test]
fn another_threshold_costs_only_what_runs_again() {
    let place = Place::with_corpus(91, 200);
    place.run();
    place.config(&["cluster.resemblance = 0.8"]);
    let json = place.pipeline(&["status", "--json"]).json();
    assert_eq!(phases(&json), ["cluster", "index"]);
    assert!(json["estimate"]["sample"].is_null(), "{json}");
    assert!(
        place
            .pipeline(&["status"])
            .stdout()
            .contains("from the counts of finished phases")
    );
    let forced = place
        .pipeline(&["run", "--dry-run", "--force", "--only", "sort", "--json"])
        .json();
    assert_eq!(phases(&forced), ["sort"]);
}

#[test]
fn a_run_shows_what_was_expected_beside_what_was() {
    let place = Place::with_corpus(92, 2500);
    let ran = place.pipeline(&["run"]);
    ran.exits(0);
    let lines = ran
        .stdout()
        .lines()
        .filter(|line| line.starts_with("  expected "))
        .count();
    assert_eq!(lines, 7, "six phases and all of them:\n{}", ran.stdout());
    assert!(ran.stdout().contains(", expected "), "{}", ran.stdout());
    ran.says("Estimate");
    let text = std::fs::read_to_string(place.path("out/run.json")).expect("run.json");
    let run: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for phase in run["phases"].as_array().expect("phases") {
        for figure in FIGURES {
            assert!(
                phase["estimate"][figure].as_f64().is_some_and(|n| n > 0.0),
                "{figure} in {phase}"
            );
        }
    }
    // What was expected is no part of what is published, nor a reason to run again.
    let report = std::fs::read_to_string(place.path("out/report.json")).expect("report.json");
    assert!(
        !report.contains("expected") && !report.contains("estimate"),
        "{report}"
    );
    let again = place.pipeline(&["run"]);
    assert!(!again.stdout().contains("expected"), "{}", again.stdout());
}

#[test]
fn a_small_input_is_not_read_twice_by_a_run() {
    let place = Place::with_corpus(93, 50);
    let ran = place.run();
    ran.says("no estimate: the input is so small");
    assert!(!ran.stdout().contains("expected"), "{}", ran.stdout());
}

#[test]
fn a_disk_too_small_for_the_sketches_is_refused_before_anything_is_read() {
    let place = Place::with_corpus(94, 2500);
    place.config(&["work.disk = \"64KiB\""]);
    let ran = place.pipeline(&["run"]);
    ran.exits(4);
    assert!(
        !place.path("work/sketch").exists(),
        "the phase began: {}",
        ran.stderr()
    );
}
