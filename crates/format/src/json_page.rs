//! JSON with a digest of its own: the manifest of a work directory, the first page of an index.
//!
//! A page is an object whose entries are a body, with its version within, perhaps some texts, and a
//! digest of the bytes of the body and of these texts.

use crate::FormatError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::Path;
use twox_hash::XxHash3_128;

/// A page as it is written.
pub(crate) struct JsonPage<'t> {
    path: &'t Path,
    entries: BTreeMap<String, &'t RawValue>,
}

impl<'t> JsonPage<'t> {
    /// Takes a text apart.
    pub(crate) fn of(path: &'t Path, text: &'t str) -> Result<JsonPage<'t>, FormatError> {
        let entries = serde_json::from_str(text).map_err(|error| damaged(path, &error))?;
        Ok(JsonPage { path, entries })
    }

    fn raw(&self, name: &str) -> Result<&'t str, FormatError> {
        let missing = || FormatError::damaged(self.path, 0, format!("missing field `{name}`"));
        Ok(self.entries.get(name).ok_or_else(missing)?.get())
    }

    /// A text among the entries.
    pub(crate) fn text(&self, name: &str) -> Result<String, FormatError> {
        serde_json::from_str(self.raw(name)?).map_err(|error| damaged(self.path, &error))
    }

    /// The body of this name, if it has the version that is expected, called `what` in messages,
    /// and if the digest is that of the body and of the texts of these names.
    pub(crate) fn body<T: Deserialize<'t>>(
        &self,
        name: &str,
        what: &'static str,
        version: u16,
        texts: &[&str],
    ) -> Result<T, FormatError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u64,
        }
        let body = self.raw(name)?;
        if let Ok(Versioned { version: got }) = serde_json::from_str(body) {
            FormatError::expect(self.path, what, &u64::from(version), &got)?;
        }
        let read = serde_json::from_str(body).map_err(|error| damaged(self.path, &error))?;
        let texts = texts.iter().map(|name| self.text(name));
        if self.text("digest")? != digest(body, &texts.collect::<Result<String, _>>()?) {
            let what = "its digest does not match its content";
            return Err(FormatError::damaged(self.path, 0, what));
        }
        Ok(read)
    }
}

/// A body as it is written.
pub(crate) fn encode(path: &Path, body: &impl Serialize) -> Result<String, FormatError> {
    serde_json::to_string(body).map_err(|error| damaged(path, &error))
}

/// The digest of an encoded body and of the texts beside it, in hex.
pub(crate) fn digest(body: &str, texts: &str) -> String {
    let mut hasher = XxHash3_128::new();
    hasher.write(body.as_bytes());
    hasher.write(texts.as_bytes());
    format!("{:032x}", hasher.finish_128())
}

fn damaged(path: &Path, error: &serde_json::Error) -> FormatError {
    FormatError::damaged(path, 0, error.to_string())
}
