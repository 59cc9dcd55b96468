//! The format of a file, by its content first and then by its name.
//!
//! *Input.* The first 16 KiB, decompressed if they are gzip or zstd. *Output.* A [`Format`], or why
//! the file cannot be read. *Algorithm.* In this order: signatures (a version line of WARC with a
//! header behind it, `filedesc://` of ARC, `PAR1`, a zip file
//! that is WACZ), a JSON object on the first line, the beginning of an HTML page; then
//! the extension; then whether it is text at all. *Memory.* Twice the 16 KiB. *Limits.* A guess;
//! the configuration's `format` overrides it.

use std::io::{self, Read};
use std::path::Path;

use serde::de::IgnoredAny;

use super::name::extension;
use super::not_pages::{self, NOT_A_PAGE};
use super::rejected::FileContent;
use super::signature::{UNSUPPORTED, is_sitemap, is_version_line, is_wacz, unsupported};
use decode::codec::Compression;
use decode::document::Refusal;
use decode::open::{is_bad_path, lies_in_the_file};
use decode::open_file::OpenFile;
use decode::options::{Format, FormatChoice};

const HEAD_BYTES: u64 = 16 << 10;

/// Why a file that the system did not let us read is refused.
pub(super) fn unopened(error: &io::Error) -> Refusal {
    let reason = if is_bad_path(error) {
        "bad-path"
    } else {
        "unreadable"
    };
    (reason, error.to_string())
}

/// The format of the file at `path`, which has `bytes` bytes. A file that a user names may be text
/// in any charset, if nothing else is known of it.
pub(super) fn format_of(
    path: &Path,
    bytes: u64,
    choice: FormatChoice,
    is_named: bool,
) -> io::Result<FileContent> {
    if bytes == 0 {
        return Ok(Err(("empty-file", String::new())));
    }
    if let FormatChoice::Only(format) = choice
        && format != Format::Jsonl
    {
        return Ok(Ok(format));
    }
    let head = match read_head(path, bytes) {
        Ok(head) => head,
        Err(error) if lies_in_the_file(&error) => return Ok(Err(unopened(&error))),
        Err(error) => return Err(error),
    };
    Ok(match choice {
        FormatChoice::Only(format) => only(format, &head),
        FormatChoice::Auto => guess(path, &head, is_named),
    })
}

/// The format that the configuration names, unless the head shows that it cannot be JSONL.
fn only(format: Format, head: &FileHead) -> FileContent {
    if head.text.is_empty() && head.whole {
        let detail = "the file is empty after decompression".to_owned();
        return Err(("empty-file", detail));
    }
    json_problem(&head.text).map_or(Ok(format), Err)
}

/// The beginning of a file.
struct FileHead {
    /// Its first bytes, after decompression.
    text: Vec<u8>,
    /// Whether that is all of it.
    whole: bool,
    /// Begins with the frame that holds the dictionary of a `.warc.zst`.
    dictionary: bool,
}

/// Of a file of so many bytes: one call of the system reads them, as a tree may have millions.
fn read_head(path: &Path, bytes: u64) -> io::Result<FileHead> {
    let file = OpenFile::open_regular(path)?;
    let mut raw = vec![0; bytes.min(HEAD_BYTES) as usize];
    let mut read = 0;
    while read < raw.len() {
        match file.read_at(&mut raw[read..], read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    raw.truncate(read);
    let cut = raw.len() as u64 == HEAD_BYTES;
    let dictionary = raw.starts_with(&[0x5d, 0x2a, 0x4d, 0x18]);
    let mut text = Vec::new();
    let whole = match Compression::sniff(&raw) {
        Compression::Plain => {
            text = raw;
            !cut
        }
        // An error here is damage, or only the end of the head: what came before it is what can be
        // judged.
        Compression::Gzip => {
            let read = flate2::read::MultiGzDecoder::new(&raw[..])
                .take(HEAD_BYTES)
                .read_to_end(&mut text);
            read.is_ok() && !cut
        }
        Compression::Zstd => {
            let decoder =
                zstd::stream::read::Decoder::with_buffer(&raw[..]).and_then(|mut decoder| {
                    decoder.window_log_max(27)?;
                    Ok(decoder)
                });
            decoder
                .and_then(|decoder| decoder.take(HEAD_BYTES).read_to_end(&mut text))
                .is_ok()
                && !cut
        }
    };
    let whole = whole && (text.len() as u64) < HEAD_BYTES;
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    Ok(FileHead {
        text,
        whole,
        dictionary,
    })
}

fn guess(path: &Path, head: &FileHead, is_named: bool) -> FileContent {
    let extension = extension(path);
    let extension = extension.as_str();
    let text = &head.text;
    if head.dictionary {
        return Ok(Format::Warc);
    }
    if text.is_empty() && head.whole {
        return Err((
            "empty-file",
            "the file is empty after decompression".to_owned(),
        ));
    }
    if begins_with_record(text) {
        return Ok(Format::Warc);
    }
    if text.starts_with(b"filedesc://") {
        return Ok(Format::Arc);
    }
    if text.starts_with(b"PAR1") || text.starts_with(b"PARE") {
        return Ok(Format::Parquet);
    }
    if is_wacz(text, extension) {
        return Ok(Format::Wacz);
    }
    if let Some(advice) = unsupported(text) {
        return Err((UNSUPPORTED, advice.to_owned()));
    }
    if is_sitemap(text) {
        let advice = "it is a sitemap, a list of URLs; crawl them and name the crawl";
        return Err((UNSUPPORTED, advice.to_owned()));
    }
    let is_json_name = matches!(extension, "json" | "jsonl" | "ndjson");
    match json_problem(text) {
        Some(("json-array", _)) if !is_json_name => {}
        Some(problem) => return Err(problem),
        None => {}
    }
    if begins_with_object(head) {
        return Ok(Format::Jsonl);
    }
    let ascii = utf16_halved(text);
    if begins_with_html(ascii.as_deref().unwrap_or(text)) {
        return Ok(Format::Html);
    }
    if not_pages::is_robots_txt(path) {
        return Err((NOT_A_PAGE, "robots.txt".to_owned()));
    }
    match extension {
        "warc" | "wet" | "wat" => Ok(Format::Warc),
        "arc" => Ok(Format::Arc),
        "parquet" => Ok(Format::Parquet),
        "jsonl" | "ndjson" => Ok(Format::Jsonl),
        "html" | "htm" | "xhtml" | "xht" | "shtml" => Ok(Format::Html),
        "txt" | "md" | "text" => Ok(Format::Text),
        "csv" | "tsv" => {
            let advice =
                "it is a table of text; convert it to Parquet or JSONL, for example with duckdb";
            Err((UNSUPPORTED, advice.to_owned()))
        }
        "json" => Err((
            "unknown-format",
            "a .json file must have one JSON object on each line".to_owned(),
        )),
        _ if not_pages::is_extension(extension) => Err((NOT_A_PAGE, format!(".{extension} file"))),
        _ if ascii.is_some() || is_text(head) => Ok(Format::Text),
        _ if is_named && has_no_control(text) => Ok(Format::Text),
        _ => Err(("unknown-format", describe(text))),
    }
}

/// A version line, and behind it a header or nothing yet: prose may begin with the same word.
fn begins_with_record(text: &[u8]) -> bool {
    if !is_version_line(text) {
        return false;
    }
    let next = text
        .splitn(3, |byte| *byte == b'\n')
        .nth(1)
        .unwrap_or_default();
    let name = next.split(|byte| *byte == b':').next().unwrap_or_default();
    next.is_empty()
        || (name.len() < next.len() && !name.is_empty() && name.iter().all(u8::is_ascii_graphic))
}

/// Why a file that should be JSONL is none, as far as its beginning shows.
fn json_problem(text: &[u8]) -> Option<Refusal> {
    let hint = "expected one JSON object on each line";
    let utf16 = || {
        Some((
            "utf-16",
            format!("{hint}, in UTF-8; convert it, for example with iconv"),
        ))
    };
    match utf16_halved(text) {
        Some(ascii) if matches!(ascii.trim_ascii_start().first(), Some(b'{' | b'[')) => {
            return utf16();
        }
        _ => {}
    }
    match text {
        [b'{' | b'[', 0, ..] | [0, b'{' | b'[', ..] => return utf16(),
        _ => {}
    }
    match text.trim_ascii_start().first() {
        Some(b'[') => Some((
            "json-array",
            format!("{hint}, not an array; convert it, for example with jq -c '.[]'"),
        )),
        _ => None,
    }
}

/// The low bytes of UTF-16 text with a byte order mark: enough to see how it begins.
fn utf16_halved(text: &[u8]) -> Option<Vec<u8>> {
    let odd = match text {
        [0xff, 0xfe, ..] => 0,
        [0xfe, 0xff, ..] => 1,
        _ => return None,
    };
    Some(text[2..].iter().copied().skip(odd).step_by(2).collect())
}

fn begins_with_object(head: &FileHead) -> bool {
    let text = head.text.trim_ascii_start();
    if text.first() != Some(&b'{') {
        return false;
    }
    let (line, is_complete) = match memchr::memchr(b'\n', text) {
        Some(end) => (&text[..end], true),
        None => (text, head.whole),
    };
    match serde_json::from_slice::<IgnoredAny>(line) {
        Ok(_) => true,
        Err(error) => error.is_eof() && !is_complete,
    }
}

fn begins_with_html(text: &[u8]) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?', b'x', b'm', b'l', ..] => b"?>",
            _ => break,
        };
        match memchr::memmem::find(rest, end) {
            Some(at) => rest = &rest[at + end.len()..],
            None => return false,
        }
    }
    let starts: [&[u8]; 5] = [b"<!doctype html", b"<html", b"<head", b"<body", b"<title"];
    starts.iter().any(|start| {
        rest.get(..start.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(start))
    })
}

/// UTF-8 without control characters, apart from one character that the end of the head may have
/// cut.
fn is_text(head: &FileHead) -> bool {
    let text = match std::str::from_utf8(&head.text) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && !head.whole => {
            std::str::from_utf8(&head.text[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    has_no_control(text.as_bytes())
}

/// Something, and no control character but those of plain text, of which ISO-2022 has ESC.
fn has_no_control(text: &[u8]) -> bool {
    let is_control = |byte: &u8| {
        byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c' | b'\x1b')
    };
    !text.is_empty() && !text.iter().any(is_control)
}

/// Describes the beginning of a file that is of no known format, with the remedy.
fn describe(text: &[u8]) -> String {
    if has_no_control(text) {
        return "it may be text, but not in UTF-8; if it is, name it .txt or .html, or convert it \
                with iconv"
            .to_owned();
    }
    let start: String = text
        .iter()
        .take(8)
        .flat_map(|byte| std::ascii::escape_default(*byte))
        .map(char::from)
        .collect();
    format!("it begins with \"{start}\"; set format in [input] if it is one that can be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_another_encoding_is_told_from_no_text() {
        let latin_1 = describe(b"<p>Gr\xfc\xdfe");
        assert!(latin_1.contains("convert it with iconv"), "{latin_1}");
        let binary = describe(b"\xfc\0\xdf");
        assert!(
            binary.contains("it begins with \"\\xfc\\x00\\xdf\""),
            "{binary}"
        );
    }
}
