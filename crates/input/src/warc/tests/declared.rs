//! Bodies that are cut, codings of the transfer, and types that the crawler identified.

use super::fixtures::*;
use super::responses::*;

#[test]
fn of_a_coding_that_is_cut_the_beginning_is_read() {
    let words = (0..60_000_u32).map(|i| i.wrapping_mul(2_654_435_761) >> 12);
    let body: String = words.map(|word| format!("{word:x} ")).collect();
    let body = body.as_bytes();
    for (coding, coded) in [
        ("gzip", gzip(body)),
        ("gzip", [gzip(&body[..9]), gzip(&body[9..])].concat()),
        ("deflate", deflate_zlib(body)),
        ("deflate", deflate_raw(body)),
        ("br", brotli_stored(body)),
        ("zstd", zstd(body)),
        ("gzip, zstd", zstd(&gzip(body))),
        ("gzip, gzip", gzip(&gzip(body))),
    ] {
        let field = format!("Content-Encoding: {coding}");
        // Blocks of zstd are read as a whole.
        for (cut, least) in [
            (coded.len() - 1, body.len() - 200_000),
            (coded.len() / 2, body.len() / 5),
        ] {
            let page = ok(&[HTML, &field], &coded[..cut]).unwrap();
            let read = page.body.len();
            assert!(
                body.starts_with(&page.body) && read >= least,
                "{coding} {cut} {read}"
            );
            assert_eq!(page.flags, ["content-encoding-truncated"], "{coding} {cut}");
            let te = "Transfer-Encoding: chunked";
            let again = ok(&[HTML, &field, te], &chunked(&coded, 700)[..cut]).unwrap();
            assert!(body.starts_with(&again.body));
            assert_eq!(
                again.flags,
                ["chunked-truncated", "content-encoding-truncated"]
            );
        }
    }
    // Nothing is there yet.
    for (coding, coded) in [("gzip", &gzip(body)[..5]), ("zstd", &zstd(body)[..50])] {
        let field = format!("Content-Encoding: {coding}");
        let (reason, _) = ok(&[HTML, &field], coded).unwrap_err();
        assert_eq!(reason, "bad-content-encoding", "{coding}");
    }
}

/// A coding may be one of the transfer, with or without chunks.
#[test]
fn codings_of_the_transfer_are_undone() {
    let body = b"<p>A rose is a rose is a rose is a rose.</p>";
    let te = |codings: &str| format!("Transfer-Encoding: {codings}");
    let ce = "Content-Encoding: deflate";
    for (fields, coded) in [
        (vec![te("gzip, chunked")], chunked(&gzip(body), 7)),
        (vec![te("gzip"), te("Chunked")], chunked(&gzip(body), 7)),
        (vec![te("gzip")], gzip(body)),
        (
            vec![te("gzip, chunked"), ce.to_owned()],
            chunked(&gzip(&deflate_zlib(body)), 9),
        ),
    ] {
        let fields: Vec<&str> = fields.iter().map(String::as_str).chain([HTML]).collect();
        let page = ok(&fields, &coded).unwrap();
        assert_eq!(
            (&page.body[..], page.flags),
            (&body[..], vec![]),
            "{fields:?}"
        );
    }
    let both = [
        HTML,
        "Content-Encoding: gzip",
        "Transfer-Encoding: gzip, chunked",
    ];
    let page = ok(&both, &chunked(&gzip(body), 7)).unwrap();
    assert_eq!(
        (&page.body[..], page.flags),
        (&body[..], vec!["content-encoding-lied"])
    );
}

#[test]
fn the_identified_type_counts_where_the_header_is_silent() {
    let read_as = |identified: &str, head: &str| {
        let block = [
            format!("HTTP/1.1 200 OK\r\n{head}\r\n").as_bytes(),
            b"caf\xe9 ol\xe9",
        ]
        .concat();
        let field = format!("WARC-Identified-Payload-Type: {identified}");
        let events = read(&record("response", "http://x/", &[&field], &block));
        match &events[..] {
            [Event::Page(page)] => format!("{} {}", page.media_type, page.text),
            _ => words(&events),
        }
    };
    let said = "text/plain; charset=koi8-r";
    assert_eq!(read_as(said, ""), "text/plain cafИ olИ");
    assert_eq!(
        read_as(said, "Content-Type: text/html\r\n"),
        "text/html cafИ olИ"
    );
    let latin = "Content-Type: text/html; charset=latin1\r\n";
    assert_eq!(read_as(said, latin), "text/html café olé");
    assert_eq!(read_as("application/pdf", ""), "[application/pdf]");
    assert_eq!(read_as("application/pdf", latin), "text/html café olé");
    for nothing in ["application/octet-stream", "unknown"] {
        assert_eq!(read_as(nothing, ""), "no-content-type");
    }
}
