//! `revisit` records: what they refer to, and which are no pages.

use super::fixtures::record;
use crate::PlaceContent;
use crate::tests::collect::{options, source};
use crate::{read_document_at, read_piece};
use decode::{
    document::{Document, Place, Rejection, Revisit, Sink, SinkError, UNRESOLVED_REVISIT},
    options::{Format, Piece},
};

/// The figures of revisits, and the reasons of rejections.
#[derive(Default)]
struct Seen {
    revisits: Vec<String>,
    places: Vec<Place>,
    others: Vec<String>,
    payloads: Vec<Option<u128>>,
}

impl Sink for Seen {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.payloads.push(document.payload);
        Ok(())
    }

    fn revisit(&mut self, revisit: &Revisit<'_>) -> Result<(), SinkError> {
        let Revisit {
            id,
            url,
            date,
            refers_to_id,
            refers_to_url,
            refers_to_date,
            ..
        } = *revisit;
        self.revisits.push(format!(
            "{id:?} {url:?} {date:?} {refers_to_id:?} {refers_to_url:?} {refers_to_date:?}"
        ));
        self.payloads.push(revisit.payload);
        self.places.push(revisit.place);
        Ok(())
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.others
            .push(format!("{} {}", rejection.reason, rejection.detail));
        Ok(())
    }

    fn skipped(&mut self, kind: &str) {
        self.others.push(format!("[{kind}]"));
    }
}

fn file_of(bytes: &[u8]) -> (tempfile::TempDir, decode::options::SourceFile) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.warc");
    std::fs::write(&path, bytes).unwrap();
    let file = source(&path, Format::Warc);
    (directory, file)
}

fn read(bytes: &[u8]) -> Seen {
    let (_directory, file) = file_of(bytes);
    let mut seen = Seen::default();
    let piece = Piece::whole(0, file.stat.bytes);
    read_piece(&file, &piece, None, &options(1 << 20, &[]), &mut seen).unwrap();
    seen
}

const SHA1: &str = "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

#[test]
fn a_revisit_says_what_it_is_and_what_it_refers_to() {
    let fields = [
        "WARC-Record-ID: <urn:2>",
        "WARC-Date: 1970-01-01T00:00:02Z",
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        SHA1,
        "WARC-Refers-To: <urn:1>",
        "WARC-Refers-To-Target-URI: <http://x/before>",
        "WARC-Refers-To-Date: 1970-01-01T00:00:01Z",
    ];
    let target = record(
        "resource",
        "http://x/",
        &["Content-Type: text/plain", SHA1],
        b"text",
    );
    let seen = read(&[target, record("revisit", "http://x/now", &fields, b"")].concat());
    let expected = "Some(\"urn:2\") Some(\"http://x/now\") Some(2000000) Some(\"urn:1\") Some(\"http://x/before\") Some(1000000)";
    assert_eq!(seen.revisits, [expected]);
    assert!(
        seen.payloads[0].is_some() && seen.payloads[0] == seen.payloads[1],
        "{:?}",
        seen.payloads
    );
    let nothing = read(&record(
        "revisit",
        "http://x/now",
        &["WARC-Refers-To: <>", "WARC-Refers-To-Date: 1970"],
        b"",
    ));
    assert_eq!(
        nothing.revisits,
        ["None Some(\"http://x/now\") None None None Some(0)"]
    );
}

#[test]
fn the_head_of_a_revisit_may_say_that_it_is_no_page() {
    let mut seen = Seen::default();
    for block in [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\n\r\n",
        "",
        "HTTP/1.1 404 Not Found\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n",
    ] {
        let one = read(&record("revisit", "http://x/", &[], block.as_bytes()));
        seen.others
            .push(format!("{} {}", one.revisits.len(), one.others.join(",")));
    }
    seen.others
        .push(read(&record("revisit", "dns:x", &[], b"")).others.join(","));
    let expected = [
        "1 ",
        "1 ",
        "1 ",
        "0 [http status 404]",
        "0 [image/png]",
        "[revisit, not http]",
    ];
    assert_eq!(seen.others, expected);
}

#[test]
fn a_reader_that_resolves_none_rejects_them_and_one_that_reads_again_is_told() {
    let (_directory, file) = file_of(&record("revisit", "http://x/", &[], b""));
    let (collected, _) = crate::tests::collect::read_whole(&file, &options(100, &[]));
    assert_eq!(collected.reasons(), [UNRESOLVED_REVISIT]);
    assert_eq!(collected.rejected[0].url.as_deref(), Some("http://x/"));
    let place = Place {
        entry_offset: 0,
        inner_offset: 0,
        length: 0,
    };
    let found = read_document_at(&file, &place, &options(100, &[]), &mut |_| {
        panic!("it has no body")
    })
    .unwrap();
    assert_eq!(found, PlaceContent::Revisit);
}
