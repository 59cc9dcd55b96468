//! Fingerprints of the texts of documents.
//!
//! *Input.* Documents; the input files, which are read again. *Output.* For each document the
//! fingerprint of what counts of its text ([`Compared`]), in document order. *Algorithm.* As sets
//! are made (`texts`). *Memory.* Two sorts of an eighth of the free budget, and what reading takes.
//! *Disk.* 20 bytes a document. *Limits.* A document without a body, and one that cannot be read
//! any more, has no row.

use crate::Workplace;
use crate::memory;
use crate::places::WantedPlace;
use crate::texts::InputTexts;
use crate::{FingerprintedTexts, WantedDocuments, WantedSorter};
use engine::{Error, ScratchDir};
use format::FormatError;
use model::{Content, Unpoisoned, keyed, record, word_record};
use sketch::{SketchParams, Sketcher, TokenUnit};
use sort::SortedWords;
use std::sync::Mutex;

/// The fingerprint of what counts of the text of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextFingerprint {
    /// The document.
    pub doc: u32,
    /// The fingerprint.
    pub text: u128,
}

record! { TextFingerprint { doc, text }, |one| u64::from(one.doc) << 32 }
word_record! { TextFingerprint { doc, text } }
keyed! { TextFingerprint: u32 = |one| one.doc }

/// The parts of two texts that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The words, but those of digits only, of the text that counts.
    WordsWithoutNumbers,
    /// The characters of all text, but for the kind and amount of white space. A text with a
    /// character that cannot be decoded is equal only to one of the same body.
    Characters,
}

/// Takes the fingerprint of a document, on any thread.
pub type TakeFingerprint<'a> = dyn Fn(u32, u128) -> Result<(), FormatError> + Sync + 'a;

/// Collects the documents to read.
pub struct FingerprintReader {
    scratch: ScratchDir,
    wanted: WantedSorter,
}

impl FingerprintReader {
    /// Begins.
    ///
    /// # Errors
    /// When the documents of the run cannot be counted.
    pub fn begin(place: &Workplace<'_>) -> Result<FingerprintReader, Error> {
        let scratch = place.engine.scratch_in(place.dir.clone())?;
        let wanted = WantedSorter::begin(&scratch, memory::FINGERPRINTS);
        Ok(FingerprintReader { scratch, wanted })
    }

    /// Adds a document, in any order and as often as you like, and the one whose text is read.
    pub fn push(&mut self, doc: u32, text: u32) -> Result<(), Error> {
        self.wanted.push(doc, text)
    }

    /// Reads the documents.
    pub fn finish(
        self,
        texts: &dyn FingerprintedTexts,
        compared: Compared,
    ) -> Result<SortedWords<TextFingerprint>, Error> {
        let FingerprintReader { scratch, wanted } = self;
        let memory = scratch.budget.take(memory::FINGERPRINTS);
        let found = Mutex::new(scratch.by_document("fingerprints", memory.bytes()));
        texts.fingerprint(wanted.finish()?, compared, &|doc, text| {
            let mut found = found.lock().unpoisoned();
            found.push(TextFingerprint { doc, text })
        })?;
        let found = found.into_inner().unpoisoned();
        found.finish().map_err(Error::from)
    }
}

impl FingerprintedTexts for InputTexts<'_> {
    fn fingerprint(
        &self,
        wanted: WantedDocuments,
        compared: Compared,
        take: &TakeFingerprint<'_>,
    ) -> Result<(), Error> {
        let params = SketchParams {
            tokens: TokenUnit::Words,
            drop_numbers: true,
            ..self.params_of_run()
        };
        self.read_documents(wanted, &params, || {
            let mut sketcher = Sketcher::new(&params);
            Ok(move |wanted: &WantedPlace, content: Content<'_>| {
                let fingerprint = match compared {
                    Compared::WordsWithoutNumbers => {
                        let sketched = sketcher.sketch(content);
                        u128::from(sketched.words) << 64 | u128::from(sketched.lexical)
                    }
                    Compared::Characters => {
                        let fingerprint = sketcher.text_fingerprint(content);
                        fingerprint.unwrap_or(wanted.identity)
                    }
                };
                take(wanted.doc, fingerprint)
            })
        })
    }
}
