//! A JSON value that should be a string.
//!
//! *Input.* Any value. *Output.* A [`Text`], borrowed from the line if the string has no escapes.
//! *Limits.* What is no string is checked for syntax and forgotten, without being held.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

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

/// Reads a sound value that was kept as it was written.
///
/// # Errors
/// A string with an escape that is no character, such as a lone surrogate.
pub(super) fn text_in(value: &str) -> serde_json::Result<Text<'_>> {
    // A sound string without escapes is what stands between its quotes.
    match value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(plain) if memchr::memchr(b'\\', plain.as_bytes()).is_none() => {
            Ok(Text::String(Cow::Borrowed(plain)))
        }
        _ => AnyText.deserialize(&mut serde_json::Deserializer::from_str(value)),
    }
}

/// Reads a [`Text`].
pub(super) struct AnyText;

impl<'de> DeserializeSeed<'de> for AnyText {
    type Value = Text<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyText {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text::String(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text::String(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<Text<'de>, E> {
        Ok(Text::Null)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Text<'de>, E> {
        Ok(Text::Other)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Text<'de>, E> {
        Ok(Text::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Text<'de>, E> {
        Ok(Text::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Text<'de>, E> {
        Ok(Text::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Text<'de>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::Other)
    }
}

/// Reads a sound value that should be a list of features; `None` if it is something else.
pub(super) fn features_in(value: &str) -> serde_json::Result<Option<String>> {
    if !value.starts_with('[') {
        return Ok(None);
    }
    let list = FeatureList { bytes: value.len() };
    list.deserialize(&mut serde_json::Deserializer::from_str(value))
}

/// Reads a list of features that was written with so many bytes.
struct FeatureList {
    bytes: usize,
}

impl<'de> DeserializeSeed<'de> for FeatureList {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for FeatureList {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of strings")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Option<String>, A::Error> {
        // no list has more bytes than its JSON
        let mut features = Features::with_capacity(self.bytes);
        while let Some(text) = seq.next_element_seed(AnyText)? {
            match text {
                Text::String(text) => features.push(Some(&text)),
                Text::Null | Text::Other => features.push(None),
            }
        }
        Ok(features.into_text())
    }
}
