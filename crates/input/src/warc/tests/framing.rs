//! Records and their headers, good and bad, in every packing.

use super::super::read_piece;
use super::fixtures::*;
use decode::{
    document::{Document, Rejection, Sink, SinkError},
    options::Piece,
};

/// Two good pages, `a` before and `z` behind what is tried.
fn between(tried: Vec<u8>) -> [Vec<u8>; 3] {
    [page("http://a/", "<p>a"), tried, page("http://z/", "<p>z")]
}

/// Asserts what is said of a record between two good ones, in every packing.
fn assert_between(tried: Vec<u8>, expected: &str) -> Vec<Event> {
    let records = between(tried);
    let mut said = Vec::new();
    for (packing, bytes) in in_all_packings(&records) {
        let events = read(&bytes);
        assert_eq!(
            words(&events),
            format!("http://a/ {expected} http://z/").replace("  ", " "),
            "{packing}"
        );
        said = events;
    }
    said
}

fn raw(header: &str, block: &str) -> Vec<u8> {
    [
        header.replace('\n', "\r\n").as_bytes(),
        b"\r\n\r\n",
        block.as_bytes(),
        b"\r\n\r\n",
    ]
    .concat()
}

const HTTP: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello";

#[test]
fn a_page_has_all_its_fields() {
    let fields = [
        "WARC-Record-ID: <urn:uuid:1234>",
        "WARC-Date: 2024-02-29T12:34:56Z",
        "Content-Type: application/http; msgtype=response",
    ];
    let block =
        b"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; Charset=\"ISO-8859-1\"\r\n\r\n<p>caf\xe9";
    let one = record("response", "<http://x/>", &fields, block);
    let records = [page("http://a/", "first"), one.clone()];
    for (packing, bytes) in in_all_packings(&records) {
        let events = read(&bytes);
        let page = pages(&events)[1];
        assert_eq!(page.id.as_deref(), Some("urn:uuid:1234"));
        assert_eq!(page.url.as_deref(), Some("http://x/"));
        assert_eq!(page.date, Some(1_709_210_096_000_000));
        assert_eq!(
            (page.text.as_str(), &page.body[..]),
            ("<p>café", &b"<p>caf\xe9"[..])
        );
        assert_eq!(
            (page.media_type.as_str(), page.charset),
            ("text/html", "windows-1252")
        );
        assert!(page.flags.is_empty());
        let place = page.place;
        assert_eq!(place.length, one.len() as u64 - 4);
        let first = records[0].len() as u64;
        let (entry, inner) = match packing {
            "plain" => (first, 0),
            "gzip members" => (gzip(&records[0]).len() as u64, 0),
            "zstd frames" => (zstd(&records[0]).len() as u64, 0),
            _ => (0, first),
        };
        assert_eq!(
            (place.entry_offset, place.inner_offset),
            (entry, inner),
            "{packing}"
        );
    }
}

/// Items 1 and 2.
#[test]
fn an_empty_file_has_no_records() {
    assert_eq!(read(b""), []);
    assert_eq!(read(&gzip(b"")), []);
    assert_eq!(read(&zstd(b"")), []);
    assert_eq!(read(b"\r\n\r\n"), []);
}

/// Items 3 and 4: the packing is told by content; what is inside one member is read all the same.
#[test]
fn all_packings_say_the_same() {
    let records = between(record(
        "resource",
        "http://r/",
        &["Content-Type: text/plain"],
        b"hello",
    ));
    for (packing, bytes) in in_all_packings(&records) {
        assert_eq!(
            words(&read(&bytes)),
            "http://a/ http://r/ http://z/",
            "{packing}"
        );
    }
}

/// Items 10, 11 and 12.
#[test]
fn a_length_has_to_be_sound() {
    let header = |lengths: &str| {
        raw(
            &format!("WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://x/{lengths}"),
            HTTP,
        )
    };
    let length = HTTP.len();
    for bad in [
        String::new(),
        "\nContent-Length: -5".into(),
        format!("\nContent-Length: +{length}"),
        "\nContent-Length: 0x10".into(),
        "\nContent-Length: 18446744073709551616".into(),
        "\nContent-Length: 99999999999999".into(),
        "\nContent-Length: 18446744073709551615".into(),
        "\nContent-Length: 5 5".into(),
        "\nContent-Length:".into(),
        format!("\nContent-Length: {length}\nContent-Length: 7"),
        format!("\nContent-Length: 7\nContent-Length: {length}"),
    ] {
        let events = assert_between(header(&bad), "bad-content-length");
        assert!(
            rejections(&events)[0].detail.contains("bytes lost"),
            "{events:?}"
        );
    }
    assert_between(
        header(&format!(
            "\nContent-Length: {length}\ncontent-length: {length}"
        )),
        "http://x/",
    );
    assert_between(
        header(&format!("\nCONTENT-LENGTH:\t 00{length}  ")),
        "http://x/",
    );
}

/// Items 13 and 14: a record that does not end where it says costs itself and nothing else.
#[test]
fn a_wrong_length_costs_one_record() {
    let header = |length: usize| {
        raw(
            &format!(
                "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://x/\nContent-Length: {length}"
            ),
            HTTP,
        )
    };
    for wrong in [
        0,
        1,
        HTTP.len() - 1,
        HTTP.len() + 5,
        HTTP.len() + 20,
        HTTP.len() + 150,
        100_000,
        40 << 20,
    ] {
        assert_between(header(wrong), "bad-content-length");
    }
    // Line ends that belong to nobody do not matter.
    for right in HTTP.len()..=HTTP.len() + 4 {
        assert_between(header(right), "http://x/");
    }
}

#[test]
fn a_wrong_length_at_the_end_is_told_too() {
    let good = page("http://a/", "<p>a");
    let header = "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://x/\nContent-Length: 999";
    let last = raw(header, HTTP);
    let bytes = [good.clone(), last.clone()].concat();
    let events = read(&bytes);
    assert_eq!(words(&events), "http://a/ truncated");
    assert_eq!(rejections(&events)[0].offset, good.len() as u64);
    for pack in [gzip, zstd] {
        assert_eq!(
            words(&read(&[pack(&good), pack(&last)].concat())),
            "http://a/ bad-content-length"
        );
    }
}

/// Item 15.
#[test]
fn line_feeds_alone_will_do() {
    let text = "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://x/\nContent-Length: 45\n\n\
                HTTP/1.1 200 OK\nContent-Type: text/plain\n\nyes\n\n";
    assert_between(text.as_bytes().to_vec(), "http://x/");
    assert_eq!(
        words(&read(text.repeat(3).as_bytes())),
        "http://x/ http://x/ http://x/"
    );
}

/// A file that was converted to DOS line ends although it had them.
#[test]
fn a_carriage_return_too_many_does_no_harm() {
    let block = "HTTP/1.1 200 OK\r\r\nContent-Type: text/plain\r\r\n\r\r\nyes";
    let length = block.len();
    let header = format!(
        "WARC/1.0\r\r\nWARC-Type: response\r\r\nWARC-Target-URI: http://x/\r\r\nContent-Length: {length}\r\r\n\r\r\n"
    );
    let text = format!("{header}{block}\r\r\n\r\r\n");
    assert_between(text.clone().into_bytes(), "http://x/");
    let events = read(text.repeat(3).as_bytes());
    assert_eq!(words(&events), "http://x/ http://x/ http://x/");
    assert!(pages(&events).iter().all(|page| page.text == "yes"));
    // The second record is found from inside the first one.
    let file = File::new(text.repeat(2).as_bytes());
    let one = text.len() as u64;
    let (events, end) = file.piece(7, 2 * one, None, CAP);
    assert_eq!(
        (words(&events).as_str(), end.first),
        ("http://x/", Some(one))
    );
}

/// Item 16.
#[test]
fn odd_header_lines_do_no_harm_and_endless_ones_cost_their_record() {
    let length = HTTP.len();
    let odd = format!(
        "WARC/1.0\nwarc-type:response\nno colon here\nWARC-Target-URI:\n http://x/\n\tb\nX: {}\nContent-Length: {length}",
        "x".repeat(60_000)
    );
    assert_between(raw(&odd, HTTP), "http://x/ b");
    for size in [70_000, 1 << 20, 9 << 20] {
        let long = format!(
            "WARC/1.0\nWARC-Type: response\nX: {}\nContent-Length: {length}",
            "x".repeat(size)
        );
        assert_between(raw(&long, HTTP), "bad-warc-header");
        let endless = format!("WARC/1.0\n{}", "WARC-Type: response\n".repeat(size / 20))
            .replace('\n', "\r\n");
        assert_between(endless.into_bytes(), "bad-warc-header");
    }
}

/// A record cut off in its header: the line of the next one ends it.
#[test]
fn a_header_that_runs_into_the_next_record_is_told() {
    let cut = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Le\r\n".to_vec();
    let records = between(cut);
    assert_eq!(
        words(&read(&records.concat())),
        "http://a/ bad-warc-header http://z/"
    );
    assert_eq!(
        words(&read(&gzip(&records.concat()))),
        "http://a/ bad-warc-header http://z/"
    );
}

/// Items 17 and 21.
#[test]
fn addresses_are_kept_as_they_are() {
    let url = |bytes: &[u8]| {
        let header = [
            b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/plain\r\nContent-Length: 1\r\nWARC-Target-URI: ",
            bytes,
            b"\r\n\r\nx\r\n\r\n",
        ]
        .concat();
        pages(&read(&header))[0].url.clone().unwrap()
    };
    assert_eq!(
        url(b"http://x/\xff\0caf\xc3\xa9"),
        "http://x/\\xff\\x00café"
    );
    assert_eq!(url(b"<http://x/a b>"), "http://x/a b");
    assert_eq!(url(b"javascript:alert(1)"), "javascript:alert(1)");
    assert_eq!(url(b"http://x/\r\n /folded"), "http://x/ /folded");
    let long = format!("http://x/{}", "y".repeat(60_000));
    assert_eq!(url(long.as_bytes()), long);
}

/// Item 18.
#[test]
fn versions_are_read_and_strange_ones_counted() {
    for (version, flags) in [
        ("WARC/0.17", vec![]),
        ("WARC/0.18", vec![]),
        ("WARC/1.0", vec![]),
        ("WARC/1.1", vec![]),
        ("WARC/2.0", vec!["unknown-warc-version"]),
        ("warc/1.0", vec!["unknown-warc-version"]),
    ] {
        let tried = page("http://x/", "<p>x");
        let tried = [version.as_bytes(), &tried[8..]].concat();
        let events = assert_between(tried, "http://x/");
        assert_eq!(pages(&events)[1].flags, flags, "{version}");
    }
}

/// Items 19, 20 and 29.
#[test]
fn missing_and_impossible_fields_cost_nothing() {
    let with = |fields: &[&str]| {
        let fields = [&["Content-Type: text/plain"], fields].concat();
        let events = read(&record("resource", "", &fields, b"x"));
        let page = pages(&events)[0].clone();
        (page.id, page.url, page.date, page.flags)
    };
    assert_eq!(
        with(&["WARC-Date: 2009-03-65T08:43:19-0800"]),
        (None, None, None, vec!["impossible-date"])
    );
    assert_eq!(with(&["WARC-Record-ID: <>"]), (None, None, None, vec![]));
    assert_eq!(with(&["WARC-Truncated: length"]).3, ["truncated"]);
}

/// Item 22.
#[test]
fn equal_ids_are_all_kept() {
    let one = record(
        "resource",
        "http://x/",
        &["Content-Type: text/plain", "WARC-Record-ID: <urn:1>"],
        b"x",
    );
    let events = read(&[one.clone(), one].concat());
    assert_eq!(
        pages(&events)
            .iter()
            .filter(|page| page.id.as_deref() == Some("urn:1"))
            .count(),
        2
    );
}

/// Item 23.
#[test]
fn types_decide() {
    for (kind, expected) in [
        ("revisit", "unresolved-revisit"),
        ("request", "[request]"),
        ("metadata", "[metadata]"),
        ("warcinfo", "[warcinfo]"),
        ("continuation", "[continuation]"),
        ("Future", "[future]"),
        ("", "bad-warc-header"),
        ("conversion", "http://x/"),
        ("Resource", "http://x/"),
    ] {
        assert_between(
            record(kind, "http://x/", &["Content-Type: text/plain"], b"text"),
            expected,
        );
        // Above the cap the type still decides.
        let large = "x".repeat(200_000);
        let records = between(record(
            kind,
            "http://x/",
            &["Content-Type: text/plain"],
            large.as_bytes(),
        ));
        for (packing, bytes) in in_all_packings(&records) {
            let expected = expected.replace("http://x/", "too-large");
            let said = words(&read_capped(&bytes, 1000));
            assert_eq!(said, format!("http://a/ {expected} http://z/"), "{packing}");
        }
    }
    assert_between(
        record(
            "response",
            "dns:example.org",
            &["Content-Type: text/dns"],
            b"1.2.3.4",
        ),
        "[response, not http]",
    );
    assert_between(
        record("resource", "http://x/", &["Content-Type: image/png"], b"x"),
        "[image/png]",
    );
    for (kind, url, expected) in [
        (
            "resource",
            "metadata://gnu.org/software/wget/warc/MANIFEST.txt",
            "[resource of the crawler]",
        ),
        ("resource", "urn:X-wpull:log", "[resource of the crawler]"),
        (
            "conversion",
            "urn:text:http://x/",
            "[conversion of the crawler]",
        ),
        ("resource", "http://x/robots.txt", "[robots.txt]"),
        ("conversion", "http://x/robots.txt", "[robots.txt]"),
        ("revisit", "http://x/robots.txt", "[robots.txt]"),
        ("response", "http://x/robots.txt", "[robots.txt]"),
        ("resource", "urn:isbn:1", "urn:isbn:1"),
    ] {
        let bytes = record(kind, url, &["Content-Type: text/plain"], b"text");
        assert_between(bytes, expected);
    }
    assert_between(
        record("resource", "http://x/", &["Content-Type: text/plain"], b""),
        "empty",
    );
    let arc = b"filedesc://x.arc 0.0.0.0 20050101000000 text/plain 77\n1 0 Archive\n\nhttp://x/ 1.2.3.4 2005 text/html 5\nhello\n";
    assert_eq!(words(&read(arc)), "not-warc");
}

#[test]
fn extracted_text_is_utf_8() {
    let events = read(&record(
        "conversion",
        "http://x/",
        &["Content-Type: text/plain"],
        "Ωmega".as_bytes(),
    ));
    let page = pages(&events)[0];
    assert_eq!(
        (page.text.as_str(), page.charset, page.media_type.as_str()),
        ("Ωmega", "UTF-8", "text/plain")
    );
    let events = read(&record("conversion", "http://x/", &[], b"caf\xe9"));
    // A text that does not fit gives way.
    let page = pages(&events)[0];
    assert_eq!((&*page.text, page.charset), ("café", "windows-1252"));
}

/// An error of the sink stops the reader and comes back as it is.
#[test]
fn a_sink_that_stops_stops_the_reader() {
    struct Full;
    impl Sink for Full {
        fn document(&mut self, _: &Document<'_>) -> Result<(), SinkError> {
            Err("no space left".into())
        }

        fn rejected(&mut self, _: Rejection) -> Result<(), SinkError> {
            Err("no space at all".into())
        }
    }
    for (bytes, expected) in [
        (page("http://a/", "<p>a"), "no space left"),
        (b"garbage".to_vec(), "no space at all"),
    ] {
        for (packing, bytes) in in_all_packings(&[bytes.clone(), bytes]) {
            let file = File::new(&bytes);
            let piece = Piece {
                file: 0,
                start: 0,
                end: bytes.len() as u64,
            };
            let error =
                read_piece(&file.source, &piece, None, &options(CAP), &mut Full).unwrap_err();
            assert_eq!(error.to_string(), expected, "{packing}");
        }
    }
}
