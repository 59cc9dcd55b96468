//! The index of a WARC file that says what becomes of its documents.
//!
//! *Input.* The documents of a file with their annotations. *Output.* A line for each, in the order
//! of the file: the URL as a SURT, the date, and a JSON object, as CDXJ has them. *Algorithm.* A
//! SURT by the main rules of the tools that index and play WARC files (cdxj-indexer, pywb).
//! *Limits.* Names of hosts outside ASCII stay as they are, and so do names of sessions in a query.
//! Tools that look lines up need them sorted by bytes.

use super::notes::{FileNotes, push_members};
use engine::Error;
use format::DocumentRow;
use std::io::{self, Write};

/// Writes the lines; `filename` is the name of the WARC file.
pub(super) fn write(
    notes: &mut dyn FileNotes,
    filename: &str,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut out = io::BufWriter::new(out);
    let mut line = IndexLine::default();
    while notes.next(&mut |row| line = IndexLine::of(row, filename))? {
        let mut members = String::new();
        push_members(notes, &mut members);
        let IndexLine { key, rest } = &line;
        writeln!(out, "{key} {{{members}{rest}}}").map_err(Error::io("write an index"))?;
    }
    out.flush().map_err(Error::io("write an index"))
}

/// A line but for the members of the note, which stand between the two.
#[derive(Default)]
struct IndexLine {
    /// SURT and date.
    key: String,
    /// The last members of the object.
    rest: String,
}

impl IndexLine {
    fn of(row: &DocumentRow<'_>, filename: &str) -> IndexLine {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let date = row.date.map(output::rfc3339).unwrap_or_default();
        let digits: String = date.chars().filter(char::is_ascii_digit).take(14).collect();
        let date = if digits.is_empty() { "-" } else { &digits };
        let key = format!("{} {date}", row.url.map_or("-".to_owned(), surt));
        let mut rest = String::new();
        if let Some(url) = row.url {
            rest += &format!("\"url\":{},", text(url));
        }
        if row.inner_offset > 0 {
            rest += &format!("\"inner_offset\":\"{}\",", row.inner_offset);
        }
        let (offset, filename) = (row.entry_offset, text(filename));
        rest += &format!("\"offset\":\"{offset}\",\"filename\":{filename}");
        IndexLine { key, rest }
    }
}

/// A URL with the parts of its host in reverse order, in lower case: `http://www.a.b/c/?y&x#z` is
/// `b,a)/c?x&y`. Scheme, `www.`, fragment and a last slash are left out, and parameters are in
/// order. Blanks and control characters are escaped: a blank ends the key of a line.
fn surt(url: &str) -> String {
    let url = url.split('#').next().unwrap_or(url);
    let mut lower = String::with_capacity(url.len());
    for c in unescaped(url).chars().flat_map(char::to_lowercase) {
        if c.is_whitespace() || c.is_control() {
            let mut bytes = [0; 4];
            let escaped = c.encode_utf8(&mut bytes).bytes();
            lower.extend(escaped.map(|byte| format!("%{byte:02x}")));
        } else {
            lower.push(c);
        }
    }
    let Some((_, rest)) = lower.split_once("://") else {
        return lower;
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (host, ""),
    };
    let parts: Vec<&str> = without_www(host).rsplit('.').collect();
    let port = match port {
        "" | "80" | "443" => String::new(),
        port => format!(":{port}"),
    };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = path.trim_start_matches('/');
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut parameters: Vec<&str> = query.split('&').collect();
    parameters.sort_by_key(|parameter| parameter.split_once('=').unwrap_or((parameter, "")));
    let mark = if query.is_empty() { "" } else { "?" };
    let (host, query) = (parts.join(","), parameters.join("&"));
    format!("{host}{port})/{path}{mark}{query}")
}

/// With printable characters of ASCII in place of their escapes.
fn unescaped(url: &str) -> String {
    let mut parts = url.split('%');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..2);
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match byte.filter(|byte| byte.is_ascii_graphic() && !b"%#".contains(byte)) {
            Some(byte) => {
                made.push(char::from(byte));
                made += &part[2..];
            }
            None => {
                made.push('%');
                made += part;
            }
        }
    }
    made
}

/// A host without `www.`, `www2.` and the like, if anything is left.
fn without_www(host: &str) -> &str {
    let rest = host.strip_prefix("www");
    let rest = rest.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let rest = rest.and_then(|rest| rest.strip_prefix('.'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surt_begins_with_the_host_in_reverse_order() {
        for (url, expected) in [
            ("http://a.Example/Page?x=1", "example,a)/page?x=1"),
            ("https://me@a.b.example:8443", "example,b,a:8443)/"),
            ("http://a.example:80/b c", "example,a)/b%20c"),
            ("http://a.example?x", "example,a)/?x"),
            // As cdxj-indexer has them.
            ("http://www.example.com/", "com,example)/"),
            ("http://www2.example.com/dir/", "com,example)/dir"),
            ("http://example.com/x?b=2&a=1", "com,example)/x?a=1&b=2"),
            ("http://example.com/%7Efoo/", "com,example)/~foo"),
            ("http://example.com/q#frag", "com,example)/q"),
            ("http://example.com/a%20b%zz?", "com,example)/a%20b%zz"),
            ("http://wwwx.example/", "example,wwwx)/"),
            ("http://a.example/b\nc\u{a0}", "example,a)/b%0ac%c2%a0"),
            ("urn:x", "urn:x"),
        ] {
            assert_eq!(surt(url), expected);
        }
    }

    #[test]
    fn a_line_has_key_date_and_place() {
        let row = DocumentRow {
            url: Some("http://a.example/\"x\""),
            date: Some(1_000_000),
            entry_offset: 7,
            ..DocumentRow::default()
        };
        let line = IndexLine::of(&row, "a.warc.gz");
        assert_eq!(line.key, r#"example,a)/"x" 19700101000001"#);
        let rest = r#""url":"http://a.example/\"x\"","offset":"7","filename":"a.warc.gz""#;
        assert_eq!(line.rest, rest);
    }
}
