//! What stands in a document, with all that is said of it.
//!
//! *Input.* Documents of a reader. *Output.* [`Passed`] documents. *Algorithm.* The words of a
//! stretch are found in the text once more, for their characters and for what is shown; only of a
//! document that holds an item. *Memory.* As [`Searcher`]; the text of a
//! page without its markup; some 200 bytes a stretch.

use super::found::{FoundDocument, Passed, PlacedFound, STRETCH_BYTES, joined};
use super::references::References;
use super::request::{DecontaminateRequest, DeliverClean};
use super::searcher::{Found, Searcher};
use super::words::parameters;
use engine::{Engine, Error};
use format::Disk;
use input::Document;
use model::{Content, Markup};
use sort::MemoryBudget;
use std::cell::Cell;

/// Stretches that take no more are not reserved: a document of usual size leaves as much of what is
/// reserved for the largest one.
const FEW_BYTES: usize = 8 << 20;

/// What a document with very many stretches takes.
const MANY: &str = "the stretches of a document in which very many items stand";

/// The longest text that is shown, in characters.
pub(super) const SHOWN_CHARACTERS: usize = 4000;

/// Searches documents. Each thread has one.
pub(super) struct Finder<'a> {
    searcher: Searcher<'a>,
    budget: &'a MemoryBudget,
    /// Whether each document gets a note, also one in which nothing is found.
    notes_all: bool,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        engine: &'a Engine<'_>,
        references: &'a References,
        request: &DecontaminateRequest,
    ) -> Result<Finder<'a>, Error> {
        Ok(Finder {
            searcher: Searcher::new(references, &engine.budget, request)?,
            budget: &engine.budget,
            notes_all: matches!(request.deliver, DeliverClean::Annotated(_)),
        })
    }

    /// Searches a document of a file.
    pub(super) fn document(
        &mut self,
        disk: &Disk,
        file: u32,
        document: &Document<'_>,
    ) -> Result<Passed, Error> {
        let (mut found, mut reserved) = (Vec::new(), None);
        let many = Cell::new(0_usize);
        let check = || {
            disk.check_interrupt()?;
            // twice as many as there are: as many as the list has room for
            let bytes = many.get() * STRETCH_BYTES;
            if bytes > FEW_BYTES {
                drop(self.budget.reserve(MANY, bytes)?);
            }
            Ok(())
        };
        self.searcher.search(document.content, check, |one| {
            found.push(one);
            many.set(found.len());
        })?;
        if found.is_empty() && !self.notes_all {
            return Ok(Passed::Clean { file, documents: 1 });
        }
        let bytes = found.len() * STRETCH_BYTES;
        if bytes > FEW_BYTES {
            reserved = Some(self.budget.reserve(MANY, bytes)?);
        }
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let (found, text) = placed(document.content, &found);
        Ok(Passed::Document(FoundDocument {
            file,
            place: document.place,
            id: owned(document.id),
            url: owned(document.url),
            words: self.searcher.words_read(),
            found,
            text,
            has_characters: document.content.markup() == Markup::None,
            _reserved: reserved,
        }))
    }
}

/// Finds the stretches in the text, and takes out what is under them.
fn placed(content: Content<'_>, found: &[Found]) -> (Vec<PlacedFound>, String) {
    if found.is_empty() {
        return Default::default();
    }
    let mut words: Vec<u32> = Vec::with_capacity(2 * found.len());
    words.extend(
        found
            .iter()
            .flat_map(|one| [one.stretch.begin, one.stretch.end - 1]),
    );
    words.sort_unstable();
    words.dedup();
    let (mut places, mut at) = (Vec::with_capacity(words.len()), 0);
    let text = sketch::whole_text(content);
    let markup = content.markup();
    // characters are counted once, from word to word
    let mut counted = Characters {
        text: &text,
        byte: 0,
        character: 0,
    };
    sketch::for_each_place(parameters(1).rules(), markup, &text, &mut |bytes| {
        if words.get(places.len()) == Some(&at) {
            let begin = counted.at(bytes.start);
            places.push((bytes.clone(), begin..counted.at(bytes.end)));
        }
        at += 1;
    });
    let place = |word: u32| {
        let at = words.binary_search(&word).ok();
        at.and_then(|at| places.get(at))
            .cloned()
            .unwrap_or_default()
    };
    let range = |from: u64, to: u64| {
        let [from, to] = [from, to.max(from)].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        from..to
    };
    let of_one = |one: &Found| {
        let (first, last) = (place(one.stretch.begin), place(one.stretch.end - 1));
        PlacedFound {
            found: *one,
            bytes: range(first.0.start as u64, last.0.end as u64),
            characters: range(first.1.start, last.1.end),
        }
    };
    let mut found: Vec<PlacedFound> = found.iter().map(of_one).collect();
    let under = joined(found.iter().map(|one| one.bytes.clone()).collect());
    let (mut taken, mut begins) = (String::new(), Vec::with_capacity(under.len()));
    for range in &under {
        begins.push(taken.len() as u32);
        taken.push_str(
            text.get(range.start as usize..range.end as usize)
                .unwrap_or_default(),
        );
    }
    for PlacedFound { bytes, .. } in &mut found {
        let at = under.partition_point(|range| range.start <= bytes.start) - 1;
        let from = begins[at] + (bytes.start - under[at].start);
        *bytes = from..from + (bytes.end - bytes.start);
    }
    (found, taken)
}

/// Counts the characters of a text up to one byte after another.
struct Characters<'a> {
    text: &'a str,
    byte: usize,
    character: u64,
}

impl Characters<'_> {
    fn at(&mut self, byte: usize) -> u64 {
        let byte = byte.max(self.byte);
        self.character += self.text[self.byte..byte].chars().count() as u64;
        self.byte = byte;
        self.character
    }
}

/// The beginning of a text.
pub(super) fn shown(text: &str) -> String {
    let end = text
        .char_indices()
        .nth(SHOWN_CHARACTERS)
        .map_or(text.len(), |(at, _)| at);
    text[..end].to_owned()
}
