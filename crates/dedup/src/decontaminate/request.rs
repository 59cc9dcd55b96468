//! The options of a call.

use engine::Error;
use model::Threshold;
use std::path::{Path, PathBuf};

/// The options of a call.
#[derive(Clone, Debug)]
pub struct DecontaminateRequest {
    /// Files, directories and globs of the references.
    pub references: Vec<PathBuf>,
    /// The fields of a reference that count, in the order of an item; if there are none, those that
    /// usually hold texts.
    pub fields: Vec<String>,
    /// Words of the shortest item, and of the shortest field that is searched for by itself.
    pub least_words: u32,
    /// Words of an n-gram.
    pub gram_words: u32,
    /// The share of an item, 0 to 1, from which on a document counts as holding it.
    pub least_share: f64,
    /// The kind of copies.
    pub deliver: DeliverClean,
    /// A Parquet file for the table, if no directory is written, which has one.
    pub table: Option<PathBuf>,
}

/// The copies of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeliverClean {
    /// None.
    #[default]
    Nothing,
    /// Copies without the documents that hold an item, in this directory.
    Documents(PathBuf),
    /// Copies without the stretches that hold an item, in this directory.
    Stretches(PathBuf),
    /// The input with the item and its share for each document, in this directory; nothing is
    /// removed.
    Annotated(PathBuf),
}

impl DeliverClean {
    /// The directory that is written, if one is.
    pub fn directory(&self) -> Option<&Path> {
        match self {
            DeliverClean::Nothing => None,
            DeliverClean::Documents(output)
            | DeliverClean::Stretches(output)
            | DeliverClean::Annotated(output) => Some(output),
        }
    }
}

impl Default for DecontaminateRequest {
    fn default() -> DecontaminateRequest {
        DecontaminateRequest {
            references: Vec::new(),
            fields: Vec::new(),
            least_words: 13,
            gram_words: 8,
            least_share: 0.8,
            deliver: DeliverClean::Nothing,
            table: None,
        }
    }
}

/// The longest n-gram.
const GRAM_WORDS_MAX: u32 = 64;

impl DecontaminateRequest {
    /// The least share, exactly.
    pub(super) fn threshold(&self) -> Result<Threshold, Error> {
        let threshold = Threshold::from_f64(self.least_share);
        threshold.map_err(|error| Error::Usage(format!("failed to use --min: {error}")))
    }

    /// Checks what needs no file.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |why: &str| Err(Error::Usage(format!("failed to start: {why}")));
        self.threshold()?;
        if self.references.is_empty() {
            return refuse("name a reference: a file, a directory or a glob");
        }
        if !(2..=GRAM_WORDS_MAX).contains(&self.gram_words) {
            return refuse("--ngram takes a number of words from 2 to 64");
        }
        if self.least_words < self.gram_words {
            return refuse("--least must not be below --ngram: shorter items have no n-gram");
        }
        if self.fields.iter().any(|name| name.trim().is_empty()) {
            return refuse("--fields has an empty name");
        }
        if self.fields.len() >= usize::from(u8::MAX) {
            return refuse("--fields takes at most 254 names");
        }
        Ok(())
    }
}
