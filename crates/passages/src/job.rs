//! The state that the steps of the phase share.

use crate::memory;
use crate::order::DocumentOrder;
use engine::{Engine, Error, ScratchDir, cells::SpillableCells};
use exact::{Bodies, InputTexts, TakeText, WantedDocument, WantedDocuments, WantedSorter};
use format::FormatError;
use model::{Content, Unpoisoned, WordRecord, Words};
use sort::{Lookup, Reservation, SortedWords, WordSorter};
use std::sync::Mutex;

/// Records of a [`Batch`].
const BATCH: usize = 256;

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

/// Makes what finds records in the documents that a thread reads.
pub(super) type FinderMaker<'a, R> =
    dyn Fn() -> Result<Box<FindRecords<'a, R>>, FormatError> + Sync + 'a;

/// Finds records in a document.
pub(super) type FindRecords<'a, R> =
    dyn FnMut(WantedDocument, Content<'_>, &mut Batch<'_, R>) -> Result<(), FormatError> + 'a;

/// Records that a thread gathers before it pushes them into the sort of all threads.
pub(super) struct Batch<'a, R: WordRecord> {
    records: Vec<R>,
    sorter: &'a Mutex<WordSorter<R>>,
    pushed: Result<(), FormatError>,
}

impl<R: WordRecord> Batch<'_, R> {
    pub(super) fn push(&mut self, record: R) {
        self.records.push(record);
        if self.records.len() >= BATCH && self.pushed.is_ok() {
            self.pushed = self.pass_on();
        }
    }

    fn pass_on(&mut self) -> Result<(), FormatError> {
        let mut sorter = self.sorter.lock().unpoisoned();
        let mut records = self.records.drain(..);
        records.try_for_each(|record| sorter.push(record))
    }
}

/// What the steps share.
pub(super) struct Passages<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) scratch: ScratchDir,
    /// Tokens of a window.
    pub(super) words: u32,
    pub(super) order: Mutex<DocumentOrder>,
    /// The documents that are read for others.
    pub(super) bodies: Mutex<Bodies>,
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
        let text = self.bodies.lock().unpoisoned().of(doc)?;
        Ok(Words([text, doc]))
    }

    /// Reads the wanted documents; sorts the records that are found in them.
    pub(super) fn sorted<R: WordRecord + Send>(
        &self,
        (wanted, texts): (WantedDocuments, &dyn PassageTexts),
        sorter: WordSorter<R>,
        finder: &FinderMaker<'_, R>,
    ) -> Result<SortedWords<R>, Error> {
        let sorter = Mutex::new(sorter);
        texts.read(wanted, &|| {
            let mut find = finder()?;
            let mut batch = Batch {
                records: Vec::new(),
                sorter: &sorter,
                pushed: Ok(()),
            };
            Ok(Box::new(move |wanted, content| {
                find(wanted, content, &mut batch)?;
                std::mem::replace(&mut batch.pushed, Ok(()))?;
                batch.pass_on()
            }))
        })?;
        Ok(sorter.into_inner().unpoisoned().finish()?)
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
