//! The words of documents without their numbers, as fingerprints.
//!
//! *Input.* Documents; the input files, which are read again. *Output.* For each document how many
//! words it has that are not all digits, and the fingerprint of their sequence, in document order.
//! *Algorithm.* As sets are made (`texts`), with the tokens of `drop-numbers`, whatever the
//! configuration says. *Memory.* Two sorts of an eighth of the free budget, and what reading takes.
//! *Disk.* 16 bytes a document. *Limits.* A document without a body, and one that cannot be read
//! any more, has no row.

use crate::places::WantedPlace;
use crate::texts::{InputTexts, TakeText};
use crate::{WantedDocument, WantedDocuments};
use format::FormatError;
use model::{Content, Words};
use runtime::Error;
use sets::Workplace;
use sketch::{SketchParams, Sketcher, TokenUnit};
use sort::{Distinct, Prefixes, Reservation, SortedWords, Sorter, WordSorter};
use std::sync::{Mutex, PoisonError};

/// ⟨document, words, upper and lower half of the fingerprint⟩.
pub type NumberlessWords = Words<4>;

/// Collects the documents to read.
pub struct Numberless<'a> {
    place: Workplace<'a>,
    wanted: Sorter<WantedDocument, Distinct>,
    memory: Reservation,
}

impl<'a> Numberless<'a> {
    /// Begins.
    ///
    /// # Errors
    /// When the documents of the run cannot be counted.
    pub fn begin(place: &Workplace<'a>) -> Result<Numberless<'a>, Error> {
        let engine = place.engine;
        let memory = engine.budget.reserve_share(1, 8);
        let spec = engine.sort_spec(place.dir.clone(), "wanted", memory.bytes());
        let range = Prefixes::documents(engine.segments()?.documents());
        Ok(Numberless {
            place: place.clone(),
            wanted: Sorter::new(spec, Distinct).expecting(range),
            memory,
        })
    }

    /// Adds a document, in any order and as often as you like, and the one whose text is read.
    ///
    /// # Errors
    /// When a scratch file cannot be written.
    pub fn push(&mut self, doc: u32, text: u32) -> Result<(), Error> {
        let wanted = self.wanted.push(Words([text, doc]));
        wanted.map_err(Error::work(self.place.phase))
    }

    /// Reads the documents.
    ///
    /// # Errors
    /// When the disk reports an error, or the call is interrupted.
    pub fn finish(self, texts: &InputTexts<'_>) -> Result<SortedWords<NumberlessWords>, Error> {
        let Numberless {
            place,
            wanted,
            memory,
        } = self;
        let engine = place.engine;
        let sorted = engine.budget.reserve_share(1, 8);
        let spec = engine.sort_spec(place.dir.clone(), "numberless", sorted.bytes());
        let range = Prefixes::documents(engine.segments()?.documents());
        let found = Mutex::new(WordSorter::new(spec).expecting(range));
        let params = SketchParams {
            tokens: TokenUnit::Words,
            drop_numbers: true,
            ..engine.config.sketch.params()
        };
        let wanted = WantedDocuments {
            sorted: wanted.finish().map_err(Error::work(place.phase))?,
            _memory: memory,
        };
        texts.read_documents(wanted, &params, || {
            Ok(Hasher {
                sketcher: Sketcher::new(&params),
                found: &found,
            })
        })?;
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = found.finish().map_err(Error::work(place.phase));
        drop(sorted);
        found
    }
}

/// What one thread makes fingerprints with.
struct Hasher<'a> {
    sketcher: Sketcher,
    found: &'a Mutex<WordSorter<NumberlessWords>>,
}

impl TakeText for Hasher<'_> {
    fn take(&mut self, wanted: &WantedPlace, content: Content<'_>) -> Result<(), FormatError> {
        let sketched = self.sketcher.sketch(content);
        let words = u32::try_from(sketched.words).unwrap_or(u32::MAX);
        let [high, low] = [sketched.lexical >> 32, sketched.lexical].map(|half| half as u32);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.push(Words([wanted.doc, words, high, low]))
    }
}
