//! The state that the steps of the phase share.

use crate::classes::EqualDocuments;
use crate::memory;
use crate::order::DocumentOrder;
use engine::{Engine, Error, ScratchDir, cells::SpillableCells};
use exact::{InputTexts, TakeText, WantedDocument, WantedDocuments, WantedSorter};
use format::FormatError;
use model::{Unpoisoned, WordRecord, Words};
use sort::{Lookup, Reservation, SortedWords, WordSorter};
use std::sync::Mutex;

/// Makes what takes the documents that a thread reads.
pub(super) type TakerMaker<'a> = dyn Fn() -> Result<Box<TakeText<'a>>, FormatError> + Sync + 'a;

/// A source of the texts of documents.
pub(super) trait PassageTexts {
    /// Hands every wanted document that can be read to the taker of a thread.
    fn read(&self, wanted: WantedDocuments, taker: &TakerMaker<'_>) -> Result<(), Error>;
}

impl PassageTexts for InputTexts<'_> {
    fn read(&self, wanted: WantedDocuments, taker: &TakerMaker<'_>) -> Result<(), Error> {
        self.hand_on(wanted, taker)
    }
}

/// What the steps share.
pub(super) struct Passages<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) scratch: ScratchDir,
    /// Tokens of a window.
    pub(super) words: u32,
    pub(super) order: Mutex<DocumentOrder>,
    pub(super) equal: Mutex<EqualDocuments>,
    /// 1 at each wanted document that was not read yet.
    pub(super) unread: Mutex<SpillableCells>,
}

/// Sorted records, and the memory of their sort.
pub(super) struct HeldRecords<R: WordRecord> {
    pub(super) records: Lookup<SortedWords<R>>,
    _memory: Reservation,
}

impl<R: WordRecord> HeldRecords<R> {
    pub(super) fn of(sorter: WordSorter<R>, memory: Reservation) -> Result<HeldRecords<R>, Error> {
        Ok(HeldRecords {
            records: Lookup::over(sorter.finish()?)?,
            _memory: memory,
        })
    }
}

impl Passages<'_> {
    /// The document that is read for one, and that one.
    pub(super) fn text_of(&self, doc: u32) -> Result<WantedDocument, Error> {
        let text = self.equal.lock().unpoisoned().text_of(doc)?;
        Ok(Words([text, doc]))
    }

    /// The documents that a function gives, in any order, to be read.
    pub(super) fn wanted<E: Into<Error>>(
        &self,
        mut next: impl FnMut() -> Result<Option<WantedDocument>, E>,
    ) -> Result<WantedDocuments, Error> {
        let mut wanted = WantedSorter::begin(&self.scratch, memory::WANTED);
        let mut before = None;
        while let Some(document) = next().map_err(E::into)? {
            if before.replace(document) != Some(document) {
                let Words([text, doc]) = document;
                wanted.push(doc, text)?;
            }
        }
        wanted.finish()
    }
}
