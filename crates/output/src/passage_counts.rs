//! The passages of a run, as its report has them.

use crate::humane::counted;
use serde::{Deserialize, Serialize};

/// Passages that stand at more than one place. Documents of equal tokens count once, unless
/// `[passages]` says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassageCounts {
    /// Words of the shortest passage.
    pub shortest: u32,
    /// Passages of all documents.
    pub passages: u64,
    /// Documents that count.
    pub documents: u64,
    /// Those of them that have a passage.
    pub documents_with_passages: u64,
    /// Words of the documents that count.
    pub words: u64,
    /// Words in passages.
    pub repeated_words: u64,
    /// Documents that could not be read again as they were: their passages are not known.
    pub unread: u64,
    /// The passages that stand at most places, each where it stands first.
    pub most_repeated: Vec<RepeatedPassage>,
    /// The documents of which the largest share is in passages.
    pub most_covered: Vec<CoveredDocument>,
}

impl PassageCounts {
    /// What the summary of a run says.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let share = 100.0 * self.repeated_words as f64 / self.words.max(1) as f64;
        let found = format!(
            "{share:.1} % of the words are in {} of {} words or more that stand elsewhere, too.",
            counted(self.passages, "passage"),
            self.shortest,
        );
        let unread = (self.unread > 0).then(|| {
            let documents = counted(self.unread, "document");
            format!("{documents} could not be read again: their passages are not known.")
        });
        [Some(found), unread].into_iter().flatten()
    }
}

/// A passage that stands at many places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatedPassage {
    /// The document in which it stands first.
    pub doc_id: i64,
    /// The first word of the passage.
    #[serde(rename = "begin_word")]
    pub begin: u32,
    /// The word after its last.
    #[serde(rename = "end_word")]
    pub end: u32,
    /// The most places at which one of its windows stands.
    pub places: u32,
    /// The most documents in which one of its windows stands.
    pub documents: u32,
}

/// A document of which much stands elsewhere, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredDocument {
    /// The document.
    pub doc_id: i64,
    /// Its words.
    pub words: u64,
    /// Its words in passages.
    pub repeated_words: u64,
}
