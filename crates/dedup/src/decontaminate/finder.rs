//! What stands in a document, with all that is said of it.
//!
//! *Input.* Documents of a reader. *Output.* [`Passed`] documents. *Algorithm.* The words of a
//! stretch are found in the text once more, for their characters and for what is shown; only of a
//! document that holds an item. *Memory.* As [`Searcher`]; the text of a
//! page without its markup.

use super::found::{FoundDocument, Passed, PlacedFound};
use super::references::References;
use super::request::{DecontaminateRequest, DeliverClean};
use super::searcher::{Found, Searcher};
use super::words::parameters;
use engine::{Engine, Error};
use format::Disk;
use input::Document;
use model::{Content, Markup};

/// The longest text that is shown, in characters.
pub(super) const SHOWN_CHARACTERS: usize = 4000;

/// Searches documents. Each thread has one.
pub(super) struct Finder<'a> {
    searcher: Searcher<'a>,
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
        let mut found = Vec::new();
        let check = || disk.check_interrupt().map_err(Error::from);
        self.searcher
            .search(document.content, check, |one| found.push(one))?;
        if found.is_empty() && !self.notes_all {
            return Ok(Passed::Clean { file, documents: 1 });
        }
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Ok(Passed::Document(FoundDocument {
            file,
            place: document.place,
            id: owned(document.id),
            url: owned(document.url),
            words: self.searcher.words_read(),
            found: placed(document.content, &found),
        }))
    }
}

/// Finds the stretches in the text.
fn placed(content: Content<'_>, found: &[Found]) -> Vec<PlacedFound> {
    if found.is_empty() {
        return Vec::new();
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
    let of_one = |one: &Found| {
        let (first, last) = (place(one.stretch.begin), place(one.stretch.end - 1));
        let bytes = first.0.start..last.0.end.max(first.0.start);
        let characters = first.1.start..last.1.end.max(first.1.start);
        PlacedFound {
            found: *one,
            characters: (markup == Markup::None).then_some(characters),
            text: shown(&text[bytes]),
        }
    };
    found.iter().map(of_one).collect()
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
