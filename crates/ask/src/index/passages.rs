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

    /// The passages of a document, in order; `None` if the run did not look for them, or could not
    /// read the document.
    pub fn passages_of(&self, doc: u32) -> Result<Option<Vec<PassageRecord>>, FormatError> {
        let Some(passages) = &self.passages else {
            return Ok(None);
        };
        let records = passages.passages.of(self.doc_with_passages(doc)?)?;
        let records = records.iter().collect::<Result<Vec<PassageRecord>, _>>()?;
        Ok(Some(records).filter(|records| !records.iter().any(PassageRecord::is_of_unread)))
    }
}
