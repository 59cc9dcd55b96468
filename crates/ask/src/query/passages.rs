//! The passages of a document: where each stands first, and who else has it.
//!
//! *Input.* The index; the document, read again for its words. *Output.* [`DocumentPassages`];
//! [`PassageLists`] for those of all documents. *Algorithm.* Lookups by document, and by the place
//! where a passage stands first. *Memory.* The passages of one document and its text; the answer,
//! of which long names have [`NameRoom`].

mod lists;
mod show;

pub use lists::{ListedDocument, ListedPassage, PassageLists, PassagesAnswer, leading_passages};

use super::lookup::{find, unknown};
use super::{NameRoom, NamedDocument};
use crate::asked_document::text_again;
use crate::index::{Index, IndexedPassages};
use crate::repeated_parts::{RepeatedPart, repeated_parts, words_in};
use config::Config;
use engine::Error;
use format::PassageRecord;
use serde::Serialize;
use sketch::PlacedText;
use std::collections::BTreeSet;

/// Characters of a passage that an answer has.
const CHARACTERS: usize = 1000;

/// Words of a document that are shown with its passages marked.
const WORDS: usize = 3000;

/// A passage as its document has it.
#[derive(Clone, Debug, Serialize)]
pub struct PassageView {
    /// Its first word, from 0.
    #[serde(rename = "begin_word")]
    pub begin: u32,
    /// The word after its last.
    #[serde(rename = "end_word")]
    pub end: u32,
    /// Places at which one of its windows stands: the fewest.
    pub places_min: u32,
    /// The most.
    pub places_max: u32,
    /// Documents in which one of its windows stands: the most.
    pub documents: u32,
    /// Whether each of its windows stands here first.
    pub is_source: bool,
    /// The document that has its first window first; none if it is this one.
    pub source: Option<NamedDocument>,
    /// The word at which the window begins there.
    pub source_begin: u32,
    /// Other documents with a passage that begins with this window, or, of a passage that stands
    /// here first, with any window of it.
    pub also_in: Vec<i64>,
    /// Its text, up to 1,000 characters of it; none if that cannot be read any more.
    pub text: Option<String>,
}

/// The passages of a document.
#[derive(Clone, Debug, Serialize)]
pub struct DocumentPassages {
    /// The document.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// The lowest document with the same tokens, if it has the passages for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages_of: Option<i64>,
    /// Its words.
    pub words: u64,
    /// Its words in passages; none if the run could not read it again: nobody knows its passages.
    pub repeated_words: Option<u64>,
    /// Its passages, in order.
    pub passages: Vec<PassageView>,
    /// How many there are.
    pub passages_total: u64,
    /// The beginning of its text.
    #[serde(skip)]
    pub text: MarkedText,
    /// Why there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_text: Option<String>,
    /// The passages of other documents that stand here first, by the place here.
    pub quotes: Vec<QuoteView>,
    /// How many there are.
    pub quotes_total: u64,
}

/// The beginning of a text, with the passages in it.
#[derive(Clone, Debug, Default)]
pub struct MarkedText {
    /// The text.
    pub text: String,
    /// The parts of it that are in passages.
    pub repeated: Vec<RepeatedPart>,
    /// Words behind it.
    pub words_behind: usize,
}

/// A passage of another document.
#[derive(Clone, Debug, Serialize)]
pub struct QuoteView {
    /// The document.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// Its first word there.
    #[serde(rename = "begin_word")]
    pub begin: u32,
    /// The word of the document that is asked for with which it begins.
    pub source_begin: u32,
}

/// The passages of a document, by its doc_id, URL or id, and those of others that stand in it
/// first; at most `limit` of both.
///
/// # Errors
/// When the run did not look for passages.
pub fn passages(
    index: &Index,
    config: &Config,
    name: &str,
    limit: usize,
) -> Result<DocumentPassages, Error> {
    let known = known(index)?;
    let Some(doc) = find(index, name)? else {
        return Err(unknown(index, name)?);
    };
    let standing = index.doc_with_passages(doc)?;
    let (passages, quotes) = (index.passages_of(doc)?, known.quotes(standing)?);
    let repeated_words = passages.as_deref().map(words_in);
    let records = passages.unwrap_or_default();
    let mut room = NameRoom::default();
    let shown = records.iter().take(limit);
    let shown = shown.map(|passage| PassageView::of(index, known, passage, limit, &mut room));
    let shown = shown.collect::<Result<_, Error>>()?;
    let quoted = quotes.iter().take(limit).map(|quote| {
        let quote = quote?;
        Ok(QuoteView {
            document: named(index, quote.doc, &mut room)?,
            begin: quote.begin,
            source_begin: quote.source_begin,
        })
    });
    let mut answer = DocumentPassages {
        document: NamedDocument::of(index, doc)?,
        passages_of: (standing != doc).then(|| index.public_id(standing)),
        words: index.mark(doc)?.words,
        repeated_words,
        passages: shown,
        passages_total: records.len() as u64,
        text: MarkedText::default(),
        no_text: None,
        quotes: quoted.collect::<Result<_, Error>>()?,
        quotes_total: quotes.len(),
    };
    if records.is_empty() {
        return Ok(answer);
    }
    match text_again(index, config, doc)? {
        Ok(text) => {
            let views = answer.passages.iter_mut();
            views.for_each(|passage| passage.read(&text));
            answer.text = MarkedText::of(&text, &records);
        }
        Err(why) => answer.no_text = Some(why),
    }
    Ok(answer)
}

impl PassageView {
    /// The passage, without its text.
    fn of(
        index: &Index,
        known: &IndexedPassages,
        passage: &PassageRecord,
        limit: usize,
        room: &mut NameRoom,
    ) -> Result<PassageView, Error> {
        let [places_min, places_max] = passage.places;
        let is_elsewhere = passage.source_doc != passage.doc;
        let source = is_elsewhere.then(|| named(index, passage.source_doc, room));
        Ok(PassageView {
            begin: passage.begin,
            end: passage.end,
            places_min,
            places_max,
            documents: passage.documents,
            is_source: passage.is_source,
            source: source.transpose()?,
            source_begin: passage.source_begin,
            also_in: also_in(index, known, passage, limit)?,
            text: None,
        })
    }

    /// Takes its text out of that of its document.
    fn read(&mut self, text: &PlacedText) {
        let words = text.words(&(self.begin as usize..self.end as usize));
        let cut = words.char_indices().nth(CHARACTERS);
        self.text = Some(match cut {
            Some((at, _)) => format!("{} …", &words[..at]),
            None => words.to_owned(),
        });
    }
}

impl MarkedText {
    fn of(text: &PlacedText, passages: &[PassageRecord]) -> MarkedText {
        let shown = 0..text.tokens.len().min(WORDS);
        MarkedText {
            text: text.words(&shown).to_owned(),
            repeated: repeated_parts(text, &shown, passages),
            words_behind: text.tokens.len() - shown.end,
        }
    }
}

fn known(index: &Index) -> Result<&IndexedPassages, Error> {
    index.passages().ok_or_else(|| {
        let text = "failed to find passages: the run did not look for them; run `pipeline run \
                    --passages 50`";
        Error::NotFound(text.to_owned())
    })
}

/// A document by its names, as long as there is room for them.
fn named(index: &Index, doc: u32, room: &mut NameRoom) -> Result<NamedDocument, Error> {
    let named = NamedDocument::of(index, doc)?;
    match room.takes([&named.id, &named.url]) {
        true => Ok(named),
        false => Ok(NamedDocument {
            id: None,
            url: None,
            ..named
        }),
    }
}

/// Documents besides that of a passage and its source with a passage that begins with its first
/// window, or with any window of one that stands here first.
fn also_in(
    index: &Index,
    known: &IndexedPassages,
    passage: &PassageRecord,
    limit: usize,
) -> Result<Vec<i64>, Error> {
    let windows = match passage.is_source {
        true => (passage.end - passage.begin + 1).saturating_sub(known.shortest()),
        false => 1,
    };
    let quotes = known.quotes_at(passage.source_doc, passage.source_begin, windows)?;
    let mut others = BTreeSet::new();
    for quote in quotes.iter() {
        let quote = quote?;
        if quote.doc != passage.doc {
            others.insert(quote.doc);
        }
        if others.len() == limit {
            break;
        }
    }
    let ids = others.into_iter().map(|doc| index.public_id(doc));
    Ok(ids.collect())
}
