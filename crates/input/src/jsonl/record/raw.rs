//! The named fields of one line, before their values are read.

use std::borrow::Cow;

use super::text::Text;
use decode::options::{FieldNames, USUAL_TEXT_FIELDS};

/// A buffer for one string with escapes, until it is taken.
pub(super) type EscapeBuffer<'a> = Option<&'a mut Vec<u8>>;

/// The named fields of a line, as far as they occur: sound JSON as it was written, but for the
/// text.
#[derive(Debug, Default)]
pub(super) struct RawFields<'a> {
    pub(super) text: Option<Text<'a>>,
    pub(super) html: Option<&'a str>,
    /// The value of `html`, if it was already decoded.
    pub(super) html_text: Option<Cow<'a, str>>,
    pub(super) features: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) url: Option<&'a str>,
    pub(super) date: Option<&'a str>,
    pub(super) carry: Vec<Option<&'a str>>,
    /// The fields that hold the text under another usual name.
    pub(super) usual_text: [Option<&'a str>; USUAL_TEXT_FIELDS.len()],
    /// A named field that occurs more than once.
    pub(super) twice: Option<String>,
}

impl<'a> RawFields<'a> {
    pub(super) fn for_names(names: &FieldNames) -> Self {
        RawFields {
            carry: vec![None; names.carry.len()],
            ..RawFields::default()
        }
    }

    /// The names of all fields but the text, each with its value. A name may occur more than once.
    pub(super) fn slots<'r>(
        &'r mut self,
        names: &'r FieldNames,
    ) -> impl Iterator<Item = (&'r str, &'r mut Option<&'a str>)> {
        let single = [
            (&*names.html, &mut self.html),
            (&*names.id, &mut self.id),
            (&*names.url, &mut self.url),
            (&*names.date, &mut self.date),
        ];
        let features = names.features.as_deref().zip(Some(&mut self.features));
        let carried = names.carry.iter().map(String::as_str);
        let usual = names.usual_text().map(|(name, _)| name);
        single
            .into_iter()
            .chain(features)
            .chain(carried.zip(&mut self.carry))
            .chain(usual.zip(&mut self.usual_text))
    }
}
