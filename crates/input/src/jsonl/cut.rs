//! A line of JSONL without some characters of its text.
//!
//! *Input.* The line, and the ranges of characters that go. *Output.* All other bytes of the line,
//! as they are. *Algorithm.* The reader of documents says which field has the text. Its string is
//! found in the line as it is, which may have values that no standard has. *Memory.* A copy of the
//! text, where it has escapes.

use super::record::{self, BAD_JSON};
use decode::copying::{CutLine, cut_json};
use decode::error::InputError;
use decode::json_repair;
use decode::options::FieldNames;
use model::Markup;
use std::ops::Range;

/// Cuts lines.
pub(crate) struct LineCutter<'a> {
    names: &'a FieldNames,
    /// As it is written in a JSON string.
    marker: String,
}

impl<'a> LineCutter<'a> {
    /// Cuts the text of these fields, and puts the marker in place of each part.
    pub(crate) fn new(names: &'a FieldNames, marker: &str) -> LineCutter<'a> {
        // A text always serializes.
        let quoted = serde_json::to_string(marker).unwrap_or_default();
        let marker = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        LineCutter {
            names,
            marker: marker.to_owned(),
        }
    }

    /// The name of the field that has the text.
    fn field_of(&self, line: &[u8]) -> Option<&str> {
        let (mut scratch, mut again) = (Vec::new(), Vec::new());
        let repaired;
        let record = match record::parse(line, self.names, &mut scratch) {
            Err(problem) if problem.reason == BAD_JSON => {
                repaired = json_repair::repaired(line)?;
                record::parse(&repaired.line, self.names, &mut again)
            }
            parsed => parsed,
        };
        let record = record.ok()?;
        (record.markup == Markup::None).then(|| self.names.text_of(&record.flags))
    }
}

impl CutLine for LineCutter<'_> {
    fn cut(
        &self,
        line: &[u8],
        ranges: &[Range<u32>],
        keep: &mut dyn FnMut(&[u8]) -> Result<(), InputError>,
    ) -> Result<bool, InputError> {
        let string = self.field_of(line).and_then(|name| string_of(line, name));
        let Some(string) = string else {
            return Ok(false);
        };
        let Ok(text) = str::from_utf8(&line[string.clone()]) else {
            return Ok(false);
        };
        keep(&line[..string.start])?;
        let is_cut = cut_json(text, ranges, &self.marker, &mut *keep)?;
        keep(&line[string.end..])?;
        Ok(is_cut)
    }
}

/// Where the string between the quotes lies that is the value of a field of the object itself.
fn string_of(line: &[u8], name: &str) -> Option<Range<usize>> {
    let (mut depth, mut at) = (0_u32, 0);
    // Whether the next string is a name, and whether the last name was the one that is sought.
    let (mut is_name, mut is_sought) = (true, false);
    while let Some(byte) = line.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b':' if depth == 1 => is_name = false,
            b',' if depth == 1 => is_name = true,
            b'"' => {
                let string = at + 1..string_end(line, at + 1)?;
                at = string.end;
                if depth == 1 && is_name {
                    let quoted = &line[string.start - 1..=string.end];
                    let found = serde_json::from_slice::<String>(quoted);
                    is_sought = found.is_ok_and(|found| found == name);
                } else if depth == 1 && is_sought {
                    return Some(string);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the quote lies that ends a string.
fn string_end(line: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr2(b'"', b'\\', line.get(at..)?)?;
        if line[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use std::slice;

    fn names() -> FieldNames {
        FieldNames::default()
    }

    fn cut(line: &str, range: Range<u32>, marker: &str) -> Option<String> {
        let (names, mut kept) = (names(), Vec::new());
        let mut keep = |bytes: &[u8]| {
            kept.extend_from_slice(bytes);
            Ok(())
        };
        let cutter = LineCutter::new(&names, marker);
        let ranges = slice::from_ref(&range);
        let is_cut = cutter.cut(line.as_bytes(), ranges, &mut keep).unwrap();
        is_cut.then(|| String::from_utf8(kept).unwrap())
    }

    #[test]
    fn all_but_the_text_stays_as_it_is() {
        let line = r#" { "a":{"text":"no"} , "n":[1.50,"text"],"te\u0078t" : "one t\u0077o\u0020three","z":1e3 }"#;
        let expected =
            r#" { "a":{"text":"no"} , "n":[1.50,"text"],"te\u0078t" : "one \u0020three","z":1e3 }"#;
        assert_eq!(cut(line, 4..7, "").unwrap(), expected);
    }

    #[test]
    fn the_field_is_the_one_that_was_read() {
        let line = r#"{"text":" ","content":"one two"}"#;
        let expected = r#"{"text":" ","content":"one \"…"}"#;
        assert_eq!(cut(line, 4..7, "\"…").unwrap(), expected);
        assert_eq!(cut(r#"{"html":"<p>one two"}"#, 4..7, ""), None);
        assert_eq!(cut(r#"{"text":"one"}"#, 1..9, ""), None);
        assert_eq!(cut("[]", 0..1, ""), None);
    }

    /// They are read as text and as null; the line keeps them.
    #[test]
    fn a_line_that_is_no_json_is_cut_as_it_was_read() {
        let line = r#"{"score":NaN,"text":"a \ud83d two b"}"#;
        let expected = r#"{"score":NaN,"text":"a \ud83d  b"}"#;
        assert_eq!(cut(line, 9..12, "").unwrap(), expected);
    }

    proptest! {
        #[test]
        fn a_line_is_cut_like_its_text(
            text in "[ a-z漢\"\\\\\u{0}-\u{1f}\u{1F600}-\u{1F610}]{1,40}",
            begin in 0..40_usize,
            length in 1..40_usize,
            before in "[a-z\"\\\\{}:,]{0,9}",
        ) {
            let count = text.chars().count();
            let range = begin.min(count - 1)..(begin + length).min(count).max(begin.min(count - 1) + 1);
            prop_assume!(!text.trim_start().is_empty());
            let line = json!({"a": {"text": [before.clone()]}, "b": before, "text": text}).to_string();
            let characters = range.start as u32..range.end as u32;
            let kept = cut(&line, characters, "x").unwrap();
            let mut kept: Value = serde_json::from_str(&kept).unwrap();
            let characters = text.chars().enumerate().filter(|(at, _)| !range.contains(at));
            let mut expected: Vec<char> = characters.map(|(_, c)| c).collect();
            expected.insert(range.start, 'x');
            let expected: String = expected.into_iter().collect();
            prop_assert_eq!(kept["text"].as_str(), Some(&*expected));
            kept["text"] = Value::from(text);
            prop_assert_eq!(kept.to_string(), line);
        }
    }
}
