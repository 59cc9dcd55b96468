//! One line of the list, value by value.
//!
//! *Input.* A line of TOML as the list is written: `key = value`, or a table in braces. *Output.*
//! Keys and values with their columns. *Limits.* Of TOML only what the list needs: basic strings,
//! whole numbers, true and false, dates with an offset, lists of strings on one line. Anything else
//! is refused, with its place.

use std::str::Chars;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) column: usize,
    pub(super) message: String,
}

/// A value of the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(u64),
    Bool(bool),
    /// Microseconds since 1970.
    Date(i64),
    Texts(Vec<String>),
    /// A list that goes on in the next lines.
    Open,
}

impl Value {
    /// What it is, in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a text",
            Value::Number(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Date(_) => "a date",
            Value::Texts(_) => "a list of texts",
            Value::Open => "a list over several lines",
        }
    }
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) key: &'static str,
    pub(super) value: Value,
}

/// A line that is being read.
pub(super) struct Scan<'a> {
    line: usize,
    text: &'a str,
    rest: Chars<'a>,
}

impl<'a> Scan<'a> {
    /// Begins with the first character that is no blank.
    pub(super) fn new(line: usize, text: &'a str) -> Scan<'a> {
        let mut scan = Scan {
            line,
            text,
            rest: text.chars(),
        };
        scan.blanks();
        scan
    }

    /// What is not yet read.
    pub(super) fn rest(&self) -> &'a str {
        self.rest.as_str()
    }

    /// Something is wrong here.
    pub(super) fn wrong(&self, message: impl Into<String>) -> Wrong {
        let read = self.text.len() - self.rest().len();
        Wrong {
            line: self.line,
            column: self.text[..read].chars().count() + 1,
            message: message.into(),
        }
    }

    fn blanks(&mut self) {
        self.rest = self.rest().trim_start_matches([' ', '\t']).chars();
    }

    /// Reads this if it is next.
    pub(super) fn takes(&mut self, what: &str) -> bool {
        match self.rest().strip_prefix(what) {
            Some(rest) => {
                self.rest = rest.chars();
                self.blanks();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, what: &str) -> Result<(), Wrong> {
        if self.takes(what) {
            Ok(())
        } else {
            Err(self.wrong(format!("expected {what:?}")))
        }
    }

    /// Nothing more may come on this line but a comment.
    pub(super) fn end(&self) -> Result<(), Wrong> {
        let rest = self.rest();
        if rest.is_empty() || rest.starts_with('#') {
            Ok(())
        } else {
            Err(self.wrong("expected the end of the line"))
        }
    }

    /// `key = value`.
    pub(super) fn entry(&mut self, known: &[&'static str]) -> Result<Entry, Wrong> {
        let begin = self.wrong("");
        let is_of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let length = self
            .rest()
            .find(|c| !is_of_key(c))
            .unwrap_or(self.rest().len());
        let (name, after) = self.rest().split_at(length);
        let Some(key) = known.iter().find(|known| **known == name) else {
            let what = if name.is_empty() {
                "expected a key".to_owned()
            } else {
                format!("unknown key {name:?}")
            };
            return Err(self.wrong(format!("{what}; known here: {}", known.join(", "))));
        };
        self.rest = after.chars();
        self.blanks();
        self.expect("=")?;
        let value = self.value()?;
        Ok(Entry {
            line: self.line,
            column: begin.column,
            key,
            value,
        })
    }

    /// `{ key = value, … }`.
    pub(super) fn table(&mut self, known: &[&'static str]) -> Result<Vec<Entry>, Wrong> {
        self.expect("{")?;
        let mut entries: Vec<Entry> = Vec::with_capacity(known.len());
        loop {
            let entry = self.entry(known)?;
            if entries.iter().any(|before| before.key == entry.key) {
                let Entry {
                    line, column, key, ..
                } = entry;
                return Err(Wrong {
                    line,
                    column,
                    message: format!("{key} occurs twice"),
                });
            }
            entries.push(entry);
            if self.takes("}") {
                return Ok(entries);
            }
            self.expect(",")?;
        }
    }

    fn value(&mut self) -> Result<Value, Wrong> {
        let begin =
            self.wrong("expected a text in quotes, a number, a date, true, false or a list");
        if self.rest().starts_with('"') {
            return self.string().map(Value::Text);
        }
        if self.takes("[") {
            return self.list();
        }
        let word = self
            .rest()
            .split([',', '}', ']', '#', ' ', '\t'])
            .next()
            .unwrap_or_default();
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let value = match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "0" => Some(Value::Number(0)),
            _ if is_number && !word.starts_with('0') => word
                .parse::<i64>()
                .ok()
                .and_then(|n| u64::try_from(n).ok())
                .map(Value::Number),
            _ if word.len() >= 20 && word.ends_with('Z') => {
                input::parse_date(word).map(Value::Date)
            }
            _ => None,
        };
        let value = value.ok_or(begin)?;
        self.takes(word);
        Ok(value)
    }

    fn list(&mut self) -> Result<Value, Wrong> {
        if self.end().is_ok() {
            return Ok(Value::Open);
        }
        let mut texts = Vec::new();
        while !self.takes("]") {
            if !texts.is_empty() {
                self.expect(",")?;
            }
            if !self.rest().starts_with('"') {
                return Err(self.wrong("expected a text in quotes"));
            }
            texts.push(self.string()?);
        }
        Ok(Value::Texts(texts))
    }

    /// A basic string, which begins here.
    fn string(&mut self) -> Result<String, Wrong> {
        self.rest.next();
        let mut text = String::new();
        loop {
            let here = self.wrong("expected a closing quote on this line");
            match self.rest.next() {
                Some('"') => break,
                Some('\\') => text.push(self.escape().ok_or(Wrong {
                    message: "unknown escape".to_owned(),
                    ..here
                })?),
                Some(c) if !c.is_control() || c == '\t' => text.push(c),
                _ => return Err(here),
            }
        }
        self.blanks();
        Ok(text)
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Option<char> {
        let digits = match self.rest.next()? {
            '"' => return Some('"'),
            '\\' => return Some('\\'),
            'b' => return Some('\u{8}'),
            't' => return Some('\t'),
            'n' => return Some('\n'),
            'f' => return Some('\u{C}'),
            'r' => return Some('\r'),
            'u' => 4,
            'U' => 8,
            _ => return None,
        };
        let mut value = 0;
        for _ in 0..digits {
            value = value * 16 + self.rest.next()?.to_digit(16)?;
        }
        char::from_u32(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KNOWN: [&str; 2] = ["a", "b-c"];

    fn entry(line: &str) -> Result<Value, (usize, String)> {
        let mut scan = Scan::new(1, line);
        let entry = scan
            .entry(&KNOWN)
            .and_then(|entry| scan.end().map(|()| entry));
        entry
            .map(|entry| entry.value)
            .map_err(|wrong| (wrong.column, wrong.message))
    }

    #[test]
    fn values_are_those_of_toml() {
        for (line, value) in [
            ("a = 0", Value::Number(0)),
            (
                "  b-c=9223372036854775807 # most",
                Value::Number(i64::MAX as u64),
            ),
            ("a = true", Value::Bool(true)),
            ("a = 1970-01-01T00:00:01.5Z", Value::Date(1_500_000)),
            (
                r#"a = "x\"\\\t\u00e9\U0001F600#}" # c"#,
                Value::Text("x\"\\\té😀#}".to_owned()),
            ),
            ("a = []", Value::Texts(vec![])),
            (
                "a = [\"x\", \"y\"]",
                Value::Texts(vec!["x".to_owned(), "y".to_owned()]),
            ),
            ("a = [ # more", Value::Open),
        ] {
            assert_eq!(entry(line), Ok(value), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_has_its_column() {
        for (line, column, word) in [
            ("x = 1", 1, "unknown key \"x\"; known here: a, b-c"),
            ("= 1", 1, "expected a key"),
            ("a 1", 3, "expected \"=\""),
            ("a = ", 5, "expected a text"),
            ("a = -1", 5, "expected a text"),
            ("a = 01", 5, "expected a text"),
            ("a = 9223372036854775808", 5, "expected a text"),
            ("a = 2026-02-30T00:00:00Z", 5, "expected a text"),
            ("a = 2026-01-01", 5, "expected a text"),
            ("a = 'x'", 5, "expected a text"),
            ("a = \"é", 7, "closing quote"),
            ("a = \"é\\q\"", 7, "unknown escape"),
            ("a = \"\\ud800\"", 6, "unknown escape"),
            ("a = [\"x\" \"y\"]", 10, "expected \",\""),
            ("a = [1]", 6, "in quotes"),
            ("a = 1 b", 7, "end of the line"),
        ] {
            let (at, message) = entry(line).unwrap_err();
            assert!(
                at == column && message.contains(word),
                "{line}: {at} {message}"
            );
        }
        let twice = Scan::new(3, "{ a = 1, a = 2 }").table(&KNOWN).unwrap_err();
        assert_eq!(
            (twice.line, twice.column, twice.message.as_str()),
            (3, 10, "a occurs twice")
        );
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "\\PC{0,40}", near in "[{]?[ab]= ?[\"\\\\0-9TZ:,u{}\\[\\]x-]{0,24}") {
            for line in [line, near] {
                let _ = Scan::new(1, &line).entry(&KNOWN);
                let _ = Scan::new(1, &line).table(&KNOWN);
            }
        }
    }
}
