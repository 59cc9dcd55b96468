//! `pipeline decontaminate`: items of references in documents, and copies without them.

use crate::dedup::value;
use crate::harness::{Place, files_below};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// A text of so many words that no other number has.
pub(crate) fn words(number: u32, count: u32) -> String {
    let word = |at: u32| format!("w{number}x{at}");
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

pub(crate) fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// Twenty questions, and documents of which every third holds one, each in another way.
pub(crate) fn place() -> Place {
    let place = Place::new();
    let question =
        |at: u32| json!({"id": format!("q{at}"), "question": words(at, 20), "answer": "42"});
    place.write(
        "bench.jsonl",
        lines(&(0..20).map(question).collect::<Vec<_>>()),
    );
    let document = |at: u32| {
        let (before, behind) = (words(1000 + at, 200), words(2000 + at, 200));
        let item = match (at % 3, at % 9) {
            (0, 0) => words(at / 3, 20),
            (0, 3) => words(at / 3, 20).to_uppercase().replace(' ', ",\n"),
            (0, _) => words(at / 3, 20).replace("x10 ", "x-- "),
            _ => words(at / 3, 7),
        };
        json!({"id": format!("d{at}"), "text": format!("{before} {item} {behind}")})
    };
    place.write(
        "crawl/a.jsonl",
        lines(&(0..60).map(document).collect::<Vec<_>>()),
    );
    place
}

pub(crate) fn found(place: &Place, options: &[&str]) -> Value {
    let called = ["decontaminate", "bench.jsonl", "--json"];
    let ran = place.pipeline(&[&called, options, &["--", "crawl"]].concat());
    ran.exits(0);
    ran.json()
}

/// The rows of a table of a directory.
pub(crate) fn table(place: &Place, name: &str) -> Vec<Value> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let file = fs::File::open(place.path(name)).expect("a table");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| {
        let row = row.expect("a row");
        let names = row.get_column_iter().map(|(name, _)| name);
        names
            .map(|name| (name.clone(), value(&row, name)))
            .collect()
    })
    .collect()
}

#[test]
fn items_are_found_in_upper_case_on_other_lines_and_with_a_word_replaced() {
    let place = place();
    let outcome = found(&place, &["--table", "found.parquet"]);
    assert_eq!(outcome["documents"], 60);
    assert_eq!(outcome["contaminated"], 20);
    let reference = &outcome["references"][0];
    assert_eq!(
        (&reference["items"], &reference["found"]),
        (&json!(20), &json!(20))
    );
    let rows = table(&place, "found.parquet");
    assert_eq!(rows.len(), 20);
    let text = fs::read_to_string(place.path("crawl/a.jsonl")).expect("the input");
    let documents: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    for (at, row) in rows.iter().enumerate() {
        let at = at * 3;
        assert_eq!(row["doc_id"], at);
        assert_eq!(row["id"], format!("d{at}"));
        assert_eq!(
            (&row["item"], &row["field"]),
            (&json!(format!("q{}", at / 3)), &json!("question"))
        );
        assert_eq!(row["share"], if at % 9 == 6 { 0.95 } else { 1.0 });
        assert_eq!(
            (&row["begin_word"], &row["end_word"]),
            (&json!(200), &json!(220))
        );
        let whole: Vec<char> = documents[at]["text"]
            .as_str()
            .expect("a text")
            .chars()
            .collect();
        let [begin, end] = ["begin_character", "end_character"]
            .map(|name| usize::try_from(row[name].as_i64().expect("a number")).expect("a place"));
        let stretch: String = whole[begin..end].iter().collect();
        assert_eq!(row["text"], stretch);
        assert_eq!(row["item_text"], words(at as u32 / 3, 20));
        assert_eq!(
            (&row["source"], &row["reference"]),
            (&json!("a.jsonl"), &json!("bench.jsonl"))
        );
    }
}

#[test]
fn copies_are_the_input_without_the_documents_and_never_have_the_reference() {
    let place = place();
    fs::copy(place.path("bench.jsonl"), place.path("crawl/b.jsonl")).expect("copied");
    fs::hard_link(place.path("bench.jsonl"), place.path("crawl/c.jsonl")).expect("linked");
    let outcome = found(&place, &["-o", "clean"]);
    assert_eq!(
        (&outcome["documents"], &outcome["contaminated"]),
        (&json!(60), &json!(20))
    );
    assert_eq!(outcome["rejected"], json!({}));
    let input = fs::read_to_string(place.path("crawl/a.jsonl")).expect("the input");
    let kept = input.lines().enumerate().filter(|(at, _)| at % 3 > 0);
    let kept: String = kept.map(|(_, line)| format!("{line}\n")).collect();
    let copies = files_below(&place.path("clean/data"));
    let names: BTreeSet<&str> = copies.keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["a.jsonl"]));
    assert_eq!(String::from_utf8_lossy(&copies["a.jsonl"]), kept);
    let again = found(&place, &["-o", "clean"]);
    assert_eq!(again["contaminated"], 20);
    // another question is another call
    let called = [
        "decontaminate",
        "bench.jsonl",
        "-o",
        "clean",
        "--min",
        "0.9",
        "--",
        "crawl",
    ];
    place.pipeline(&called).exits(2);
}

#[test]
fn rows_are_marked() {
    let place = place();
    found(&place, &["-o", "marked", "--annotate"]);
    let text = fs::read_to_string(place.path("marked/data/a.jsonl")).expect("a copy");
    for (at, line) in text.lines().enumerate() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let is_found = at % 3 == 0;
        assert_eq!(row["contaminated"], is_found);
        let (item, reference) = (&row["contamination_item"], &row["contamination_reference"]);
        match is_found {
            true => {
                assert_eq!(
                    (item, reference),
                    (&json!(format!("q{}", at / 3)), &json!("bench.jsonl"))
                );
                assert!(row["contamination_share"].as_f64().expect("a share") >= 0.95);
            }
            false => assert!(item.is_null() && reference.is_null()),
        }
    }
    place.write(
        "crawl/x.warc",
        "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 1\r\n\r\nx\r\n\r\n",
    );
    let called = [
        "decontaminate",
        "bench.jsonl",
        "-o",
        "no",
        "--annotate",
        "--",
        "crawl",
    ];
    let refused = place.pipeline(&called);
    refused.exits(2);
    refused.says("failed to annotate x.warc");
}

#[test]
fn threads_memory_and_pieces_change_no_byte() {
    let place = place();
    let text = fs::read_to_string(place.path("crawl/a.jsonl")).expect("the input");
    // enough for several segments, of which each holds many items
    place.write("crawl/a.jsonl", text.repeat(120));
    let mut before = None;
    for (number, set) in ["work.threads=1", "work.threads=4", "work.memory=64MiB"]
        .iter()
        .enumerate()
    {
        let name = format!("clean{number}");
        let called = [
            "decontaminate",
            "bench.jsonl",
            "--set",
            set,
            "-o",
            &name,
            "--",
            "crawl",
        ];
        place.pipeline(&called).exits(0);
        let mut files = files_below(&place.path(&name));
        files.remove(".pipeline-dedup");
        files.remove(".journal");
        let bytes = before.get_or_insert_with(|| files.clone());
        assert!(*bytes == files, "{set}");
    }
}

#[test]
fn the_input_is_said_once() {
    let place = place();
    let refused = place.pipeline(&["decontaminate", "bench.jsonl"]);
    refused.exits(2);
    refused.says("no input is named");
    place
        .pipeline(&["decontaminate", "bench.jsonl", "crawl"])
        .exits(0);
    place.config(&[]);
    let ran = place.pipeline(&["decontaminate", "bench.jsonl", "--json"]);
    ran.exits(0);
    assert_eq!(ran.json()["contaminated"], 20);
    let refused = place.pipeline(&["decontaminate", "bench.jsonl", "crawl"]);
    refused.exits(2);
    refused.says("write -c pipeline.toml if all paths are references, or -- before the input");
    place
        .pipeline(&["decontaminate", "bench.jsonl", "-c", "pipeline.toml"])
        .exits(0);
    place
        .pipeline(&[
            "decontaminate",
            "bench.jsonl",
            "-c",
            "pipeline.toml",
            "--",
            "crawl",
        ])
        .exits(2);
}

#[test]
fn stretches_are_cut_and_the_rest_stays_byte_for_byte() {
    let place = place();
    let page = format!("{} {} {}", words(500, 30), words(7, 20), words(600, 30));
    place.write("crawl/t.txt", &page);
    place.write("crawl/whole.txt", words(8, 20));
    let row =
        json!({"id": "é", "text": format!("Ünter \u{1F600} {} {}", words(9, 20), words(700, 9))});
    let row = row.to_string().replace("Ü", "\\u00dc");
    place.write("crawl/u.jsonl", format!("{row}\n"));
    let outcome = found(&place, &["-o", "cut", "--passages"]);
    assert_eq!(outcome["contaminated"], 23);
    let copies = files_below(&place.path("cut/data"));
    let names: Vec<&str> = copies.keys().map(String::as_str).collect();
    // nothing is left of the text that is an item
    assert_eq!(names, ["a.jsonl", "t.txt", "u.jsonl"]);
    let expected = format!("{}  {}", words(500, 30), words(600, 30));
    assert_eq!(String::from_utf8_lossy(&copies["t.txt"]), expected);
    let expected = row.replace(&words(9, 20), "");
    assert_eq!(
        String::from_utf8_lossy(&copies["u.jsonl"]),
        format!("{expected}\n")
    );
    let (before, after) = (
        fs::read_to_string(place.path("crawl/a.jsonl")),
        &copies["a.jsonl"],
    );
    let after = String::from_utf8_lossy(after).into_owned();
    for (at, (before, after)) in before
        .expect("the input")
        .lines()
        .zip(after.lines())
        .enumerate()
    {
        let [before, after]: [Value; 2] =
            [before, after].map(|line| serde_json::from_str(line).expect("JSON"));
        match at % 3 {
            0 => {
                let text = after["text"].as_str().expect("a text");
                assert_eq!(text.split_whitespace().count(), 400, "{text}");
            }
            _ => assert_eq!(before, after),
        }
    }
    // nothing of the references is left
    let called = [
        "decontaminate",
        "bench.jsonl",
        "--json",
        "--min",
        "0.4",
        "--",
        "cut/data",
    ];
    assert_eq!(place.pipeline(&called).json()["contaminated"], 0);
    place.write("crawl/x.html", "<p>x");
    let refused = place.pipeline(&[
        "decontaminate",
        "bench.jsonl",
        "-o",
        "no",
        "--passages",
        "--",
        "crawl",
    ]);
    refused.exits(2);
    refused.says("failed to cut x.html");
}

#[test]
fn a_table_never_takes_the_place_of_a_file_that_is_read() {
    let place = place();
    place.write("note.txt", "mine");
    for file in ["bench.jsonl", "crawl/a.jsonl", "note.txt"] {
        let before = fs::read(place.path(file)).expect("a file");
        let arguments = [
            "decontaminate",
            "bench.jsonl",
            "--table",
            file,
            "--",
            "crawl",
        ];
        let ran = place.pipeline(&arguments);
        ran.exits(2);
        ran.says("failed to write");
        ran.says("name another one");
        assert!(fs::read(place.path(file)).expect("a file") == before);
    }
    std::os::unix::fs::symlink("nowhere", place.path("link")).expect("linked");
    for path in ["crawl", "link"] {
        let arguments = [
            "decontaminate",
            "bench.jsonl",
            "--table",
            path,
            "--",
            "crawl",
        ];
        place.pipeline(&arguments).exits(2);
    }
    for _ in 0..2 {
        found(&place, &["--table", "found.parquet"]);
    }
}

#[test]
fn an_input_without_a_document_is_an_error() {
    let place = place();
    place.write("bad/broken.jsonl", "{\"text\":\n");
    place.write("empty/a.jsonl", "");
    fs::create_dir(place.path("own")).expect("made");
    fs::copy(place.path("bench.jsonl"), place.path("own/copy.jsonl")).expect("copied");
    for (input, text) in [
        ("bad", "the first is broken.jsonl, byte 0: bad-json"),
        ("empty", "the first is a.jsonl, byte 0: empty-file"),
        ("own", "the input is of the references"),
    ] {
        let table = ["--table", "found.parquet"];
        let called = [
            &["decontaminate", "bench.jsonl"],
            &table[..],
            &["--", input],
        ]
        .concat();
        let ran = place.pipeline(&called);
        ran.exits(3);
        ran.says(text);
        assert!(!place.path("found.parquet").exists());
    }
}

#[test]
fn a_line_longer_than_a_segment_is_one_document() {
    let place = place();
    let long = format!("{}{}", "word ".repeat(4 << 20), words(0, 20));
    let row = json!({"text": long}).to_string();
    place.write(
        "crawl/a.jsonl",
        format!("{row}\n{}", lines(&[json!({"text": words(1, 20)})])),
    );
    let set = [
        "--set",
        "input.max-document=32MiB",
        "--set",
        "work.memory=1GiB",
    ];
    let outcome = found(&place, &set);
    assert_eq!(
        (&outcome["documents"], &outcome["contaminated"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(outcome["rejected"], json!({}));
}

#[test]
fn the_report_shows_no_character_that_a_terminal_obeys() {
    let place = place();
    let id = format!("\u{1b}[31mred\n{}", "x".repeat(500));
    let row = |at: u32| json!({"id": id, "question": words(at, 20)});
    place.write(
        "bench.jsonl",
        lines(&[row(0), json!({"id": id, "question": "short"})]),
    );
    place.write(
        "crawl/a.jsonl",
        lines(&[json!({"id": id, "text": words(0, 20)})]),
    );
    let ran = place.pipeline(&["decontaminate", "bench.jsonl", "--", "crawl"]);
    ran.exits(0);
    let text = ran.stdout();
    assert!(text.contains("?[31mred?xx"), "{text}");
    assert!(
        text.lines()
            .all(|line| line.len() < 250 && !line.contains('\u{1b}')),
        "{text}"
    );
}

#[test]
fn every_part_of_an_item_that_stands_there_is_cut() {
    let place = place();
    let row = json!({"question": words(0, 20), "answer": words(1, 20)});
    place.write("bench.jsonl", lines(&[row]));
    let changed = words(0, 20).replace("0x12 ", "0x-- ");
    let (question, answer, other) = (words(0, 20), words(1, 20), words(9, 60));
    let texts = [
        format!("{changed} {answer}"),
        format!("{question} {other} {answer}"),
        format!("{question} {answer} {other} {question}"),
    ];
    let rows: Vec<Value> = texts
        .iter()
        .map(|text| json!({"text": format!("{text} end")}))
        .collect();
    place.write("crawl/a.jsonl", lines(&rows));
    let outcome = found(&place, &["-o", "cut", "--passages"]);
    assert_eq!(
        (&outcome["contaminated"], &outcome["stretches"]),
        (&json!(3), &json!(6))
    );
    let copy = fs::read_to_string(place.path("cut/data/a.jsonl")).expect("a copy");
    for word in [question, answer].iter().flat_map(|text| text.split(' ')) {
        assert!(!copy.contains(&format!("{word} ")), "{word} in {copy}");
    }
}

#[test]
fn one_call_at_a_time_writes_to_a_directory() {
    let place = place();
    fs::create_dir(place.path("clean")).expect("made");
    let held = fs::File::open(place.path("clean")).expect("opened");
    held.lock().expect("locked");
    let called = ["decontaminate", "bench.jsonl", "-o", "clean", "--", "crawl"];
    place.pipeline(&called).exits(75);
    drop(held);
    place.pipeline(&called).exits(0);
}
