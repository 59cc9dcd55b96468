//! One line of JSONL → the fields of a document.
//!
//! *Input.* One JSON object, the names of the fields. *Output.* A [`Record`] that borrows from the line wherever a string
//! has no escapes, or a [`Problem`]. *Algorithm.* One pass with a visitor: fields that are not named are checked for
//! syntax and forgotten, small ones are kept as raw JSON until the whole line is known to be sound. *Memory.* A copy of
//! strings with escapes. *Limits.* A named field may occur once only.

mod text;

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::date;
use crate::{Date, Field, FieldNames, FieldValue};
use text::{AnyText, Text, text_in};

/// Longest part of a parser's message that is passed on: it may quote the line.
const DETAIL_CHARS: usize = 200;

/// The fields of a document.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) url: Option<Cow<'a, str>>,
    pub(crate) date: Option<Date>,
    pub(crate) text: Cow<'a, str>,
    pub(crate) is_html: bool,
    pub(crate) fields: Vec<Field>,
}

/// Why a line is no document.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) reason: &'static str,
    pub(crate) detail: String,
    pub(crate) url: Option<String>,
}

impl Problem {
    fn new(reason: &'static str, detail: impl fmt::Display) -> Self {
        Problem { reason, detail: detail.to_string().chars().take(DETAIL_CHARS).collect(), url: None }
    }

    fn bad_field(name: &str, expected: &str) -> Self {
        Problem::new("bad-field", format_args!("{name} has to be {expected}"))
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Problem::new("bad-json", error)
    }
}

/// Reads one line, without its end.
pub(crate) fn parse<'a>(line: &'a [u8], names: &FieldNames) -> Result<Record<'a>, Problem> {
    let line = std::str::from_utf8(line)
        .map_err(|error| Problem::new("bad-utf8", format_args!("at byte {} of the line", error.valid_up_to())))?;
    let mut raw = Raw { carry: vec![None; names.carry.len()], ..Raw::default() };
    let mut parser = serde_json::Deserializer::from_str(line);
    Collect { names, raw: &mut raw }.deserialize(&mut parser)?;
    parser.end()?;
    if let Some(name) = raw.twice {
        return Err(Problem::new("duplicate-key", name));
    }
    // The URL first: a rejection is easier to follow up with it.
    let url = string_of(raw.url, &names.url)?;
    match record_of(raw, names) {
        Ok(record) => Ok(Record { url, ..record }),
        Err(problem) => Err(Problem { url: url.map(Cow::into_owned), ..problem }),
    }
}

/// All but the URL.
fn record_of<'a>(mut raw: Raw<'a>, names: &FieldNames) -> Result<Record<'a>, Problem> {
    let (text, is_html) = text_of(&mut raw, names)?;
    let carried = names.carry.iter().zip(&raw.carry);
    let fields = carried.map(|(name, value)| Ok((name.clone(), value_of(*value)?))).collect::<Result<_, Problem>>()?;
    let (id, date) = (id_of(raw.id, &names.id)?, date_of(raw.date, &names.date)?);
    Ok(Record { id, url: None, date, text, is_html, fields })
}

/// The named fields of a line, as far as they occur.
#[derive(Debug, Default)]
struct Raw<'a> {
    text: Option<Text<'a>>,
    html: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    url: Option<&'a RawValue>,
    date: Option<&'a RawValue>,
    carry: Vec<Option<&'a RawValue>>,
    /// A named field that occurs more than once.
    twice: Option<String>,
}

struct Collect<'n, 'r, 'de> {
    names: &'n FieldNames,
    raw: &'r mut Raw<'de>,
}

impl<'de> DeserializeSeed<'de> for Collect<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Collect<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Collect { names, raw } = self;
        while let Some(key) = map.next_key_seed(AnyText)? {
            let Text::String(key) = key else { return Err(A::Error::custom("a key is no string")) };
            let is_text = *key == *names.text;
            let single = [(&names.html, &mut raw.html), (&names.id, &mut raw.id), (&names.url, &mut raw.url)];
            let single = single.into_iter().chain([(&names.date, &mut raw.date)]);
            let mut slots: Vec<_> = single.filter(|(name, _)| **name == *key).map(|(_, slot)| slot).collect();
            let carried = names.carry.iter().zip(&mut raw.carry);
            slots.extend(carried.filter(|(name, _)| **name == *key).map(|(_, slot)| slot));
            let is_second = if slots.is_empty() && !is_text {
                map.next_value::<IgnoredAny>()?;
                false
            } else if slots.is_empty() {
                // The usual case of the largest field: decoded at once, not scanned twice.
                raw.text.replace(map.next_value_seed(AnyText)?).is_some()
            } else {
                let value = map.next_value::<&'de RawValue>()?;
                let text = if is_text { Some(text_in(value).map_err(A::Error::custom)?) } else { None };
                let mut had = text.is_some_and(|text| raw.text.replace(text).is_some());
                for slot in slots {
                    had |= slot.replace(value).is_some();
                }
                had
            };
            if is_second {
                raw.twice = Some(key.into_owned());
            }
        }
        Ok(())
    }
}

/// The text field, or else the HTML field; and whether it is HTML.
fn text_of<'a>(raw: &mut Raw<'a>, names: &FieldNames) -> Result<(Cow<'a, str>, bool), Problem> {
    match raw.text.take() {
        Some(Text::String(text)) => return Ok((text, false)),
        Some(Text::Other) => return Err(Problem::bad_field(&names.text, "a string")),
        Some(Text::Null) | None => {}
    }
    match string_of(raw.html, &names.html)? {
        Some(html) => Ok((html, true)),
        None => Err(Problem::new("no-text", format_args!("neither {} nor {}", names.text, names.html))),
    }
}

fn string_of<'a>(value: Option<&'a RawValue>, name: &str) -> Result<Option<Cow<'a, str>>, Problem> {
    match value.map(text_in).transpose()? {
        Some(Text::String(text)) => Ok(Some(text)),
        Some(Text::Null) | None => Ok(None),
        Some(Text::Other) => Err(Problem::bad_field(name, "a string")),
    }
}

/// A number is kept as it was written: 2^63, 1e999 and 7.0 are as good as names.
fn id_of<'a>(value: Option<&'a RawValue>, name: &str) -> Result<Option<Cow<'a, str>>, Problem> {
    match value {
        Some(number) if is_number(number) => Ok(Some(Cow::Borrowed(number.get()))),
        other => string_of(other, name).map_err(|problem| expecting(problem, name, "a string or a number")),
    }
}

fn date_of(value: Option<&RawValue>, name: &str) -> Result<Option<Date>, Problem> {
    match value {
        Some(number) if is_number(number) => Ok(match number.get().parse::<i64>() {
            Ok(seconds) => date::from_seconds(seconds),
            Err(_) => number.get().parse().ok().and_then(date::from_float_seconds),
        }),
        other => string_of(other, name)
            .map(|text| text.and_then(|text| date::parse(&text)))
            .map_err(|problem| expecting(problem, name, "an RFC 3339 string or a number of seconds")),
    }
}

fn expecting(problem: Problem, name: &str, expected: &str) -> Problem {
    if problem.reason == "bad-field" { Problem::bad_field(name, expected) } else { problem }
}

fn is_number(value: &RawValue) -> bool {
    value.get().starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

fn value_of(value: Option<&RawValue>) -> Result<FieldValue, Problem> {
    let Some(value) = value else { return Ok(FieldValue::Null) };
    let json = value.get();
    Ok(match json.as_bytes().first() {
        Some(b'n') | None => FieldValue::Null,
        Some(b't') => FieldValue::Bool(true),
        Some(b'f') => FieldValue::Bool(false),
        Some(b'[' | b'{') => FieldValue::Text(json.to_owned()),
        Some(b'"') => match text_in(value)? {
            Text::String(text) => FieldValue::Text(text.into_owned()),
            Text::Null | Text::Other => FieldValue::Null,
        },
        Some(_) => match json.parse() {
            Ok(integer) => FieldValue::Integer(integer),
            // A number beyond the range of a float becomes infinite, which says as much as can be said.
            Err(_) => json.parse().map_or(FieldValue::Null, FieldValue::Float),
        },
    })
}
