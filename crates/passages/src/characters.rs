//! The characters of tokens at which passages begin and end.
//!
//! *Input.* Runs of tokens of documents, in files by document and token. *Output.* The characters
//! of the first and the last token of each, from 0, by document and token. *Algorithm.* The
//! documents are read again, and their characters are counted up to each token. *Memory.* A sort of
//! a quarter of the free budget, and what reading takes. *Limits.* Documents with markup have no
//! characters: their text is not that of the file.

use crate::job::{PassageTexts, Passages};
use crate::memory;
use crate::records::{EdgeToken, TokenCharacters, TokenRun};
use engine::Error;
use format::{Characters, CutRecord, FormatError, PassageRecord, ScratchFile};
use model::{Keyed, Markup, Words};
use sort::{Distinct, Lookup, Sorter};

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

/// Finds the characters of the first and the last token of all passages and cuts, by document and
/// token.
pub(super) fn find(
    passages: &Passages<'_>,
    found: &ScratchFile<PassageRecord>,
    cut: &ScratchFile<CutRecord>,
    texts: &dyn PassageTexts,
) -> Result<ScratchFile<TokenCharacters>, Error> {
    let scratch = &passages.scratch;
    let memory = scratch.budget.take(memory::EDGES);
    let mut sorter = Sorter::new(scratch.sort_spec("edges", memory.bytes()), Distinct);
    push_edges(passages, found, &mut sorter)?;
    push_edges(passages, cut, &mut sorter)?;
    let edges = scratch.store("edges.run-list", sorter.finish()?)?;
    drop(memory);
    let memory = scratch.budget.take(memory::CHARACTERS);
    let sorter = scratch.by_document("characters", memory.bytes());
    let rules = passages.engine.config.sketch.params().rules();
    let mut reader = edges.read()?;
    let wanted = passages.wanted(|| Ok::<_, FormatError>(reader.next()?.map(|one| one.key())))?;
    let sorted = passages.sorted((wanted, texts), sorter, &|| {
        let mut edges = Lookup::over(edges.read()?)?;
        Ok(Box::new(move |wanted, content, batch| {
            let (markup, text) = (content.markup(), content.as_str());
            if matches!(markup, Markup::Html | Markup::Xhtml) {
                return Ok(());
            }
            let (mut number, mut place) = (0, TextPlace::default());
            let mut edge = edges.next_of(wanted);
            sketch::for_each_place(rules, markup, text, &mut |bytes| {
                if let Ok(Some(EdgeToken { doc, token, .. })) = edge
                    && token == number
                {
                    let begin = place.go_to(text, bytes.start);
                    let end = place.go_to(text, bytes.end);
                    batch.push(TokenCharacters {
                        doc,
                        token,
                        characters: Characters { begin, end },
                    });
                    edge = edges.next_of(wanted);
                }
                number += 1;
            });
            edge.map(drop)
        }))
    })?;
    scratch.store("characters.run-list", sorted)
}

/// Adds the first and the last token of each run of a file.
fn push_edges<R: TokenRun>(
    passages: &Passages<'_>,
    runs: &ScratchFile<R>,
    sorter: &mut Sorter<EdgeToken, Distinct>,
) -> Result<(), Error> {
    let mut runs = runs.read()?;
    while let Some(mut run) = runs.next()? {
        let Some((doc, edges)) = run.edges() else {
            continue;
        };
        let Words([text, _]) = passages.text_of(doc)?;
        for token in edges {
            sorter.push(EdgeToken { text, doc, token })?;
        }
    }
    Ok(())
}
