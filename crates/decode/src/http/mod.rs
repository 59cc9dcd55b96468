//! The HTTP/1.x response inside a WARC record: head, media type, transfer and content codings.
//!
//! *Input.* The block of a `response` record. *Output.* Status, header fields, and where the body
//! begins. *Algorithm.* One pass over lines that end in CRLF or LF; folded lines are joined; what
//! is no field is passed over. *Memory.* The values that are asked for. *Limits.* A head over 64
//! KiB is no head.

pub mod chunked;
pub mod coding;
mod media;
pub mod sniff;

use std::borrow::Cow;

pub use media::{HTML, MediaType, TEXT, XHTML, is_media_type, lowercase};

/// Longest head taken.
pub const MAX_HEAD_BYTES: usize = 64 << 10;

/// Where the body is in a block, and how it is coded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Bytes of the block before it: the head with its blank line.
    pub head_bytes: usize,
    /// `Content-Type`, all fields together, if declared.
    pub media_type: Option<MediaType>,
    /// `Transfer-Encoding` ends in `chunked`, all fields together.
    pub chunked: bool,
    /// `Content-Encoding`, and behind it `Transfer-Encoding` but for `chunked`, all fields
    /// together, in the order they were applied, lowercase.
    pub codings: Vec<String>,
}

/// The status of the HTTP response at the beginning of a block, and what its head says of its body;
/// `None` if this is no HTTP response.
pub fn parse_head(block: &[u8]) -> Option<(u16, Body)> {
    let searched = &block[..block.len().min(MAX_HEAD_BYTES)];
    let status_end = memchr::memchr(b'\n', searched).unwrap_or(searched.len());
    let status = parse_status(&searched[..status_end])?;
    let mut body = Body {
        head_bytes: match head_bytes(searched) {
            Some(bytes) => bytes,
            // A response may end with its head.
            None if searched.len() == block.len() => block.len(),
            None => return None,
        },
        ..Body::default()
    };
    let mut transfer_codings = Vec::new();
    for (name, value) in fields(&searched[(status_end + 1).min(body.head_bytes)..body.head_bytes]) {
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        if is("content-type") {
            let value = String::from_utf8_lossy(&value);
            let declared = MediaType::parse(&value);
            if !declared.essence.is_empty() {
                body.media_type = Some(match body.media_type {
                    Some(earlier) => earlier.then(declared),
                    None => declared,
                });
            }
        } else if is("transfer-encoding") {
            add_codings(&mut transfer_codings, &value);
        } else if is("content-encoding") {
            add_codings(&mut body.codings, &value);
        }
    }
    body.chunked = transfer_codings
        .last()
        .is_some_and(|last| last == "chunked");
    transfer_codings.retain(|coding| coding != "chunked");
    body.codings.append(&mut transfer_codings);
    Some((status, body))
}

/// Adds the codings of a list, but for those that change nothing.
fn add_codings(codings: &mut Vec<String>, list: &[u8]) {
    let list = String::from_utf8_lossy(list);
    let listed = list
        .split(',')
        .map(|coding| coding.trim().to_ascii_lowercase());
    codings.extend(listed.filter(|coding| !coding.is_empty() && coding != "identity"));
}

/// Bytes up to and with the first blank line. Line ends are LF, CR LF, or CR CR LF, which programs
/// write that put a CR before each LF twice.
pub fn head_bytes(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes).find_map(|at| match bytes[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        [b'\r', b'\r', b'\n', ..] => Some(at + 4),
        _ => None,
    })
}

/// `HTTP/1.1 200 OK`: the version is any, the reason may be missing.
fn parse_status(line: &[u8]) -> Option<u16> {
    let line = line.trim_ascii_end();
    let (protocol, rest) = line.split_at_checked(5)?;
    if !protocol.eq_ignore_ascii_case(b"HTTP/") {
        return None;
    }
    let version_end = rest
        .iter()
        .position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
    let (version, rest) = rest.split_at(version_end);
    let status = rest.trim_ascii_start();
    let digits = status.get(..3)?;
    let ends = status.get(3).is_none_or(u8::is_ascii_whitespace);
    if version.is_empty()
        || status.len() == rest.len()
        || !ends
        || !digits.iter().all(u8::is_ascii_digit)
    {
        return None;
    }
    Some(
        digits
            .iter()
            .fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0')),
    )
}

/// Name and value of a field.
pub type HeaderField<'a> = (&'a [u8], Cow<'a, [u8]>);

/// Name and value of every field; folded lines joined by a space.
pub fn fields(lines: &[u8]) -> impl Iterator<Item = HeaderField<'_>> {
    let mut lines = lines_of(lines);
    let mut open: Option<HeaderField<'_>> = None;
    // A field is complete when the next one begins.
    std::iter::from_fn(move || {
        for line in lines.by_ref() {
            if let [b' ' | b'\t', ..] = line {
                if let Some((_, value)) = open.as_mut() {
                    if !value.is_empty() {
                        value.to_mut().push(b' ');
                    }
                    value.to_mut().extend_from_slice(line.trim_ascii());
                }
            } else if let Some(colon) = memchr::memchr(b':', line) {
                let next = (
                    line[..colon].trim_ascii(),
                    Cow::Borrowed(line[colon + 1..].trim_ascii()),
                );
                if let Some(complete) = open.replace(next) {
                    return Some(complete);
                }
            }
        }
        open.take()
    })
}

/// Lines without their ends.
fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        if rest.is_empty() {
            return None;
        }
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

#[cfg(test)]
mod tests;
