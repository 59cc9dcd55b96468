//! The summary of a made-up run, against its golden file.

use super::*;
use crate::{
    ClassCounts, ClusterCounts, ClusterSize, InputCounts, PairCounts, RemovedCount, RemovedCounts,
    RemovedHost, RunTotals, SketchCounts,
};

/// The collection of the paper, with what it does not tell made up.
fn report() -> Report {
    let counts = |pairs: &[(&str, u64)]| {
        pairs
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect()
    };
    Report {
        input: InputCounts {
            documents: 30_000_000,
            bytes: 150_000_000_000,
            rejected: counts(&[("not-found", 1_204_511), ("revisit", 88), ("too-large", 88)]),
            skipped: counts(&[
                ("request", 31_204_687),
                ("warcinfo", 412),
                ("\u{1b}[2J\u{202e}evil", 1),
            ]),
            flags: (0..12)
                .map(|n| (format!("flag-{n:02}"), 100 - n / 2))
                .collect(),
        },
        sketch: SketchCounts {
            shingles_found: 15_000_000_000,
            shingles_sampled: 600_000_000,
            documents_without_tokens: 2_311,
            documents_shorter_than_shingle: 0,
        },
        classes: ClassCounts {
            identical: ClassCount {
                classes: 2_900_000,
                documents: 7_900_000,
            },
            lexical: ClassCount {
                classes: 3_000_000,
                documents: 8_400_000,
            },
            shingle: ClassCount {
                classes: 3_100_000,
                documents: 8_800_000,
            },
            representatives: 24_300_000,
        },
        pairs: PairCounts {
            postings: 486_000_000,
            common_shingles: 7_411,
            documents_that_lost_more_than_half: 1_204,
            pair_increments: 1_800_000_000,
            floor: 0.25,
            distinct_pairs: 500_000_000,
            settled: 0,
        },
        thresholds: None,
        removed: RemovedCounts {
            identical: RemovedCount {
                documents: 5_000_000,
                bytes: 3 << 30,
            },
            lexical: RemovedCount::default(),
            near: RemovedCount {
                documents: 3_700_000,
                bytes: 1 << 30,
            },
            bytes_saved: 4 << 30,
            hosts: vec![RemovedHost {
                host: "a.test".to_owned(),
                documents: 77,
            }],
        },
        changes: None,
        clusters: ClusterCounts {
            links: 9_100_000,
            crowd_links: 0,
            directed_links: 0,
            published_links: 4_100_000,
            clusters: 3_600_000,
            documents: 12_300_000,
            identical_only: GroupCount {
                clusters: 2_100_000,
                documents: 5_300_000,
            },
            remaining: GroupCount {
                clusters: 1_500_000,
                documents: 7_000_000,
            },
            largest: vec![
                ClusterSize {
                    cluster_id: 17,
                    documents: 40_031,
                    kept_url: Some("http://a.test/".to_owned()),
                    title: None,
                },
                ClusterSize {
                    cluster_id: 4,
                    documents: 812,
                    ..ClusterSize::default()
                },
            ],
            removed_if_deduplicated: 8_700_000,
        },
    }
}

fn run() -> RunRecord {
    let phase = |name: &str, wall_s, records| PhaseRecord {
        state: PhaseState::Done,
        wall_s,
        cpu_s: wall_s * 1.9,
        bytes_read: 150_000_000_000,
        bytes_written: 3_000_000_000,
        records,
        peak_memory_bytes: 1 << 30,
        ..PhaseRecord::skipped(name, "no result yet")
    };
    RunRecord {
        version: "0.1.0".to_owned(),
        started: crate::rfc3339(0),
        ended: crate::rfc3339(9_000_000_000),
        phases: vec![
            phase("sketch", 397.4, 30_000_000),
            PhaseRecord::skipped(
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
fn the_summary_is_as_in_the_golden_file() {
    let text = summary(&report(), &run());
    assert_eq!(
        text,
        include_str!("../../golden/summary.txt"),
        "the summary is now:\n{text}"
    );
}

#[test]
fn what_was_written_is_said_only_when_all_of_it_was() {
    let (report, mut run) = (report(), run());
    let says =
        |report: &Report, run: &RunRecord| summary(report, run).contains("x the packed postings");
    assert!(says(&report, &run) && !says(&Report::default(), &run));
    run.phases[2] = PhaseRecord::skipped("sort", "up to date");
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
    for text in [summary(&report, &run), summary(&Report::default(), &run)] {
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
    let mut json = Vec::new();
    report().write_json(&mut json).unwrap();
    assert_eq!(serde_json::from_slice::<Report>(&json).unwrap(), report());
    let text = String::from_utf8(json).unwrap();
    assert!(
        text.starts_with("{\n  \"input\": {\n    \"documents\": 30000000,\n    \"bytes\"")
            && text.ends_with("}\n")
    );
    let mut json = Vec::new();
    run().write_json(&mut json).unwrap();
    assert_eq!(serde_json::from_slice::<RunRecord>(&json).unwrap(), run());
    assert!(
        String::from_utf8(json)
            .unwrap()
            .contains("\"state\": \"skipped\",\n      \"why\"")
    );
}
