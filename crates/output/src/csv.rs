//! Texts of CSV (RFC 4180): always in quotes.
//!
//! Spreadsheets run a text that begins with `=`, `+`, `-`, `@`,
//! TAB or CR as a formula, some also after blanks, after a line break inside the text, or with the
//! full-width forms of these signs. A page's URL or title is a stranger's text, so such places get
//! a `'` before them ([`FormulaGuard::Guard`]). Guarded texts do not read back equal: programs
//! should read JSON lines or Parquet, or ask for [`FormulaGuard::Verbatim`].
//!
//! Written here, because the crate `csv` has no null beside an empty text: it would quote both or
//! none. A test reads the lines back with that crate.

use crate::terminal::is_harmful;

/// Whether texts that a spreadsheet would run are made harmless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormulaGuard {
    /// A `'` is put before them.
    #[default]
    Guard,
    /// And what a terminal would obey is written as `\u{…}`, as it is shown there.
    GuardAndShow,
    /// Texts are written as they are.
    Verbatim,
}

/// Appends `text` in quotes, its quotes doubled, guarded if asked.
pub(crate) fn write_string(text: &str, guard: FormulaGuard, line: &mut Vec<u8>) {
    line.push(b'"');
    let is_guarded = guard != FormulaGuard::Verbatim;
    let mut line_starts = is_guarded;
    for (at, c) in text.char_indices() {
        if line_starts && runs(&text[at..]) {
            line.push(b'\'');
        }
        if c == '"' {
            line.push(b'"');
        }
        if guard == FormulaGuard::GuardAndShow && is_harmful(c) && c != '\n' {
            line.extend_from_slice(c.escape_unicode().to_string().as_bytes());
        } else {
            line.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        line_starts = is_guarded && matches!(c, '\n' | '\r');
    }
    line.push(b'"');
}

/// Whether a spreadsheet might run a text that begins so. Blanks are looked past up to the end of
/// the line, so that the whole text is looked at once at most.
fn runs(text: &str) -> bool {
    let blank = |c: char| {
        !matches!(c, '\t' | '\r' | '\n')
            && (c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}' | '\u{feff}'))
    };
    let first = text.chars().find(|&c| !blank(c));
    matches!(
        first,
        Some('=' | '+' | '-' | '@' | '\t' | '\r' | '＝' | '＋' | '－' | '＠')
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        DocumentRow, LineFormat, LineTable, MEMBERSHIP, MembershipRow, Micros, REJECTED,
        RejectedRow, tests::rows,
    };
    use proptest::prelude::*;

    fn quoted(text: &str) -> String {
        let mut line = Vec::new();
        write_string(text, FormulaGuard::Guard, &mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn formulas_are_guarded() {
        for text in [
            "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "＝1", "－2", "='a", "=", "\u{0}=1",
        ] {
            assert_eq!(quoted(text), format!("\"'{text}\""));
        }
        for blanks in [" ", "  ", "\u{a0}", "\u{3000} ", "\u{feff}", "\u{200b} "] {
            assert_eq!(quoted(&format!("{blanks}=1")), format!("\"'{blanks}=1\""));
        }
        assert_eq!(quoted("a\n=1"), "\"a\n'=1\"");
        assert_eq!(quoted("a\r\n @x\n+"), "\"a\r\n' @x\n'+\"");
        assert_eq!(quoted("a\r=1"), "\"a\r'=1\"");
        assert_eq!(quoted("=\"a\""), "\"'=\"\"a\"\"\"");
    }

    #[test]
    fn commands_to_the_terminal_are_shown() {
        let mut line = Vec::new();
        let text = "=a\u{9b}31m\u{202e}\u{1b}]0;x\u{7}\r\né";
        write_string(text, FormulaGuard::GuardAndShow, &mut line);
        let shown = r#""'=a\u{9b}31m\u{202e}\u{1b}]0;x\u{7}\u{d}"#;
        assert_eq!(String::from_utf8(line).unwrap(), format!("{shown}\né\""));
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "",
            " ",
            "a=b",
            "http://x/?a=1",
            "1-2",
            "'=1",
            "a\nb",
            "日本",
        ] {
            assert_eq!(quoted(text), format!("\"{text}\""));
        }
        let mut line = Vec::new();
        write_string("=1", FormulaGuard::Verbatim, &mut line);
        assert_eq!(line, b"\"=1\"");
    }

    #[test]
    fn many_lines_of_blanks_take_linear_time() {
        let started = std::time::Instant::now();
        assert_eq!(quoted(&"\n".repeat(1 << 20)).len(), (1 << 20) + 2);
        assert_eq!(quoted(&" ".repeat(1 << 20)).len(), (1 << 20) + 2);
        assert!(started.elapsed().as_secs() < 5);
    }

    #[test]
    fn a_whole_table() {
        let mut table = LineTable::new(
            MEMBERSHIP.schema(),
            LineFormat::Csv(FormulaGuard::Guard),
            Vec::new(),
        )
        .unwrap();
        let row = MembershipRow {
            doc_id: 1,
            same_as: None,
            same_kind: None,
            cluster_id: 1,
            cluster_documents: 2,
            keep: true,
            kept_doc_id: 1,
            resemblance: Some(0.75),
            repeated_words: None,
        };
        table.write(&row).unwrap();
        table
            .write(&MembershipRow {
                doc_id: 2,
                same_as: Some(1),
                same_kind: Some("lexical"),
                ..row
            })
            .unwrap();
        assert_eq!(table.rows(), 2);
        let text = String::from_utf8(table.finish().unwrap()).unwrap();
        assert_eq!(
            text,
            "\"doc_id\",\"same_as\",\"same_kind\",\"cluster_id\",\"cluster_documents\",\"keep\",\
             \"kept_doc_id\",\"resemblance\",\"repeated_words\"\n\
             1,,,1,2,true,1,0.75,\n2,1,\"lexical\",1,2,true,1,0.75,\n"
        );
    }

    #[test]
    fn times_are_quoted() {
        let mut table = LineTable::new(
            crate::DOCUMENTS.schema(),
            LineFormat::Csv(FormulaGuard::Guard),
            Vec::new(),
        )
        .unwrap();
        table
            .write(&DocumentRow {
                date: Some(Micros(0)),
                ..rows::document(1)
            })
            .unwrap();
        let text = String::from_utf8(table.finish().unwrap()).unwrap();
        assert!(text.contains(",\"1970-01-01T00:00:00Z\","), "{text}");
    }

    proptest! {
        #[test]
        fn another_reader_reads_the_same(source: String, url: Option<String>, detail: String, offset: i64) {
            let row = RejectedRow { source: &source, byte: offset, url: url.as_deref(), reason: "r", detail: &detail, records: 1 };
            let mut table = LineTable::new(REJECTED.schema(), LineFormat::Csv(FormulaGuard::Verbatim), Vec::new()).unwrap();
            table.write(&row).unwrap();
            let bytes = table.finish().unwrap();
            let mut reader = ::csv::Reader::from_reader(&bytes[..]);
            let record = reader.records().next().unwrap().unwrap();
            let expected = [&source, &offset.to_string(), url.as_deref().unwrap_or(""), "r", &detail, "1"];
            prop_assert_eq!(record.iter().collect::<Vec<_>>(), expected);
        }
    }
}
