//! Passages of documents.

use super::Index;
use super::passage_files::IndexedPassages;
use format::{FormatError, PassageRecord};

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
