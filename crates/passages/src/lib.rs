//! Phase `passages`: the runs of tokens that stand at more than one place of the corpus.
//!
//! *Input.* Documents, of which one stands for all with the same tokens; the input, which is read
//! again. *Output.* The passages of each document, and the parts of them that stay elsewhere.
//! *Algorithm.* A *window* is L tokens one after the other. A window is repeated if its tokens
//! stand at another place, too, of the same document or of another. A passage is a maximal run of
//! tokens that repeated windows cover. No pairs of documents are made: a passage of a million
//! documents costs a million records.
//!
//! 1. Each window has an anchor, a shingle that follows from its tokens alone
//!    ([`sketch::Winnower`]). Consecutive windows with one anchor are a run. The anchors are
//!    sorted, and those that stand once are dropped (`anchors`).
//! 2. If the runs of an anchor have equal tokens, all of their windows are repeated. Of the others,
//!    one of each kind is read again, and its windows are sorted (`windows`).
//! 3. The repeated windows of each kind of run are given to all documents that have it, and sorted
//!    back (`intervals`); they cover the passages (`cover`).
//! 4. The documents with passages are read once more, for the characters of the passages
//!    (`characters`).
//!
//! Of equal passages the first in the order of `keep` stays (`order`). *Memory.* Sorts of half the
//! free budget; the windows of a run. *Disk.* Some 100 bytes an anchor. *Limits.* Windows of equal
//! fingerprints of 128 bits, 64 of the anchor and 64 of the tokens, count as equal.

mod anchors;
mod characters;
mod classes;
mod cover;
mod cuts;
mod intervals;
mod job;
mod memory;
mod order;
mod records;
mod windows;

#[cfg(test)]
mod tests;

use classes::LongDocuments;
use cover::{Cover, Covered};
use engine::{Engine, Error, PhaseName, figures::PassageFigures};
use exact::{Bodies, InputTexts, WantedDocuments, Workplace};
use format::{
    Characters, CutRecord, FileKind, PassageRecord, PhaseRecord, QuoteRecord, ScratchFile,
    ScratchWriter, Sealed,
};
use job::{PassageTexts, Passages};
use model::{Cells, Class, Unpoisoned};
use order::DocumentOrder;
use records::{TokenCharacters, TokenRun};
use sort::{Lookup, Stream};
use std::sync::Mutex;

const PHASE: PhaseName = PhaseName::Passages;

/// The file of passages, by its name among those of the phase.
pub const PASSAGES: &str = "passages";

/// The file of the parts of passages that stay elsewhere.
pub const CUTS: &str = "cuts";

/// The file of what documents quote.
pub const QUOTES: &str = "quotes";

/// Finds the passages, the cuts and the quotes of the wanted documents, in order, without their
/// characters.
fn find(
    passages: &Passages<'_>,
    wanted: WantedDocuments,
    texts: &dyn PassageTexts,
    mut take: impl FnMut(Covered) -> Result<(), Error>,
) -> Result<(), Error> {
    let anchors = anchors::find(passages, wanted, texts)?;
    let windows = windows::find(passages, &anchors, texts)?;
    let mut intervals = intervals::find(passages, &anchors, windows)?;
    drop(anchors);
    let mut cover = Cover::of(passages.words);
    while let Some(interval) = intervals.records.next()? {
        take(cover.add(&interval))?;
    }
    take(cover.finish())
}

/// Runs the phase; gives its outputs and counts for the manifest.
pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let Some(settings) = engine.config.passages else {
        return Ok(PhaseRecord::of([], &PassageFigures::default()));
    };
    let place = Workplace::of(engine, PHASE);
    let texts = InputTexts::new(&place);
    let scratch = engine.scratch(PHASE)?;
    let lowest = match settings.counts_all {
        true => |class: &Class| class.doc,
        false => Class::lowest_of_equal_tokens,
    };
    let passages = Passages {
        engine,
        words: settings.words,
        order: Mutex::new(DocumentOrder::find(engine, &scratch, settings.counts_all)?),
        bodies: Mutex::new(Bodies::find(&place, lowest)?),
        unread: Mutex::new(scratch.cells("unread")?),
        scratch,
    };
    let mut documents = LongDocuments::of_run(engine, settings)?;
    let wanted = passages.wanted(|| {
        while let Some(one) = documents.next_document()? {
            if one.doc == one.standing {
                passages.unread.lock().unpoisoned().set(one.doc, 1)?;
                return passages.text_of(one.doc).map(Some);
            }
        }
        Ok::<_, Error>(None)
    })?;
    let mut found = passages.scratch.file::<PassageRecord>("found.run-list")?;
    let mut cut = passages.scratch.file::<CutRecord>("cut.run-list")?;
    let mut figures = PassageFigures::default();
    let mut unread = UnreadDocuments {
        passages: &passages,
        next: 0,
    };
    let mut before = None;
    let mut quotes = passages.scratch.file::<QuoteRecord>("quotes.run-list")?;
    find(&passages, wanted, &texts, |covered| {
        if let Some(passage) = covered.passage {
            unread.push_until(passage.doc, &mut found)?;
            figures.passages += 1;
            figures.words += u64::from(passage.end - passage.begin);
            figures.documents += u64::from(before.replace(passage.doc) != Some(passage.doc));
            found.push(&passage)?;
        }
        covered.cut.iter().try_for_each(|other| cut.push(other))?;
        covered
            .quote
            .iter()
            .try_for_each(|quote| quotes.push(quote))?;
        Ok(())
    })?;
    unread.push_until(passages.scratch.documents, &mut found)?;
    let found = found.finish()?;
    let cut = cuts::of_all_documents(&passages, settings, &cut.finish()?)?;
    let characters = characters::find(&passages, &found, &cut, &texts)?;
    let quotes = by_source(&passages, &quotes.finish()?)?;
    let outputs = [
        quotes,
        write(engine, PASSAGES, FileKind::Passages, (&found, &characters))?,
        write(engine, CUTS, FileKind::Cuts, (&cut, &characters))?,
    ];
    figures.unread = texts.unread() + texts.bodiless();
    figures.unread_files = texts.unread_files();
    Ok(PhaseRecord::of(outputs, &figures))
}

/// Writes what documents quote by the place where it stands first.
fn by_source(passages: &Passages<'_>, quotes: &ScratchFile<QuoteRecord>) -> Result<Sealed, Error> {
    let memory = passages.scratch.budget.take(memory::QUOTES);
    let sorter = passages.scratch.by_document("quotes", memory.bytes());
    let mut sorted = quotes.read()?.sort_by(sorter, |quote| quote)?;
    let engine = passages.engine;
    let mut writer = engine.writer::<QuoteRecord>(PHASE, QUOTES, FileKind::Quotes)?;
    while let Some(quote) = sorted.next()? {
        writer.push(&quote)?;
    }
    Ok(writer.finish()?)
}

/// The documents that could not be read, in order.
struct UnreadDocuments<'a> {
    passages: &'a Passages<'a>,
    next: u32,
}

impl UnreadDocuments<'_> {
    /// Writes those before a document.
    fn push_until(
        &mut self,
        end: u32,
        found: &mut ScratchWriter<PassageRecord>,
    ) -> Result<(), Error> {
        let mut unread = self.passages.unread.lock().unpoisoned();
        for doc in self.next..end {
            if unread.get(doc)? == 1 {
                found.push(&PassageRecord::of_unread(doc))?;
            }
        }
        self.next = end;
        Ok(())
    }
}

/// Writes records with their characters to a file of the phase.
fn write<R: TokenRun>(
    engine: &Engine<'_>,
    name: &str,
    kind: FileKind,
    (records, characters): (&ScratchFile<R>, &ScratchFile<TokenCharacters>),
) -> Result<Sealed, Error> {
    let mut characters = Lookup::over(characters.read()?)?;
    let mut writer = engine.writer::<R>(PHASE, name, kind)?;
    let mut reader = records.read()?;
    while let Some(mut record) = reader.next()? {
        if let Some((doc, [first, last])) = record.edges()
            && let Some(first) = characters.of([doc, first])?
            && let Some(last) = characters.of([doc, last])?
        {
            *record.run().2 = Characters {
                begin: first.characters.begin,
                end: last.characters.end,
            };
        }
        writer.push(&record)?;
    }
    Ok(writer.finish()?)
}
