//! From the parsed TOML to the raw types: known keys, right types, places.
//!
//! The tree is walked by hand instead of by derived deserialization, which stops at the first wrong
//! value: here every unknown key and every wrong type of a file is told in one go.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::nearest::nearest;
use super::problem::{Problems, quoted};
use super::raw::TABLES;

/// A value of the file, with its place.
#[derive(Clone, Debug)]
pub(super) struct Given<T> {
    /// The value.
    pub(super) value: T,
    /// Its bytes in the text.
    pub(super) at: Range<usize>,
    /// What messages call it: `shingle-size in [sketch]`.
    pub(super) name: String,
}

/// A key that may be absent.
#[derive(Clone, Debug, Default)]
pub(super) enum Field<T> {
    /// It is not there.
    #[default]
    Absent,
    /// It is there, or was meant by a misspelt one, but cannot be used; that was told.
    Wrong,
    /// It has a value.
    Given(Given<T>),
}

impl<T> Field<T> {
    /// The value, if there is one of the right type.
    pub(super) fn given(&self) -> Option<&Given<T>> {
        if let Field::Given(given) = self {
            Some(given)
        } else {
            None
        }
    }

    /// Whether the key is missing, so that this is still to be told.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self, Field::Absent)
    }
}

/// A value whose meaning depends on its type: a size is a number or a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    /// A whole number.
    Integer(i128),
    /// Another number.
    Float(f64),
    /// A text.
    Text(String),
}

/// A type that a value of the file can be read as.
pub(super) trait RawValue: Sized {
    /// The value, or `None` after saying what is wrong.
    fn read(value: &Spanned<DeValue<'_>>, name: &str, problems: &mut Problems<'_>) -> Option<Self>;
}

/// A table of known keys.
pub(super) trait RawTable: Sized {
    /// The keys it may have.
    const KEYS: &'static [&'static str];
    /// Takes all of them.
    fn take(table: &mut Table<'_, '_>) -> Self;
}

/// A table that is being read.
pub(super) struct Table<'a, 't> {
    /// Its name; empty for the whole file.
    path: &'a str,
    entries: &'a DeTable<'a>,
    /// Keys that misspelt ones were taken for.
    meant: Vec<&'static str>,
    problems: &'a mut Problems<'t>,
}

impl Table<'_, '_> {
    /// The value of a key, if it is there and of the right type.
    pub(super) fn take<T: RawValue>(&mut self, key: &str) -> Field<T> {
        let Some(value) = self.entries.get(key) else {
            return if self.meant.contains(&key) {
                Field::Wrong
            } else {
                Field::Absent
            };
        };
        let name = match self.path {
            "" => key.to_owned(),
            path => format!("{key} in [{path}]"),
        };
        match T::read(value, &name, self.problems) {
            Some(read) => Field::Given(Given {
                value: read,
                at: value.span(),
                name,
            }),
            None => Field::Wrong,
        }
    }
}

/// Reads a table: says which keys are unknown, and takes the known ones.
pub(super) fn read_table<T: RawTable>(
    path: &str,
    entries: &DeTable<'_>,
    problems: &mut Problems<'_>,
) -> T {
    let mut meant = Vec::new();
    for key in entries
        .keys()
        .filter(|key| !T::KEYS.contains(&key.get_ref().as_ref()))
    {
        problems.at(&key.span(), unknown_key(key.get_ref(), path, T::KEYS));
        meant.extend(nearest(key.get_ref(), T::KEYS));
    }
    T::take(&mut Table {
        path,
        entries,
        meant,
        problems,
    })
}

fn unknown_key(key: &str, path: &str, known: &[&str]) -> String {
    let place = if path.is_empty() {
        "at the top level".to_owned()
    } else {
        format!("in [{path}]")
    };
    let elsewhere = TABLES
        .iter()
        .find(|(other, keys)| *other != path && keys.contains(&key))
        .map(|(other, _)| *other);
    let hint = match (nearest(key, known), elsewhere) {
        // `path` and `paths` are keys of different tables.
        (Some(near), Some(_)) if near.starts_with(key) || key.starts_with(near) => {
            format!("did you mean {near:?}?")
        }
        (_, Some("")) => "it belongs at the top of the file, before the first table".to_owned(),
        (_, Some(other)) => format!("it belongs in [{other}]"),
        (Some(near), None) => format!("did you mean {near:?}?"),
        (None, None) => format!("known keys: {}", known.join(", ")),
    };
    format!("unknown key {} {place}; {hint}", quoted(key))
}

fn wrong_type(
    expected: &str,
    value: &Spanned<DeValue<'_>>,
    name: &str,
    problems: &mut Problems<'_>,
) {
    let got = match value.get_ref() {
        DeValue::String(text) => format!("the text {}", quoted(text)),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    };
    problems.at(
        &value.span(),
        format!("{name}: expected {expected}, got {got}"),
    );
}

/// The number, unless it has more than 38 digits.
fn integer(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

impl RawValue for String {
    fn read(value: &Spanned<DeValue<'_>>, name: &str, problems: &mut Problems<'_>) -> Option<Self> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(text.clone().into_owned());
        }
        wrong_type("a text in quotes", value, name, problems);
        None
    }
}

impl RawValue for bool {
    fn read(value: &Spanned<DeValue<'_>>, name: &str, problems: &mut Problems<'_>) -> Option<Self> {
        if let DeValue::Boolean(value) = value.get_ref() {
            return Some(*value);
        }
        wrong_type("true or false", value, name, problems);
        None
    }
}

impl RawValue for i128 {
    fn read(value: &Spanned<DeValue<'_>>, name: &str, problems: &mut Problems<'_>) -> Option<Self> {
        if let DeValue::Integer(number) = value.get_ref()
            && let Some(number) = integer(number)
        {
            return Some(number);
        }
        wrong_type("a whole number", value, name, problems);
        None
    }
}

impl RawValue for Scalar {
    fn read(value: &Spanned<DeValue<'_>>, name: &str, problems: &mut Problems<'_>) -> Option<Self> {
        let scalar = match value.get_ref() {
            DeValue::Integer(number) => integer(number).map(Scalar::Integer),
            DeValue::Float(number) => number.as_str().parse().ok().map(Scalar::Float),
            DeValue::String(text) => Some(Scalar::Text(text.clone().into_owned())),
            _ => None,
        };
        if scalar.is_none() {
            wrong_type("a number or a text", value, name, problems);
        }
        scalar
    }
}

impl RawValue for Vec<Given<String>> {
    fn read(value: &Spanned<DeValue<'_>>, name: &str, problems: &mut Problems<'_>) -> Option<Self> {
        let DeValue::Array(items) = value.get_ref() else {
            wrong_type("a list of texts", value, name, problems);
            return None;
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            if let Some(text) = String::read(item, name, problems) {
                texts.push(Given {
                    value: text,
                    at: item.span(),
                    name: name.to_owned(),
                });
            }
        }
        Some(texts)
    }
}

impl<T: RawTable> RawValue for Vec<Given<T>> {
    fn read(value: &Spanned<DeValue<'_>>, name: &str, problems: &mut Problems<'_>) -> Option<Self> {
        let DeValue::Array(items) = value.get_ref() else {
            wrong_type("tables in double brackets", value, name, problems);
            return None;
        };
        let read = |item| T::read(item, name, problems).map(|value| (value, Spanned::span(item)));
        let tables = items.iter().filter_map(read);
        Some(
            tables
                .map(|(value, at)| Given {
                    value,
                    at,
                    name: name.to_owned(),
                })
                .collect(),
        )
    }
}

impl<T: RawTable> RawValue for T {
    fn read(value: &Spanned<DeValue<'_>>, name: &str, problems: &mut Problems<'_>) -> Option<Self> {
        let DeValue::Table(entries) = value.get_ref() else {
            wrong_type("a table", value, name, problems);
            return None;
        };
        // `method in [sketch]` is the table [sketch.method]
        let path = match name
            .strip_suffix(']')
            .and_then(|name| name.split_once(" in ["))
        {
            Some((key, parent)) => format!("{parent}.{key}"),
            None => name.to_owned(),
        };
        Some(read_table(&path, entries, problems))
    }
}
