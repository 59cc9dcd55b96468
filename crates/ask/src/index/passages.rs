//! Passages: those of a document, and those of others that stand in it first.

use super::{Index, Opener};
use crate::query::line;
use format::{
    BlockKey, FormatError, IndexFile, IndexManifest, MappedRecords, PassageRecord, QuoteRecord,
    RecordRange, SortedRecords,
};
use std::sync::Arc;

/// The passages of a run that looked for them.
#[derive(Debug)]
pub struct IndexedPassages {
    passages: SortedRecords<PassageRecord>,
    quotes: SortedRecords<QuoteRecord>,
    /// Tokens of the shortest one.
    shortest: u32,
    /// Whether documents of equal tokens have passages each by itself.
    counts_all: bool,
}

/// The line of the parameters by which each document counts by itself.
const COUNTS_ALL: &str = "passage-count = all";

impl IndexedPassages {
    /// Opens them, if they are there.
    pub(super) fn open(
        open: &Opener<'_>,
        keys: &Arc<MappedRecords<BlockKey>>,
    ) -> Result<Option<IndexedPassages>, FormatError> {
        let IndexManifest {
            files, parameters, ..
        } = open.manifest;
        if !files.contains_key(IndexFile::Passages.name()) {
            return Ok(None);
        }
        let words = line(parameters, "passage-words");
        Ok(Some(IndexedPassages {
            passages: open.sorted(IndexFile::Passages, keys)?,
            quotes: open.sorted(IndexFile::Quotes, keys)?,
            shortest: words.and_then(|words| words.parse().ok()).unwrap_or(1),
            counts_all: parameters.lines().any(|line| line == COUNTS_ALL),
        }))
    }

    /// Tokens of the shortest one.
    pub fn shortest(&self) -> u32 {
        self.shortest
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.passages.records().len()
    }

    /// All of them, by document and token.
    pub fn all(&self) -> Result<RecordRange<'_, PassageRecord>, FormatError> {
        self.passages.between(0, None)
    }

    /// The passages of other documents whose first window stands in this one first, by its place.
    pub fn quotes(&self, doc: u32) -> Result<RecordRange<'_, QuoteRecord>, FormatError> {
        self.quotes.of(doc)
    }

    /// The passages of other documents whose first window stands first here, at one of so many
    /// windows from a token on.
    pub fn quotes_at(
        &self,
        doc: u32,
        begin: u32,
        windows: u32,
    ) -> Result<RecordRange<'_, QuoteRecord>, FormatError> {
        let place = u64::from(doc) << 32 | u64::from(begin);
        let end = place.checked_add(u64::from(windows));
        self.quotes.between(place, end)
    }
}

impl Index {
    /// The passages, if the run looked for them.
    pub fn passages(&self) -> Option<&IndexedPassages> {
        self.passages.as_ref()
    }

    /// The document that has the passages of this one: the lowest of those with its tokens, unless
    /// each has its own.
    pub fn doc_with_passages(&self, doc: u32) -> Result<u32, FormatError> {
        match &self.passages {
            Some(passages) if !passages.counts_all => Ok(self.class(doc)?.lowest_of_equal_tokens()),
            _ => Ok(doc),
        }
    }

    /// The passages of a document, in order; none if the run did not look for them.
    pub fn passages_of(&self, doc: u32) -> Result<Vec<PassageRecord>, FormatError> {
        match &self.passages {
            Some(passages) => {
                let doc = self.doc_with_passages(doc)?;
                passages.passages.of(doc)?.iter().collect()
            }
            None => Ok(Vec::new()),
        }
    }
}
