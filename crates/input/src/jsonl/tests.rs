//! JSONL: every kind of bad line with its outcome, places, pieces, compressed files.

mod features;
mod repaired;

use std::io::Write;

use proptest::prelude::*;

use crate::tests::collect::{Collected, Kept, options, read_in_pieces, read_whole, source};
use crate::{PlaceContent, read_document_at, read_piece};
use decode::{
    document::{FieldValue, Place},
    options::{Format, Piece, ReadOptions, SourceFile},
};
use model::Markup;

struct Fixture {
    _directory: tempfile::TempDir,
    file: SourceFile,
}

fn fixture(content: &[u8]) -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.jsonl");
    std::fs::write(&path, content).unwrap();
    Fixture {
        file: source(&path, Format::Jsonl),
        _directory: directory,
    }
}

fn read_with(content: &[u8], options: &ReadOptions) -> Collected {
    read_whole(&fixture(content).file, options).0
}

fn read(content: &[u8]) -> Collected {
    read_with(content, &options(1 << 20, &[]))
}

/// The reason why a file of this one line has no document; `"document"` if it has.
fn outcome(line: impl AsRef<[u8]>) -> &'static str {
    let collected = read(line.as_ref());
    match (&collected.documents[..], &collected.reasons()[..]) {
        ([_], []) => "document",
        ([], [reason]) => reason,
        _ => panic!("{collected:?}"),
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(content, 1).unwrap()
}

#[test]
fn a_blank_field_does_not_hide_the_one_that_has_text() {
    for (line, text, markup) in [
        (r#"{"text":"","html":"<p>a"}"#, "<p>a", Markup::Html),
        (r#"{"html":"<p>a","text":" \n"}"#, "<p>a", Markup::Html),
        (r#"{"text":"","content":"a"}"#, "a", Markup::None),
        (r#"{"text":" ","content":"","html":""}"#, " ", Markup::None),
        (r#"{"text":"","html":5}"#, "", Markup::None),
        (r#"{"html":""}"#, "", Markup::Html),
    ] {
        let collected = read(line.as_bytes());
        assert_eq!(collected.texts(), [text], "{line}");
        assert_eq!(collected.documents[0].markup, markup, "{line}");
    }
}

#[test]
fn fields_become_a_document() {
    let line =
        br#"{"id":"a\tb","url":"http://x/","date":"1970-01-01T00:00:01Z","text":"caf\u00e9","other":[{"text":1}]}"#;
    let collected = read(&[line.as_slice(), b"\n"].concat());
    let expected = Kept {
        id: Some("a\tb".to_owned()),
        url: Some("http://x/".to_owned()),
        date: Some(1_000_000),
        place: Place {
            entry_offset: 0,
            inner_offset: 0,
            length: line.len() as u64,
        },
        row: Some(0),
        text: "café".to_owned(),
        markup: Markup::None,
        body: "café".as_bytes().to_vec(),
        media_type: "text/plain".to_owned(),
        charset: "UTF-8",
        fields: vec![],
        flags: vec![],
    };
    assert_eq!(collected.documents, [expected]);
}

/// Items 32 and 33.
#[test]
fn line_ends_blank_lines_and_a_byte_order_mark_cost_nothing() {
    let a = r#"{"text":"a"}"#;
    for (content, documents) in [
        (String::new(), 0),
        ("\n\n\r\n  \n".to_owned(), 0),
        (a.to_owned(), 1),
        (format!("{a}\r\n\r\n\n{a}\r\n"), 2),
        (format!("\u{feff}{a}\n{a}"), 2),
        (format!("\u{feff}\n{a}"), 1),
    ] {
        let collected = read(content.as_bytes());
        assert_eq!(
            (collected.documents.len(), collected.rejected.len()),
            (documents, 0),
            "{content:?}"
        );
    }
    let (_, end) = read_whole(&fixture(b"").file, &options(10, &[]));
    assert_eq!((end.first, end.next), (None, 0));
    assert_eq!(outcome(format!(" \u{feff}{a}")), "bad-json");
}

/// Items 34, 36, 37, 38, 39, 41.
#[test]
fn bad_lines_each_have_their_reason() {
    let deep = [vec![b'['; 1_000_000], vec![b']'; 1_000_000]].concat();
    let deep_field = [
        br#"{"text":"a","x":"#.as_slice(),
        &vec![b'['; 10_000],
        &vec![b']'; 10_000],
        b"}",
    ]
    .concat();
    let deep_text = [
        br#"{"text":"#.as_slice(),
        &vec![b'['; 10_000],
        &vec![b']'; 10_000],
        b"}",
    ]
    .concat();
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (br#"{"text":"a"}"#.to_vec(), "document"),
        (br#"{"text":""}"#.to_vec(), "document"),
        (br#"{"text":"a\u0000b"}"#.to_vec(), "document"),
        (br#"{"text":null,"html":"a"}"#.to_vec(), "document"),
        (
            br#"{"text":"a","x":1e999,"y":"\ud800"}"#.to_vec(),
            "document",
        ),
        (br#"{"text":"a""#.to_vec(), "bad-json"),
        (br#"{"text":"a"} x"#.to_vec(), "bad-json"),
        (br#"{"text":"a",}"#.to_vec(), "bad-json"),
        (br#"{'text':'a'}"#.to_vec(), "bad-json"),
        (br#"{"text":"a"} // c"#.to_vec(), "bad-json"),
        (br#"{"text":NaN}"#.to_vec(), "no-text"),
        (br#"{"text":"a","x":Infinity}"#.to_vec(), "document"),
        (br#"{"text":"a","x":Infinit}"#.to_vec(), "bad-json"),
        (b"{\"text\":\"a\tb\"}".to_vec(), "bad-json"),
        (br#"{"text":"\ud800"}"#.to_vec(), "document"),
        (br#"{"html":"\ud800"}"#.to_vec(), "document"),
        (br#"{"text":"\ud800","#.to_vec(), "bad-json"),
        (b"garbage".to_vec(), "bad-json"),
        (b"[1,2]".to_vec(), "bad-json"),
        (br#""text""#.to_vec(), "bad-json"),
        (vec![b'['; 1_000_000], "bad-json"),
        (deep, "bad-json"),
        (deep_field, "document"),
        (deep_text, "bad-field"),
        (b"{\"text\":\"\xff\"}".to_vec(), "bad-utf8"),
        (b"{\"text\":\"a\",\"x\":\"\xff\"}".to_vec(), "bad-utf8"),
        (br#"{"text":"a","text":"b"}"#.to_vec(), "duplicate-key"),
        (br#"{"id":1,"text":"a","id":1}"#.to_vec(), "duplicate-key"),
        (br#"{"x":1,"text":"a","x":1}"#.to_vec(), "document"),
        (br#"{}"#.to_vec(), "no-text"),
        (br#"{"text":null}"#.to_vec(), "no-text"),
        (br#"{"text":5,"html":"a"}"#.to_vec(), "bad-field"),
        (br#"{"text":["a","b"]}"#.to_vec(), "bad-field"),
        (br#"{"text":{"a":"b"}}"#.to_vec(), "bad-field"),
        (br#"{"text":true}"#.to_vec(), "bad-field"),
        (br#"{"html":1}"#.to_vec(), "bad-field"),
        (br#"{"text":"a","url":1}"#.to_vec(), "document"),
        (br#"{"text":"a","url":null}"#.to_vec(), "document"),
        (br#"{"text":"a","date":true}"#.to_vec(), "document"),
        (br#"{"text":"a","date":"nonsense"}"#.to_vec(), "document"),
        (br#"{"text":"a","id":[]}"#.to_vec(), "document"),
    ];
    for (line, expected) in cases {
        assert_eq!(
            outcome(&line),
            expected,
            "{}",
            String::from_utf8_lossy(&line[..line.len().min(60)])
        );
    }
}

/// Items 34 and 35: a rejection says where, and the lines around it are read.
#[test]
fn a_bad_line_costs_only_itself() {
    let content = b"{\"text\":\"a\"}\n{\"url\":\"u\"}\n{\"text\":\"b\"}\n{\"text\":\"c";
    let collected = read(content);
    assert_eq!(collected.texts(), ["a", "b"]);
    assert_eq!(collected.reasons(), ["no-text", "bad-json"]);
    assert_eq!(
        (
            collected.rejected[0].offset,
            collected.rejected[0].url.as_deref()
        ),
        (13, Some("u"))
    );
    assert_eq!(collected.rejected[1].offset, 38);
    assert!(
        collected.rejected[1].detail.contains("column"),
        "{:?}",
        collected.rejected[1]
    );
    let long = format!("\"{}\"", "x".repeat(100_000));
    assert!(read(long.as_bytes()).rejected[0].detail.len() < 1000);
}

/// Item 40.
#[test]
fn ids_are_kept_as_written() {
    let long = "x".repeat(10_240);
    let cases = [
        (r#""a""#, Some("a")),
        (r#""a\nb""#, Some("a\nb")),
        ("null", None),
        ("7", Some("7")),
        ("-7", Some("-7")),
        ("7.0", Some("7.0")),
        ("9223372036854775808", Some("9223372036854775808")),
        ("1e999", Some("1e999")),
        (&format!("\"{long}\""), Some(&long)),
    ];
    for (json, expected) in cases {
        let collected = read(format!("{{\"id\":{json},\"text\":\"a\"}}").as_bytes());
        assert_eq!(collected.documents[0].id.as_deref(), expected, "{json}");
    }
    assert_eq!(read(br#"{"text":"a"}"#).documents[0].id, None);
    assert_eq!(
        read(b"{\"id\":1,\"text\":\"a\"}\n{\"id\":1,\"text\":\"b\"}")
            .documents
            .len(),
        2,
        "ids may repeat"
    );
}

#[test]
fn dates_are_text_or_seconds() {
    for (json, expected) in [
        ("\"1970-01-01T00:00:01.5Z\"", Some(1_500_000)),
        ("1", Some(1_000_000)),
        ("-1.5", Some(-1_500_000)),
        ("1700000000000", Some(1_700_000_000_000_000)),
        ("null", None),
        ("9223372036854775807", Some(9_223_372_036_854_775)),
        ("1e999", None),
        ("true", None),
        ("{}", None),
        ("\"yesterday\"", None),
        ("\"\\ud800\"", None),
    ] {
        let collected = read(format!("{{\"date\":{json},\"text\":\"a\"}}").as_bytes());
        let document = &collected.documents[0];
        assert_eq!(document.date, expected, "{json}");
        let flags = match expected.is_none() && json != "null" {
            true => vec!["impossible-date"],
            false => vec![],
        };
        assert_eq!(document.flags, flags, "{json}");
    }
}

#[test]
fn an_id_and_a_url_of_other_types_cost_the_text_nothing() {
    for line in [
        r#"{"id":[],"url":7,"date":0,"content":"a"}"#,
        r#"{"id":{},"url":1e999,"content":"a"}"#,
        r#"{"id":"\ud800","url":"http://x/\udfff\ud800","content":"a"}"#,
    ] {
        let document = &read(line.as_bytes()).documents[0];
        assert_eq!((&document.id, &document.url), (&None, &None));
        let flags = ["url-not-text", "text-in-content", "id-not-text"];
        assert_eq!(document.flags, flags, "{line}");
    }
}

#[test]
fn carried_fields_come_in_the_order_of_the_configuration() {
    let names = [
        "n", "missing", "f", "big", "t", "b", "list", "nothing", "url", "text",
    ];
    let line = r#"{"text":"a","list":[1, {"x":2}],"n":-3,"f":1.5,"big":9223372036854775808,"t":"é\n","b":true,"nothing":null,"url":"u"}"#;
    let collected = read_with(line.as_bytes(), &options(100, &names));
    let expected = [
        FieldValue::Integer(-3),
        FieldValue::Null,
        FieldValue::Float(1.5),
        FieldValue::Float(9_223_372_036_854_775_808.0),
        FieldValue::Text("é\n".to_owned()),
        FieldValue::Bool(true),
        FieldValue::Text(r#"[1, {"x":2}]"#.to_owned()),
        FieldValue::Null,
        FieldValue::Text("u".to_owned()),
        FieldValue::Text("a".to_owned()),
    ];
    let expected: Vec<_> = names
        .iter()
        .map(|name| (*name).to_owned())
        .zip(expected)
        .collect();
    assert_eq!(collected.documents[0].fields, expected);
    assert_eq!(
        (collected.documents[0].url.as_deref(), collected.texts()),
        (Some("u"), vec!["a"])
    );
    assert_eq!(
        read_with(br#"{"text":"a","n":1,"n":2}"#, &options(9, &names)).reasons(),
        ["duplicate-key"]
    );
}

/// Item 35: too long, with and without a newline, in one block and across many.
#[test]
fn long_lines_are_passed_over() {
    let small = options(10, &[]);
    let cap = 20 + (1 << 20);
    let line = |bytes: usize| format!("{{\"text\":\"a\",\"x\":\"{}\"}}", "x".repeat(bytes - 19));
    for (content, documents, reasons) in [
        (format!("{}\n{{\"text\":\"b\"}}", line(cap)), 2, vec![]),
        (
            format!("{}\n{{\"text\":\"b\"}}", line(cap + 1)),
            1,
            vec!["line-too-long"],
        ),
        (line(3 * cap), 0, vec!["line-too-long"]),
        (
            "{\"text\":\"01234567890\"}\n".to_owned(),
            0,
            vec!["too-large"],
        ),
    ] {
        let collected = read_with(content.as_bytes(), &small);
        assert_eq!(
            (collected.documents.len(), collected.reasons()),
            (documents, reasons)
        );
    }
}

/// The first record of a piece is known without the piece before, and the record at its end is left
/// to the next.
#[test]
fn a_piece_has_the_lines_that_begin_in_it() {
    let line = "{\"text\":\"a\"}\n";
    let fixture = fixture(line.repeat(3).as_bytes());
    let length = line.len() as u64;
    for (start, end, documents, first, next) in [
        (0, length, 1, Some(0), length),
        (length, 2 * length, 1, Some(length), 2 * length),
        (length - 1, length + 1, 1, Some(length), 2 * length),
        (1, length, 0, None, length),
        (1, length - 1, 0, None, length - 1),
        (length + 1, 3 * length, 1, Some(2 * length), 3 * length),
    ] {
        let mut sink = Collected::default();
        let piece = Piece {
            file: 0,
            start,
            end,
        };
        let read = read_piece(&fixture.file, &piece, None, &options(9, &[]), &mut sink).unwrap();
        assert_eq!(
            (sink.documents.len(), read.first, read.next),
            (documents, first, next),
            "{piece:?}"
        );
    }
}

/// The end of the line before a piece is found at any distance from its start.
#[test]
fn the_line_before_a_piece_may_be_long() {
    for length in [8_190, 8_191, 8_192, 8_193, 16_384, 16_385, 30_000] {
        let fixture = fixture(format!("{}\n{{\"text\":\"a\"}}\n", "x".repeat(length)).as_bytes());
        let piece = Piece {
            file: 0,
            start: 1,
            end: length as u64 + 2,
        };
        let mut sink = Collected::default();
        let read = read_piece(&fixture.file, &piece, None, &options(9, &[]), &mut sink).unwrap();
        assert_eq!(
            (sink.documents.len(), read.first),
            (1, Some(length as u64 + 1))
        );
    }
}

/// Item 43: all members and frames are read, lines cross their borders, and each can be found
/// again.
#[test]
fn compressed_files_are_read_whole() {
    let lines: Vec<String> = (0..2000)
        .map(|i| format!("{{\"id\":{i},\"text\":\"line {i}\"}}\n"))
        .collect();
    let content = lines.concat();
    for compress in [gzip as fn(&[u8]) -> Vec<u8>, zstd] {
        let compressed: Vec<u8> = content.as_bytes().chunks(777).flat_map(compress).collect();
        let fixture = fixture(&compressed);
        let options = options(1000, &[]);
        let (collected, end) = read_whole(&fixture.file, &options);
        assert_eq!(
            (collected.documents.len(), collected.rejected.len()),
            (2000, 0)
        );
        assert_eq!((end.first, end.next), (Some(0), fixture.file.stat.bytes));
        assert_eq!(
            read_in_pieces(&fixture.file, &[5, 1000, 30_000], &options).unwrap(),
            collected
        );
        for kept in collected.documents.iter().step_by(97) {
            let expected = Kept {
                row: None,
                ..kept.clone()
            };
            assert_eq!(found(&fixture.file, kept.place, &options), Some(expected));
        }
        let wrong = Place {
            inner_offset: collected.documents[1].place.inner_offset + 1,
            ..collected.documents[1].place
        };
        assert_eq!(found(&fixture.file, wrong, &options), None);
    }
}

#[test]
fn tiny_lines_of_a_file_that_expands_far_are_bounded_as_long_ones() {
    const LINES: usize = 1_500_000;
    for (line, is_document) in [("x\n", false), ("{\"text\":\"\"}\n", true)] {
        let collected = read(&gzip(line.repeat(LINES).as_bytes()));
        let (documents, rejected) = (collected.documents.len(), collected.rejected.len());
        assert_eq!(
            collected.reasons().last(),
            Some(&"expands-too-far"),
            "{line}"
        );
        let records = if is_document { documents } else { rejected };
        assert!((900_000..1_200_000).contains(&records), "{line}: {records}");
    }
    // Lines that compress as people's lines do are read however many there are.
    let lines: String = (0..LINES).map(|n| format!("{n:x}\n")).collect();
    assert_eq!(read(&gzip(lines.as_bytes())).rejected.len(), LINES);
}

fn found(file: &SourceFile, place: Place, options: &ReadOptions) -> Option<Kept> {
    let mut kept = None;
    let found = read_document_at(file, &place, options, &mut |document| {
        kept = Some(Kept::new(document));
    })
    .unwrap();
    assert_eq!(found == PlaceContent::Document, kept.is_some());
    kept
}

#[test]
fn a_damaged_member_costs_what_is_in_it() {
    let line = |i: usize| format!("{{\"text\":\"line {i} {}\"}}\n", "abc".repeat(i % 50));
    let members: Vec<Vec<u8>> = (0..5)
        .map(|m| {
            gzip(
                (m * 100..m * 100 + 100)
                    .map(line)
                    .collect::<String>()
                    .as_bytes(),
            )
        })
        .collect();
    let at: usize = members[..2].iter().map(Vec::len).sum();
    let mut content = members.concat();
    content[at + members[2].len() / 2] ^= 0x55;
    let collected = read(&content);
    assert_eq!(
        collected.rejected[0].reason, "bad-gzip",
        "{:?}",
        collected.rejected
    );
    assert_eq!(collected.rejected[0].offset, at as u64);
    let texts = collected.texts();
    for i in (0..200).chain(300..500) {
        assert!(
            texts.contains(&line(i)[9..line(i).len() - 3].trim_end_matches('"')),
            "line {i}"
        );
    }

    let cut = &members.concat()[..at + members[2].len() - 3];
    assert_eq!(read(cut).reasons(), ["truncated"]);
    let padded = [members.concat(), vec![0; 5000]].concat();
    assert_eq!(
        (read(&padded).documents.len(), read(&padded).rejected.len()),
        (500, 0)
    );
    let garbage = [members.concat(), b"garbage".to_vec()].concat();
    assert_eq!(
        (read(&garbage).documents.len(), read(&garbage).reasons()),
        (500, vec!["trailing-garbage"])
    );
}

/// Lines of all kinds: good, blank, broken, without a newline at the end.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => "[a-zé\\\\n]{0,40}".prop_map(|text| format!("{{\"text\":\"{text}\"}}")),
        1 => Just(String::new()),
        1 => Just("\r".to_owned()),
        1 => "\\PC{0,30}",
        1 => (0usize..90_000).prop_map(|bytes| format!("{{\"text\":\"{}\"}}", "y".repeat(bytes))),
    ];
    (prop::collection::vec(line, 0..30), any::<bool>()).prop_map(|(lines, ends)| {
        let mut content = lines.join("\n");
        if ends {
            content.push('\n');
        }
        content.into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pieces_give_what_one_reader_gives(content in content(), cuts in prop::collection::vec(any::<u64>(), 0..8)) {
        let fixture = fixture(&content);
        let options = options(50_000, &[]);
        let (whole, _) = read_whole(&fixture.file, &options);
        prop_assert_eq!(&read_in_pieces(&fixture.file, &cuts, &options).unwrap(), &whole);
        let lines = content.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
        prop_assert_eq!(whole.documents.len() + whole.rejected.len(), lines);
        for kept in whole.documents.iter().take(3) {
            let found = found(&fixture.file, kept.place, &options);
            let expected = Kept { row: None, ..kept.clone() };
            prop_assert_eq!(found, Some(expected));
        }
        let lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
        for kept in &whole.documents {
            let line = lines[kept.row.unwrap() as usize];
            let without_mark = line.len() - if line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            prop_assert_eq!(kept.place.length, without_mark as u64);
        }
    }

    #[test]
    fn compressed_content_gives_the_same_texts(content in content(), size in 1usize..5000, with_zstd in any::<bool>()) {
        let compress = if with_zstd { zstd } else { gzip };
        let compressed: Vec<u8> = content.chunks(size.max(content.len() / 50)).flat_map(compress).collect();
        let options = options(50_000, &[]);
        let (plain, packed) = (read_with(&content, &options), read_with(&compressed, &options));
        prop_assert_eq!(plain.texts(), packed.texts());
        prop_assert_eq!(plain.reasons(), packed.reasons());
        let rows = |collected: &Collected| collected.documents.iter().map(|kept| kept.row).collect::<Vec<_>>();
        prop_assert_eq!(rows(&plain), rows(&packed));
    }

    #[test]
    fn no_bytes_panic_or_hang(mut content in content(), flips in prop::collection::vec((any::<usize>(), any::<u8>()), 1..20), packed in any::<bool>()) {
        if packed {
            content = content.chunks(2000).flat_map(gzip).collect();
        }
        for (at, byte) in flips {
            if let Some(length) = content.len().checked_sub(1) {
                content[at % (length + 1)] = byte;
            }
        }
        read(&content);
    }
}
