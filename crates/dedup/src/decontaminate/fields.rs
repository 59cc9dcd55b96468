//! The text of a field of a reference.
//!
//! *Input.* The value of a field: a text, a number, or the JSON of a list or an object. *Output.*
//! Its texts, one a line. *Algorithm.* Of a list all elements count, in order. Of an object the
//! first field of [`TEXTS_WITHIN`] counts that it has, as a message has `role` and `content`; else
//! all of them. A name such as `data.question` leads into objects, and into those of lists. *Limits.* True, false and null are no text. A text that looks like JSON is read as
//! JSON; its words are the same.

use input::{Document, FieldValue, TEXTS_WITHIN};
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

/// The fields that are read for those that are asked for: of `data.question` the field of this name,
/// and `data`, in which `question` may lie.
pub(super) fn carried(names: &[String]) -> Vec<String> {
    let outer = names.iter().filter_map(|name| name.split_once('.'));
    let mut carried = names.to_vec();
    for (outer, _) in outer {
        if !carried.iter().any(|name| name == outer) {
            carried.push(outer.to_owned());
        }
    }
    carried
}

/// The text of a field of a document; `None` if it has none.
pub(super) fn text_of<'d>(document: &'d Document<'_>, name: &str) -> Option<Cow<'d, str>> {
    let value = |name: &str| {
        let mut fields = document.fields.iter();
        fields
            .find(|(other, _)| other == name)
            .map(|(_, value)| value)
    };
    let whole = value(name).and_then(|value| text_within(value, &[]));
    whole.or_else(|| {
        let (outer, inner) = name.split_once('.')?;
        let path: Vec<&str> = inner.split('.').collect();
        text_within(value(outer)?, &path)
    })
}

/// The text at a path within a value.
fn text_within<'v>(value: &'v FieldValue, path: &[&str]) -> Option<Cow<'v, str>> {
    let text = match value {
        FieldValue::Integer(number) if path.is_empty() => Cow::Owned(number.to_string()),
        FieldValue::Float(number) if path.is_empty() => Cow::Owned(number.to_string()),
        FieldValue::Text(text) => match serde_json::from_str(text) {
            Ok(value @ (Value::Array(_) | Value::Object(_))) => {
                Cow::Owned(texts_at(&value, path).join("\n"))
            }
            _ if path.is_empty() => Cow::Borrowed(&**text),
            _ => return None,
        },
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// All texts at a path within a JSON value, in order; of a list, those of each element.
fn texts_at(value: &Value, path: &[&str]) -> Vec<String> {
    match (path, value) {
        ([], value) => texts_in(value),
        (_, Value::Array(values)) => values.iter().flat_map(|one| texts_at(one, path)).collect(),
        ([name, rest @ ..], Value::Object(fields)) => fields
            .get(*name)
            .map_or_else(Vec::new, |one| texts_at(one, rest)),
        _ => Vec::new(),
    }
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
            text_within(&value, &[]).map(Cow::into_owned)
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
        let rows = FieldValue::Text(r#"[{"q":{"text":"x"}},{"q":"y"},{"a":"z"},7]"#.to_owned());
        assert_eq!(text_within(&rows, &["q"]).as_deref(), Some("x\ny"));
        assert_eq!(text_within(&rows, &["q", "text"]).as_deref(), Some("x"));
        assert_eq!(text_within(&rows, &["b"]), None);
        assert_eq!(text_within(&FieldValue::Integer(42), &["q"]), None);
        assert_eq!(
            text_within(&FieldValue::Integer(42), &[]).as_deref(),
            Some("42")
        );
        assert_eq!(text_within(&FieldValue::Bool(true), &[]), None);
    }
}
