//! ARC files: both forms of the header line, packings, damage, pieces.

use proptest::prelude::*;

use super::fixtures::*;
use super::pieces::chained_file;
use decode::options::Format;

/// The record that begins a file, of version 1.0 or 1.1.
fn description(version: &str) -> Vec<u8> {
    let block =
        format!("{version} Archive\nURL IP-address Archive-date Content-type Archive-length\n");
    format!(
        "filedesc://a.arc 0.0.0.0 20050101000000 text/plain {}\n{block}\n",
        block.len()
    )
    .into_bytes()
}

/// A record of five fields.
fn arc(url: &str, media_type: &str, block: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "{url} 192.0.2.1 20050102030405 {media_type} {}\n",
        block.len()
    )
    .into_bytes();
    bytes.extend_from_slice(block);
    bytes.push(b'\n');
    bytes
}

/// A record of ten fields.
fn arc_of_ten(url: &str, block: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "{url} 192.0.2.1 20050102030405 text/html 200 d41d8cd98f00b204e9800998ecf8427e - 12345678 a.arc {}\n",
        block.len()
    )
    .into_bytes();
    bytes.extend_from_slice(block);
    bytes.push(b'\n');
    bytes
}

fn html(text: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}").into_bytes()
}

fn read_arc(bytes: &[u8], cap: u64) -> Vec<Event> {
    let file = File::of(bytes, Format::Arc);
    let (events, end) = file.piece(0, bytes.len() as u64, None, cap);
    assert_eq!((end.first, end.next), (Some(0), bytes.len() as u64));
    events
}

fn said(records: &[Vec<u8>]) -> String {
    let packed = in_all_packings(records);
    let all: Vec<String> = packed
        .iter()
        .map(|(_, bytes)| words(&read_arc(bytes, CAP)))
        .collect();
    for ((packing, _), said) in packed.iter().zip(&all) {
        assert_eq!(said, &all[0], "{packing}");
    }
    all[0].clone()
}

#[test]
fn pages_of_both_forms_are_read_in_all_packings() {
    for version in ["1 0", "1 1", "2 0"] {
        let records = [
            description(version),
            arc("http://a/", "text/html", &html("one")),
            arc_of_ten("http://b/x y", &html("two")),
            arc("http://c/", "text/html", b"<html>no head"),
            arc("dns:a", "text/dns", b"20050102030405\na 1 IN A 192.0.2.1\n"),
            arc("http://a/robots.txt", "text/plain", &html("robots")),
            arc(
                "http://a/x.png",
                "image/png",
                b"HTTP/1.0 200 OK\r\nContent-Type: image/png\r\n\r\nx",
            ),
            arc(
                "http://a/gone",
                "text/html",
                b"HTTP/1.1 404 Not Found\r\n\r\n",
            ),
            arc("http://a/odd", "no-type", b"no head"),
            arc("http://a/void", "text/html", b""),
            arc("http://d/", "text/html", &html("three")),
        ];
        assert_eq!(
            said(&records),
            "[filedesc] http://a/ http://b/x y http://c/ [response, not http] [robots.txt] \
             [image/png] [http status 404] not-http empty http://d/"
        );
    }
    let events = read_arc(
        &[
            description("1 0"),
            arc("http://a/\u{e9}", "text/html", &html("one")),
        ]
        .concat(),
        CAP,
    );
    let page = pages(&events)[0];
    assert_eq!((page.text.as_str(), page.id.as_deref()), ("<p>one", None));
    assert_eq!(page.date, Some(1_104_635_045_000_000));
    assert_eq!(page.place.entry_offset, description("1 0").len() as u64);
    assert_eq!(
        page.place.length,
        arc("http://a/\u{e9}", "text/html", &html("one")).len() as u64 - 1
    );
}

#[test]
fn dates_may_be_short_and_impossible_ones_cost_nothing() {
    let with = |date: &str| {
        let record = arc("http://a/", "text/html", &html("one"));
        let record = String::from_utf8(record).unwrap();
        let bytes = record.replace("20050102030405", date).into_bytes();
        let events = read_arc(&bytes, CAP);
        let page = pages(&events)[0].clone();
        (page.date.is_some(), page.flags.len())
    };
    assert_eq!(with("20050102"), (true, 0));
    assert_eq!(with("200501020304"), (true, 0));
    assert_eq!(with("20051399000000"), (false, 1));
}

#[test]
fn damage_costs_only_what_is_damaged() {
    let good = |name: &str| arc(&format!("http://{name}/"), "text/html", &html(name));
    let mut long = good("long");
    let at = memchr::memchr(b'\n', &long).unwrap();
    long.insert(at, b'0');
    let mut short = good("short");
    let at = memchr::memchr(b'\n', &short).unwrap();
    short.remove(at - 1);
    let broken = b"http://broken/ 192.0.2.1 2005x text/html 5\nhello\n".to_vec();
    for (bad, reason) in [
        (long, "bad-content-length"),
        (short, "bad-content-length"),
        (broken, "bad-arc-header"),
        (b"garbage\n".to_vec(), "damaged"),
        (
            b"note: garbage\nhttp://x/ with spaces\n".to_vec(),
            "bad-arc-header",
        ),
    ] {
        let before = description("1 0").len() + good("a").len();
        let records = [description("1 0"), good("a"), bad, good("z")];
        let events = read_arc(&records.concat(), CAP);
        let expected = format!("[filedesc] http://a/ {reason} http://z/");
        assert_eq!(words(&events), expected);
        assert_eq!(rejections(&events)[0].offset, before as u64);
    }
    let mut cut = [description("1 0"), good("a"), good("z")].concat();
    cut.truncate(cut.len() - 4);
    assert_eq!(
        words(&read_arc(&cut, CAP)),
        "[filedesc] http://a/ truncated"
    );
    assert_eq!(words(&read_arc(b"ArC\x01 of another kind", CAP)), "not-arc");
    let large = [
        good("a"),
        arc("http://l/", "text/html", &html(&"x".repeat(200_000))),
        good("z"),
    ];
    for (packing, bytes) in in_all_packings(&large) {
        let said = words(&read_arc(&bytes, 1000));
        assert_eq!(said, "http://a/ too-large http://z/", "{packing}");
    }
}

fn record_of(kind: u8, number: usize, length: usize) -> Vec<u8> {
    let url = format!("http://x/{number}");
    let text = "lorem: ipsum\n\n".repeat(length / 14);
    match kind {
        0 => arc_of_ten(&url, &html(&text)),
        1 => arc("dns:x", "text/dns", b"x"),
        // A page that quotes a record.
        2 => arc(
            &url,
            "text/html",
            &html(&String::from_utf8(arc("http://q/", "text/html", &html("q"))).unwrap()),
        ),
        3 => {
            let mut wrong = arc(&url, "text/html", &html(&text));
            let at = memchr::memchr(b'\n', &wrong).unwrap();
            wrong[at - 1] = b'9';
            wrong
        }
        4 => b"garbage\nhttp://x/ y\n".to_vec(),
        _ => arc(&url, "text/html", &html(&text)),
    }
}

proptest! {
    #[test]
    fn pieces_say_what_one_reader_says(
        kinds in prop::collection::vec((0u8..8, 0usize..9_000), 1..12),
        cuts in prop::collection::vec(0.0f64..1.0, 0..5),
        flip in prop::option::of((0.0f64..1.0, 1u8..)),
    ) {
        let mut records = vec![description("1 0")];
        records.extend(kinds.iter().enumerate().map(|(number, &(kind, length))| record_of(kind, number, length)));
        for (packing, mut bytes) in in_all_packings(&records) {
            if let Some((at, with)) = flip {
                let at = (at * bytes.len() as f64) as usize;
                bytes[at] ^= with;
            }
            let cuts: Vec<u64> = cuts.iter().map(|cut| (cut * bytes.len() as f64) as u64).collect();
            for cap in [CAP, 4_000] {
                let whole = read_arc(&bytes, cap);
                let pieces = chained_file(&File::of(&bytes, Format::Arc), &bytes, &cuts, cap);
                prop_assert_eq!(&pieces, &whole, "{}", packing);
            }
        }
    }
}
