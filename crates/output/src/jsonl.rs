//! Strings of JSON lines.
//!
//! Control characters, those that change the direction
//! of text, and line and paragraph separators are written as escapes, so that a URL cannot play
//! tricks on a terminal or split a line.

/// Whether a character is written as an escape although JSON would allow it.
fn hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Direction marks, embeddings, overrides, isolates.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Appends `text` as a JSON string.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = rest.find(|c| c == '"' || c == '\\' || hidden(c)) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain.as_bytes());
        let mut chars = special.chars();
        match chars.next() {
            Some('\n') => out.extend_from_slice(b"\\n"),
            Some('\r') => out.extend_from_slice(b"\\r"),
            Some('\t') => out.extend_from_slice(b"\\t"),
            Some(c @ ('"' | '\\')) => out.extend_from_slice(&[b'\\', c as u8]),
            // All hidden characters are below U+10000: one escape each.
            Some(c) => out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes()),
            None => {}
        }
        rest = chars.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cell, ColumnType, DOCUMENTS, DocumentRow, LineFormat, LineTable, Micros, REJECTED,
        RejectedRow,
    };
    use proptest::prelude::*;

    fn rejected(row: RejectedRow<'_>) -> String {
        let mut table = LineTable::new(REJECTED.schema(), LineFormat::Jsonl, Vec::new()).unwrap();
        table.write(&row).unwrap();
        String::from_utf8(table.finish().unwrap()).unwrap()
    }

    #[test]
    fn hostile_urls_stay_on_their_line() {
        let url = "http://x/\u{1b}[31m\u{202e}gpj.exe\n{\"a\":1}\r\u{2028}\u{9b}2J\"\\\u{7f}ж";
        let row = RejectedRow {
            source: "a.warc",
            byte: 7,
            url: Some(url),
            reason: "not-found",
            detail: "",
            records: 1,
        };
        let line = rejected(row);
        assert_eq!(
            line,
            concat!(
                r#"{"source":"a.warc","byte":7,"url":"http://x/\u001b[31m\u202egpj.exe\n{\"a\":1}\r\u2028\u009b2J\"\\\u007fж","#,
                r#""reason":"not-found","detail":"","records":1}"#,
                "\n"
            )
        );
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["url"], url);
    }

    #[test]
    fn every_type_reads_back() {
        let fields = [
            ("n", ColumnType::Double),
            ("b", ColumnType::Bool),
            ("nan", ColumnType::Double),
        ];
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), *kind))
            .collect();
        let schema = DOCUMENTS.schema_with(&fields).unwrap();
        let mut table = LineTable::new(schema, LineFormat::Jsonl, Vec::new()).unwrap();
        let row = DocumentRow {
            date: Some(Micros(1_700_000_000_000_001)),
            fields: &[Cell::Double(0.1), Cell::Bool(true), Cell::Double(f64::NAN)],
            ..crate::tests::rows::document(5)
        };
        table.write(&row).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&table.finish().unwrap()).unwrap();
        assert_eq!(read["doc_id"], 5);
        assert_eq!(read["date"], "2023-11-14T22:13:20.000001Z");
        assert_eq!(
            (&read["n"], &read["b"], &read["nan"]),
            (&0.1.into(), &true.into(), &serde_json::Value::Null)
        );
        assert_eq!(
            read.as_object().unwrap().len(),
            DOCUMENTS.columns().len() + 3
        );
    }

    proptest! {
        #[test]
        fn strings_read_back_and_hide_nothing(text: String) {
            let mut bytes = Vec::new();
            write_string(&text, &mut bytes);
            let written = String::from_utf8(bytes).unwrap();
            prop_assert!(!written.chars().any(hidden));
            prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        }
    }
}
