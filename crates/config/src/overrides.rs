//! `--set KEY=VALUE`: values of the command line in place of those of the file.
//!
//! They are put into the tree of the file before anything is checked, so that the same checks see
//! them. The place of a value is behind the bytes of the file: one place for each option.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::FILE;
use super::kind::{KeyKind, Section};
use super::problem::{Problems, quoted};

/// The first key of this name, as `--set` takes it: `work.memory` for `memory`. `None` if there is
/// no such key, or `--set` cannot reach it.
pub fn key_path(name: &str) -> Option<String> {
    fn path_in(section: &'static Section, name: &str) -> Option<String> {
        section.keys.iter().find_map(|key| match key.kind {
            KeyKind::Table(below) => path_in(below, name),
            KeyKind::Tables(_) => None,
            _ if key.name() != name => None,
            _ if section.name.is_empty() => Some(name.to_owned()),
            _ => Some(format!("{}.{name}", section.name)),
        })
    }
    path_in(&FILE, name)
}

/// Puts the values into the tree of the file; the last one of a key counts. A value that is not
/// TOML is a text.
pub(super) fn apply<'s>(set: &'s [String], file: &mut DeTable<'s>, problems: &mut Problems<'_>) {
    for option in set {
        let Some((key, value)) = option.split_once('=') else {
            let at = problems.option("--set".to_owned());
            let got = quoted(option);
            let message = format!("expected KEY=VALUE, such as cluster.resemblance=0.7, got {got}");
            problems.at(&(at..at), message);
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        let at = problems.option(format!("--set {}", quoted(key).trim_matches('"')));
        let value = DeValue::parse(value)
            .map_or(DeValue::String(Cow::Borrowed(value)), Spanned::into_inner);
        put(file, key, at, moved(value, at));
    }
}

/// The value with all that is in it at one place.
fn moved(value: DeValue<'_>, at: usize) -> Spanned<DeValue<'_>> {
    let value = match value {
        DeValue::Array(items) => {
            let items = items.into_iter().map(|item| moved(item.into_inner(), at));
            DeValue::Array(items.collect())
        }
        DeValue::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| {
                let key = Spanned::new(at..at, key.into_inner());
                (key, moved(value.into_inner(), at))
            });
            DeValue::Table(entries.collect())
        }
        single => single,
    };
    Spanned::new(at..at, value)
}

/// Puts a value at its key, below tables that are made where they are missing.
fn put<'s>(file: &mut DeTable<'s>, key: &'s str, at: usize, value: Spanned<DeValue<'s>>) {
    let (parents, name) = key.rsplit_once('.').unwrap_or(("", key));
    let mut table = file;
    for parent in parents.split('.').filter(|parent| !parent.is_empty()) {
        let key = Spanned::new(at..at, Cow::Borrowed(parent));
        let empty = || Spanned::new(at..at, DeValue::Table(DeTable::new()));
        let entry = table.entry(key).or_insert_with(empty);
        if !entry.get_ref().is_table() {
            *entry = empty();
        }
        let DeValue::Table(below) = entry.get_mut() else {
            return;
        };
        table = below;
    }
    // The old key goes with its place in the file.
    table.remove(name);
    table.insert(Spanned::new(at..at, Cow::Borrowed(name)), value);
}
