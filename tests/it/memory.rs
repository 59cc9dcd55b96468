//! Memory under a limit of the kernel: past it, allocation fails and the program dies.

use crate::harness::Place;
use std::process::{Command, Output};

const MIB: u64 = 1 << 20;

/// Runs with RLIMIT_DATA: private memory, reserved but untouched stacks and arenas aside.
fn run_within(place: &Place, limit_bytes: u64) -> Output {
    let script = format!("ulimit -d {} && exec {} run -q", limit_bytes / 1024, env!("CARGO_BIN_EXE_pipeline"));
    Command::new("sh").args(["-c", &script]).current_dir(place.path("")).output().expect("sh runs")
}

#[test]
fn a_corpus_larger_than_the_budget_runs_within_it_plus_64_mib() {
    let place = Place::new();
    // Twice the budget and more, with so many shared shingles that sorts spill.
    place.corpus(41, 30_000);
    let bytes: u64 =
        (0..3).map(|i| std::fs::metadata(place.path(&format!("crawl/part-{i}.jsonl"))).expect("a file").len()).sum();
    assert!(bytes > 40 * MIB, "{bytes} bytes of corpus");
    place.config(&[
        "work.memory = \"64MiB\"",
        "sketch.method = { kind = \"adaptive-modulus\", target = 4096, coarsest = 32 }",
    ]);
    let ended = run_within(&place, 128 * MIB);
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    // The same run under a limit below the budget must die: the test can fail.
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    assert!(!run_within(&place, 16 * MIB).status.success(), "16 MiB are enough, so the limit is none");
}

#[test]
fn hostile_documents_stay_within_the_budget() {
    let place = Place::new();
    let page = |text: &str| format!("{{\"html\": \"{text}\"}}\n");
    let words = "one two three four five six seven eight nine ten ".repeat(320_000);
    let mut corpus = page(&words[..15_000_000]);
    corpus += &page(&"<div>".repeat(2_000_000));
    corpus += &page(&"<a href='".repeat(900_000));
    corpus += &page(&"&amp;".repeat(2_000_000));
    corpus += &page(&"x".repeat(15_000_000));
    corpus += &page("a page of a few words, so that there is something to keep");
    corpus += &page(&"too large ".repeat(3_000_000));
    place.write("crawl/hostile.jsonl", corpus);
    place.config(&["work.memory = \"64MiB\"", "work.threads = 8"]);
    let ended = run_within(&place, 128 * MIB);
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(place.rows("documents").len(), 6);
}

#[test]
fn a_budget_below_the_minimum_is_refused_and_the_minimum_is_at_most_64_mib() {
    let place = Place::with_corpus(42, 10);
    place.config(&["work.memory = \"4MiB\""]);
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("this configuration needs");
    place.config(&["work.memory = \"64MiB\""]);
    place.run();
    place.config(&["work.memory = \"64MiB\"", "input.max-document = \"512MiB\""]);
    place.pipeline(&["run"]).exits(2);
}
