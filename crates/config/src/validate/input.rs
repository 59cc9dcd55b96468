//! `[input]`.

use std::collections::HashMap;
use std::sync::Arc;

use input::{Charset, FieldNames, NamedSource};

use crate::problem::{Problems, quoted};
use crate::values::{SectionValues, TextInFile};
use crate::{InputConfig, InputFrom, SourceConfig};

/// Checks whether the section names files; `from` says whether it has to, or must not.
pub(super) fn check_paths(raw: &SectionValues, from: InputFrom, problems: &mut Problems<'_>) {
    match from {
        InputFrom::Snapshots => {
            for key in ["paths", "source"] {
                let message = format!(
                    "the input consists of snapshots (snapshots.toml or [snapshots]); \
                     remove {key}, and add its files with `pipeline snapshot add NAME PATH`"
                );
                raw.tell(key, &message, problems);
            }
        }
        InputFrom::Paths if raw.is_absent("source") => {
            let advice = "name the files, directories or globs to read";
            raw.require("paths", advice, problems);
        }
        InputFrom::Paths | InputFrom::Anywhere => {}
    }
}

/// Checks `[input]`.
pub(super) fn config(raw: &SectionValues, problems: &mut Problems<'_>) -> InputConfig {
    let defaults = FieldNames {
        carry: carry(&raw.get::<Vec<TextInFile>>("carry-fields"), problems),
        ..FieldNames::default()
    };
    let fields = fields(raw, &defaults, problems);
    let format = raw.get("format");
    let charset = charset(raw, None);
    check_not_empty(raw, problems);
    let others = NamedSource {
        name: String::new(),
        format,
        fields: fields.clone(),
        charset,
        is_read_otherwise: false,
    };
    let sources = sources(raw, &others, problems);
    InputConfig {
        paths: texts(all_paths(raw)),
        exclude: texts(raw.find("exclude").unwrap_or_default()),
        sources,
        format,
        fields,
        charset,
        max_document_bytes: raw.get("max-document"),
        max_page_bytes: raw.get("max-page"),
        max_expansion: raw.get("max-expansion"),
        max_url_bytes: raw.get("max-url"),
        max_field_bytes: raw.get("max-field"),
        max_rejected: raw.get("max-rejected"),
    }
}

/// The names of fields, those of `others` where the section does not say.
fn fields(raw: &SectionValues, others: &FieldNames, problems: &mut Problems<'_>) -> FieldNames {
    let name = |key: &str, other: &String| raw.find(key).unwrap_or_else(|| other.clone());
    let fields = FieldNames {
        id: name("id-field", &others.id),
        text: name("text-field", &others.text),
        html: name("html-field", &others.html),
        features: raw.find("features-field").or(others.features.clone()),
        url: name("url-field", &others.url),
        date: name("date-field", &others.date),
        carry: others.carry.clone(),
        fields_only: false,
        source: None,
    };
    let (text, html) = (Some(&fields.text), Some(&fields.html));
    let features = fields.features.as_ref();
    for (one, other, a, b) in [
        ("text-field", "html-field", text, html),
        ("text-field", "features-field", text, features),
        ("html-field", "features-field", html, features),
    ] {
        // Equal names that a source only takes over from [input] are reported for [input].
        let is_own = !raw.is_absent(one) || !raw.is_absent(other) || raw.section.name == "input";
        if a == b && is_own {
            let given = raw.at(other).or(raw.at(one)).unwrap_or(raw.at.clone());
            let (name, section) = (quoted(a.map_or("", String::as_str)), raw.section.name);
            let message = format!(
                "{one} and {other} in [{section}]: both are {name}; name two different fields"
            );
            problems.at(&given, message);
        }
    }
    fields
}

/// The encoding that the section says, or else that of the others.
fn charset(raw: &SectionValues, others: Option<Charset>) -> Option<Charset> {
    let own: Option<String> = raw.find("charset");
    own.map_or(others, |own| Charset::named(&own))
}

/// The paths of the section and of its sources.
pub(super) fn all_paths(raw: &SectionValues) -> Vec<TextInFile> {
    let mut paths: Vec<TextInFile> = raw.find("paths").unwrap_or_default();
    for source in raw.find::<Vec<SectionValues>>("source").unwrap_or_default() {
        paths.extend(source.find::<Vec<TextInFile>>("paths").unwrap_or_default());
    }
    paths
}

/// `[[input.source]]`. What a source does not say is as in `[input]`.
fn sources(
    raw: &SectionValues,
    others: &NamedSource,
    problems: &mut Problems<'_>,
) -> Vec<SourceConfig> {
    let mut sources: Vec<SourceConfig> = Vec::new();
    for raw in raw.find::<Vec<SectionValues>>("source").unwrap_or_default() {
        for key in ["name", "paths"] {
            raw.require(key, "a source has a name and paths", problems);
        }
        check_not_empty(&raw, problems);
        let given = raw.given("name");
        let is_known = |given: &TextInFile| sources.iter().any(|one| one.source.name == given.text);
        if let Some(given) = given.filter(is_known) {
            tell_twice(&given, problems);
        }
        let like_others = NamedSource {
            format: raw.find("format").unwrap_or(others.format),
            fields: fields(&raw, &others.fields, problems),
            charset: charset(&raw, others.charset),
            ..others.clone()
        };
        sources.push(SourceConfig {
            paths: texts(raw.find("paths").unwrap_or_default()),
            source: Arc::new(NamedSource {
                name: raw.find("name").unwrap_or_default(),
                is_read_otherwise: like_others != *others,
                ..like_others
            }),
        });
    }
    sources
}

/// Tells of an empty list of paths.
fn check_not_empty(raw: &SectionValues, problems: &mut Problems<'_>) {
    let paths: Option<Vec<TextInFile>> = raw.find("paths");
    if paths.is_some_and(|paths| paths.is_empty()) {
        let message = "expected at least one path, got an empty list";
        raw.tell("paths", message, problems);
    }
}

/// Carried fields become columns. Several readers of tables ignore the case of their names.
fn carry(names: &[TextInFile], problems: &mut Problems<'_>) -> Vec<String> {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for name in names {
        match seen.insert(name.text.to_lowercase(), &name.text) {
            Some(before) if before == name.text => tell_twice(name, problems),
            Some(before) => {
                let message = format!(
                    "{}: {} and {} differ in case alone, which readers of tables do not tell \
                     apart; name one of them",
                    name.name,
                    quoted(before),
                    quoted(&name.text)
                );
                problems.at(&name.at, message);
            }
            None => {}
        }
    }
    names.iter().map(|name| name.text.clone()).collect()
}

fn tell_twice(given: &TextInFile, problems: &mut Problems<'_>) {
    let message = format!("{}: {} occurs twice", given.name, quoted(&given.text));
    problems.at(&given.at, message);
}

fn texts(given: Vec<TextInFile>) -> Vec<String> {
    given.into_iter().map(|given| given.text).collect()
}
