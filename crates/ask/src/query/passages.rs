//! The passages of a document: where each stands first, and who else has it.
//!
//! *Input.* The index; the document, read again for its words. *Output.* [`DocumentPassages`];
//! [`PassageLists`] for those of all documents. *Algorithm.* Lookups by document, and by the place
//! where a passage stands first. *Memory.* The passages of one document and its text; the answer,
//! of which long names have [`NameRoom`]. *Limits.* A passage is
//! found from its source by its first window: where it begins with words of one document and goes
//! on with those of another, only the first one leads to it.

mod lists;
mod marked;
mod show;

pub use lists::{ListedDocument, ListedPassage, PassageLists, PassagesAnswer, leading_passages};
pub use marked::{MarkedText, TextStretch, marked_text};

use super::lookup::{find, unknown};
use super::{NameRoom, NamedDocument};
use crate::asked_document::text_again;
use crate::index::{Index, IndexedPassages};
use config::Config;
use engine::Error;
use format::PassageRecord;
use serde::Serialize;
use std::collections::BTreeSet;

/// Characters of a passage that an answer has.
const CHARACTERS: usize = 1000;

/// A passage as its document has it.
#[derive(Clone, Debug, Serialize)]
pub struct PassageView {
    /// Its first word, from 0.
    pub begin: u32,
    /// The word after its last.
    pub end: u32,
    /// Places at which one of its windows stands: the fewest.
    pub places_min: u32,
    /// The most.
    pub places_max: u32,
    /// Documents in which one of its windows stands: the most.
    pub documents: u32,
    /// Whether each of its windows stands here first.
    pub is_source: bool,
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
    /// Its words in passages.
    pub repeated_words: u64,
    /// Its passages, in order.
    pub passages: Vec<SourcedPassage>,
    /// How many there are.
    pub passages_total: u64,
    /// Why passages have no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_text: Option<String>,
    /// The passages of other documents that stand here first, by the place here.
    pub quotes: Vec<QuoteView>,
    /// How many there are.
    pub quotes_total: u64,
}

/// A passage of a document, and where else it is.
#[derive(Clone, Debug, Serialize)]
pub struct SourcedPassage {
    /// The passage.
    #[serde(flatten)]
    pub passage: PassageView,
    /// The document that has its first window first; none if it is this one.
    pub source: Option<NamedDocument>,
    /// The word at which the window begins there.
    pub source_begin: u32,
    /// Other documents with a passage that begins with this window, or, of a passage that stands
    /// here first, with any window of it.
    pub also_in: Vec<i64>,
}

/// A passage of another document.
#[derive(Clone, Debug, Serialize)]
pub struct QuoteView {
    /// The document.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// Its first word there.
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
    known(index)?;
    let Some(doc) = find(index, name)? else {
        return Err(unknown(index, name)?);
    };
    let mut answer = wordless_passages(index, doc, limit)?;
    let views = answer.passages.iter_mut().map(|one| &mut one.passage);
    answer.no_text = shown_text(index, config, doc, views.collect())?;
    Ok(answer)
}

/// The passages of a document, without their text.
pub fn passages_by_id(index: &Index, id: i64, limit: usize) -> Result<DocumentPassages, Error> {
    match index.doc_of(id) {
        Some(doc) => wordless_passages(index, doc, limit),
        None => Err(unknown(index, &id.to_string())?),
    }
}

fn wordless_passages(index: &Index, doc: u32, limit: usize) -> Result<DocumentPassages, Error> {
    let known = known(index)?;
    let standing = index.doc_with_passages(doc)?;
    let records = index.passages_of(doc)?;
    let mut room = NameRoom::default();
    let mut shown = Vec::new();
    for passage in records.iter().take(limit) {
        shown.push(SourcedPassage {
            passage: PassageView::of(passage),
            source: match passage.source_doc == standing {
                true => None,
                false => Some(named(index, passage.source_doc, &mut room)?),
            },
            source_begin: passage.source_begin,
            also_in: also_in(index, known, passage, limit)?,
        });
    }
    let all_quotes = known.quotes(standing)?;
    let mut quotes = Vec::new();
    for quote in all_quotes.iter().take(limit) {
        let quote = quote?;
        quotes.push(QuoteView {
            document: named(index, quote.doc, &mut room)?,
            begin: quote.begin,
            source_begin: quote.source_begin,
        });
    }
    Ok(DocumentPassages {
        document: NamedDocument::of(index, doc)?,
        passages_of: (standing != doc).then(|| index.public_id(standing)),
        words: index.mark(doc)?.words,
        repeated_words: words_in(&records),
        passages: shown,
        passages_total: records.len() as u64,
        no_text: None,
        quotes,
        quotes_total: all_quotes.len(),
    })
}

impl PassageView {
    /// The passage, without its text.
    fn of(passage: &PassageRecord) -> PassageView {
        let [places_min, places_max] = passage.places;
        PassageView {
            begin: passage.begin,
            end: passage.end,
            places_min,
            places_max,
            documents: passage.documents,
            is_source: passage.is_source,
            text: None,
        }
    }
}

/// Words of all passages of a document.
pub(crate) fn words_in(passages: &[PassageRecord]) -> u64 {
    let words = passages.iter().map(|one| u64::from(one.end - one.begin));
    words.sum()
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

/// Gives the passages of a document their text; or the reason why there is none.
fn shown_text(
    index: &Index,
    config: &Config,
    doc: u32,
    passages: Vec<&mut PassageView>,
) -> Result<Option<String>, Error> {
    if passages.is_empty() {
        return Ok(None);
    }
    let text = match text_again(index, config, doc)? {
        Ok(text) => text,
        Err(why) => return Ok(Some(why)),
    };
    for passage in passages {
        let words = text.words(&(passage.begin as usize..passage.end as usize));
        let cut = words.char_indices().nth(CHARACTERS);
        passage.text = Some(match cut {
            Some((at, _)) => format!("{} …", &words[..at]),
            None => words.to_owned(),
        });
    }
    Ok(None)
}
