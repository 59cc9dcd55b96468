//! The characters of tokens at which passages begin and end.
//!
//! *Input.* Runs of tokens of documents, in files by document and token. *Output.* The characters
//! of the first and the last token of each, from 0, by document and token. *Algorithm.* The
//! documents are read again, and their characters are counted up to each token. *Memory.* A sort of
//! a quarter of the free budget, and what reading takes. *Limits.* Documents with markup have no
//! characters: their text is not that of the file.

use crate::anchors::pass_on;
use crate::job::{PassageTexts, Passages};
use crate::memory;
use crate::records::{EdgeToken, TokenCharacters, TokenRun};
use engine::Error;
use exact::WantedDocument;
use format::{Characters, FormatError, RecordReader, ScratchFile};
use model::{Content, Keyed, Markup, Unpoisoned, Words};
use sketch::TokenRules;
use sort::{Lookup, Reservation, SortedWords, Stream, WordSorter, from_fn};
use std::sync::Mutex;

/// Takes the characters of tokens, on one thread.
struct CharacterTaker<'a> {
    rules: TokenRules,
    edges: Lookup<RecordReader<EdgeToken>>,
    sorter: &'a Mutex<WordSorter<TokenCharacters>>,
    batch: Vec<TokenCharacters>,
}

/// A place in a text, up to which its characters are counted.
#[derive(Clone, Copy, Default)]
struct TextPlace {
    bytes: usize,
    characters: u32,
}

impl TextPlace {
    /// Goes on to a byte of the text; gives the characters before it.
    fn go_to(&mut self, text: &str, byte: usize) -> u32 {
        if let Some(between) = text.get(self.bytes..byte) {
            let characters = between.chars().count() as u32;
            self.characters = self.characters.saturating_add(characters);
            self.bytes = byte;
        }
        self.characters
    }
}

impl CharacterTaker<'_> {
    fn take(&mut self, wanted: WantedDocument, content: Content<'_>) -> Result<(), FormatError> {
        let Words([_, doc]) = wanted;
        let (markup, text) = (content.markup(), content.as_str());
        if matches!(markup, Markup::Html | Markup::Xhtml) {
            return Ok(());
        }
        let (mut number, mut place) = (0, TextPlace::default());
        let mut edge = self.edges.next_of(wanted);
        sketch::for_each_place(self.rules, markup, text, &mut |bytes| {
            if let Ok(Some(EdgeToken { token, .. })) = edge
                && token == number
            {
                let begin = place.go_to(text, bytes.start);
                let end = place.go_to(text, bytes.end);
                self.batch.push(TokenCharacters {
                    doc,
                    token,
                    characters: Characters { begin, end },
                });
                edge =
                    pass_on(&mut self.batch, self.sorter).and_then(|()| self.edges.next_of(wanted));
            }
            number += 1;
        });
        edge.map(drop)?;
        pass_on(&mut self.batch, self.sorter)
    }
}

/// The tokens whose characters are looked for.
pub(super) struct Edges<'a> {
    passages: &'a Passages<'a>,
    sorter: WordSorter<EdgeToken>,
    memory: Reservation,
}

impl<'a> Edges<'a> {
    pub(super) fn begin(passages: &'a Passages<'a>) -> Edges<'a> {
        let scratch = &passages.scratch;
        let memory = scratch.budget.take(memory::EDGES);
        Edges {
            passages,
            sorter: scratch.by_document("edges", memory.bytes()),
            memory,
        }
    }

    /// Adds the first and the last token of each run of a file.
    pub(super) fn of_records<R: TokenRun>(&mut self, runs: &ScratchFile<R>) -> Result<(), Error> {
        let mut runs = runs.read()?;
        while let Some(run) = runs.next()? {
            let Some((doc, edges)) = run.edges() else {
                continue;
            };
            let Words([text, _]) = self.passages.text_of(doc)?;
            for token in edges {
                self.sorter.push(EdgeToken { text, doc, token })?;
            }
        }
        Ok(())
    }

    /// Reads their documents; gives the characters by document and token.
    pub(super) fn read(
        self,
        texts: &dyn PassageTexts,
    ) -> Result<ScratchFile<TokenCharacters>, Error> {
        let Edges {
            passages,
            sorter,
            memory,
        } = self;
        let scratch = &passages.scratch;
        let edges = scratch.store("edges.run-list", distinct(sorter.finish()?))?;
        drop(memory);
        let memory = scratch.budget.take(memory::CHARACTERS);
        let sorter = Mutex::new(scratch.by_document("characters", memory.bytes()));
        let rules = passages.engine.config.sketch.params().rules();
        let mut reader = edges.read()?;
        let wanted =
            passages.wanted(|| Ok::<_, FormatError>(reader.next()?.map(|one| one.key())))?;
        texts.read(wanted, &|| {
            let mut taker = CharacterTaker {
                rules,
                edges: Lookup::over(edges.read()?)?,
                sorter: &sorter,
                batch: Vec::new(),
            };
            Ok(Box::new(move |wanted, content| taker.take(wanted, content)))
        })?;
        let sorted = sorter.into_inner().unpoisoned().finish()?;
        scratch.store("characters.run-list", sorted)
    }
}

/// Each record once.
fn distinct(
    mut sorted: SortedWords<EdgeToken>,
) -> impl Stream<Record = EdgeToken, Error = FormatError> {
    let mut before = None;
    from_fn(move || {
        while let Some(edge) = sorted.next()? {
            if before.replace(edge) != Some(edge) {
                return Ok(Some(edge));
            }
        }
        Ok(None)
    })
}
