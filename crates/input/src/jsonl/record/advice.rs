//! What to do about a sound line that has no text where it is looked for.
//!
//! *Input.* The line, the names of the fields. *Output.* Advice for a person. *Memory.* As many
//! names as a message may hold.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::text::{AnyText, Text};
use super::{BAD_FIELD, DETAIL_CHARS, Problem};
use decode::options::{FieldNames, text_field_advice};

/// The problem of the line with the advice, if it is one of its text.
pub(super) fn advised(problem: Problem, line: &str, names: &FieldNames) -> Problem {
    if !problem.detail.is_empty() {
        return problem;
    }
    let mut parser = serde_json::Deserializer::from_str(line);
    let fields = parser.deserialize_map(FieldsOfLine(names));
    let fields = fields.unwrap_or_default();
    let found: Vec<&str> = fields.strings.iter().map(AsRef::as_ref).collect();
    let [text, html] = fields.kinds;
    let wrong = [(&names.text, text), (&names.html, html)]
        .into_iter()
        .find_map(|(name, kind)| Some((name, kind?)));
    match wrong.filter(|_| problem.reason == BAD_FIELD) {
        Some((name, kind)) => {
            let advice = text_field_advice(&found);
            let detail = format!("{name} is {kind} and must be a string; {advice}");
            Problem::new(BAD_FIELD, detail)
        }
        None => Problem::new(problem.reason, names.text_advice(&found)),
    }
}

/// The fields of a line, as far as advice names them.
#[derive(Default)]
struct LineFields<'de> {
    /// The names of the first fields that hold strings.
    strings: Vec<Cow<'de, str>>,
    /// What the text field and the HTML field hold that is neither a string nor null.
    kinds: [Option<&'static str>; 2],
}

struct FieldsOfLine<'n>(&'n FieldNames);

impl<'de> Visitor<'de> for FieldsOfLine<'_> {
    type Value = LineFields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LineFields<'de>, A::Error> {
        let mut fields = LineFields::default();
        let mut room = DETAIL_CHARS;
        while let Some(key) = map.next_key_seed(AnyText)? {
            let Text::String(key) = key else {
                return Err(A::Error::custom("a key is not a string"));
            };
            let kind = match map.next_value::<&'de RawValue>()?.get().as_bytes()[0] {
                b'"' => {
                    if room > 0 {
                        room = room.saturating_sub(key.len() + 2);
                        fields.strings.push(key);
                    }
                    continue;
                }
                b'n' => continue,
                b'[' => "a list",
                b'{' => "an object",
                b't' | b'f' => "a boolean",
                _ => "a number",
            };
            for (name, found) in [&self.0.text, &self.0.html].iter().zip(&mut fields.kinds) {
                if key == **name {
                    *found = Some(kind);
                }
            }
        }
        Ok(fields)
    }
}
