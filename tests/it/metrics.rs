//! The figures for the node exporter: what is in them, whatever way a run ends, and that Prometheus
//! can read them.

use crate::harness::{Place, is_installed};
use crate::read_errors::nightly;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

/// Samples by name, or by name and phase. Stricter than Prometheus: help, type, then the samples of
/// each metric.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let (mut found, mut current, mut seen) = (BTreeMap::new(), String::new(), Vec::new());
    assert!(text.ends_with('\n') && !text.contains('\r'));
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, what) = help.split_once(' ').expect("help");
            assert!(
                name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') && what.ends_with('.'),
                "{line}"
            );
            assert_eq!(lines.next(), Some(format!("# TYPE {name} gauge").as_str()));
            assert!(!seen.contains(&name.to_owned()), "{name} comes twice");
            assert!(
                lines
                    .peek()
                    .is_some_and(|next| next.starts_with(&format!("{name}{{"))),
                "{name} has no sample"
            );
            name.clone_into(&mut current);
            seen.push(name.to_owned());
            continue;
        }
        let (name, rest) = line.split_once('{').expect("labels");
        let (labels, value) = rest.rsplit_once("} ").expect("a value");
        assert_eq!(name, current, "{line}");
        let (config, phase) = labels
            .split_once("\",")
            .map_or((labels, ""), |(config, phase)| (config, phase));
        assert!(
            config.starts_with("config=\"/")
                && config.trim_end_matches('"').ends_with("pipeline.toml"),
            "{line}"
        );
        let phase = phase
            .strip_prefix("phase=\"")
            .map_or("", |phase| phase.trim_end_matches('"'));
        let value: f64 = value.parse().expect("a number");
        assert!(value.is_finite() && value >= 0.0, "{line}");
        assert!(
            found.insert(format!("{name}{phase}"), value).is_none(),
            "{line} comes twice"
        );
    }
    found
}

fn read(place: &Place) -> BTreeMap<String, f64> {
    samples(&fs::read_to_string(place.path("m/crawl.prom")).expect("metrics"))
}

fn with_metrics(seed: u64, pages: u32) -> Place {
    let place = Place::with_corpus(seed, pages);
    fs::create_dir(place.path("m")).expect("a directory");
    place.config(&["work.metrics = \"m/crawl.prom\""]);
    place
}

#[test]
fn a_run_leaves_its_figures() {
    let place = with_metrics(91, 400);
    place.run();
    let figures = read(&place);
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(place.path("out/report.json")).expect("a report"))
            .expect("JSON");
    let count = |path: &str| {
        report
            .pointer(path)
            .and_then(serde_json::Value::as_f64)
            .expect("a count")
    };
    assert_eq!(figures["pipeline_documents"], 400.0);
    assert_eq!(figures["pipeline_clusters"], count("/clusters/clusters"));
    assert_eq!(
        figures["pipeline_duplicates"],
        count("/clusters/removed_if_deduplicated")
    );
    assert!(figures["pipeline_clusters"] > 0.0 && figures["pipeline_duplicates"] > 0.0);
    let sizes = fs::read_dir(place.path("crawl"))
        .expect("crawl")
        .map(|entry| entry.expect("").metadata().expect("").size());
    assert_eq!(
        (
            figures["pipeline_input_files"],
            figures["pipeline_input_bytes"]
        ),
        (3.0, sizes.sum::<u64>() as f64)
    );
    assert_eq!(
        (
            figures["pipeline_last_run_exit_code"],
            figures["pipeline_last_run_phases"]
        ),
        (0.0, 7.0)
    );
    assert!(figures["pipeline_last_run_written_bytes"] > 10_000.0);
    assert!(figures["pipeline_last_run_peak_memory_bytes"] > 1e6);
    assert!(
        figures["pipeline_last_run_cpu_seconds"] > 0.0
            && figures["pipeline_last_run_duration_seconds"] > 0.0
    );
    assert!(figures["pipeline_last_run_phase_cpu_secondssketch"] > 0.0);
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("now")
        .as_secs_f64();
    for name in [
        "pipeline_last_success_timestamp_seconds",
        "pipeline_last_run_timestamp_seconds",
    ] {
        assert!((now - 60.0..=now).contains(&figures[name]), "{name}");
    }
    assert_eq!(figures.len(), 5 + 10 + 8, "{figures:?}");
    assert_eq!(
        fs::metadata(place.path("m/crawl.prom"))
            .expect("metrics")
            .permissions()
            .mode()
            & 0o444,
        0o444
    );
}

#[test]
fn nothing_new_is_a_success_and_the_figures_are_its_only_write() {
    let place = with_metrics(92, 60);
    place.run();
    let (first, inode) = (
        read(&place),
        fs::metadata(place.path("m/crawl.prom"))
            .expect("metrics")
            .ino(),
    );
    let mut command = place.command(&["run", "-q"]);
    command.env("PIPELINE_FAULT_COUNT", place.path("counts"));
    assert!(command.status().expect("runs").success());
    assert_eq!(
        fs::read_to_string(place.path("counts")).expect("counts"),
        "0 0 0 0 0"
    );
    let second = read(&place);
    for (name, value) in &first {
        let kept = [
            "pipeline_documents",
            "pipeline_duplicates",
            "pipeline_clusters",
            "pipeline_input_bytes",
        ];
        assert!(
            !kept.contains(&name.as_str()) || second[name] == *value,
            "{name}"
        );
    }
    let success = "pipeline_last_success_timestamp_seconds";
    assert!(second[success] > first[success]);
    assert_eq!(
        (
            second["pipeline_last_run_phases"],
            second["pipeline_last_run_written_bytes"]
        ),
        (0.0, 0.0)
    );
    assert_eq!(second["pipeline_last_run_phase_cpu_secondssketch"], 0.0);
    // Written aside and renamed, so that nobody reads half of it.
    assert_ne!(
        fs::metadata(place.path("m/crawl.prom"))
            .expect("metrics")
            .ino(),
        inode
    );
    assert_eq!(fs::read_dir(place.path("m")).expect("m").count(), 1);
    place.pipeline(&["run", "--dry-run"]).exits(0);
    assert_eq!(read(&place), second, "a dry run is no run");
}

#[test]
fn a_failed_run_keeps_what_was_last_known() {
    let place = with_metrics(93, 60);
    place.write("crawl/junk.bin", [0_u8, 1, 2, 3, 255]);
    place.pipeline(&["run", "--strict"]).exits(3);
    let never = read(&place);
    assert_eq!(never["pipeline_last_success_timestamp_seconds"], 0.0);
    assert_eq!(
        (
            never["pipeline_last_run_exit_code"],
            never.get("pipeline_documents")
        ),
        (3.0, None)
    );
    place.run();
    let good = read(&place);
    assert_eq!(good["pipeline_rejected_records"], 1.0);
    place.corpus(94, 90);
    let mut command = place.command(&["run", "-q"]);
    command.env("PIPELINE_FAULT", "error:write:20:28");
    assert_eq!(command.status().expect("runs").code(), Some(4));
    let full = read(&place);
    assert_eq!(full["pipeline_last_run_exit_code"], 4.0);
    assert!(full["pipeline_last_run_written_bytes"] > 0.0);
    place.pipeline(&["run", "--until", "sort"]).exits(0);
    let part = read(&place);
    assert_eq!(part["pipeline_last_run_exit_code"], 0.0);
    for name in [
        "pipeline_last_success_timestamp_seconds",
        "pipeline_documents",
        "pipeline_duplicates",
    ] {
        assert_eq!((full[name], part[name]), (good[name], good[name]), "{name}");
    }
    assert!(
        part["pipeline_last_run_timestamp_seconds"] > good["pipeline_last_run_timestamp_seconds"]
    );
    place.run();
    let whole = read(&place);
    assert!(
        whole["pipeline_last_success_timestamp_seconds"]
            > good["pipeline_last_success_timestamp_seconds"]
    );
    assert_eq!(whole["pipeline_documents"], 90.0);
}

#[test]
fn figures_that_cannot_be_left_are_a_warning() {
    let place = Place::with_corpus(95, 60);
    place.config(&["work.metrics = \"nowhere/crawl.prom\""]);
    let ran = place.run();
    ran.says("warning: failed to write the figures of this run to ");
    ran.says("nowhere/crawl.prom");
    assert!(!place.path("nowhere").exists());
    place.pipeline(&["verify"]).exits(0);
}

/// Where Prometheus' own tool is installed, it is asked, too.
#[test]
fn promtool_accepts_the_figures() {
    if !is_installed("promtool") {
        return;
    }
    let place = with_metrics(96, 60);
    place.run();
    let file = fs::File::open(place.path("m/crawl.prom")).expect("metrics");
    let checked = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(file)
        .output()
        .expect("promtool");
    let said = String::from_utf8_lossy(&checked.stdout).into_owned()
        + &String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success() && said.is_empty(), "{said}");
    let rules = crate::harness::repository().join("docs/prometheus/pipeline.rules.yml");
    let checked = Command::new("promtool")
        .args(["check", "rules"])
        .arg(rules)
        .output()
        .expect("promtool");
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stdout)
    );
}

/// A snapshot is added, and a night comes, after a run has listed its input and before it has the
/// lock: the run lists again.
#[test]
fn a_run_tells_of_the_input_that_it_reads() {
    let place = nightly();
    place.write("pages/d.jsonl", "{\"text\":\"a page\"}\n");
    let paused = place.paused_at("work/lock", &["run", "--set", "work.metrics=crawl.prom"]);
    paused.has_made("work");
    place.write("crawls/2026-01-02/c.jsonl", "{\"text\":\"third\"}\n");
    place.write("crawls/2026-01-02/READY", "");
    place
        .pipeline(&["snapshot", "add", "one", "pages"])
        .exits(0);
    let ran = paused.resume();
    ran.exits(0);
    ran.says("snapshot 2026-01-02 (number 3) is new");
    let text = fs::read_to_string(place.path("crawl.prom")).expect("metrics");
    assert_eq!(samples(&text)["pipeline_input_files"], 4.0);
}
