//! Pages whose bytes are not what their labels say, or no characters at all: none is the copy of
//! another one for that.

use crate::harness::Place;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

/// A response of a WARC file.
fn response(url: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{head}\r\n");
    let header = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n\
         Content-Length: {}\r\n\r\n{head}",
        head.len() + body.len()
    );
    [header.as_bytes(), body, b"\r\n\r\n"].concat()
}

/// Words of Cyrillic letters, others for each number.
fn russian(number: usize) -> String {
    let letters: Vec<char> = ('а'..='я').collect();
    let word = |at: usize| -> String {
        (0..5)
            .map(|place| letters[(number * 31 + at * 7 + place * (at + 3)) % letters.len()])
            .collect()
    };
    (0..60).map(|at| word(at) + " ").collect()
}

fn windows_1251(text: &str) -> Vec<u8> {
    let byte = |c: char| match u8::try_from(c) {
        Ok(ascii) => ascii,
        Err(_) => (c as u32 - 0x410 + 0xc0) as u8,
    };
    text.chars().map(byte).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// The clusters, as the URLs of their documents without the host, each sorted.
fn clusters(place: &Place) -> BTreeSet<String> {
    let (documents, members) = (place.rows("documents"), place.rows("membership"));
    let cluster = |member: &Value| {
        let of_cluster = |other: &&(&Value, &Value)| other.1["cluster_id"] == member["cluster_id"];
        let pairs: Vec<(&Value, &Value)> = documents.iter().zip(&members).collect();
        let mut names: Vec<String> = pairs
            .iter()
            .filter(of_cluster)
            .filter_map(|(row, _)| row["url"].as_str()?.rsplit('/').next().map(str::to_owned))
            .collect();
        names.sort();
        names.join(" ")
    };
    members.iter().map(cluster).collect()
}

fn flags(place: &Place) -> Vec<(String, Value)> {
    let rows = place.rows("documents");
    let named = |row: &Value| {
        (
            row["url"].as_str().unwrap_or_default().to_owned(),
            row["flags"].clone(),
        )
    };
    rows.iter().map(named).collect()
}

#[test]
fn pages_with_a_false_charset_are_no_copies_of_each_other_and_meet_their_own() {
    let place = Place::new();
    let mut warc = Vec::new();
    for number in 0..6 {
        let text = russian(number);
        let page = |meta: &str| format!("<meta charset={meta}><nav>Home | About</nav><p>{text}");
        let url = |name: &str| format!("http://a.test/{number}{name}");
        let utf8 = "Content-Type: text/html; charset=utf-8\r\n";
        let latin = "Content-Type: text/html; charset=iso-8859-1\r\n";
        let forms = [
            ("right", utf8, page("utf-8").into_bytes()),
            ("meta", utf8, windows_1251(&page("windows-1251"))),
            ("none", utf8, windows_1251(&page("utf-8"))),
            ("latin", latin, page("utf-8").into_bytes()),
        ];
        for (name, head, body) in forms {
            warc.extend(response(&url(name), head, &body));
        }
    }
    place.write("crawl/a.warc", &warc);
    place.config(&["work.threads = 1"]);
    place.run();
    let expected: BTreeSet<String> = (0..6)
        .map(|n| format!("{n}latin {n}meta {n}none {n}right"))
        .collect();
    assert_eq!(clusters(&place), expected);
    for (url, flags) in flags(&place) {
        let expected = match &url[15..] {
            "right" => Value::Null,
            "none" => json!("charset-detected charset-lied"),
            _ => json!("charset-lied"),
        };
        assert_eq!(flags, expected, "{url}");
    }
    let report = std::fs::read(place.path("out/report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(
        report["input"]["flags"],
        json!({"charset-detected": 6, "charset-lied": 18})
    );
    let ran = place.pipeline(&["query", "url", "http://a.test/0none"]);
    assert!(
        ran.stdout()
            .contains("flags      charset-detected charset-lied")
    );
    let ran = place.pipeline(&["dedup", "--lossless", "1.0", "--list"]);
    ran.exits(0);
    assert_eq!(ran.stdout().lines().count(), 18, "{}", ran.stdout());
}

/// Under a charset that is forced and wrong nothing can be read, and no two pages are equal.
#[test]
fn a_charset_is_forced_and_what_cannot_be_read_is_still_there() {
    let place = Place::new();
    for number in 0..6 {
        let page = format!("<meta charset=utf-8><p>{}", russian(number));
        place.write(&format!("crawl/{number}.html"), windows_1251(&page));
        place.write(
            &format!("lost/{number}.txt"),
            russian(number).replace(char::is_alphabetic, "\u{fffd}"),
        );
    }
    let alone: BTreeSet<String> = (0..6).map(|n| format!("{n}.html")).collect();
    let words = |place: &Place| place.rows("documents")[0]["words"].as_u64();
    for (charset, count, flag) in [
        ("utf-8", 300, json!("malformed-characters")),
        ("windows-1251", 60, Value::Null),
        ("auto", 60, json!("charset-detected charset-lied")),
    ] {
        place.config(&[&format!("input.charset = \"{charset}\"")]);
        place.run();
        assert_eq!(clusters(&place), alone, "{charset}");
        assert_eq!(words(&place), Some(count), "{charset}");
        assert_eq!(flags(&place)[0].1, flag, "{charset}");
    }
    // A source has its own.
    place.config(&[
        "input.charset = \"utf-8\"",
        "input.source = [{ name = \"old\", paths = [\"crawl\"], charset = \"cp1251\" }]",
    ]);
    place.run();
    assert_eq!(words(&place), Some(60));
    place.config(&["input.charset = \"windows-1250x\""]);
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("charset in [input]: expected auto or a label of an encoding");
    // Characters that were lost before are words as long as they were.
    place.config(&["input.paths = [\"lost\"]"]);
    place.run();
    assert_eq!(words(&place), Some(60));
}

#[test]
fn a_response_in_members_of_its_own_is_read_copied_and_cut_bodies_are_flagged() {
    let place = Place::new();
    let text = (0..400)
        .map(|n| format!("word{} ", n * n))
        .collect::<String>();
    let page = format!("<p>{text}").into_bytes();
    let html = "Content-Type: text/html, text/html\r\n";
    let coded = gzip(&page);
    let records = [
        response("http://a.test/plain", html, &page),
        response(
            "http://a.test/nul",
            html,
            &[b"\0<p>", text.as_bytes()].concat(),
        ),
        response(
            "http://a.test/cut",
            &format!("{html}Content-Encoding: gzip\r\n"),
            &coded[..coded.len() - 9],
        ),
    ];
    let mut file = Vec::new();
    for record in &records {
        let header = record.windows(4).position(|four| four == b"\r\n\r\n");
        let header = header.expect("an end") + 4;
        file.extend(gzip(&record[..header]));
        file.extend(gzip(&record[header..]));
    }
    place.write("crawl/a.warc.gz", &file);
    place.config(&[]);
    place.run();
    assert_eq!(
        clusters(&place),
        BTreeSet::from(["cut nul plain".to_owned()])
    );
    let flagged: Vec<Value> = flags(&place).into_iter().map(|(_, flags)| flags).collect();
    assert_eq!(
        flagged,
        [
            Value::Null,
            Value::Null,
            json!("content-encoding-truncated")
        ]
    );
    place.pipeline(&["dedup", "-o", "copies"]).exits(0);
    place.config(&["input.paths = [\"copies/data/a.warc.gz\"]"]);
    place.run();
    assert_eq!(clusters(&place).len(), 1);
    assert_eq!(flags(&place).len(), 1);
}
