//! From the tree of a TOML text to values of known keys.
//!
//! The tree is walked by the table of keys instead of by derived deserialization, which stops at
//! the first wrong value: here every unknown key and every wrong value is told at once.

use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::check;
use super::keys::FILE;
use super::kind::{Key, KeyKind, LineRole, Section, Value};
use super::nearest::nearest;
use super::problem::{Problems, quoted};
use super::values::{ReadKey, SectionValues, TextInFile};

/// Reads a table of the file: tells of unknown keys and wrong values.
pub(super) fn table(
    section: &'static Section,
    entries: &DeTable<'_>,
    at: Range<usize>,
    problems: &mut Problems<'_>,
) -> SectionValues {
    let names = section.names();
    let mut meant = Vec::new();
    for key in entries.keys() {
        if !names.contains(&key.get_ref().as_ref()) {
            problems.at(&key.span(), unknown_key(key.get_ref(), section, &names));
            meant.extend(nearest(key.get_ref(), &names));
        }
    }
    let mut fields = Vec::new();
    for key in section.keys {
        let given = entries.get(key.name());
        let name = section.full_name(key.name());
        let read = given.and_then(|given| value(key, given, &name, problems));
        fields.push(ReadKey {
            is_wrong: read.is_none() && (given.is_some() || meant.contains(&key.name())),
            at: given.map(Spanned::span),
            value: read.or_else(|| default(key)),
        });
    }
    SectionValues {
        section,
        at,
        fields,
    }
}

/// The value of a key, or `None` after reporting a problem.
pub(super) fn value(
    key: &Key,
    value: &Spanned<DeValue<'_>>,
    name: &str,
    problems: &mut Problems<'_>,
) -> Option<Value> {
    let read: Result<Value, String> = match (&key.kind, value.get_ref()) {
        (KeyKind::Table(section), DeValue::Table(entries)) => {
            Ok(Rc::new(table(section, entries, value.span(), problems)))
        }
        (KeyKind::Tables(section), DeValue::Array(items)) => {
            let mut tables = Vec::new();
            for item in items.iter() {
                match item.get_ref() {
                    DeValue::Table(entries) => {
                        tables.push(table(section, entries, item.span(), problems));
                    }
                    other => problems.at(
                        &item.span(),
                        format!("{name}: {}", check::wrong_type("a table", other)),
                    ),
                }
            }
            Ok(Rc::new(tables))
        }
        (KeyKind::Texts(rule), DeValue::Array(items)) => {
            let mut texts = Vec::new();
            for item in items.iter() {
                match check::text(item.get_ref()).and_then(|text| rule(text).map(|()| text)) {
                    Ok(text) => texts.push(TextInFile::new(text, item.span(), name)),
                    Err(message) => problems.at(&item.span(), format!("{name}: {message}")),
                }
            }
            Ok(Rc::new(texts))
        }
        (kind, value) => check::single(kind, value),
    };
    read.map_err(|message| problems.at(&value.span(), format!("{name}: {message}")))
        .ok()
}

/// The value where the file does not give the key.
fn default(key: &Key) -> Option<Value> {
    let mut problems = Problems::new(Path::new(""), "");
    if key.role != LineRole::Default {
        return None;
    }
    match (key.value(), &key.kind) {
        (Some(line), _) => {
            let written = DeValue::parse(line).ok()?;
            value(key, &written, "", &mut problems)
        }
        (None, KeyKind::Table(section)) => {
            let values = table(section, &DeTable::new(), 0..0, &mut problems);
            Some(Rc::new(values))
        }
        _ => None,
    }
}

fn unknown_key(key: &str, section: &Section, known: &[&str]) -> String {
    let place = match section.name {
        "" => "at the top level".to_owned(),
        name => format!("in [{name}]"),
    };
    let all = FILE.all().into_iter();
    let elsewhere = all
        .filter(|other| other.name != section.name && other.names().contains(&key))
        .map(|other| other.name)
        .next();
    let hint = match (nearest(key, known), elsewhere) {
        // `path` and `paths` are keys of different sections.
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
