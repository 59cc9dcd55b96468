//! A JSON value that should be a string.
//!
//! *Input.* Any value. *Output.* A [`Text`], borrowed from the line if the string has no escapes.
//! *Limits.* What is no string is checked for syntax and forgotten, without being held.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
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
