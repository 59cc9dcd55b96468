//! WARC records as bytes, their compression, and what a reader says of them.

use std::io::Write;

use decode::{
    document::{Document, Place, Rejection},
    options::{FieldNames, Format, LargeRecords, Piece, PieceEnd, ReadOptions, SourceFile},
};

use super::super::read_piece;
use super::Events;
use crate::tests::collect::source;

/// A document, kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) id: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) date: Option<i64>,
    pub(crate) place: Place,
    pub(crate) text: String,
    pub(crate) body: Vec<u8>,
    pub(crate) media_type: String,
    pub(crate) charset: &'static str,
    pub(crate) flags: Vec<&'static str>,
}

/// The calls that a sink received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Page(Page),
    Rejected(Rejection),
    Skipped(String),
}

impl Event {
    pub(crate) fn page(document: &Document<'_>) -> Self {
        Event::Page(Page {
            id: document.id.map(str::to_owned),
            url: document.url.map(str::to_owned),
            date: document.date,
            place: document.place,
            text: document.content.as_str().to_owned(),
            body: document.body.to_vec(),
            media_type: document.media_type.to_owned(),
            charset: document.charset,
            flags: document.flags.to_vec(),
        })
    }

    /// One word for a page (its URL), a rejection (its reason), a skipped record (its type in
    /// brackets).
    pub(crate) fn word(&self) -> String {
        match self {
            Event::Page(page) => page.url.clone().unwrap_or_else(|| "-".to_owned()),
            Event::Rejected(rejection) => rejection.reason.to_owned(),
            Event::Skipped(kind) => format!("[{kind}]"),
        }
    }
}

/// The words of all events, separated by spaces.
pub(crate) fn words(events: &[Event]) -> String {
    events.iter().map(Event::word).collect::<Vec<_>>().join(" ")
}

/// The pages among events.
pub(crate) fn pages(events: &[Event]) -> Vec<&Page> {
    events
        .iter()
        .filter_map(|event| {
            if let Event::Page(page) = event {
                Some(page)
            } else {
                None
            }
        })
        .collect()
}

/// The rejections among events.
pub(crate) fn rejections(events: &[Event]) -> Vec<&Rejection> {
    events
        .iter()
        .filter_map(|event| {
            if let Event::Rejected(rejection) = event {
                Some(rejection)
            } else {
                None
            }
        })
        .collect()
}

/// A record with its blank lines behind it; `fields` are whole lines.
pub(crate) fn record(kind: &str, url: &str, fields: &[&str], block: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n").into_bytes();
    for field in fields {
        bytes.extend_from_slice(field.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", block.len()).as_bytes());
    bytes.extend_from_slice(block);
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes
}

/// A `response` record; `head` is the lines of the HTTP head.
pub(crate) fn response(url: &str, head: &[&str], body: &[u8]) -> Vec<u8> {
    let mut block = head.join("\r\n").into_bytes();
    block.extend_from_slice(b"\r\n\r\n");
    block.extend_from_slice(body);
    record(
        "response",
        url,
        &["Content-Type: application/http; msgtype=response"],
        &block,
    )
}

/// A good HTML page.
pub(crate) fn page(url: &str, body: &str) -> Vec<u8> {
    response(
        url,
        &["HTTP/1.1 200 OK", "Content-Type: text/html; charset=utf-8"],
        body.as_bytes(),
    )
}

/// A way to pack bytes into an entry.
pub(crate) type Pack = fn(&[u8]) -> Vec<u8>;

/// One gzip member.
pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// One zstd frame with a checksum.
pub(crate) fn zstd(content: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A file of bytes, with the means to read it.
pub(crate) struct File {
    pub(crate) source: SourceFile,
    _temporary: tempfile::NamedTempFile,
}

impl File {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self::of(bytes, Format::Warc)
    }

    pub(crate) fn of(bytes: &[u8], format: Format) -> Self {
        let temporary = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(temporary.path(), bytes).unwrap();
        File {
            source: source(temporary.path(), format),
            _temporary: temporary,
        }
    }

    /// One piece.
    pub(crate) fn piece(
        &self,
        start: u64,
        end: u64,
        from: Option<u64>,
        cap: u64,
    ) -> (Vec<Event>, PieceEnd) {
        let mut events = Events::default();
        let piece = Piece {
            file: 0,
            start,
            end,
        };
        let ended = read_piece(&self.source, &piece, from, &options(cap), &mut events).unwrap();
        (events.0, ended)
    }
}

/// Options with a cap.
pub(crate) fn options(cap: u64) -> ReadOptions {
    ReadOptions {
        fields: FieldNames::default(),
        charset: None,
        max_document_bytes: cap,
        max_page_bytes: decode::options::PAGE_BYTES,
        max_expansion: 200,
        max_url_bytes: decode::options::URL_BYTES,
        max_field_bytes: decode::options::FIELD_BYTES,
        large: LargeRecords::default(),
    }
}

/// The usual cap.
pub(crate) const CAP: u64 = 16 << 20;

/// The result of a reader that goes straight through.
pub(crate) fn read(bytes: &[u8]) -> Vec<Event> {
    read_capped(bytes, CAP)
}

/// Reads a file under another cap.
pub(crate) fn read_capped(bytes: &[u8], cap: u64) -> Vec<Event> {
    let file = File::new(bytes);
    let (events, end) = file.piece(0, bytes.len() as u64, None, cap);
    assert_eq!(end.first, (!bytes.is_empty()).then_some(0));
    assert_eq!(end.next, bytes.len() as u64);
    assert_eq!(end.digest, twox_hash::XxHash3_64::oneshot(bytes));
    events
}

/// The words for records as plain file, a member each, a frame each, one member, one frame.
pub(crate) fn in_all_packings(records: &[Vec<u8>]) -> Vec<(&'static str, Vec<u8>)> {
    let each = |pack: Pack| records.iter().flat_map(|record| pack(record)).collect();
    vec![
        ("plain", records.concat()),
        ("gzip members", each(gzip)),
        ("zstd frames", each(zstd)),
        ("one member", gzip(&records.concat())),
        ("one frame", zstd(&records.concat())),
    ]
}
