//! `--set KEY=VALUE`: values of the command line in place of those of the file.
//!
//! They are put into the tree of the file before anything is checked, so that the same checks see
//! them. A value keeps its place: its bytes count on from the end of the file's text.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Problems, quoted};

/// The name under which a value is parsed.
const NAME: &str = "v=";

/// An option as it is parsed.
pub(super) struct Text<'s> {
    /// `sketch.shingle-size`; the whole option if it has no `=`.
    key: &'s str,
    /// `v=VALUE`, after blanks, so that the value is at its place. `None`: no `=`.
    value: Option<String>,
    /// Its bytes, which are behind those of the file and of the options before.
    at: Range<usize>,
}

/// Splits options into keys and values. A value that is not TOML is a text.
pub(super) fn texts(set: &[String], file_bytes: usize) -> Vec<Text<'_>> {
    let mut end = file_bytes;
    let mut texts = Vec::new();
    for option in set {
        let (key, value) = match option.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim())),
            None => (option.as_str(), None),
        };
        let value = value.map(|value| match DeValue::parse(value) {
            Ok(_) => value.to_owned(),
            Err(_) => toml::Value::from(value).to_string(),
        });
        let value = value.map(|value| " ".repeat(end) + NAME + &value);
        let start = end + NAME.len();
        end = value.as_ref().map_or(start, String::len);
        texts.push(Text {
            key,
            value,
            at: start..end,
        });
    }
    texts
}

/// Puts the values into the tree; the last one of a key counts.
pub(super) fn apply<'s>(
    texts: &'s [Text<'s>],
    file: &mut DeTable<'s>,
    problems: &mut Problems<'_>,
) {
    for text in texts {
        let Some(value) = &text.value else {
            problems.option(text.at.start, "--set".to_owned());
            let got = quoted(text.key);
            let message = format!("expected KEY=VALUE, such as cluster.resemblance=0.7, got {got}");
            problems.at(&text.at, message);
            continue;
        };
        problems.option(
            text.at.start,
            format!("--set {}", quoted(text.key).trim_matches('"')),
        );
        let Ok(mut table) = DeTable::parse(value) else {
            problems.at(&text.at, "invalid TOML");
            continue;
        };
        if let Some(value) = table.get_mut().remove("v") {
            put(file, text, value);
        }
    }
}

/// Puts a value at its key, below tables that are made where they are missing.
fn put<'s>(file: &mut DeTable<'s>, text: &Text<'s>, value: Spanned<DeValue<'s>>) {
    let (parents, name) = text.key.rsplit_once('.').unwrap_or(("", text.key));
    let mut table = file;
    for parent in parents.split('.').filter(|parent| !parent.is_empty()) {
        let key = Spanned::new(text.at.clone(), Cow::Borrowed(parent.trim()));
        let empty = || Spanned::new(text.at.clone(), DeValue::Table(DeTable::new()));
        let entry = table.entry(key).or_insert_with(empty);
        if !entry.get_ref().is_table() {
            *entry = empty();
        }
        let DeValue::Table(below) = entry.get_mut() else {
            return;
        };
        table = below;
    }
    let key = Cow::Borrowed(name.trim());
    // The old key goes with its place in the file.
    table.remove(key.as_ref());
    table.insert(Spanned::new(text.at.clone(), key), value);
}
