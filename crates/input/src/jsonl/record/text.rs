//! A JSON value that should be a string.
//!
//! *Input.* Any sound value, as it was written. *Output.* A [`Text`], borrowed from the line if the
//! string has no escapes. *Limits.* Of a value that is no string nothing is held.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use decode::features::Features;

/// A value that may be a string.
#[derive(Debug)]
pub(super) enum Text<'a> {
    /// It is.
    String(Cow<'a, str>),
    /// `null`.
    Null,
    /// Anything else.
    Other,
}

/// Reads a sound value that was kept as it was written. An escape that is no character, such as a
/// lone surrogate, is an error.
pub(super) fn text_in(value: &str) -> serde_json::Result<Text<'_>> {
    Ok(match value.as_bytes().first() {
        Some(b'"') => Text::String(string_in(value)?),
        Some(b'n') => Text::Null,
        _ => Text::Other,
    })
}

/// The characters of a sound string.
pub(super) fn string_in(value: &str) -> serde_json::Result<Cow<'_, str>> {
    match value.get(1..value.len() - 1) {
        // Without escapes it is what stands between its quotes.
        Some(plain) if memchr::memchr(b'\\', plain.as_bytes()).is_none() => {
            Ok(Cow::Borrowed(plain))
        }
        _ => serde_json::from_str(value).map(Cow::Owned),
    }
}

/// Reads a sound value that should be a list of features; `None` if it is something else.
pub(super) fn features_in(value: &str) -> serde_json::Result<Option<String>> {
    if !value.starts_with('[') {
        return Ok(None);
    }
    // No list has more bytes than its JSON.
    let features = Features::with_capacity(value.len());
    serde_json::Deserializer::from_str(value).deserialize_seq(FeatureList(features))
}

struct FeatureList(Features);

impl<'de> Visitor<'de> for FeatureList {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of strings")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Option<String>, A::Error> {
        while let Some(value) = seq.next_element::<&RawValue>()? {
            match text_in(value.get()).map_err(serde::de::Error::custom)? {
                Text::String(text) => self.0.push(Some(&text)),
                Text::Null | Text::Other => self.0.push(None),
            }
        }
        Ok(self.0.into_text())
    }
}
