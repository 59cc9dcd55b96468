//! The passages of an index: by document, and by the place where they stand first.

use format::{FormatError, PassageRecord, QuoteRecord, RecordRange, SortedRecords};

/// The value of a key in parameters.
pub(crate) fn line<'a>(parameters: &'a str, key: &str) -> Option<&'a str> {
    parameters
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))
}

/// The passages of a run that looked for them.
#[derive(Debug)]
pub struct IndexedPassages {
    pub(super) passages: SortedRecords<PassageRecord>,
    quotes: SortedRecords<QuoteRecord>,
    /// Tokens of the shortest one.
    shortest: u32,
    /// Whether documents of equal tokens have passages each by itself.
    pub(super) counts_all: bool,
}

impl IndexedPassages {
    /// Of these files; `parameters` are those of the run.
    pub(super) fn new(
        passages: SortedRecords<PassageRecord>,
        quotes: SortedRecords<QuoteRecord>,
        parameters: &str,
    ) -> IndexedPassages {
        let words = line(parameters, "passage-words");
        IndexedPassages {
            passages,
            quotes,
            shortest: words.and_then(|words| words.parse().ok()).unwrap_or(1),
            counts_all: line(parameters, "passage-count") == Some("all"),
        }
    }

    /// Tokens of the shortest one.
    pub fn shortest(&self) -> u32 {
        self.shortest
    }

    /// All of them, by document and token.
    pub fn all(&self) -> Result<RecordRange<'_, PassageRecord>, FormatError> {
        self.passages.between(0, None)
    }

    /// The windows of other documents that stand in this one first, by their place here.
    pub fn quotes(&self, doc: u32) -> Result<RecordRange<'_, QuoteRecord>, FormatError> {
        self.quotes.of(doc)
    }

    /// Those of other documents that begin at one of so many windows from a token on.
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
