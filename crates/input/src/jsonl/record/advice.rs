//! Advice about a sound line that has no text where it is looked for.
//!
//! *Input.* The line, the names of the fields. *Output.* Advice for a person. *Memory.* As many
//! names as a message may hold.

use decode::options::FieldNames;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The problem with the text of a line, and the remedy. `is_bad` says that the field of the
/// text is no string. Names of about `room` characters are given.
pub(super) fn about_text(line: &str, names: &FieldNames, is_bad: bool, room: usize) -> String {
    let mut parser = serde_json::Deserializer::from_str(line);
    let (strings, [text, html]) = parser
        .deserialize_map(FieldsOfLine(names, room))
        .unwrap_or_default();
    let strings: Vec<&str> = strings.iter().map(AsRef::as_ref).collect();
    let text = text.map(|kind| (&names.text, kind));
    let wrong = text.or(html.map(|kind| (&names.html, kind)));
    match wrong.filter(|_| is_bad) {
        Some((name, kind)) => {
            let advice = names.text_field_advice(&strings);
            format!("{name} is {kind} and must be a string; {advice}")
        }
        None => names.text_advice(&strings),
    }
}

struct FieldsOfLine<'n>(&'n FieldNames, usize);

impl<'de> Visitor<'de> for FieldsOfLine<'_> {
    /// The names of the first fields that hold strings; the kinds of the values of text and HTML
    /// that are neither strings nor null.
    type Value = (Vec<String>, [Option<&'static str>; 2]);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut strings, mut kinds, mut room) = (Vec::new(), [None; 2], self.1);
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
