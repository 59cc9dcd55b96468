//! `pipeline dedup`: every format, kills and full disks, and whose directory it is.

use crate::dedup::copies;
use crate::harness::{Place, Ran, files_below, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;

/// A run with many small files, and what its copies are.
fn kill_place(seed: u64) -> (Place, BTreeMap<String, Vec<u8>>) {
    let place = Place::with_corpus(seed, 120);
    for file in 0..6 {
        place.write(
            &format!("crawl/site/page-{file}.html"),
            format!("<p>a page of some words number {}", file / 2),
        );
    }
    place.run();
    copies(&place, "golden", &[]);
    let golden = files_below(&place.path("golden"));
    (place, golden)
}

fn with_fault(place: &Place, fault: &str) -> Ran {
    let mut command = place.command(&["dedup", "-q", "-o", "copies"]);
    command.env("PIPELINE_FAULT", fault);
    Ran(command.output().expect("the program starts"))
}

#[test]
fn a_kill_at_any_operation_is_gone_on_with_to_the_same_copies() {
    let (place, golden) = kill_place(67);
    let mut kills = 0;
    for (mode, first) in [("kill", 1), ("torn", 2)] {
        for nth in first.. {
            let killed = with_fault(&place, &format!("{mode}:any:{nth}"));
            let done = killed.0.status.signal() != Some(9);
            for (name, bytes) in files_below(&place.path("copies/data")) {
                assert!(
                    golden[&format!("data/{name}")] == bytes,
                    "{mode} {nth}: {name} is not whole"
                );
            }
            copies(&place, "copies", &[]);
            assert!(
                files_below(&place.path("copies")) == golden,
                "{mode} {nth}: other files"
            );
            std::fs::remove_dir_all(place.path("copies")).expect("removed");
            kills += u32::from(!done);
            if done {
                killed.exits(0);
                break;
            }
        }
    }
    assert!(kills > 60, "only {kills} kills");
    place.run();
}

/// Otherwise a power cut right after the end could take all copies.
#[test]
fn the_name_of_the_directory_of_copies_is_synced() {
    let (place, _) = kill_place(71);
    let failed = |nth: u64| with_fault(&place, &format!("error:sync:{nth}:5"));
    let messages: Vec<String> = (1..=12).map(|nth| failed(nth).stderr()).collect();
    let is_current = |message: &String| message.contains("failed to sync .:");
    assert!(messages.iter().any(is_current), "{messages:?}");
}

#[test]
fn a_full_disk_is_exit_4_and_gone_on_with() {
    let (place, golden) = kill_place(68);
    let mut failures = 0;
    for nth in (1..).step_by(3) {
        let failed = with_fault(&place, &format!("error:write:{nth}:28"));
        if failed.code() == Some(0) {
            break;
        }
        failures += 1;
        failed.exits(4);
        failed.says("no space left");
        copies(&place, "copies", &[]);
        assert!(
            files_below(&place.path("copies")) == golden,
            "write {nth}: other files"
        );
        std::fs::remove_dir_all(place.path("copies")).expect("removed");
    }
    assert!(failures > 3, "only {failures} failures");
}

#[test]
fn an_input_that_changed_or_vanished_is_refused_before_anything_is_written() {
    let place = Place::with_corpus(69, 100);
    place.run();
    let path = place.path("crawl/part-1.jsonl");
    let bytes = std::fs::read(&path).expect("a file");
    let mut changed = bytes.clone();
    let at = changed
        .iter()
        .position(|byte| *byte == b'a')
        .expect("a letter");
    changed[at] = b'b';
    place.write("crawl/part-1.jsonl", &changed);
    let refused = place.pipeline(&["dedup", "-o", "copies"]);
    refused.exits(3);
    refused.says("input part-1.jsonl changed");
    place.write("crawl/part-1.jsonl", "\n");
    let rows = place.rows("documents");
    let gone = rows.iter().find(|row| row["source"] == "part-1.jsonl");
    let gone = gone.expect("a document")["doc_id"].to_string();
    place.pipeline(&["explain", "0", &gone]).exits(3);
    std::fs::remove_file(&path).expect("removed");
    let refused = place.pipeline(&["dedup", "-o", "copies"]);
    refused.exits(3);
    refused.says("input part-1.jsonl is gone");
    assert!(!place.path("copies").exists());
    // The same bytes under another inode and time are the same input.
    place.write("crawl/part-1.jsonl", &bytes);
    copies(&place, "copies", &[]);
    let never = Place::with_corpus(69, 10);
    never.pipeline(&["dedup", "-o", "copies"]).exits(1);
}

#[test]
fn a_flipped_bit_in_what_a_call_left_is_found_and_mended() {
    let (place, golden) = kill_place(71);
    let operations = (1..)
        .find(|nth| {
            let ended = with_fault(&place, &format!("kill:any:{nth}"));
            std::fs::remove_dir_all(place.path("copies")).ok();
            ended.0.status.signal() != Some(9)
        })
        .expect("an end");
    let (mut tried, mut refused) = (0, 0);
    for nth in [operations / 2, operations - 3, operations - 1, operations] {
        with_fault(&place, &format!("kill:any:{nth}"));
        let left = files_below(&place.path("copies"));
        for (number, (name, bytes)) in left.iter().enumerate() {
            if bytes.is_empty() {
                continue;
            }
            std::fs::remove_dir_all(place.path("copies")).expect("removed");
            for (name, bytes) in &left {
                place.write(&format!("copies/{name}"), bytes);
            }
            let mut bad = bytes.clone();
            let at = (number * 7919 + nth * 31) % bad.len();
            bad[at] ^= 4;
            place.write(&format!("copies/{name}"), bad);
            let again = place.pipeline(&["dedup", "-q", "-o", "copies"]);
            tried += 1;
            if name == ".pipeline-dedup" {
                again.exits(2);
                refused += 1;
                continue;
            }
            again.exits(0);
            assert!(
                files_below(&place.path("copies")) == golden,
                "kill {nth}, byte {at} of {name}: other files"
            );
        }
        std::fs::remove_dir_all(place.path("copies")).expect("removed");
    }
    assert!(
        tried > 30 && refused == 4,
        "{tried} tried, {refused} refused"
    );
}

#[test]
fn a_directory_of_something_else_is_refused_and_a_finished_one_is_left_as_it_is() {
    let place = Place::with_corpus(70, 60);
    place.run();
    place.write("mine/notes.txt", "notes");
    for (dir, says) in [
        ("mine", "not empty"),
        ("work", "work directory"),
        ("crawl/copies", "in paths"),
        (".", "or contains it"),
        ("out.d/x", "published"),
    ] {
        let refused = place.pipeline(&["dedup", "-o", dir]);
        refused.exits(2);
        refused.says(says);
    }
    copies(&place, "copies", &[]);
    let golden = files_below(&place.path("copies"));
    let again = place.pipeline(&["dedup", "-o", "copies"]);
    again.exits(0);
    assert!(
        again.stdout().contains("already finished"),
        "{}",
        again.stdout()
    );
    assert!(files_below(&place.path("copies")) == golden);
    let other = place.pipeline(&["dedup", "-o", "copies", "--drop-all"]);
    other.exits(2);
    other.says("with other options");
    // A copy that somebody removed is made again.
    std::fs::remove_file(place.path("copies/data/part-0.jsonl")).expect("removed");
    copies(&place, "copies", &[]);
    assert!(files_below(&place.path("copies")) == golden);
}

#[test]
fn a_directory_that_a_glob_of_the_input_reaches_is_refused() {
    let place = Place::with_corpus(72, 30);
    for (paths, dir, reached) in [
        ("crawl/*.jsonl", "crawl/copies", false),
        ("crawl/**/*.jsonl", "crawl/copies", true),
        ("crawl/**/part-*.jsonl", "crawl/some/where", true),
        ("crawl/{,some/*/}part-*.jsonl", "crawl/some", true),
        ("crawl/{,some/*/}part-*.jsonl", "crawl/other", false),
        ("crawl/{,*/}*.jsonl", "crawl/copies", true),
    ] {
        place.config(&[&format!("input.paths = [{paths:?}]")]);
        place.run();
        let ran = place.pipeline(&["dedup", "-q", "-o", dir]);
        assert_eq!(
            ran.code(),
            Some(if reached { 2 } else { 0 }),
            "{paths} {dir}: {}",
            ran.stderr()
        );
        assert_eq!(place.path(dir).exists(), !reached, "{paths} {dir}");
        if reached {
            ran.says("in paths");
        }
        let _ = std::fs::remove_dir_all(place.path(dir));
    }
}

#[test]
fn what_is_no_document_is_copied_as_it_is() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let page = "<p>the same page, of a few words and no more</p>";
    let line = |n: u32| format!("{{\"text\": \"line {n} of words\"}}");
    // No newline at the end, carriage returns, blank lines, lines that are no documents.
    let text = [
        &line(1),
        "\r\n\r\n\nno JSON\r\n{\"text\": 5}\n",
        &line(1),
        "\r\n",
        &line(2),
    ]
    .concat();
    place.write("crawl/lines.jsonl", &text);
    for name in [&b"a\xff.html"[..], b"b\xfe.html", b"c%41.html"] {
        std::fs::write(place.path("crawl").join(OsStr::from_bytes(name)), page).expect("a file");
    }
    place.config(&[]);
    place.run();
    assert_eq!(copies(&place, "copies", &[])["removed"], 3);
    let data = place.path("copies/data");
    let copy = std::fs::read_to_string(data.join("lines.jsonl")).expect("a copy");
    assert_eq!(
        copy,
        text.replacen(&(line(1) + "\r\n" + &line(2)), &line(2), 1)
    );
    assert_eq!(
        std::fs::read_to_string(data.join(OsStr::from_bytes(b"a\xff.html"))).expect("a copy"),
        page
    );
    assert_eq!(std::fs::read_dir(&data).expect("a directory").count(), 2);
    let again = place.pipeline(&["dedup", "-o", "copies"]);
    assert!(
        again.stdout().contains("already finished"),
        "{}",
        again.stdout()
    );
}

#[test]
fn files_of_one_name_do_not_meet_and_none_leaves_the_directory() {
    let place = Place::new();
    for (at, name) in ["one/x.jsonl", "two/x.jsonl", "two/y/x.jsonl", "x.jsonl"]
        .iter()
        .enumerate()
    {
        place.write(
            &format!("in/{name}"),
            format!("{{\"text\": \"page {at} of its own\"}}\n"),
        );
    }
    place.write("in/lists/list", "../one/x.jsonl\n../x.jsonl\n");
    place.config(&["input.paths = [\"in/one\", \"in/two\", \"@in/lists/list\"]"]);
    place.run();
    let counts = copies(&place, "copies", &[]);
    assert_eq!(counts["files"], 4);
    let files = files_below(&place.path("copies/data"));
    assert_eq!(files.len(), 4, "{:?}", files.keys());
    assert!(
        files
            .keys()
            .all(|name| name.ends_with("x.jsonl") && !name.contains("..")),
        "{:?}",
        files.keys()
    );
    let texts: BTreeSet<Vec<u8>> = files.into_values().collect();
    assert_eq!(texts.len(), 4);
}

#[test]
fn the_samples_in_every_format_lose_their_duplicates_and_nothing_else() {
    let place = Place::new();
    let samples = repository().join("data-samples");
    let paths: Vec<String> = ["web", "wet", "jsonl", "parquet", "tree"]
        .iter()
        .map(|name| format!("{:?}", samples.join(name)))
        .collect();
    place.config(&[
        &format!("input.paths = [{}]", paths.join(", ")),
        "cluster.linkage = \"star\"",
    ]);
    place.run();
    let rows: Vec<serde_json::Value> = place.rows("documents");
    let kept: Vec<bool> = place
        .rows("membership")
        .iter()
        .map(|row| row["keep"] == true)
        .collect();
    let fact = |row: &serde_json::Value| {
        ["id", "url", "date", "bytes", "words"]
            .map(|key| row[key].to_string())
            .join(" ")
    };
    let expected: Vec<String> = rows
        .iter()
        .zip(&kept)
        .filter(|(_, keep)| **keep)
        .map(|(row, _)| fact(row))
        .collect();
    let counts = copies(&place, "copies", &[]);
    assert!(
        counts["belonging_records"]
            .as_u64()
            .is_some_and(|n| n > 100),
        "{counts}"
    );
    // Run over the copies: the documents are those that were kept, and none goes any more.
    let again = Place::new();
    again.config(&[
        &format!("input.paths = [{:?}]", place.path("copies/data")),
        "cluster.linkage = \"star\"",
    ]);
    again.run();
    let mut found: Vec<String> = again.rows("documents").iter().map(fact).collect();
    let mut expected = expected;
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(
        again.pipeline(&["dedup", "-q", "-n", "--json"]).json()["removed"],
        0
    );
    // Records that are no documents are still there.
    let skipped = |place: &Place, kind: &str| {
        let report = std::fs::read_to_string(place.path("out/report.json")).expect("a report");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        report
            .pointer("/input/skipped")
            .map(|all| all[kind].clone())
            .unwrap_or_default()
    };
    assert_eq!(skipped(&place, "warcinfo"), skipped(&again, "warcinfo"));
    assert_eq!(place.rows("documents").len(), kept.len());
}

#[test]
fn copies_of_a_corpus_larger_than_the_budget_are_made_within_it() {
    let place = Place::new();
    place.corpus(71, 30_000);
    place.config(&[]);
    place.run();
    let limit_kib = crate::memory::MIB * 128 / 1024;
    let program = env!("CARGO_BIN_EXE_pipeline");
    let script =
        format!("ulimit -d {limit_kib} && exec {program} dedup -q --lossless 0.8 -o copies");
    let ended = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .output();
    let ended = ended.expect("sh runs");
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert!(files_below(&place.path("copies/data")).len() == 3);
}

#[test]
fn a_file_of_which_nothing_stays_has_no_copy_and_strict_takes_the_others() {
    let place = Place::new();
    let page = |number: u32| (0..30).map(move |word| format!("page{number}word{word}"));
    let row = |number| {
        let text = page(number).collect::<Vec<String>>().join(" ");
        format!("{{\"text\": \"{text}\"}}\n")
    };
    place.write("crawl/a.jsonl", row(1) + &row(2));
    place.write("crawl/b.jsonl", row(2));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(row(1).as_bytes()).expect("compressed");
    place.write("crawl/c.jsonl.gz", gzip.finish().expect("compressed"));
    place.write("crawl/d.jsonl", row(1) + "not JSON\n");
    place.config(&[]);
    place.run();
    copies(&place, "copies", &[]);
    let copied = files_below(&place.path("copies/data"));
    assert_eq!(copied.keys().collect::<Vec<_>>(), ["a.jsonl", "d.jsonl"]);
    // A call that finds all of it done says the same.
    copies(&place, "copies", &[]);
    std::fs::remove_file(place.path("copies/data/d.jsonl")).expect("removed");
    let strict = [
        "run",
        "copies/data",
        "--strict",
        "--work",
        "other",
        "-o",
        "results",
    ];
    place.pipeline(&strict).exits(0);
}

#[test]
fn the_summary_counts_files_with_their_own_bytes() {
    let place = Place::new();
    let page = format!("<p>{}", "some text that is on two pages ".repeat(9));
    place.write("crawl/a.html", &page);
    place.write("crawl/b.html", &page);
    place.config(&[]);
    place.run();
    let ran = place.pipeline(&["dedup", "-o", "copies"]);
    ran.exits(0);
    let bytes = page.len();
    let said = format!(
        "2 files, {} bytes, copied as 1 file, {bytes} bytes",
        2 * bytes
    );
    assert!(ran.stdout().contains(&said), "{}", ran.stdout());
}

#[test]
fn copies_are_input_without_what_lies_beside_them() {
    let place = Place::with_corpus(44, 30);
    place.run();
    let kept = copies(&place, "copies", &[])["kept"].clone();
    for paths in ["[\"copies\"]", "[\"copies/**\"]"] {
        place.config(&[&format!("input.paths = {paths}")]);
        place.run();
        assert_eq!(kept, place.rows("documents").len() as u64);
        let rejected = std::fs::read(place.path("out/rejected.jsonl"));
        assert!(rejected.unwrap_or_default().is_empty(), "{paths}");
    }
}
