//! The header of a WARC record.
//!
//! *Input.* The lines up to the blank one. *Output.* The fields that matter here. *Algorithm.*
//! Names in any case, lines folded or ended by LF alone, lines without a colon passed over; the
//! first of several equal fields counts. Only the length of the block has to be right: decimal
//! digits, below 2^64, and the same wherever it is given.

use std::borrow::Cow;

use decode::date::{self, IMPOSSIBLE_DATE};
use decode::document::{Date, Refusal};
use decode::http::{self, MediaType, fields, is_media_type};
use decode::payload;

use super::version_line;

/// The record was cut by the crawler (`WARC-Truncated`).
pub(crate) const TRUNCATED: &str = "truncated";
/// The version is none of 0.17, 0.18, 1.0, 1.1.
pub(crate) const UNKNOWN_VERSION: &str = "unknown-warc-version";

/// Reason of a record whose length is not known.
pub(crate) const BAD_LENGTH: &str = "bad-content-length";

/// Types of records whose block is an HTTP message, if it begins like one.
const HTTP_KINDS: [&str; 3] = ["response", "request", "revisit"];

/// The type of bytes of which nothing is known.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// `Content-Type` of a block that is an HTTP message.
pub(crate) const HTTP_MESSAGE: &str = "application/http";

/// The fields of a record that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordHeader {
    /// `WARC-Type`, lowercase; empty if missing.
    pub(crate) kind: Cow<'static, str>,
    /// `WARC-Record-ID` without angle brackets.
    pub(crate) id: Option<String>,
    /// `WARC-Target-URI` without angle brackets; bytes that are no UTF-8, and NUL, as `\xNN`.
    pub(crate) url: Option<String>,
    /// `WARC-Date`.
    pub(crate) date: Option<Date>,
    /// `Content-Length`.
    pub(crate) block_bytes: u64,
    /// `Content-Type` of the block; `None` for an HTTP message of one of [`HTTP_KINDS`].
    pub(crate) media_type: Option<MediaType>,
    /// `WARC-Identified-Payload-Type`, if it says more than that there are bytes.
    pub(crate) identified: Option<MediaType>,
    /// Key of `WARC-Payload-Digest`.
    pub(crate) payload: Option<u128>,
    /// Oddities that cost the record nothing.
    pub(crate) flags: Vec<&'static str>,
}

/// Reads a header, from its version line to its blank line.
pub(crate) fn parse(bytes: &[u8]) -> Result<RecordHeader, Refusal> {
    let version_end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    let version = bytes[..version_end].trim_ascii_end();
    let lines = &bytes[(version_end + 1).min(bytes.len())..];
    let bad = |detail: &str| ("bad-warc-header", detail.to_owned());
    if version_line::record_line().find(bytes).is_some() {
        return Err(bad("another record begins inside the header"));
    }
    let mut header = RecordHeader::default();
    if !matches!(
        version,
        b"WARC/0.17" | b"WARC/0.18" | b"WARC/1.0" | b"WARC/1.1"
    ) {
        header.flags.push(UNKNOWN_VERSION);
    }
    let mut length: Option<u64> = None;
    for (name, value) in fields(lines) {
        // Most fields are known by their length not to be wanted.
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        if is("WARC-Type") {
            if header.kind.is_empty() {
                header.kind = http::lowercase(&text(&value), &HTTP_KINDS);
            }
        } else if is("WARC-Record-ID") {
            header
                .id
                .get_or_insert_with(|| text(unbracketed(&value)).into_owned());
        } else if is("WARC-Target-URI") {
            header
                .url
                .get_or_insert_with(|| text(unbracketed(&value)).into_owned());
        } else if is("WARC-Date") {
            if header.date.is_none() {
                header.date = date::parse(&text(&value));
                if header.date.is_none() {
                    header.flags.push(IMPOSSIBLE_DATE);
                }
            }
        } else if is("WARC-Payload-Digest") {
            header.payload = header.payload.or_else(|| payload::key(&text(&value)));
        } else if is("WARC-Identified-Payload-Type") {
            let identified = MediaType::parse(&text(&value));
            let says = is_media_type(&identified.essence) && identified.essence != UNKNOWN_TYPE;
            header.identified = header.identified.or(says.then_some(identified));
        } else if is("WARC-Truncated") {
            header.flags.push(TRUNCATED);
        } else if is("Content-Type") {
            // Most records are HTTP messages.
            let is_known = HTTP_KINDS.contains(&&*header.kind) && is_http_message(&value);
            if header.media_type.is_none() && !is_known {
                header.media_type =
                    Some(MediaType::parse(&text(&value))).filter(|kind| !kind.essence.is_empty());
            }
        } else if is("Content-Length") {
            length = Some(content_length(&value, length)?);
        }
    }
    header.id = header.id.filter(|id| !id.is_empty());
    header.url = header.url.filter(|url| !url.is_empty());
    header.flags.dedup();
    header.block_bytes =
        length.ok_or_else(|| (BAD_LENGTH, "the header has no Content-Length".to_owned()))?;
    Ok(header)
}

/// The values of the fields of a name, in a header that was read before.
fn values<'a>(header: &'a [u8], name: &'a str) -> impl Iterator<Item = Cow<'a, [u8]>> {
    let lines = memchr::memchr(b'\n', header).map_or(&[][..], |end| &header[end + 1..]);
    let named = fields(lines).filter(|(other, _)| other.eq_ignore_ascii_case(name.as_bytes()));
    named.map(|(_, value)| value)
}

/// The first id or URL of a name, as [`RecordHeader`] has them.
pub(crate) fn first_text(header: &[u8], name: &str) -> Option<String> {
    let first = values(header, name).next()?;
    Some(text(unbracketed(&first)).into_owned()).filter(|text| !text.is_empty())
}

/// The first date of a name that is one.
pub(crate) fn first_date(header: &[u8], name: &str) -> Option<Date> {
    values(header, name).find_map(|value| date::parse(&text(&value)))
}

/// The ids in `WARC-Concurrent-To`, without angle brackets, as [`RecordHeader::id`] has them.
pub(crate) fn concurrent_to(header: &[u8]) -> Vec<String> {
    values(header, "WARC-Concurrent-To")
        .map(|value| text(unbracketed(&value)).into_owned())
        .collect()
}

/// Whether a `Content-Type` is that of HTTP messages, with or without parameters.
fn is_http_message(value: &[u8]) -> bool {
    value
        .get(..HTTP_MESSAGE.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(HTTP_MESSAGE.as_bytes()))
}

fn content_length(value: &[u8], before: Option<u64>) -> Result<u64, Refusal> {
    let bad = |detail: String| (BAD_LENGTH, detail);
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let length = std::str::from_utf8(value)
        .ok()
        .filter(|_| digits)
        .and_then(|value| value.parse().ok());
    match (length, before) {
        (None, _) => Err(bad(format!(
            "Content-Length is {:?}, not a number",
            text(&value[..value.len().min(64)])
        ))),
        (Some(length), Some(before)) if length != before => Err(bad(format!(
            "the header has two Content-Lengths, {before} and {length}"
        ))),
        (Some(length), _) => Ok(length),
    }
}

fn unbracketed(value: &[u8]) -> &[u8] {
    let inner = value
        .strip_prefix(b"<")
        .and_then(|value| value.strip_suffix(b">"));
    inner.map_or(value, <[u8]>::trim_ascii)
}

/// UTF-8 as it is; other bytes, and NUL, as `\xNN`.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && memchr::memchr(0, bytes).is_none()
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if char == '\0' {
                text.push_str("\\x00");
            } else {
                text.push(char);
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(text)
}
