//! `--lossless 1.0`: a document is removed only if one that stays has the same text.
//!
//! *Input.* The removals as chosen; the texts. *Output.* Those that are proven. *Algorithm.* A
//! document of the same body needs no proof. For each other one, all documents of its class and of
//! that of the kept one are read, and sorted by the fingerprint of their whole text. Of equal ones,
//! those that are chosen to go do so in favour of one that stays, or of the best of them by `keep`.
//! *Memory.* Two cells a document, on disk where they do not fit, and a sort. *Disk.* 56 bytes for
//! each document that is read, if they do not fit, and what `exact` takes.

use super::kept_documents::KeptDocuments;
use super::undecided::{LosslessRule, Undecided};
use clustering::Ranks;
use clustering::partition::Rank;
use engine::{Error, cells::SpillableCells};
use exact::{Bodies, Compared, FingerprintReader, TextFingerprint};
use model::Cells;
use model::{Class, keyed, word_record};
use publication::removals::candidate::NONE;
use publication::removals::removal::RemovalRecord;
use sort::{Lookup, SortedWords, WordSorter};

/// Bits of the cell of a document: it goes; it is chosen to go; it is kept in favour of one that is
/// chosen.
const GOES: u32 = 1;
const CHOSEN: u32 = 2;
const KEPT: u32 = 4;
/// At the lowest document of a class: one of it is chosen, or kept in favour of one that is.
const ASKED: u32 = 8;

/// A document, to be sorted among those of equal text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TextMember {
    text: u128,
    /// 0 if it stays, 1 if it is chosen to go, 2 if it also has no body.
    order: u32,
    rank: Rank,
    doc: u32,
}

word_record! { TextMember { text, order, rank, doc } }
keyed! { TextMember: u128 = |member| member.text }

/// Adds the proven removals to `standing`.
pub(super) fn decide(
    lossless: &LosslessRule<'_>,
    mut removals: SortedWords<RemovalRecord>,
    standing: &mut WordSorter<RemovalRecord>,
) -> Result<(), Error> {
    let task = lossless.task;
    let mut cells = task.scratch.cells_of("texts", lossless.files.documents())?;
    let (mut chosen, mut has_chosen) = (task.scratch.file::<Undecided>("chosen.run-file")?, false);
    while let Some(removal) = removals.next()? {
        let RemovalRecord { doc, kept, .. } = removal;
        if removal.has_equal_body() {
            cells.set(doc, GOES)?;
            standing.push(removal)?;
        } else {
            cells.set(doc, CHOSEN)?;
            add(&mut cells, kept, KEPT)?;
            chosen.push(&Undecided {
                doc,
                together: doc,
                refuted: NONE,
            })?;
            has_chosen = true;
        }
    }
    drop(removals);
    let chosen = chosen.finish()?;
    if !has_chosen {
        return Ok(());
    }
    let members = by_text(lossless, &mut cells)?;
    let kept = kept_documents(lossless, members)?;
    let mut proven = kept.removals(task, &chosen)?;
    while let Some(removal) = proven.next()? {
        // All of either is in the other.
        standing.push(RemovalRecord {
            shared: 1,
            size: 1,
            kept_size: 1,
            modulus: 1,
            ..removal
        })?;
    }
    Ok(())
}

fn add(cells: &mut SpillableCells, doc: u32, bit: u32) -> Result<(), Error> {
    let bits = cells.get(doc)? | bit;
    cells.set(doc, bits).map_err(Error::from)
}

/// Reads the documents that are asked about, and sorts them by their text.
fn by_text(
    lossless: &LosslessRule<'_>,
    cells: &mut SpillableCells,
) -> Result<SortedWords<TextMember>, Error> {
    let (task, files) = (lossless.task, lossless.files);
    let engine = task.engine;
    let mut classes = engine.classes()?;
    for doc in 0..files.documents() {
        if cells.get(doc)? & (CHOSEN | KEPT) != 0 {
            let lowest = classes.of(doc)?.representative();
            add(cells, lowest, ASKED)?;
        }
    }
    let mut wanted = FingerprintReader::begin(&task.workplace())?;
    let mut bodies = Bodies::find(&task.workplace(), Class::lowest_of_equal_bodies)?;
    let mut classes = engine.classes()?;
    for doc in 0..files.documents() {
        let class = classes.of(doc)?;
        let is_asked = cells.get(class.representative())? & ASKED != 0;
        if is_asked && cells.get(doc)? & GOES == 0 {
            wanted.push(doc, bodies.of(class.lowest_of_equal_bodies())?)?;
        }
    }
    drop(bodies);
    let mut members = task.sorter::<TextMember>("texts");
    let mut found = wanted.finish(lossless.texts, Compared::Characters)?;
    let segments = engine.segments()?;
    let mut ranks = Ranks::new(engine.config, &segments);
    let mut revisited = segments.revisited();
    while let Some(TextFingerprint { doc, text }) = found.next()? {
        let has_body = !revisited.has(doc)?;
        let order = match (cells.get(doc)? & CHOSEN != 0, has_body) {
            (true, true) => 1,
            (true, false) => 2,
            // Nothing goes in favour of a document without a body.
            (false, true) if !lossless.is_against || files.is_against(doc) => 0,
            (false, _) => continue,
        };
        let rank = ranks.of(doc)?;
        members.push(TextMember {
            text,
            order,
            rank,
            doc,
        })?;
    }
    members.finish().map_err(Error::from)
}

/// Of equal texts, the one in favour of which the others go.
fn kept_documents(
    lossless: &LosslessRule<'_>,
    members: SortedWords<TextMember>,
) -> Result<KeptDocuments, Error> {
    let mut kept_documents = KeptDocuments::create(lossless.task, false)?;
    let mut members = Lookup::over(members)?;
    while let Some(first) = members.next()? {
        let may_be_kept = first.order == 0 || first.order == 1 && !lossless.is_against;
        while let Some(member) = members.next_of(first.text)? {
            if may_be_kept && member.order > 0 {
                kept_documents.set(member.doc, Some(first.doc))?;
            }
        }
    }
    Ok(kept_documents)
}
