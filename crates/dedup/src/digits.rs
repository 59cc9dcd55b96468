//! Which documents differ from the kept one only in numbers.
//!
//! *Input.* Removals in document order; the texts. *Output.* An answer for each removal whose
//! documents could be read. *Algorithm.* Documents of equal tokens do not differ. The others are
//! read again with the documents that are kept, and their words without numbers are compared as
//! fingerprints ([`FingerprintReader`]); a sort joins them with the removals by the kept document.
//! Of a revisit the text of an equal document is read. *Memory.* Two sorts of an eighth of the
//! budget, 4 bytes a document if there are revisits, and the memory of reading.

use crate::memory;
use engine::Error;
use exact::{Bodies, Compared, FingerprintReader, FingerprintedTexts, TextFingerprint};
use model::{Class, keyed, word_record};
use publication::removals::removal::{RemovalFile, RemovalRecord};
use publication::removals::task::RemovalTask;
use sort::{Lookup, SortedWords};

/// The words of a removed document, by the kept one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RemovedWords {
    kept: u32,
    doc: u32,
    words: u128,
}

word_record! { RemovedWords { kept, doc, words } }

/// Whether a removed document has the words of the kept one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DigitsAnswer {
    doc: u32,
    has_equal_words: u8,
}

word_record! { DigitsAnswer { doc, has_equal_words } }
keyed! { DigitsAnswer: u32 = |answer| answer.doc }

/// The answers, to be asked for in document order.
pub(super) struct OnlyDigits(Lookup<SortedWords<DigitsAnswer>>);

impl OnlyDigits {
    pub(super) fn find(
        task: &RemovalTask<'_>,
        removals: &RemovalFile,
        texts: &dyn FingerprintedTexts,
    ) -> Result<OnlyDigits, Error> {
        let memory = task.engine.budget.take(memory::DIGITS);
        let sorts = RemovalTask {
            share_bytes: memory.part_bytes(),
            ..task.clone()
        };
        let mut bodies = Bodies::find(&task.workplace(), Class::lowest_of_equal_tokens)?;
        let mut numberless = FingerprintReader::begin(&task.workplace())?;
        let mut reader = removals.read()?;
        while let Some(removal) = reader.next()? {
            for doc in compared(&removal).into_iter().flatten() {
                numberless.push(doc, bodies.of(doc)?)?;
            }
        }
        drop(bodies);
        let found = numberless.finish(texts, Compared::WordsWithoutNumbers)?;
        let found = task.scratch.store("numberless.run-file", found)?;
        let words = || Lookup::over(found.read()?);
        let mut by_kept = sorts.by_document::<RemovedWords>("by-kept");
        let (mut reader, mut of_removed) = (removals.read()?, words()?);
        while let Some(removal) = reader.next()? {
            if let Some([doc, kept]) = compared(&removal)
                && let Some(TextFingerprint { text: words, .. }) = of_removed.of(doc)?
            {
                by_kept.push(RemovedWords { kept, doc, words })?;
            }
        }
        let (mut by_kept, mut of_kept) = (by_kept.finish()?, words()?);
        let mut answers = sorts.by_document::<DigitsAnswer>("only-digits");
        while let Some(RemovedWords { kept, doc, words }) = by_kept.next()? {
            if let Some(kept) = of_kept.of(kept)? {
                let has_equal_words = u8::from(kept.text == words);
                answers.push(DigitsAnswer {
                    doc,
                    has_equal_words,
                })?;
            }
        }
        Ok(OnlyDigits(Lookup::over(answers.finish()?)?))
    }

    /// Whether the words of a removed document differ from those of the kept one in numbers, and in
    /// nothing else; `None` if that is not known.
    pub(super) fn of(&mut self, removal: &RemovalRecord) -> Result<Option<bool>, Error> {
        Ok(match compared(removal) {
            None => removal.kept_document().map(|_| false),
            Some(_) => {
                let answer = self.0.of(removal.doc)?;
                answer.map(|answer| answer.has_equal_words == 1)
            }
        })
    }
}

/// The two documents, if their words are to be compared.
fn compared(removal: &RemovalRecord) -> Option<[u32; 2]> {
    let kept = removal.kept_document();
    Some([removal.doc, kept.filter(|_| !removal.has_equal_tokens())?])
}
