//! One line of JSONL → the fields of a document.
//!
//! *Input.* One JSON object, the names of the fields. *Output.* A [`JsonRecord`] that borrows from
//! the line wherever a string has no escapes, or a [`LineProblem`]. *Algorithm.* The usual line is
//! read by [`scan`]; any other is judged by serde_json, in one pass with a visitor: fields that are
//! not named are checked for syntax and forgotten, small ones are kept as raw JSON until the whole
//! line is known to be sound. *Memory.* A copy of strings with escapes. *Limits.* A named field may
//! occur once only.

mod advice;
mod raw;
mod scan;
mod specials;
mod text;

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use decode::date;
use decode::document::{CarriedField, Date, FieldValue, ID_NOT_TEXT, URL_NOT_TEXT};
use decode::features::FEATURES_EXPECTED;
use decode::options::FieldNames;
use model::Markup;
use raw::RawFields;
use text::{Text, features_in, string_in, text_in};

/// Longest part of a parser's message that is passed on: it may quote the line.
const DETAIL_CHARS: usize = 200;

/// Reason of a line that is no JSON object.
pub(crate) const BAD_JSON: &str = "bad-json";

/// Reason of a record with a field of another type.
const BAD_FIELD: &str = "bad-field";

/// Reason of a record without any field that may hold text.
const NO_TEXT: &str = "no-text";

/// The fields of a document.
#[derive(Debug)]
pub(crate) struct JsonRecord<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) url: Option<Cow<'a, str>>,
    pub(crate) date: Option<Date>,
    pub(crate) text: Cow<'a, str>,
    pub(crate) markup: Markup,
    /// The field that has the text, if it is not the configured one; the other fields that could
    /// not be read.
    pub(crate) flags: Vec<&'static str>,
    pub(crate) fields: Vec<CarriedField>,
}

/// Why a line is no document.
#[derive(Debug)]
pub(crate) struct LineProblem {
    pub(crate) reason: &'static str,
    pub(crate) detail: String,
    pub(crate) url: Option<String>,
}

impl LineProblem {
    fn new(reason: &'static str, detail: impl fmt::Display) -> Self {
        LineProblem {
            reason,
            detail: detail.to_string().chars().take(DETAIL_CHARS).collect(),
            url: None,
        }
    }
}

impl From<serde_json::Error> for LineProblem {
    fn from(error: serde_json::Error) -> Self {
        LineProblem::new(BAD_JSON, error)
    }
}

/// Reads one line, without its end. Its text may lie in `scratch` afterwards.
pub(crate) fn parse<'a>(
    line: &'a [u8],
    names: &FieldNames,
    scratch: &'a mut Vec<u8>,
) -> Result<JsonRecord<'a>, LineProblem> {
    let line = simdutf8::compat::from_utf8(line).map_err(|error| {
        LineProblem::new(
            "bad-utf8",
            format_args!("invalid UTF-8 at byte {} of the line", error.valid_up_to()),
        )
    })?;
    let mut scratch = Some(scratch);
    let raw = match scan::scan(line, names, &mut scratch) {
        Some(raw) => raw,
        None => judge(line, names)?,
    };
    // The URL first: a rejection is easier to follow up with it.
    let mut flags = Vec::new();
    let url = readable(string_of(raw.url), URL_NOT_TEXT, &mut flags);
    match record_of(raw, names, flags) {
        Ok(record) => Ok(JsonRecord { url, ..record }),
        Err(mut problem) => {
            if problem.detail.is_empty() {
                let is_bad = problem.reason == BAD_FIELD;
                let detail = advice::about_text(line, names, is_bad, DETAIL_CHARS);
                problem = LineProblem::new(problem.reason, detail);
            }
            let url = url.map(Cow::into_owned);
            Err(LineProblem { url, ..problem })
        }
    }
}

/// The named fields of any line, or what is wrong with it.
fn judge<'a>(line: &'a str, names: &FieldNames) -> Result<RawFields<'a>, LineProblem> {
    let mut raw = RawFields::for_names(names);
    let mut parser = serde_json::Deserializer::from_str(line);
    let raw_fields = &mut raw;
    parser.deserialize_map(Collect {
        names,
        raw: raw_fields,
    })?;
    parser.end()?;
    match raw.twice {
        Some(name) => Err(LineProblem::new("duplicate-key", name)),
        None => Ok(raw),
    }
}

/// All but the URL.
fn record_of<'a>(
    mut raw: RawFields<'a>,
    names: &FieldNames,
    mut flags: Vec<&'static str>,
) -> Result<JsonRecord<'a>, LineProblem> {
    let RecordText { text, markup, flag } = match names.fields_only {
        true => RecordText {
            text: Cow::Borrowed(""),
            markup: Markup::None,
            flag: None,
        },
        false => text_of(&mut raw, names)?,
    };
    flags.extend(flag);
    let carried = names.carry.iter().zip(&raw.carry);
    let fields = carried
        .map(|(name, value)| Ok((name.clone(), value_of(*value)?)))
        .collect::<Result<_, LineProblem>>()?;
    let id = readable(id_of(raw.id), ID_NOT_TEXT, &mut flags);
    let date = date_of(raw.date, &mut flags);
    Ok(JsonRecord {
        id,
        url: None,
        date,
        text,
        markup,
        flags,
        fields,
    })
}

/// The value of a field that a document can be without; a flag where it is of another type, or
/// holds half a surrogate pair.
fn readable<T>(
    value: Result<Option<T>, LineProblem>,
    flag: &'static str,
    flags: &mut Vec<&'static str>,
) -> Option<T> {
    value.unwrap_or_else(|_| {
        flags.push(flag);
        None
    })
}

struct Collect<'n, 'r, 'de> {
    names: &'n FieldNames,
    raw: &'r mut RawFields<'de>,
}

impl<'de> Visitor<'de> for Collect<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Collect { names, raw } = self;
        while let Some(key) = map.next_key::<&RawValue>()? {
            let key = string_in(key.get()).map_err(A::Error::custom)?;
            let is_text = *key == *names.text;
            if !is_text && !raw.slots(names).any(|(name, _)| name == key) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value::<&'de RawValue>()?.get();
            let mut is_second = false;
            if is_text {
                let text = text_in(value).map_err(A::Error::custom)?;
                is_second = raw.text.replace(text).is_some();
            }
            for (_, slot) in raw.slots(names).filter(|(name, _)| *name == key) {
                is_second |= slot.replace(value).is_some();
            }
            if is_second {
                raw.twice = Some(key.into_owned());
            }
        }
        Ok(())
    }
}

/// The text of a record.
struct RecordText<'a> {
    text: Cow<'a, str>,
    markup: Markup,
    /// As [`JsonRecord::flags`].
    flag: Option<&'static str>,
}

/// The features, or else the first that has text of the text field, the other usual ones, and the
/// HTML field.
fn text_of<'a>(raw: &mut RawFields<'a>, names: &FieldNames) -> Result<RecordText<'a>, LineProblem> {
    let body = |text, markup| RecordText {
        text,
        markup,
        flag: None,
    };
    if let (Some(value), Some(name)) = (
        raw.features.filter(|value| *value != "null"),
        &names.features,
    ) {
        let features = features_in(value)?;
        let features = features.ok_or_else(|| {
            LineProblem::new(
                BAD_FIELD,
                format_args!("{name} must be {FEATURES_EXPECTED}"),
            )
        })?;
        return Ok(body(Cow::Owned(features), Markup::Features));
    }
    // A field of blanks is taken only if no other one has text.
    let mut blank = None;
    match raw.text.take() {
        Some(Text::String(text)) => match body(text, Markup::None) {
            body if body.is_blank() => blank = Some(body),
            body => return Ok(body),
        },
        Some(Text::Other) => return Err(LineProblem::new(BAD_FIELD, "")),
        Some(Text::Null) | None => {}
    }
    for ((_, flag), value) in names.usual_text().zip(raw.usual_text) {
        // An object or a number of this name has nothing to do with the text.
        if let Some(Text::String(text)) = value.map(text_in).transpose()? {
            let flag = Some(flag);
            let body = RecordText {
                flag,
                ..body(text, Markup::None)
            };
            if !body.is_blank() {
                return Ok(body);
            }
            blank.get_or_insert(body);
        }
    }
    let html = match raw.html_text.take() {
        Some(html) => Some(html),
        None => match string_of(raw.html) {
            Err(_) if blank.is_some() => None,
            html => html?,
        },
    };
    let html = html.map(|html| body(html, Markup::Html));
    html.filter(|html| blank.is_none() || !html.is_blank())
        .or(blank)
        .ok_or_else(|| LineProblem::new(NO_TEXT, ""))
}

impl RecordText<'_> {
    fn is_blank(&self) -> bool {
        self.text.trim_start().is_empty()
    }
}

fn string_of(value: Option<&str>) -> Result<Option<Cow<'_, str>>, LineProblem> {
    match value.map(text_in).transpose()? {
        Some(Text::String(text)) => Ok(Some(text)),
        Some(Text::Null) | None => Ok(None),
        Some(Text::Other) => Err(LineProblem::new(BAD_FIELD, "")),
    }
}

/// A number is kept as it was written: 2^63, 1e999 and 7.0 are as good as names.
fn id_of(value: Option<&str>) -> Result<Option<Cow<'_, str>>, LineProblem> {
    match value {
        Some(number) if is_number(number) => Ok(Some(Cow::Borrowed(number))),
        other => string_of(other),
    }
}

/// A number or a text; a flag where it is neither, or says no date.
fn date_of(value: Option<&str>, flags: &mut Vec<&'static str>) -> Option<Date> {
    let value = value?;
    let date = if is_number(value) {
        match value.parse() {
            Ok(number) => date::from_number(number),
            Err(_) => value.parse().ok().and_then(date::from_float),
        }
    } else {
        match text_in(value) {
            Ok(Text::Null) => return None,
            Ok(Text::String(text)) => date::parse(&text),
            Ok(Text::Other) | Err(_) => None,
        }
    };
    if date.is_none() {
        flags.push(date::IMPOSSIBLE_DATE);
    }
    date
}

fn is_number(value: &str) -> bool {
    value.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

fn value_of(value: Option<&str>) -> Result<FieldValue, LineProblem> {
    let Some(json) = value else {
        return Ok(FieldValue::Null);
    };
    Ok(match json.as_bytes().first() {
        Some(b'n') | None => FieldValue::Null,
        Some(b't') => FieldValue::Bool(true),
        Some(b'f') => FieldValue::Bool(false),
        Some(b'[' | b'{') => FieldValue::Text(json.to_owned()),
        Some(b'"') => match text_in(json)? {
            Text::String(text) => FieldValue::Text(text.into_owned()),
            Text::Null | Text::Other => FieldValue::Null,
        },
        Some(_) => match json.parse() {
            Ok(integer) => FieldValue::Integer(integer),
            // A number beyond the range of a float becomes infinite, which says as much as can be
            // said.
            Err(_) => json.parse().map_or(FieldValue::Null, FieldValue::Float),
        },
    })
}
