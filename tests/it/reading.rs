//! Which records and files of the input are documents, which are skipped by type, and which are
//! rejected.

use crate::harness::Place;
use serde_json::{Value, json};
use std::fs;

/// A WARC record with its blank lines behind it.
fn record(kind: &str, url: &str, fields: &str, block: &str) -> String {
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{fields}Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

/// A `response` record.
fn response(url: &str, status: &str, media_type: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\n\r\n{body}");
    record("response", url, "", &block)
}

/// What the report of the publication says of the input.
fn input(place: &Place) -> Value {
    let report = fs::read(place.path("out/report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    report["input"].clone()
}

const PAGE: &str = "<p>a page with enough words to have some shingles of its own, and then more";

/// A healthy crawl has error pages and pictures: none of them is rejected.
#[test]
fn a_record_that_is_not_a_page_is_skipped_by_type_and_strict_allows_it() {
    let place = Place::new();
    let http = |url: &str, status: &str, kind: &str| response(url, status, kind, PAGE);
    let mut warc = [
        record("warcinfo", "", "", "software: x"),
        http("http://a/", "200 OK", "text/html"),
        http("http://a/gone", "404 Not Found", "text/html"),
        http("http://a/lost", "404 Not Found", "text/html"),
        http("http://a/moved", "301 Moved", "text/html"),
        http("http://a/x.css", "200 OK", "text/css"),
        http("http://a/x.png", "200 OK", "image/png"),
        http("http://a/x.json", "200 OK", "application/json"),
        http("http://a/robots.txt", "200 OK", "text/plain"),
        record("request", "http://a/", "", "GET / HTTP/1.1"),
        record("metadata", "http://a/", "", "via: x"),
        record("response", "dns:a", "Content-Type: text/dns\r\n", "1.2.3.4"),
        record(
            "resource",
            "metadata://gnu.org/software/wget/warc/wget.log",
            "Content-Type: text/plain\r\n",
            "a log",
        ),
    ]
    .concat();
    place.write("crawl/a.warc", &warc);
    place.write("crawl/site/robots.txt", "User-agent: *");
    place.write("crawl/site/style.css", "p { color: red }");
    place.write("crawl/site/logo.png", b"\x89PNG\r\n\x1a\n\0\0");
    place.config(&["input.max-rejected = \"0%\""]);
    let ran = place.pipeline(&["run", "--strict"]);
    ran.exits(0);
    let input = input(&place);
    assert_eq!(
        (&input["documents"], &input["rejected"]),
        (&json!(1), &json!({}))
    );
    let skipped = json!({
        ".css file": 1,
        ".png file": 1,
        "application/json": 1,
        "http status 301": 1,
        "http status 404": 2,
        "image/png": 1,
        "metadata": 1,
        "request": 1,
        "resource of the crawler": 1,
        "response, not http": 1,
        "robots.txt": 2,
        "text/css": 1,
        "warcinfo": 1,
    });
    assert_eq!(input["skipped"], skipped);
    let rejected = fs::read_to_string(place.path("out/rejected.jsonl")).expect("a list");
    assert_eq!(rejected, "");
    assert!(ran.stdout().contains("Skipped, as they are no pages: "));
    // A record that says that it is a page, and is not, is still too many.
    warc += &http("http://a/y", "200 OK", "text/html").replace(PAGE, "");
    place.write("crawl/a.warc", &warc);
    place.pipeline(&["run", "--strict"]).exits(3);
}

/// URL, words and bytes of the documents, in the order of the table.
fn facts(place: &Place) -> Vec<String> {
    let rows = place.rows("documents");
    let fact = |row: &Value| {
        format!(
            "{} {} {} {}",
            row["url"], row["date"], row["words"], row["bytes"]
        )
    };
    rows.iter().map(fact).collect()
}

/// A page of twenty words, or one that differs from it in one word.
fn page_of(number: usize) -> String {
    let words: Vec<String> = (0..60)
        .map(|word| format!("word{}x{word}", if word == number { 9 } else { number / 3 }))
        .collect();
    format!("<p>{}", words.join(" "))
}

#[test]
fn pages_of_an_arc_file_are_those_of_the_warc_file_and_its_copy_is_arc() {
    let pages: Vec<(String, String)> = (0..9)
        .map(|number| (format!("http://a/{number}"), page_of(number)))
        .collect();
    let date = "WARC-Date: 2005-01-02T03:04:05Z\r\n";
    let block = |page: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
    let warc: String = pages
        .iter()
        .map(|(url, page)| record("response", url, date, &block(page)))
        .collect();
    let form = "1 1 Archive\nURL IP-address Archive-date Content-type Archive-length\n";
    let mut arc = format!(
        "filedesc://a.arc 0.0.0.0 20050101000000 text/plain {}\n{form}\n",
        form.len()
    );
    for (url, page) in &pages {
        let block = block(page);
        let length = block.len();
        arc += &format!("{url} 192.0.2.1 20050102030405 text/html {length}\n{block}\n");
    }
    let places = [("a.warc", warc), ("a.arc", arc)].map(|(name, bytes)| {
        let place = Place::new();
        place.write(&format!("crawl/{name}"), bytes);
        place.config(&["cluster.resemblance = 0.5"]);
        place.run();
        place
    });
    let [warc, arc] = &places;
    assert_eq!(facts(arc).len(), 9);
    assert_eq!(facts(arc), facts(warc));
    assert_eq!(input(arc)["skipped"], json!({"filedesc": 1}));
    arc.pipeline(&["dedup", "-q", "-o", "copies"]).exits(0);
    warc.pipeline(&["dedup", "-q", "-o", "copies"]).exits(0);
    let again = [warc, arc].map(|from| {
        let place = Place::new();
        let copies = format!("input.paths = [{:?}]", from.path("copies/data"));
        place.config(&[&copies, "cluster.resemblance = 0.5"]);
        place.run();
        facts(&place)
    });
    assert!(again[0].len() < 9, "nothing was removed");
    assert_eq!(again[1], again[0]);
}

#[test]
fn text_under_another_usual_name_is_found_and_told() {
    let place = Place::new();
    let line = |key: &str, number: usize| {
        let row = json!({"url": format!("http://a/{key}"), "title": "x", key: page_of(number)});
        row.to_string() + "\n"
    };
    let rows = [line("content", 1), line("body", 5), line("text", 9)].concat();
    place.write("crawl/a.jsonl", rows);
    place.config(&[]);
    place.run();
    let flags = json!({"text-in-body": 1, "text-in-content": 1});
    assert_eq!(
        (&input(&place)["documents"], &input(&place)["flags"]),
        (&json!(3), &flags)
    );
    place.write(
        "crawl/a.jsonl",
        [line("page", 1), line("prose", 5)].concat(),
    );
    let none = place.pipeline(&["run"]);
    none.exits(3);
    none.says("records rejected: 2, records skipped: 0; the first is a.jsonl, byte 0: no-text");
    none.says("set text-field in [input] to one of");
    none.says("page");
    place.config(&["input.text-field = \"page\""]);
    place.run();
    assert_eq!(input(&place)["documents"], 1);
}

/// A zip file with one file in it, as it is.
fn zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let long = |value: usize| (value as u32).to_le_bytes();
    let short = |value: usize| (value as u16).to_le_bytes();
    let length = bytes.len();
    let fields = [
        &[0; 12][..],
        &long(length),
        &long(length),
        &short(name.len()),
        &[0; 2],
    ]
    .concat();
    let local = [b"PK\x03\x04\x14\0", &fields[..], name.as_bytes(), bytes].concat();
    let entry = [
        b"PK\x01\x02\x14\0\x14\0",
        &fields[..],
        &[0; 14],
        name.as_bytes(),
    ]
    .concat();
    let end = [
        b"PK\x05\x06\0\0\0\0\x01\0\x01\0",
        &long(entry.len())[..],
        &long(local.len()),
        &[0; 2],
    ]
    .concat();
    [local, entry, end].concat()
}

#[test]
fn the_warc_file_in_a_wacz_file_is_read_in_place_and_not_rewritten() {
    let warc: String = (0..6)
        .map(|number| {
            let url = format!("http://a/{number}");
            response(&url, "200 OK", "text/html", &page_of(number))
        })
        .collect();
    let place = Place::new();
    place.write("crawl/a.wacz", zip("archive/a.warc", warc.as_bytes()));
    place.config(&[]);
    place.run();
    let plain = Place::new();
    plain.write("crawl/a.warc", warc);
    plain.config(&[]);
    plain.run();
    assert_eq!(facts(&place).len(), 6);
    assert_eq!(facts(&place), facts(&plain));
    let row = &place.rows("documents")[0];
    assert_eq!(
        (&row["source"], &row["entry_offset"]),
        (&json!("a.wacz"), &json!(44))
    );
    place.pipeline(&["explain", "0", "1"]).exits(0);
    let copied = place.pipeline(&["dedup", "-q", "-o", "copies"]);
    copied.exits(1);
    copied.says("a WACZ file is not rewritten; unpack it and name its WARC files");
    place.write("crawl/a.wacz", b"PK\x03\x04 and no more");
    let damaged = place.pipeline(&["run"]);
    damaged.exits(3);
    damaged.says("the first is a.wacz, byte 0: damaged-zip");
}

/// A long copy must not fail at its end.
#[test]
fn a_wacz_file_that_cannot_be_copied_is_named_before_anything_is_copied() {
    let place = Place::new();
    let page = response("http://a/1", "200 OK", "text/html", &page_of(1));
    place.write("crawl/a.warc", page.repeat(2));
    place.write("crawl/b.wacz", zip("archive/a.warc", page.as_bytes()));
    place.config(&[]);
    place.run();
    let copied = place.pipeline(&["dedup", "-q", "-o", "copies"]);
    copied.exits(1);
    copied.says("b.wacz without some of its records");
    assert!(!place.path("copies/data/a.warc").exists());
}

/// The file is cut into pieces of 2 MiB, which different threads read.
#[test]
fn a_document_of_a_large_jsonl_file_has_the_number_of_its_line() {
    let line = |number: usize| match number % 50 {
        7 => String::new(),
        9 => "{no JSON".to_owned(),
        _ => format!(r#"{{"id":{number},"text":"{}"}}"#, "a b c ".repeat(120)),
    };
    let lines: Vec<String> = (0..7000).map(line).collect();
    let place = Place::new();
    place.write("crawl/a.jsonl", lines.join("\n"));
    place.write(
        "crawl/b.jsonl",
        "\n\n{\"id\":2,\"text\":\"of another file\"}",
    );
    place.config(&["input.max-rejected = 1.0"]);
    place.run();
    let rows = place.rows("documents");
    assert_eq!(rows.len(), 7000 - 2 * 140 + 1);
    for row in rows {
        assert_eq!(row["row"].to_string(), row["id"].as_str().expect("an id"));
    }
}

#[test]
fn fields_that_a_page_does_not_have_are_null() {
    let place = Place::new();
    place.write("crawl/a.jsonl", "{\"text\":\"some words\",\"score\":3}\n");
    place.write("crawl/b.html", "<p>other words of a page");
    place.write("crawl/c.txt", "words of a text");
    place.config(&["input.carry-fields = [\"score\"]"]);
    place.run();
    let exported = place.pipeline(&["export", "documents", "--format", "jsonl"]);
    let scores: Vec<serde_json::Value> = exported
        .stdout()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["score"].clone())
        .collect();
    assert_eq!(
        scores,
        [3.into(), serde_json::Value::Null, serde_json::Value::Null]
    );
}
