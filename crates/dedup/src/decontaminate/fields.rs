//! The texts of a field of a reference.
//!
//! *Input.* The value of a field: a text, a number, or the JSON of a list or an object. *Output.*
//! Its texts. *Algorithm.* Of a list all elements count, in order. Of an object the first field of
//! [`TEXTS_WITHIN`] counts that it has, as a message has `role` and `content`; else all of them. A
//! name such as `data.question` leads into objects, and into those of lists. *Limits.* True, false
//! and null are no text. A text that looks like JSON is read as JSON; its words are the same.

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

/// The fields that are read for those that are asked for: of `data.question` the field of this
/// name, and `data`, in which `question` may lie.
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

/// The texts of a field of a document, in order.
pub(super) fn texts_of<'d>(document: &'d Document<'_>, name: &str) -> Vec<Cow<'d, str>> {
    let value = |name: &str| {
        let mut fields = document.fields.iter();
        fields
            .find(|(other, _)| other == name)
            .map(|(_, value)| value)
    };
    let whole = value(name).map_or_else(Vec::new, |value| texts_within(value, &[]));
    if let Some((outer, inner)) = name.split_once('.').filter(|_| whole.is_empty()) {
        let path: Vec<&str> = inner.split('.').collect();
        return value(outer).map_or_else(Vec::new, |value| texts_within(value, &path));
    }
    whole
}

/// The texts at a path within a value.
fn texts_within<'v>(value: &'v FieldValue, path: &[&str]) -> Vec<Cow<'v, str>> {
    let mut texts = match value {
        FieldValue::Integer(number) if path.is_empty() => vec![Cow::Owned(number.to_string())],
        FieldValue::Float(number) if path.is_empty() => vec![Cow::Owned(number.to_string())],
        FieldValue::Text(text) => match serde_json::from_str(text) {
            Ok(value @ (Value::Array(_) | Value::Object(_))) => {
                texts_at(&value, path).into_iter().map(Cow::Owned).collect()
            }
            _ if path.is_empty() => vec![Cow::Borrowed(&**text)],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    texts.retain(|text| !text.is_empty());
    texts
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
        let texts = |json: &str, path: &[&str]| {
            let value = FieldValue::Text(json.to_owned());
            let texts = texts_within(&value, path);
            texts.into_iter().map(Cow::into_owned).collect::<Vec<_>>()
        };
        for (json, expected) in [
            ("How many?", &["How many?"][..]),
            ("[not json", &["[not json"]),
            (r#"["a", "b\n", 7, null, true, ""]"#, &["a", "b\n", "7"]),
            (
                r#"[{"role":"user","content":"why?"},{"content":"so"}]"#,
                &["why?", "so"],
            ),
            (r#"{"text":["x","y"],"label":["A","B"]}"#, &["x", "y"]),
            (
                r#"{"stem":"q","choices":[{"text":"x","label":"A"}]}"#,
                &["q"],
            ),
            (r#"{"a":"x","b":{"c":"y"}}"#, &["x", "y"]),
            ("[]", &[]),
            ("", &[]),
        ] {
            assert_eq!(texts(json, &[]), expected, "{json}");
        }
        let rows = r#"[{"q":{"text":"x"}},{"q":"y"},{"a":"z"},7]"#;
        assert_eq!(texts(rows, &["q"]), ["x", "y"]);
        assert_eq!(texts(rows, &["q", "text"]), ["x"]);
        assert!(texts(rows, &["b"]).is_empty());
        assert_eq!(texts_within(&FieldValue::Integer(42), &[]), ["42"]);
        assert!(texts_within(&FieldValue::Integer(42), &["q"]).is_empty());
        assert!(texts_within(&FieldValue::Bool(true), &[]).is_empty());
    }
}
