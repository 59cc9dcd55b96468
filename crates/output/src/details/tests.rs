//! The details of a made-up run, against its golden file.

use super::*;
use crate::RunTotals;
use crate::json_file;
use crate::tests::rows::report;

fn run() -> RunRecord {
    let phase = |name: &str, wall_s, records| PhaseRun {
        state: PhaseState::Done,
        wall_s,
        cpu_s: wall_s * 1.9,
        bytes_read: 150_000_000_000,
        bytes_written: 3_000_000_000,
        records,
        peak_memory_bytes: 1 << 30,
        ..PhaseRun::skipped(name, "no result yet")
    };
    RunRecord {
        work: None,
        configuration: None,
        version: "0.1.0".to_owned(),
        started: crate::rfc3339(0),
        ended: crate::rfc3339(9_000_000_000),
        phases: vec![
            phase("sketch", 397.4, 30_000_000),
            PhaseRun::skipped(
                "distinct",
                "parameters, inputs and outputs agree with the manifest",
            ),
            phase("sort", 120.0, 486_000_000),
            phase("pairs", 8000.0, 500_000_000),
            phase("cluster", 0.25, 9_100_000),
        ],
        totals: RunTotals {
            wall_s: 8397.65,
            cpu_s: 15_955.5,
            bytes_read: 450_000_000_000,
            bytes_written: 12_000_000_000,
            peak_memory_bytes: 1 << 30,
            peak_disk_bytes: Some(20_000_000_000),
        },
    }
}

#[test]
fn the_details_are_as_in_the_golden_file() {
    let text = details(&report(), &run());
    assert_eq!(
        text,
        include_str!("../../golden/details.txt"),
        "the details are now:\n{text}"
    );
}

#[test]
fn what_was_written_is_said_only_when_all_of_it_was() {
    let (report, mut run) = (report(), run());
    let says =
        |report: &Report, run: &RunRecord| details(report, run).contains("x the packed postings");
    assert!(says(&report, &run) && !says(&Report::default(), &run));
    run.phases[2] = PhaseRun::skipped("sort", "up to date");
    assert!(!says(&report, &run));
}

#[test]
fn no_line_is_long_or_strange_whatever_the_input() {
    let mut report = report();
    report
        .input
        .rejected
        .insert("x".repeat(1000) + "\u{1b}\n", u64::MAX);
    report.clusters.documents = u64::MAX;
    let mut run = run();
    run.phases[1].why = "è".repeat(300);
    run.phases[0].wall_s = f64::NAN;
    run.phases[0].cpu_s = f64::MAX;
    run.phases[0].records = u64::MAX;
    for text in [details(&report, &run), details(&Report::default(), &run)] {
        for line in text.lines() {
            assert!(line.len() <= WIDTH && !line.ends_with(' '), "{line:?}");
            assert!(
                line.chars().all(|c| c == ' ' || c.is_ascii_graphic()),
                "{line:?}"
            );
        }
    }
}

#[test]
fn both_files_read_back_with_fields_in_order() {
    let json = json_file("report.json", &report()).unwrap();
    assert_eq!(serde_json::from_slice::<Report>(&json).unwrap(), report());
    let text = String::from_utf8(json).unwrap();
    assert!(
        text.starts_with("{\n  \"input\": {\n    \"documents\": 30000000,\n    \"bytes\"")
            && text.ends_with("}\n")
    );
    let json = json_file("run.json", &run()).unwrap();
    assert_eq!(serde_json::from_slice::<RunRecord>(&json).unwrap(), run());
    assert!(
        String::from_utf8(json)
            .unwrap()
            .contains("\"state\": \"skipped\",\n      \"why\"")
    );
}
