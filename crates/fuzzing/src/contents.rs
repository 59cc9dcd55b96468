//! Bodies of records: HTTP heads and codings, character sets.

use decode::charset::{self, Charset, Declared};
use decode::http::{chunked, coding, fields, head_bytes, parse_head, sniff};
use model::Markup;
use std::io::Read;

/// Bytes that a body may have.
const BODY_MAX: usize = 1 << 20;

pub(crate) fn http(bytes: &[u8]) {
    if let Some(head) = head_bytes(bytes) {
        assert!(head <= bytes.len());
        fields(&bytes[..head]).for_each(drop);
    }
    _ = parse_head(bytes);
    _ = sniff::looks_like_html(bytes);
    _ = sniff::binary_kind(bytes, None);
}

/// Chunks of a body, of the sizes that its first bytes say, come out as the body; and whatever the
/// bytes are by themselves, nothing is added.
pub(crate) fn chunked(bytes: &[u8]) {
    let mut own = bytes.to_vec();
    let (length, _) = chunked::undo(&mut own);
    assert!(length <= bytes.len());
    let Some((&sizes, body)) = bytes.split_first() else {
        return;
    };
    let mut encoded = Vec::new();
    for chunk in body.chunks(usize::from(sizes) + 1) {
        encoded.extend(format!("{:x}\r\n", chunk.len()).bytes());
        encoded.extend_from_slice(chunk);
        encoded.extend_from_slice(b"\r\n");
    }
    encoded.extend_from_slice(b"0\r\n\r\n");
    let (length, problem) = chunked::undo(&mut encoded);
    assert_eq!(&encoded[..length], body);
    assert_eq!(problem, None);
}

/// The body that a coding hides, if it is not damaged.
fn undone(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut growing = |capacity: usize| assert!(capacity <= BODY_MAX);
    let mut output = coding::Output {
        cap: BODY_MAX,
        room: u64::MAX,
        growing: &mut growing,
    };
    let undone = coding::undo(&[name.to_owned()], bytes, &mut output, &mut Vec::new());
    let decoded = undone.ok().flatten()?.to_vec();
    assert!(decoded.len() <= BODY_MAX);
    Some(decoded)
}

/// The bytes that a second implementation reads, unless it sees damage or they are too many.
fn expected(reader: impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = reader.take(BODY_MAX as u64 + 1).read_to_end(&mut bytes);
    (read.is_ok() && bytes.len() <= BODY_MAX).then_some(bytes)
}

pub(crate) fn coding(bytes: &[u8]) {
    for name in ["gzip", "deflate", "zstd"] {
        let Some(decoded) = undone(name, bytes) else {
            continue;
        };
        let other = match name {
            "gzip" => expected(flate2::bufread::MultiGzDecoder::new(bytes)),
            "zstd" => zstd::stream::Decoder::with_buffer(bytes)
                .ok()
                .and_then(expected),
            _ => None,
        };
        assert!(
            other.is_none_or(|other| other == decoded),
            "{name}: other bytes"
        );
    }
}

pub(crate) fn brotli(bytes: &[u8]) {
    let other = expected(brotli_decompressor::Decompressor::new(bytes, 4096));
    if let (Some(decoded), Some(other)) = (undone("br", bytes), other) {
        assert!(decoded == other, "other bytes");
    }
}

pub(crate) fn charset(bytes: &[u8]) {
    for (markup, is_forced) in [
        (Markup::Html, false),
        (Markup::None, false),
        (Markup::None, true),
    ] {
        for label in [None, Some("utf-8"), Some("shift_jis"), Some("utf-16")] {
            let declared = Declared {
                forced: label.filter(|_| is_forced).and_then(Charset::named),
                label,
                markup,
            };
            let decoded = charset::decode(bytes, declared, usize::MAX);
            // The beginning may fit another encoding than the whole.
            let part = charset::decode(bytes, declared, 64);
            assert!(
                decoded.name != part.name || decoded.text.starts_with(&*part.text),
                "a part is not the beginning"
            );
        }
    }
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    assert_eq!(is_utf8, charset::is_utf8(bytes));
}
