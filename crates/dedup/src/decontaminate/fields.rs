//! The text of a field of a reference.
//!
//! *Input.* The value of a field: a text, a number, or the JSON of a list or an object. *Output.*
//! Its texts, one a line. *Algorithm.* Of a list all elements count, in order. Of an object the
//! first field of [`TEXTS_WITHIN`] counts that it has, as a message has `role` and `content`; else
//! all of them. *Limits.* True, false and null are no text. A text that looks like JSON is read as
//! JSON; its words are the same.

use input::{FieldValue, TEXTS_WITHIN};
use serde_json::Value;
use std::borrow::Cow;

/// The fields of a reference that are read if none are named: those under which the sets of
/// questions that people train against keep their texts, in the order of an item.
pub(super) const USUAL_FIELDS: [&str; 32] = [
    "system",
    "instruction",
    "passage",
    "context",
    "article",
    "story",
    "premise",
    "hypothesis",
    "sentence",
    "sentence1",
    "sentence2",
    "question",
    "problem",
    "prompt",
    "query",
    "input",
    "text",
    "content",
    "choices",
    "options",
    "endings",
    "answer",
    "answers",
    "solution",
    "canonical_solution",
    "response",
    "output",
    "completion",
    "target",
    "messages",
    "conversation",
    "conversations",
];

/// The text of a value; `None` if it has none.
pub(super) fn text_of(value: &FieldValue) -> Option<Cow<'_, str>> {
    let text = match value {
        FieldValue::Null | FieldValue::Bool(_) => return None,
        FieldValue::Integer(number) => Cow::Owned(number.to_string()),
        FieldValue::Float(number) => Cow::Owned(number.to_string()),
        FieldValue::Text(text) if text.starts_with(['[', '{']) => {
            match serde_json::from_str(text) {
                Ok(value) => Cow::Owned(texts_in(&value).join("\n")),
                Err(_) => Cow::Borrowed(&**text),
            }
        }
        FieldValue::Text(text) => Cow::Borrowed(&**text),
    };
    (!text.is_empty()).then_some(text)
}

/// All texts of a JSON value, in order.
fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(_) => Vec::new(),
        Value::Number(number) => vec![number.to_string()],
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts_in).collect(),
        Value::Object(fields) => match TEXTS_WITHIN.iter().find_map(|name| fields.get(*name)) {
            Some(value) => texts_in(value),
            None => fields.values().flat_map(texts_in).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_lists_and_messages_count_in_order() {
        let text = |json: &str| {
            let value = FieldValue::Text(json.to_owned());
            text_of(&value).map(Cow::into_owned)
        };
        for (json, expected) in [
            ("How many?", Some("How many?")),
            ("[not json", Some("[not json")),
            (r#"["a", "b\n", 7, null, true]"#, Some("a\nb\n\n7")),
            (
                r#"[{"role":"user","content":"why?"},{"content":"so"}]"#,
                Some("why?\nso"),
            ),
            (r#"{"text":["x","y"],"label":["A","B"]}"#, Some("x\ny")),
            (
                r#"{"stem":"q","choices":[{"text":"x","label":"A"}]}"#,
                Some("q"),
            ),
            (r#"{"a":"x","b":{"c":"y"}}"#, Some("x\ny")),
            ("[]", None),
            ("", None),
        ] {
            assert_eq!(text(json).as_deref(), expected, "{json}");
        }
        assert_eq!(text_of(&FieldValue::Integer(42)).as_deref(), Some("42"));
        assert_eq!(text_of(&FieldValue::Bool(true)), None);
    }
}
