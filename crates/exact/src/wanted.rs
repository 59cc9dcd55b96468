//! The documents whose texts are wanted, in the order of the input.

use engine::{Error, ScratchDir};
use format::FormatError;
use model::Words;
use sort::{Distinct, Prefixes, Reservation, Share, Sorted, Sorter};

/// ⟨document to read, document it is read for⟩. The two differ where documents have equal tokens.
pub type WantedDocument = Words<2>;

/// Collects wanted documents.
pub struct WantedSorter {
    sorter: Sorter<WantedDocument, Distinct>,
    memory: Reservation,
}

impl WantedSorter {
    /// Begins; takes its share of the memory until the documents were read.
    pub fn begin(scratch: &ScratchDir, share: Share) -> WantedSorter {
        let memory = scratch.budget.take(share);
        let sorter = Sorter::new(scratch.sort_spec("wanted", memory.bytes()), Distinct);
        WantedSorter {
            sorter: sorter.expecting(Prefixes::documents(scratch.documents)),
            memory,
        }
    }

    /// Adds a document, in any order and as often as you like, and the one whose text is read.
    pub fn push(&mut self, doc: u32, text: u32) -> Result<(), Error> {
        self.sorter.push(Words([text, doc])).map_err(Error::from)
    }

    /// All of them.
    pub fn finish(self) -> Result<WantedDocuments, Error> {
        Ok(WantedDocuments {
            sorted: self.sorter.finish()?,
            _memory: self.memory,
        })
    }
}

/// The wanted documents in order, and the memory that sorts them.
pub struct WantedDocuments {
    sorted: Sorted<WantedDocument, Distinct>,
    _memory: Reservation,
}

impl WantedDocuments {
    /// The next one.
    pub fn next_document(&mut self) -> Result<Option<WantedDocument>, FormatError> {
        self.sorted.next()
    }
}
