//! Which documents differ from the kept one only in numbers.
//!
//! *Input.* Removals in document order; the texts. *Output.* An answer for each removal whose
//! documents could be read. *Algorithm.* Documents of equal tokens do not differ. The others are
//! read again with the documents that are kept, and their words without numbers are compared as
//! fingerprints ([`Fingerprints`]); a sort joins them with the removals by the kept document. Of a
//! revisit the text of an equal document is read. *Memory.* Two sorts of an eighth of the budget, 4
//! bytes a document if there are revisits, and what reading takes.

use exact::{Bodies, Compared, FingerprintedTexts, Fingerprints, TextFingerprint};
use format::RecordReader;
use model::{Class, Words};
use publication::removals::removal::{RemovalFile, RemovalRecord};
use publication::removals::task::Task;
use runtime::Error;
use sort::SortedWords;

/// ⟨kept document, removed document, fingerprint of the removed one⟩.
type ByKept = Words<6>;

/// The answers, to be asked for in document order.
pub(super) struct OnlyDigits {
    /// ⟨removed document, 1 if only numbers differ⟩.
    compared: SortedWords<Words<2>>,
    next: Option<Words<2>>,
}

impl OnlyDigits {
    /// Reads and compares.
    pub(super) fn find(
        task: &Task<'_>,
        removals: &RemovalFile,
        texts: &dyn FingerprintedTexts,
    ) -> Result<OnlyDigits, Error> {
        let memory = task.engine.budget.reserve_share(1, 4);
        let share = memory.bytes() / 2;
        let mut bodies = Bodies::find(&task.workplace(), Class::lowest_of_equal_tokens)?;
        let mut numberless = Fingerprints::begin(&task.workplace())?;
        let mut reader = removals.read(task)?;
        while let Some(removal) = reader.next()? {
            if let Some([doc, kept]) = compared(&removal) {
                numberless.push(doc, bodies.of(doc)?)?;
                numberless.push(kept, bodies.of(kept)?)?;
            }
        }
        drop(bodies);
        let path = task.dir.join("numberless.run-of-words");
        let mut words = task.write::<TextFingerprint>(&path)?;
        let mut found = numberless.finish(texts, Compared::WordsWithoutNumbers)?;
        while let Some(one) = found.next()? {
            words.push(&one)?;
        }
        words.finish()?;
        drop(found);
        let mut by_kept = task.by_document::<ByKept>("by-kept", share)?;
        let mut reader = removals.read(task)?;
        let mut words = WordsOf::open(task.read(&path)?)?;
        while let Some(removal) = reader.next()? {
            if let Some([doc, kept]) = compared(&removal)
                && let Some([a, b, c, d]) = words.of(doc)?
            {
                by_kept.push(Words([kept, doc, a, b, c, d]))?;
            }
        }
        let mut by_kept = by_kept.finish()?;
        let mut words = WordsOf::open(task.read(&path)?)?;
        let mut compared = task.by_document::<Words<2>>("only-digits", share)?;
        while let Some(Words([kept, doc, of_removed @ ..])) = by_kept.next()? {
            if let Some(of_kept) = words.of(kept)? {
                compared.push(Words([doc, u32::from(of_kept == of_removed)]))?;
            }
        }
        let mut compared = compared.finish()?;
        task.engine.disk.remove(&path)?;
        Ok(OnlyDigits {
            next: compared.next()?,
            compared,
        })
    }

    /// Whether the words of a removed document differ from those of the kept one in numbers, and in
    /// nothing else; `None` if that is not known.
    pub(super) fn of(&mut self, removal: &RemovalRecord) -> Result<Option<bool>, Error> {
        let doc = removal.doc;
        while self.next.is_some_and(|next| next.0[0] < doc) {
            self.next = self.compared.next()?;
        }
        let answer = self.next.filter(|next| next.0[0] == doc);
        Ok(match compared(removal) {
            None => removal.kept_document().map(|_| false),
            Some(_) => answer.map(|answer| answer.0[1] == 1),
        })
    }
}

/// The two documents, if their words are to be compared.
fn compared(removal: &RemovalRecord) -> Option<[u32; 2]> {
    let kept = removal.kept_document();
    Some([removal.doc, kept.filter(|_| !removal.has_equal_tokens())?])
}

/// Words of documents, looked up in ascending order; a document may be asked for again.
struct WordsOf {
    reader: RecordReader<TextFingerprint>,
    next: Option<TextFingerprint>,
}

impl WordsOf {
    fn open(mut reader: RecordReader<TextFingerprint>) -> Result<WordsOf, Error> {
        Ok(WordsOf {
            next: reader.next()?,
            reader,
        })
    }

    fn of(&mut self, doc: u32) -> Result<Option<[u32; 4]>, Error> {
        while self.next.is_some_and(|next| next.0[0] < doc) {
            self.next = self.reader.next()?;
        }
        let found = self.next.filter(|next| next.0[0] == doc);
        Ok(found.map(|Words([_, fingerprint @ ..])| fingerprint))
    }
}
