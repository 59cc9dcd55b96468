//! What to do about a sound line that has no text where it is looked for.
//!
//! *Input.* The line, the names of the fields. *Output.* Advice for a person. *Memory.* As many
//! names as a message may hold.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{BAD_FIELD, DETAIL_CHARS, Problem};
use decode::options::{FieldNames, text_field_advice};

/// The problem of the line, with the advice if it has no detail: then it is one of the text.
pub(super) fn advised(problem: Problem, line: &str, names: &FieldNames) -> Problem {
    if !problem.detail.is_empty() {
        return problem;
    }
    let mut parser = serde_json::Deserializer::from_str(line);
    let (strings, [text, html]) = parser
        .deserialize_map(FieldsOfLine(names))
        .unwrap_or_default();
    let strings: Vec<&str> = strings.iter().map(AsRef::as_ref).collect();
    let text = text.map(|kind| (&names.text, kind));
    let wrong = text.or(html.map(|kind| (&names.html, kind)));
    match wrong.filter(|_| problem.reason == BAD_FIELD) {
        Some((name, kind)) => {
            let advice = text_field_advice(&strings);
            let detail = format!("{name} is {kind} and must be a string; {advice}");
            Problem::new(BAD_FIELD, detail)
        }
        None => Problem::new(problem.reason, names.text_advice(&strings)),
    }
}

struct FieldsOfLine<'n>(&'n FieldNames);

impl<'de> Visitor<'de> for FieldsOfLine<'_> {
    /// The names of the first fields that hold strings; the kinds of the values of text and HTML
    /// that are neither strings nor null.
    type Value = (Vec<String>, [Option<&'static str>; 2]);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut strings, mut kinds, mut room) = (Vec::new(), [None; 2], DETAIL_CHARS);
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            let kind = match value.get().as_bytes()[0] {
                b'n' => continue,
                b'"' => {
                    if room > 0 {
                        room = room.saturating_sub(name.len() + 2);
                        strings.push(name);
                    }
                    continue;
                }
                b'[' => "a list",
                b'{' => "an object",
                b't' | b'f' => "a boolean",
                _ => "a number",
            };
            let fields = [&self.0.text, &self.0.html].into_iter().zip(&mut kinds);
            for (_, found) in fields.filter(|(field, _)| **field == name) {
                *found = Some(kind);
            }
        }
        Ok((strings, kinds))
    }
}
