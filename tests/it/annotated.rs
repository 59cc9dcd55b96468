//! `pipeline dedup --annotate` and `--list --kept`: rows with their clusters, of which none goes;
//! and which documents differ in numbers only.

use crate::dedup::{copies, removed};
use crate::harness::{Place, files_below, repository};
use parquet::record::Field;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

/// The sample crawl: JSONL plain and as gzip, Parquet, WARC and pages of a tree.
fn samples() -> Place {
    let place = Place::new();
    for name in [
        "jsonl/crawl-00000.jsonl",
        "jsonl/crawl-00001.jsonl.gz",
        "parquet/crawl.parquet",
    ] {
        let bytes = fs::read(repository().join("data-samples").join(name)).expect("a sample");
        place.write(&format!("crawl/{name}"), bytes);
    }
    let page = "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://b.example/x\r\n\
        WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n\
        some text\r\n\r\n";
    place.write("crawl/wet/a.warc", page.repeat(2));
    place.write("crawl/tree/page.html", "<p>some text");
    place.config(&[]);
    place.run();
    place
}

fn decoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut plain = bytes;
    let read = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text),
        false => plain.read_to_string(&mut text),
    };
    read.expect("text");
    text
}

/// What the tables say of each document: its cluster and the documents of that, whether it stays,
/// its class.
type Facts = [Value; 4];

/// The columns of an annotation that have them.
const FACTS: [&str; 4] = [
    "dedup_cluster_id",
    "dedup_cluster_documents",
    "dedup_keep",
    "dedup_class",
];

fn expected(place: &Place) -> BTreeMap<i64, Facts> {
    let class: BTreeMap<i64, Value> = place
        .rows("removed")
        .into_iter()
        .map(|row| (row["doc_id"].as_i64().expect("an id"), row["class"].clone()))
        .collect();
    let rows = place.rows("membership");
    let facts = |row: &Value| {
        let doc = row["doc_id"].as_i64().expect("an id");
        let cluster = &row["cluster_id"];
        let documents = rows.iter().filter(|other| other["cluster_id"] == *cluster);
        let class = class.get(&doc).cloned().unwrap_or(Value::Null);
        let documents = Value::from(documents.count());
        (
            doc,
            [cluster.clone(), documents, row["keep"].clone(), class],
        )
    };
    rows.iter().map(facts).collect()
}

/// Takes the annotation out of a row.
fn take(row: &mut Value) -> (i64, Facts) {
    let row = row.as_object_mut().expect("an object");
    let mut take = |name: &str| row.remove(name).expect("an annotation");
    let doc = take("dedup_doc_id").as_i64().expect("an id");
    (doc, FACTS.map(&mut take))
}

fn parquet_rows(place: &Place, name: &str) -> Vec<BTreeMap<String, Field>> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let file = fs::File::open(place.path(name)).expect("a file");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| {
        let row = row.expect("a row");
        let cells = row.get_column_iter();
        cells
            .map(|(name, cell)| (name.clone(), cell.clone()))
            .collect()
    })
    .collect()
}

#[test]
fn annotated_rows_are_those_of_the_input_with_what_the_tables_say_of_them() {
    let place = samples();
    let counts = copies(&place, "marked", &["--annotate"]);
    assert_eq!(counts["annotated"], true);
    assert_eq!(counts["pages_left_out"], 1);
    let expected = expected(&place);
    let files = files_below(&place.path("marked/data"));
    let mut found = BTreeMap::new();
    for name in ["jsonl/crawl-00000.jsonl", "jsonl/crawl-00001.jsonl.gz"] {
        let input = decoded(&fs::read(place.path(&format!("crawl/{name}"))).expect("input"));
        let marked = decoded(&files[name]);
        assert_eq!(input.lines().count(), marked.lines().count());
        for (line, marked) in input.lines().zip(marked.lines()) {
            let mut row: Value = serde_json::from_str(marked).expect("JSON");
            found.extend([take(&mut row)]);
            assert_eq!(row, serde_json::from_str::<Value>(line).expect("JSON"));
        }
    }
    let input = parquet_rows(&place, "crawl/parquet/crawl.parquet");
    let marked = parquet_rows(&place, "marked/data/parquet/crawl.parquet");
    for (mut row, input) in marked.into_iter().zip(input) {
        let mut take = |name: &str| match row.remove(name) {
            Some(Field::Long(number)) => Value::from(number),
            Some(Field::Bool(flag)) => Value::from(flag),
            Some(Field::Str(text)) => Value::from(text),
            Some(Field::Null) => Value::Null,
            other => panic!("{name} is {other:?}"),
        };
        let doc = take("dedup_doc_id").as_i64().expect("an id");
        found.insert(doc, FACTS.map(&mut take));
        assert_eq!(row, input);
    }
    for line in decoded(&files["wet/a.warc.cdxj"]).lines() {
        let json = line
            .strip_prefix("example,b)/x 20260102030405 ")
            .expect("a key");
        let mut row: Value = serde_json::from_str(json).expect("JSON");
        found.extend([take(&mut row)]);
        assert_eq!(row["url"], "http://b.example/x");
        assert_eq!(row["filename"], "wet/a.warc");
    }
    assert_eq!(files.len(), 4, "and nothing else: {:?}", files.keys());
    let in_rows = expected
        .into_iter()
        .filter(|(doc, _)| found.contains_key(doc));
    assert_eq!(found.len(), place.rows("documents").len() - 1);
    assert_eq!(in_rows.collect::<BTreeMap<_, _>>(), found);
    // The same call has nothing to do; another one is refused.
    copies(&place, "marked", &["--annotate"]);
    let refused = place.pipeline(&["dedup", "-q", "-o", "marked"]);
    refused.exits(2);
    refused.says("made with other options");
    place.pipeline(&["dedup", "--annotate"]).exits(2);
    place.pipeline(&["dedup", "--dry-run", "--kept"]).exits(2);
}

#[test]
fn rows_with_columns_of_these_names_are_refused_by_name() {
    let place = samples();
    copies(&place, "marked", &["--annotate"]);
    fs::remove_dir_all(place.path("crawl")).expect("removed");
    let marked = fs::read(place.path("marked/data/parquet/crawl.parquet")).expect("a copy");
    place.write("crawl/again.parquet", marked);
    place.run();
    let refused = place.pipeline(&["dedup", "-q", "--annotate", "-o", "again"]);
    refused.exits(1);
    refused.says("it has a column dedup_doc_id");
}

#[test]
fn a_rejected_file_is_copied_as_without_notes() {
    let place = samples();
    let sample = fs::read(place.path("crawl/parquet/crawl.parquet")).expect("a sample");
    place.write("crawl/cut.parquet", &sample[..sample.len() - 20]);
    place.write("crawl/empty.jsonl", "");
    place.write("crawl/none.jsonl", "{\"x\":1}\n");
    place.run();
    copies(&place, "copied", &[]);
    let ran = place.pipeline(&["dedup", "--annotate", "-o", "marked"]);
    ran.exits(0);
    ran.says("note: cut.parquet is copied whole, without notes: ");
    for dir in ["copied/data", "marked/data"] {
        let files = files_below(&place.path(dir));
        assert_eq!(files["cut.parquet"], sample[..sample.len() - 20], "{dir}");
        assert_eq!(files["none.jsonl"], b"{\"x\":1}\n", "{dir}");
        assert!(!files.contains_key("empty.jsonl"), "{dir}");
    }
}

#[test]
fn the_documents_that_stay_and_those_that_go_are_all_documents() {
    let place = samples();
    let listed = |options: &[&str]| {
        let ran = place.pipeline(&[&["dedup", "-q", "--list"], options].concat());
        ran.exits(0);
        ran.stdout().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (kept, gone) = (listed(&["--kept"]), listed(&[]));
    let mut all: Vec<i64> = kept
        .iter()
        .chain(&gone)
        .map(|id| id.parse().expect("an id"))
        .collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(expected(&place).into_keys()));
    let stays = |(doc, [_, _, keep, _]): (i64, Facts)| (keep == true).then_some(doc);
    let expected: Vec<String> = expected(&place)
        .into_iter()
        .filter_map(stays)
        .map(|doc| doc.to_string())
        .collect();
    assert_eq!(kept, expected);
    let first: Value = serde_json::from_str(&listed(&["--kept", "--json"])[0]).expect("JSON");
    assert_eq!(first["url"], place.rows("documents")[0]["url"]);
}

#[test]
fn documents_that_differ_in_numbers_only_are_told() {
    let place = Place::new();
    let words: Vec<String> = (0..90).map(|number| format!("word{number}x")).collect();
    let page = |start: &str, end: &str| {
        let text = format!("{start} {} {end}", words.join(" "));
        format!("{{\"text\":\"{text}\"}}\n")
    };
    let pages = [
        page("on 2026-01-02", "1,234 readers"),
        page("on 2027-11-30", "1,234 readers"),
        page("on 2026-01-02", "987 readers"),
        page("On 2026-01-02", "1,234 readers!"),
        page("on 2026-01-02", "1,234 writers"),
        page("on no date", "1,234 readers"),
    ];
    place.write("crawl/a.jsonl", pages.concat());
    place.config(&[]);
    place.run();
    copies(&place, "copies", &[]);
    let found = only_digits(&place);
    let expected = [true, true, false, false, false].map(Some);
    assert_eq!(found, expected);
    let published = place.rows("removed");
    let published = published.iter().map(|row| &row["differs_only_in_digits"]);
    let equal_words = [None, None, Some(false), None, None].map(Value::from);
    assert!(published.eq(equal_words.iter()), "a run reads no texts");
}

/// `differs_only_in_digits` of all removed documents.
fn only_digits(place: &Place) -> Vec<Option<bool>> {
    let column = |row: parquet::record::Row| {
        let cells = row.get_column_iter();
        let cell = cells.last().expect("a column");
        assert_eq!(cell.0, "differs_only_in_digits");
        match cell.1 {
            Field::Bool(flag) => Some(*flag),
            _ => None,
        }
    };
    removed(place, "copies").into_iter().map(column).collect()
}

#[test]
fn of_a_revisit_the_body_that_it_refers_to_is_compared() {
    let place = Place::new();
    let record = |kind: &str, id: &str, more: &str, page: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
        let length = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{id}>\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://x/{id}\r\n{more}\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let words: Vec<String> = (0..90).map(|number| format!("word{number}x")).collect();
    let page = |end: &str| format!("<p>{} {end}</p>", words.join(" "));
    let refers = "WARC-Refers-To: <urn:x:b>\r\n";
    let records = [
        record("response", "a", "", &page("12 readers")),
        record("response", "b", "", &page("345 readers")),
        record("response", "c", "", &page("12 writers")),
        record("revisit", "again", refers, ""),
    ];
    place.write("crawl/a.warc", records.concat());
    place.config(&[]);
    place.run();
    copies(&place, "copies", &[]);
    assert_eq!(only_digits(&place), [true, false, true].map(Some));
}
