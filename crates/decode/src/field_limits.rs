//! Bounds on what a record says of itself: its URL, its id, and the fields that are carried.
//!
//! *Input.* What the reader of any format hands on. *Output.* The same to the sink of the caller. A
//! document whose URL is too long has none, and a carried field that is too long is null; both are
//! flagged. A record whose id is too long is rejected: nobody could find it by a part of its id, or
//! without one. *Memory.* The carried fields of one document, where one of them is too long.

use crate::document::{
    CarriedField, Document, FIELD_TOO_LONG, FieldValue, ID_TOO_LONG, Rejection, Revisit, Sink,
    SinkError, URL_TOO_LONG,
};
use crate::options::{CARRIED_FIELDS_MAX, ReadOptions};

/// A sink that gets no field of more bytes than is allowed.
pub struct FieldLimits<'s> {
    options: &'s ReadOptions,
    sink: &'s mut dyn Sink,
}

impl<'s> FieldLimits<'s> {
    /// Before this sink.
    pub fn new(options: &'s ReadOptions, sink: &'s mut dyn Sink) -> Self {
        FieldLimits { options, sink }
    }

    fn is_long_url(&self, url: Option<&str>) -> bool {
        url.is_some_and(|url| url.len() as u64 > self.options.max_url_bytes)
    }

    /// Why a record with this id is rejected, if it is.
    fn long_id(&self, id: Option<&str>) -> Option<String> {
        let (bytes, max) = (id?.len(), self.options.max_field_bytes);
        let is_long = bytes as u64 > max;
        is_long.then(|| format!("the id has {bytes} bytes, max-field in [input] is {max}"))
    }

    /// The fields with null for those that are too long, or for which no room is left; `None` if
    /// all fit.
    fn shortened(&self, fields: &[CarriedField]) -> Option<Vec<CarriedField>> {
        let max = self.options.max_field_bytes;
        let mut room = max.saturating_mul(CARRIED_FIELDS_MAX);
        let mut fits = |value: &FieldValue| {
            let FieldValue::Text(text) = value else {
                return true;
            };
            let bytes = text.len() as u64;
            let fits = bytes <= max.min(room);
            room -= if fits { bytes } else { 0 };
            fits
        };
        let fitting: Vec<bool> = fields.iter().map(|(_, value)| fits(value)).collect();
        let is_whole = fitting.iter().all(|fits| *fits);
        (!is_whole).then(|| {
            let fields = fields.iter().zip(fitting);
            let kept = fields.map(|((name, value), fits)| {
                let value = if fits {
                    value.clone()
                } else {
                    FieldValue::Null
                };
                (name.clone(), value)
            });
            kept.collect()
        })
    }
}

impl Sink for FieldLimits<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        if let Some(detail) = self.long_id(document.id) {
            let url = document.url.map(str::to_owned);
            let detail = document.place.within_entry(detail);
            return self.rejected(Rejection {
                url,
                ..Rejection::new(document.place.entry_offset, ID_TOO_LONG, detail)
            });
        }
        let is_long_url = self.is_long_url(document.url);
        let shortened = self.shortened(document.fields);
        if !is_long_url && shortened.is_none() {
            return self.sink.document(document);
        }
        let mut flags = document.flags.to_vec();
        flags.extend(is_long_url.then_some(URL_TOO_LONG));
        flags.extend(shortened.is_some().then_some(FIELD_TOO_LONG));
        self.sink.document(&Document {
            url: document.url.filter(|_| !is_long_url),
            fields: shortened.as_deref().unwrap_or(document.fields),
            flags: &flags,
            ..*document
        })
    }

    fn revisit(&mut self, revisit: &Revisit<'_>) -> Result<(), SinkError> {
        let offset = revisit.place.entry_offset;
        if let Some(detail) = self.long_id(revisit.id) {
            return self.rejected(Rejection {
                url: revisit.url.map(str::to_owned),
                ..Rejection::new(offset, ID_TOO_LONG, revisit.place.within_entry(detail))
            });
        }
        if self.is_long_url(revisit.url) {
            let detail = "a revisit is told from others by its URL".to_owned();
            let detail = revisit.place.within_entry(detail);
            return self.rejected(Rejection::new(offset, URL_TOO_LONG, detail));
        }
        // No document has them.
        let refers_to_id = revisit
            .refers_to_id
            .filter(|id| self.long_id(Some(id)).is_none());
        let refers_to_url = revisit
            .refers_to_url
            .filter(|url| !self.is_long_url(Some(url)));
        self.sink.revisit(&Revisit {
            refers_to_id,
            refers_to_url,
            ..*revisit
        })
    }

    fn rejected(&mut self, mut rejection: Rejection) -> Result<(), SinkError> {
        if self.is_long_url(rejection.url.as_deref()) {
            rejection.url = None;
        }
        self.sink.rejected(rejection)
    }

    fn skipped(&mut self, kind: &str) {
        self.sink.skipped(kind);
    }
}
