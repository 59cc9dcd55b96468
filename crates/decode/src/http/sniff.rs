//! The type of a body, by its first bytes.

/// Bytes looked at for binary content.
const BINARY_SNIFF_BYTES: usize = 512;
/// Control characters that a text may have among these, beside one of twenty characters.
const CONTROLS: usize = 4;

/// Tags that begin HTML without a declared type (WHATWG MIME Sniffing, 7.1).
const HTML_TAGS: [&[u8]; 18] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
    b"<meta",
    b"<!--",
];

/// Whether a body without a declared type is HTML.
pub fn looks_like_html(body: &[u8]) -> bool {
    let body = body
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(body)
        .trim_ascii_start();
    HTML_TAGS.iter().any(|tag| {
        let Some((start, rest)) = body.split_at_checked(tag.len()) else {
            return false;
        };
        let ends = *tag == b"<!--"
            || rest
                .first()
                .is_some_and(|&byte| byte == b'>' || byte.is_ascii_whitespace());
        start.eq_ignore_ascii_case(tag) && ends
    })
}

/// The true type of a body that is declared as text and is no text.
pub fn binary_kind(body: &[u8], charset: Option<&str>) -> Option<&'static str> {
    let start = &body[..body.len().min(BINARY_SNIFF_BYTES)];
    let kinds: [(&[u8], &str); 7] = [
        (b"%PDF-", "pdf"),
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff", "jpeg"),
        (b"GIF87a", "gif"),
        (b"GIF89a", "gif"),
        (b"PK\x03\x04", "zip"),
        (b"\x1f\x8b\x08", "gzip"),
    ];
    if let Some((_, kind)) = kinds.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(kind);
    }
    let utf16 = charset
        .is_some_and(|label| label.trim().to_ascii_lowercase().starts_with("utf-16"))
        || start.starts_with(b"\xff\xfe")
        || start.starts_with(b"\xfe\xff")
        || start.starts_with(b"<\0?\0")
        || start.starts_with(b"\0<\0?");
    // A NUL is a character, and padding is none of the text. Data has NULs, and many controls.
    let padding = body.iter().rev().take_while(|byte| **byte == 0).count();
    let start = &start[..start.len().min(body.len() - padding)];
    let controls = start.iter().filter(|byte| is_control(**byte)).count();
    let is_data = memchr::memchr(0, start).is_some() && controls > CONTROLS + start.len() / 20;
    (!utf16 && (is_data || padding > 0 && start.is_empty())).then_some("NUL bytes")
}

/// Whether a byte is no character of a text (WHATWG MIME Sniffing: "binary data byte").
fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
}

/// Whether bytes that were declared compressed are text as they stand.
pub(crate) fn looks_like_text(body: &[u8]) -> bool {
    let start = &body[..body.len().min(BINARY_SNIFF_BYTES)];
    let valid = match std::str::from_utf8(start) {
        Ok(_) => true,
        // Cut inside a character by the limit.
        Err(error) => error.error_len().is_none() && start.len() < body.len(),
    };
    valid && !start.iter().any(|&byte| is_control(byte))
}
