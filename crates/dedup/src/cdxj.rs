//! The index of a WARC file that says what becomes of its documents.
//!
//! *Input.* The documents of a file with their annotations. *Output.* A line for each, in the order
//! of the file: the URL as a SURT, the date, and a JSON object, as CDXJ has them. *Limits.* The
//! SURT is that of the URL as it was crawled: parameters keep their order, and `www.` stays. Tools
//! that look lines up need them sorted by bytes.

use super::notes::FileNotes;
use format::DocumentRow;
use output::Annotation;
use runtime::Error;
use std::io::{self, Write};

/// Writes the lines; `filename` is the name of the WARC file.
pub(super) fn write(
    notes: &mut FileNotes<'_>,
    filename: &str,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut out = io::BufWriter::new(out);
    let mut written = Ok(());
    let mut line = String::new();
    while notes
        .next_document(|row, annotation| {
            line.clear();
            push_line(&mut line, row, &annotation, filename);
            written = out.write_all(line.as_bytes());
        })?
        .is_some()
    {
        std::mem::replace(&mut written, Ok(())).map_err(Error::io("write an index"))?;
    }
    out.flush().map_err(Error::io("write an index"))
}

fn push_line(
    line: &mut String,
    row: &DocumentRow<'_>,
    annotation: &Annotation<'_>,
    filename: &str,
) {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let date = row.date.map(output::rfc3339).unwrap_or_default();
    let digits: String = date.chars().filter(char::is_ascii_digit).take(14).collect();
    let date = if digits.is_empty() { "-" } else { &digits };
    *line += &format!("{} {date} {{", row.url.map_or("-".to_owned(), surt));
    annotation.write_members(line);
    if let Some(url) = row.url {
        *line += &format!("\"url\":{},", text(url));
    }
    if row.inner_offset > 0 {
        *line += &format!("\"inner_offset\":\"{}\",", row.inner_offset);
    }
    let (offset, filename) = (row.entry_offset, text(filename));
    *line += &format!("\"offset\":\"{offset}\",\"filename\":{filename}}}\n");
}

/// A URL with the parts of its host in reverse order, in lower case, without scheme: `http://a.b/c`
/// is `b,a)/c`. Blanks and control characters are escaped: a blank ends the key of a line.
fn surt(url: &str) -> String {
    let mut lower = String::with_capacity(url.len());
    for c in url.chars().flat_map(char::to_lowercase) {
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
    let parts: Vec<&str> = host.rsplit('.').collect();
    let port = match port {
        "" | "80" | "443" => String::new(),
        port => format!(":{port}"),
    };
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("{}{port}){slash}{path}", parts.join(","))
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
            ("http://a.example/b\nc\u{a0}", "example,a)/b%0ac%c2%a0"),
            ("urn:x", "urn:x"),
        ] {
            assert_eq!(surt(url), expected);
        }
    }

    #[test]
    fn a_line_has_key_date_and_json() {
        let row = DocumentRow {
            url: Some("http://a.example/\"x\""),
            date: Some(1_000_000),
            entry_offset: 7,
            ..DocumentRow::default()
        };
        let annotation = Annotation {
            dedup_doc_id: Some(3),
            dedup_cluster_id: Some(1),
            dedup_keep: Some(false),
            dedup_class: Some("similar"),
        };
        let mut line = String::new();
        push_line(&mut line, &row, &annotation, "a.warc.gz");
        let expected = r#"example,a)/"x" 19700101000001 {"dedup_doc_id":3,"dedup_cluster_id":1,"dedup_keep":false,"dedup_class":"similar","url":"http://a.example/\"x\"","offset":"7","filename":"a.warc.gz"}"#;
        assert_eq!(line, format!("{expected}\n"));
    }
}
