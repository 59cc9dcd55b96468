//! `[input]`.

use std::collections::HashSet;

use input::{FieldNames, Format, FormatChoice};

use super::places::check_text;
use super::{choice, expected, size};
use crate::problem::{Problems, quoted};
use crate::raw::{RawInput, RawSource};
use crate::read::{Field, Given, Scalar};
use crate::{InputConfig, InputFrom, SourceConfig};

const FORMATS: [(&str, FormatChoice); 7] = [
    ("auto", FormatChoice::Auto),
    ("warc", FormatChoice::Only(Format::Warc)),
    ("wet", FormatChoice::Only(Format::Warc)),
    ("jsonl", FormatChoice::Only(Format::Jsonl)),
    ("parquet", FormatChoice::Only(Format::Parquet)),
    ("html", FormatChoice::Only(Format::Html)),
    ("text", FormatChoice::Only(Format::Text)),
];

/// Checks `[input]`; `from` says whether it has to name the files, or must not.
pub(super) fn config(
    field: &Field<RawInput>,
    from: InputFrom,
    problems: &mut Problems<'_>,
) -> InputConfig {
    let absent = RawInput::default();
    let raw = field.given().map_or(&absent, |given| &given.value);
    let at = &field.given().map_or(0..0, |given| given.at.clone());
    let is_missing =
        raw.paths.is_absent() && raw.source.is_absent() && !matches!(field, Field::Wrong);
    match from {
        InputFrom::Snapshots => no_paths(raw, problems),
        InputFrom::Paths if is_missing => {
            problems.at(
                at,
                "missing key \"paths\" in [input]; name the files, directories or globs to read",
            );
        }
        _ => {}
    }
    let format = choice(&raw.format, &FORMATS, problems);
    let fields = FieldNames {
        id: field_name(&raw.id_field, "id", problems),
        text: field_name(&raw.text_field, "text", problems),
        html: field_name(&raw.html_field, "html", problems),
        url: field_name(&raw.url_field, "url", problems),
        date: field_name(&raw.date_field, "date", problems),
        carry: carry(&raw.carry_fields, problems),
    };
    if fields.text == fields.html {
        let place = raw
            .html_field
            .given()
            .or(raw.text_field.given())
            .map_or(at, |given| &given.at);
        let name = quoted(&fields.text);
        problems.at(
            place,
            format!(
                "text-field and html-field in [input]: both are {name}; a field is one or the other"
            ),
        );
    }
    let max_document_bytes = size(&raw.max_document, problems).unwrap_or(16 << 20);
    if let (0, Some(given)) = (max_document_bytes, raw.max_document.given()) {
        expected("at least 1 byte", given, problems);
    }
    let max_rejected = raw
        .max_rejected
        .given()
        .map_or(1.0, |given| share(given, problems));
    let sources = sources(&raw.source, problems);
    let mut paths = paths(&raw.paths, problems);
    paths.extend(
        sources
            .iter()
            .flat_map(|source| source.paths.iter().cloned()),
    );
    InputConfig {
        paths,
        sources,
        format,
        fields,
        max_document_bytes,
        max_rejected,
    }
}

/// Where snapshots are the input, nothing else is.
fn no_paths(raw: &RawInput, problems: &mut Problems<'_>) {
    let paths = raw.paths.given().map(|given| ("paths", &given.at));
    let sources = raw.source.given().map(|given| ("source", &given.at));
    for (key, at) in paths.into_iter().chain(sources) {
        let message = format!(
            "{key} in [input]: snapshots are the input here (snapshots.toml, or [snapshots]); take {key} out, and add the \
             files it names as one with `pipeline snapshot add NAME PATH`"
        );
        problems.at(at, message);
    }
}

/// The paths of the section and of its sources, as written.
pub(super) fn all_paths(raw: &RawInput) -> Vec<Given<String>> {
    let of = |field: &Field<Vec<Given<String>>>| {
        field
            .given()
            .map(|given| given.value.clone())
            .unwrap_or_default()
    };
    let sources = raw
        .source
        .given()
        .into_iter()
        .flat_map(|given| &given.value);
    of(&raw.paths)
        .into_iter()
        .chain(sources.flat_map(|source| of(&source.value.paths)))
        .collect()
}

/// `[[input.source]]`.
fn sources(field: &Field<Vec<Given<RawSource>>>, problems: &mut Problems<'_>) -> Vec<SourceConfig> {
    let mut sources: Vec<SourceConfig> = Vec::new();
    for Given { value: raw, at, .. } in field.given().iter().flat_map(|given| &given.value) {
        for (key, absent) in [
            ("name", raw.name.is_absent()),
            ("paths", raw.paths.is_absent()),
        ] {
            if absent {
                problems.at(
                    at,
                    format!(
                        "missing key {key:?} in [[input.source]]; a source has a name and paths"
                    ),
                );
            }
        }
        let name = raw
            .name
            .given()
            .map(|given| given.value.clone())
            .unwrap_or_default();
        if let Some(given) = raw.name.given() {
            if name.trim().is_empty() {
                expected("the name of a source", given, problems);
            } else if sources.iter().any(|source| source.name == name) {
                problems.at(
                    &given.at,
                    format!("{}: {} occurs twice", given.name, quoted(&name)),
                );
            }
        }
        sources.push(SourceConfig {
            name,
            paths: paths(&raw.paths, problems),
        });
    }
    sources
}

fn paths(field: &Field<Vec<Given<String>>>, problems: &mut Problems<'_>) -> Vec<String> {
    let Some(given) = field.given() else {
        return Vec::new();
    };
    if given.value.is_empty() {
        problems.at(
            &given.at,
            format!(
                "{}: expected at least one path, got an empty list",
                given.name
            ),
        );
    }
    for path in &given.value {
        check_text(
            path,
            path.value.strip_prefix('@').unwrap_or(&path.value),
            problems,
        );
    }
    given.value.iter().map(|path| path.value.clone()).collect()
}

fn field_name(field: &Field<String>, default: &str, problems: &mut Problems<'_>) -> String {
    match field.given() {
        Some(given) if given.value.is_empty() => {
            expected("the name of a field", given, problems);
            default.to_owned()
        }
        Some(given) => given.value.clone(),
        None => default.to_owned(),
    }
}

fn carry(field: &Field<Vec<Given<String>>>, problems: &mut Problems<'_>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for name in field.given().iter().flat_map(|given| &given.value) {
        let column = output::DOCUMENTS
            .columns
            .iter()
            .find(|column| column.name.eq_ignore_ascii_case(&name.value));
        if name.value.is_empty() {
            expected("the name of a field", name, problems);
        } else if let Some(column) = column {
            let text = format!(
                "{}: the document table has a column {} of its own",
                name.name,
                quoted(&column.name)
            );
            problems.at(&name.at, text);
        } else if seen.insert(&name.value) {
            names.push(name.value.clone());
        } else {
            problems.at(
                &name.at,
                format!("{}: {} occurs twice", name.name, quoted(&name.value)),
            );
        }
    }
    names
}

/// A share of 0 to 1, given as such or as a percentage.
fn share(given: &Given<Scalar>, problems: &mut Problems<'_>) -> f64 {
    let share = match &given.value {
        Scalar::Integer(number) => Some(*number as f64),
        Scalar::Float(number) => Some(*number),
        Scalar::Text(text) => text.strip_suffix('%').and_then(percentage),
    };
    // a NaN is in no range
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .unwrap_or_else(|| {
            expected(
                "a percentage such as \"5%\", or a share from 0 to 1",
                given,
                problems,
            );
            1.0
        })
}

fn percentage(text: &str) -> Option<f64> {
    let plain = text.trim();
    let digits = plain
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if digits {
        plain.parse::<f64>().ok().map(|percent| percent / 100.0)
    } else {
        None
    }
}
