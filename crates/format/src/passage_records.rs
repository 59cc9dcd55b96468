//! The records of phase `passages`.

use model::{keyed, record, word_record};

/// The characters of a run of tokens in the text of its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Characters {
    /// The first character of the first token.
    pub begin: u32,
    /// The character after the last token.
    pub end: u32,
}

impl Characters {
    /// The document has markup, or could not be read again.
    pub const UNKNOWN: Characters = Characters {
        begin: u32::MAX,
        end: u32::MAX,
    };
}

record! { Characters { begin, end } }
word_record! { Characters { begin, end } }

/// A maximal run of tokens of a document that repeated windows cover; or no token, if the document
/// could not be read and nobody knows its passages. 41 bytes, by document and token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PassageRecord {
    /// The document.
    pub doc: u32,
    /// Its first token.
    pub begin: u32,
    /// The token after its last.
    pub end: u32,
    /// Its characters.
    pub characters: Characters,
    /// The fewest and the most places at which one of its windows stands.
    pub places: [u32; 2],
    /// The most documents in which one of its windows stands.
    pub documents: u32,
    /// The document that has its first window first in the order of `keep`.
    pub source_doc: u32,
    /// The token at which the window begins there.
    pub source_begin: u32,
    /// Whether all of its windows stand here first.
    pub is_source: bool,
}

record! {
    PassageRecord {
        doc, begin, end, characters, places, documents, source_doc, source_begin, is_source,
    },
    |passage| u64::from(passage.doc) << 32 | u64::from(passage.begin)
}
keyed! { PassageRecord: u32 = |passage| passage.doc }

impl PassageRecord {
    /// A document that could not be read.
    pub fn of_unread(doc: u32) -> PassageRecord {
        PassageRecord {
            doc,
            begin: 0,
            end: 0,
            characters: Characters::UNKNOWN,
            places: [0; 2],
            documents: 0,
            source_doc: doc,
            source_begin: 0,
            is_source: false,
        }
    }

    /// Whether it stands for a document that could not be read.
    pub fn is_of_unread(&self) -> bool {
        self.begin == self.end
    }
}

/// A run of tokens of a document that repeated windows cover, and that no window covers which
/// stands here first in the order of `keep`; or the whole document, if another one with its tokens
/// stays. 20 bytes, by document and token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutRecord {
    /// The document.
    pub doc: u32,
    /// Its first token.
    pub begin: u32,
    /// The token after its last.
    pub end: u32,
    /// Its characters.
    pub characters: Characters,
}

record! { CutRecord { doc, begin, end, characters } }
word_record! { CutRecord { doc, begin, end, characters } }
keyed! { CutRecord: u32 = |cut| cut.doc }

impl CutRecord {
    /// All of a document, whatever its length.
    pub fn whole(doc: u32) -> CutRecord {
        CutRecord {
            doc,
            begin: 0,
            end: u32::MAX,
            characters: Characters::UNKNOWN,
        }
    }

    /// Whether the document goes because another one with its tokens stays.
    pub fn is_whole(&self) -> bool {
        self.end == u32::MAX
    }
}
