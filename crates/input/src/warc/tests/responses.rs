//! The fate of responses, by status, type and coding.

use std::io::Write;

use super::fixtures::*;

pub(super) const HTML: &str = "Content-Type: text/html";

pub(super) fn deflate_raw(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn deflate_zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A brotli stream (RFC 7932, 9.2) of uncompressed meta-blocks.
pub(super) fn brotli_stored(content: &[u8]) -> Vec<u8> {
    // One bit 0: a window of 2^16. Then, for every block, ISLAST 0, MNIBBLES 0 (four of them), MLEN
    // − 1, ISUNCOMPRESSED 1.
    let mut bits: Vec<bool> = vec![false];
    let mut bytes = Vec::new();
    for block in content.chunks(65_536) {
        bits.extend([false, false, false]);
        bits.extend((0..16).map(|bit| (block.len() - 1) >> bit & 1 == 1));
        bits.push(true);
        bytes.extend(bits.chunks(8).map(|bits| {
            bits.iter()
                .rev()
                .fold(0, |byte, &bit| byte << 1 | u8::from(bit))
        }));
        bits.clear();
        bytes.extend_from_slice(block);
    }
    if content.is_empty() {
        return vec![0x06];
    }
    bytes.push(0x03);
    bytes
}

pub(super) fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in body.chunks(size) {
        bytes.extend_from_slice(format!("{:x};ext=1\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
    bytes
}

/// Reads one response: its page, or the reason and detail of its rejection.
fn one(head: &[&str], body: &[u8], cap: u64) -> Result<Page, (String, String)> {
    let events = read_capped(&response("http://x/", head, body), cap);
    match &events[..] {
        [Event::Page(page)] => Ok(page.clone()),
        [Event::Rejected(rejection)] => {
            assert_eq!(rejection.url.as_deref(), Some("http://x/"));
            Err((rejection.reason.to_owned(), rejection.detail.clone()))
        }
        [Event::Skipped(kind)] => Err(("skipped".to_owned(), kind.clone())),
        other => panic!("{other:?}"),
    }
}

pub(super) fn ok(fields: &[&str], body: &[u8]) -> Result<Page, (String, String)> {
    one(&[&["HTTP/1.1 200 OK"], fields].concat(), body, CAP)
}

pub(super) fn refused(reason: &str, detail: &str) -> Result<Page, (String, String)> {
    Err((reason.to_owned(), detail.to_owned()))
}

#[test]
fn only_200_and_203_are_pages() {
    for status in [
        "206 Partial",
        "301 Moved",
        "404 Not Found",
        "500 Oops",
        "100 Continue",
    ] {
        let line = format!("HTTP/1.1 {status}");
        assert_eq!(
            one(&[&line, HTML], b"<p>x", CAP),
            refused("skipped", &format!("http status {}", &status[..3]))
        );
    }
    for line in [
        "HTTP/1.0 200 OK",
        "HTTP/1.1 200",
        "HTTP/1.1 200 ",
        "HTTP/1.1 203 Non-Authoritative Information",
        "HTTP/2 200",
        "http/1.1  200 fine",
    ] {
        assert!(one(&[line, HTML], b"<p>x", CAP).is_ok(), "{line}");
    }
}

/// Item 24.
#[test]
fn what_is_no_http_is_told() {
    for line in [
        "",
        "200 OK",
        "HTTP/1.1",
        "HTTP/1.1 20",
        "HTTP/1.1 2000",
        "HTTP/1.1 abc",
        "HTTP 200 OK",
        "127.0.0.1 - - GET",
    ] {
        assert_eq!(
            one(&[line, HTML], b"<p>x", CAP),
            refused("not-http", ""),
            "{line}"
        );
    }
    let endless = format!("X: {}", "x".repeat(70_000));
    assert_eq!(ok(&[&endless], b"x"), refused("not-http", ""));
    assert_eq!(
        words(&read(&record("response", "http://x/", &[], b""))),
        "empty"
    );
    assert_eq!(
        words(&read(&record(
            "response",
            "http://x/",
            &[],
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html"
        ))),
        "empty"
    );
}

/// Some programs write the page alone, and its type into the header of the record.
#[test]
fn a_response_without_a_head_is_of_the_type_that_its_record_declares() {
    let said = |fields: &[&str], block: &[u8]| {
        words(&read(&record("response", "http://x/", fields, block)))
    };
    for fields in [
        &["Content-Type: text/html; charset=utf-8"][..],
        &["WARC-Type: response", "content-type: TEXT/PLAIN"],
    ] {
        assert_eq!(said(fields, b"<p>x"), "http://x/");
        assert_eq!(said(fields, b""), "empty");
        // A head counts more than the record.
        let image = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nx";
        assert_eq!(said(fields, image), "[image/png]");
    }
    let html = ["Content-Type: text/html; charset=windows-1252"];
    let events = read(&record("response", "http://x/", &html, b"<p>caf\xe9"));
    assert_eq!(pages(&events)[0].text, "<p>caf\u{e9}");
    assert_eq!(said(&["Content-Type: image/png"], b"x"), "[image/png]");
    for http in [
        "Content-Type: application/http",
        "Content-Type: Application/HTTP;msgtype=response",
    ] {
        assert_eq!(said(&[http], b"<p>x"), "not-http");
    }
    let late = b"WARC/1.0\r\nContent-Type: application/http\r\nWARC-Type: response\r\nContent-Length: 4\r\n\r\n<p>x\r\n\r\n";
    assert_eq!(words(&read(late)), "not-http");
}

#[test]
fn types_that_are_pages_are_taken() {
    for (field, expected) in [
        ("Content-Type: TEXT/HTML", "text/html"),
        (
            "Content-type: application/xhtml+xml;charset=utf-8",
            "application/xhtml+xml",
        ),
        ("content-type: text/plain ; x", "text/plain"),
    ] {
        assert_eq!(ok(&[field], b"<p>x").unwrap().media_type, expected);
    }
    assert_eq!(
        ok(&["Content-Type: image/png"], b"<p>"),
        refused("skipped", "image/png")
    );
    assert_eq!(
        ok(
            &["Content-Type: text/html", "Content-Type: application/pdf"],
            b"<p>"
        ),
        refused("skipped", "application/pdf")
    );
    for (list, charset) in [
        ("text/html, text/html", "windows-1252"),
        ("text/html, text/html; charset=koi8-r", "KOI8-R"),
        ("text/html; charset=koi8-r, text/html", "KOI8-R"),
        ("text/html; charset=\"koi8-r\", nonsense", "KOI8-R"),
        ("image/png, text/html", "windows-1252"),
    ] {
        let page = ok(&[&format!("Content-Type: {list}")], b"<p>caf\xe9 ol\xe9").unwrap();
        assert_eq!(
            (&*page.media_type, page.charset),
            ("text/html", charset),
            "{list}"
        );
        let lines: Vec<String> = list
            .split(',')
            .map(|one| format!("Content-Type: {one}"))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let again = ok(&lines, b"<p>caf\xe9 ol\xe9").unwrap();
        assert_eq!(
            (&*again.media_type, again.charset),
            ("text/html", charset),
            "{list}"
        );
    }
    assert_eq!(
        ok(&["Content-Type: text/html, image/png"], b"<p>"),
        refused("skipped", "image/png")
    );
    for nonsense in ["html", "*/*", "/html", "text/"] {
        assert_eq!(
            ok(&[&format!("Content-Type: {nonsense}")], b"<p>"),
            refused("media-type", nonsense)
        );
    }
    for html in [
        "<!DOCTYPE html>x",
        "  <html>",
        "\u{feff}<head >",
        "<!-- x -->",
        "<P>",
    ] {
        assert_eq!(
            ok(&[], html.as_bytes()).unwrap().media_type,
            "text/html",
            "{html}"
        );
    }
    for other in ["text", "<htmlx>", "{}", "<?xml?>"] {
        assert_eq!(
            ok(&["Content-Type:"], other.as_bytes()),
            refused("no-content-type", ""),
            "{other}"
        );
    }
    assert_eq!(ok(&[HTML], b""), refused("empty", ""));
}

/// Item 31.
#[test]
fn binary_bodies_are_no_text() {
    for (body, kind) in [
        (&b"%PDF-1.4"[..], "pdf"),
        (b"\x89PNG\r\n\x1a\n..", "png"),
        (b"\xff\xd8\xff\xe0", "jpeg"),
        (b"GIF89a", "gif"),
        (b"PK\x03\x04..", "zip"),
        (b"\x1f\x8b\x08...", "gzip"),
        (
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01",
            "NUL bytes",
        ),
        (b"\0\0\x01\0\x02\0\x10\x10\0\0\x01\0\x20\0", "NUL bytes"),
        (&[0; 100], "NUL bytes"),
    ] {
        assert_eq!(ok(&[HTML], body), refused("binary", kind));
    }
    let noise: Vec<u8> = (0..300_u32)
        .flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    assert_eq!(ok(&[HTML], &noise), refused("binary", "NUL bytes"));
    // A NUL is a character.
    for page in [
        &b"<p>a\0b"[..],
        b"\0<p>x",
        b"<p>x<!--\0\0\0-->",
        &[&b"<p>x"[..], &[0; 200]].concat(),
        &[vec![b'x'; 512], vec![0]].concat(),
    ] {
        assert_eq!(ok(&[HTML], page).unwrap().body, page);
    }
    let utf16: Vec<u8> = "<p>Ωx".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        ok(&["Content-Type: text/html; charset=utf-16le"], &utf16)
            .unwrap()
            .text,
        "<p>Ωx"
    );
    assert_eq!(
        ok(&[HTML], &[b"\xff\xfe", &utf16[..]].concat())
            .unwrap()
            .text,
        "<p>Ωx"
    );
}

/// Item 25.
#[test]
fn chunks_are_undone_and_lies_seen_through() {
    let te = "Transfer-Encoding: chunked";
    let text = |body: &[u8]| ok(&[HTML, te], body).map(|page| (page.text, page.flags));
    assert_eq!(
        text(b"3\r\nabc\r\n02 \r\nde\r\n0\r\n\r\n"),
        Ok(("abcde".into(), vec![]))
    );
    assert_eq!(
        text(b"A\n0123456789\n0\n\n"),
        Ok(("0123456789".into(), vec![]))
    );
    assert_eq!(
        text(b"<p>never chunked"),
        Ok(("<p>never chunked".into(), vec!["chunked-header-lied"]))
    );
    for lie in [
        "face the facts\r\n",
        "ffffffffffffffff\r\nabc",
        "10000000000000000\r\nabc",
        "-3\r\nabc",
        "0x3\r\nabc\r\n0\r\n\r\n",
        "abc",
    ] {
        let (body, flags) = text(lie.as_bytes()).unwrap();
        if lie == "abc" {
            // Could be a chunk header that is cut off: no byte of the body is there then, but
            // nothing says so.
            assert_eq!(body, "abc");
        }
        assert_eq!(
            (body.as_str(), flags),
            (lie, vec!["chunked-header-lied"]),
            "{lie}"
        );
    }
    for (cut, expected) in [
        ("5\r\nabc", "abc"),
        ("3\r\nabc\r\n", "abc"),
        ("3\r\nabc\r\n2", "abc"),
        ("3\r\nabc", "abc"),
        ("3\r\nabc\r\n5\r\nd", "abcd"),
    ] {
        assert_eq!(
            text(cut.as_bytes()),
            Ok((expected.into(), vec!["chunked-truncated"])),
            "{cut}"
        );
    }
    assert_eq!(
        text(b"3\r\nabc\r\nzz\r\nde\r\n"),
        Ok(("abczz\r\nde\r\n".into(), vec!["chunked-damaged"]))
    );
    assert_eq!(ok(&[HTML, te], b"0\r\n\r\n"), refused("empty", ""));
    // Chunks that no header declares.
    let silent = |body: &[u8]| ok(&[HTML], body).map(|page| (page.text, page.flags));
    assert_eq!(
        silent(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"),
        Ok(("abcde".into(), vec!["chunked-undeclared"]))
    );
    for text in [
        "3\r\nabc\r\n2\r\nde\r\n",
        "3\r\nabcd\r\n0\r\n\r\n",
        "0\r\n\r\n",
        "face\r\n0\r\n",
        "ffffffffff\r\nabc\r\n0\r\n",
    ] {
        assert_eq!(silent(text.as_bytes()), Ok((text.into(), vec![])));
    }
    assert_eq!(
        ok(
            &[HTML, "Transfer-Encoding: gzip, Chunked"],
            b"1\r\na\r\n0\r\n\r\n"
        )
        .unwrap()
        .text,
        "a"
    );
}

/// Item 26.
#[test]
fn codings_are_undone() {
    let body = "<p>A rose is a rose is a rose is a rose, and a page about roses.</p>".as_bytes();
    let brotli = [
        0x1b, 0x43, 0x00, 0xe0, 0x8d, 0x94, 0xab, 0xed, 0xca, 0x5c, 0x83, 0xf0, 0xf8, 0xcc, 0xcd,
        0xb0, 0x20, 0x38, 0x70, 0xc8, 0x81, 0xc3, 0xad, 0x2c, 0xc1, 0x84, 0x9a, 0xd7, 0xb9, 0x93,
        0x22, 0xb4, 0xbd, 0x00, 0xe6, 0x3f, 0x1b, 0x2f, 0x6a, 0xe8, 0x58, 0x8c, 0xaf, 0x8b, 0x14,
        0x00,
    ];
    for (coding, coded) in [
        ("gzip", gzip(body)),
        ("X-GZip", gzip(body)),
        ("gzip", [gzip(&body[..9]), gzip(&body[9..])].concat()),
        ("gzip", [gzip(body), b"padding".to_vec()].concat()),
        ("deflate", deflate_zlib(body)),
        ("deflate", deflate_raw(body)),
        ("br", brotli.to_vec()),
        ("br", brotli_stored(body)),
        ("zstd", zstd(body)),
        ("zstd", [zstd(&body[..9]), zstd(&body[9..])].concat()),
        ("deflate, gzip", gzip(&deflate_zlib(body))),
        ("gzip, br,zstd", zstd(&brotli_stored(&gzip(body)))),
        ("identity", body.to_vec()),
        ("", body.to_vec()),
    ] {
        let field = format!("Content-Encoding: {coding}");
        let page =
            ok(&[HTML, &field], &coded).unwrap_or_else(|error| panic!("{coding}: {error:?}"));
        assert_eq!((&page.body[..], page.flags), (body, vec![]), "{coding}");
        let page = ok(
            &[HTML, &field, "Transfer-Encoding: chunked"],
            &chunked(&coded, 7),
        )
        .unwrap();
        assert_eq!(page.body, body, "{coding}");
    }
    let twice = ok(
        &[HTML, "Content-Encoding: gzip", "Content-Encoding: gzip"],
        &gzip(&gzip(body)),
    )
    .unwrap();
    assert_eq!(twice.body, body);
}

#[test]
fn codings_that_are_not_there_are_seen_through() {
    for body in [
        "<p>plain</p>",
        "x",
        "Hello, world; this is text of some length\n",
        ";",
        "\u{feff}<p>Ω",
    ] {
        for coding in ["gzip", "deflate", "br", "zstd", "gzip, br"] {
            let page = ok(
                &[HTML, &format!("Content-Encoding: {coding}")],
                body.as_bytes(),
            )
            .unwrap();
            assert_eq!(page.body, body.as_bytes(), "{coding}");
            assert!(
                page.flags.contains(&"content-encoding-lied"),
                "{coding} {body}"
            );
        }
    }
    let page = ok(&[HTML, "Content-Encoding: utf-8"], b"<p>").unwrap();
    assert_eq!(page.flags, ["content-encoding-unknown"]);
    let once = ok(&[HTML, "Content-Encoding: gzip, gzip"], &gzip(b"<p>once")).unwrap();
    assert_eq!(
        (once.text.as_str(), once.flags),
        ("<p>once", vec!["content-encoding-lied"])
    );
}

#[test]
fn damaged_codings_are_refused() {
    let body: Vec<u8> = (0..3000u32)
        .flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    let mut flipped = gzip(&body);
    let middle = flipped.len() - 6;
    flipped[middle] ^= 1;
    assert_eq!(
        ok(&[HTML, "Content-Encoding: gzip"], &flipped)
            .unwrap_err()
            .0,
        "bad-content-encoding"
    );
    let field = format!("Content-Encoding: {}", ["gzip"; 9].join(","));
    assert_eq!(
        ok(&[HTML, &field], b"x"),
        refused("bad-content-encoding", "the body has 9 content codings")
    );
    // A window of 2^24 bytes, above what HTTP allows.
    let window = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 0x01, 0x00, 0x00];
    assert_eq!(
        ok(&[HTML, "Content-Encoding: zstd"], &window)
            .unwrap_err()
            .0,
        "bad-content-encoding"
    );
}

/// Item 27.
#[test]
fn bombs_stop_at_the_cap() {
    let bomb = vec![b'x'; 8 << 20];
    for (coding, coded) in [
        ("gzip", gzip(&bomb)),
        ("deflate", deflate_zlib(&bomb)),
        ("br", brotli_stored(&bomb)),
        ("zstd", zstd(&bomb)),
        ("gzip, zstd", zstd(&gzip(&bomb))),
    ] {
        let head = [
            "HTTP/1.1 200 OK",
            HTML,
            &format!("Content-Encoding: {coding}"),
        ];
        let cap = 1_000_000.max(coded.len() as u64);
        assert_eq!(
            one(&head, &coded, cap.min(7 << 20)).unwrap_err().0,
            "too-large",
            "{coding}"
        );
        assert_eq!(
            one(&head, &coded, 8 << 20).unwrap().body.len(),
            8 << 20,
            "{coding}"
        );
        assert_eq!(
            one(&head, &coded, (8 << 20) - 1).unwrap_err().0,
            "too-large",
            "{coding}"
        );
    }
}

#[test]
fn the_cap_is_exact() {
    let head = ["HTTP/1.1 200 OK", HTML];
    assert!(one(&head, &[b'x'; 1000], 1000).is_ok());
    assert_eq!(one(&head, &[b'x'; 1001], 1000).unwrap_err().0, "too-large");
    // Text is longer than its bytes here.
    let head = [
        "HTTP/1.1 200 OK",
        "Content-Type: text/html; charset=windows-1252",
    ];
    assert!(one(&head, &[0xe9; 500], 1000).is_ok());
    assert_eq!(one(&head, &[0xe9; 501], 1000).unwrap_err().0, "too-large");
}

/// Item 30: the digests of a record are not compared.
#[test]
fn a_payload_digest_is_not_compared() {
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x";
    let one = record(
        "response",
        "http://x/",
        &["WARC-Payload-Digest: sha1:WRONG"],
        block,
    );
    assert_eq!(words(&read(&one)), "http://x/");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Every body comes back through chunks and any codings.
        #[test]
        fn codings_round_trip(
            body in "[a-z<> Ωж]{1,2000}", size in 1usize..5000, codings in proptest::collection::vec(0usize..5, 0..4),
        ) {
            let mut coded = body.clone().into_bytes();
            let mut names = Vec::new();
            for coding in codings {
                let (name, encode): (_, Pack) = [
                    ("gzip", gzip as Pack), ("deflate", deflate_zlib), ("deflate", deflate_raw),
                    ("br", brotli_stored), ("zstd", zstd),
                ][coding];
                coded = encode(&coded);
                names.push(name);
            }
            let field = format!("Content-Encoding: {}", names.join(", "));
            let page = ok(&[HTML, &field, "Transfer-Encoding: chunked"], &chunked(&coded, size)).unwrap();
            prop_assert_eq!(page.text, body);
            prop_assert!(page.flags.is_empty());
        }

        /// No body panics under any coding.
        #[test]
        fn nothing_panics(body in proptest::collection::vec(any::<u8>(), 0..300), coding in 0usize..5, te in any::<bool>()) {
            let field = format!("Content-Encoding: {}", ["gzip", "deflate", "br", "zstd", "br, zstd, deflate"][coding]);
            let te = if te { "Transfer-Encoding: chunked" } else { "X: y" };
            let _ = one(&["HTTP/1.1 200 OK", HTML, &field, te], &body, 10_000);
        }
    }
}
