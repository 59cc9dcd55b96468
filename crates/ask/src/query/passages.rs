//! The passages of a document: where each stands first, and who else has it. And the passages that
//! stand at most places, with the documents of which most stands elsewhere.
//!
//! *Input.* The index; the documents, read again for their words. *Output.* [`DocumentPassages`],
//! [`PassagesAnswer`]. *Algorithm.* Lookups by document, and by the place where a passage stands
//! first; for the lists one pass over all passages. *Memory.* The passages of one document, and the
//! answer, of which long names have [`NameRoom`]; the text of one document. *Limits.* A passage is
//! found from its source by its first window: where it begins with words of one document and goes
//! on with those of another, only the first one leads to it.

mod marked;
mod show;

pub use marked::{MarkedText, TextStretch, marked_text};

use super::lookup::{find, unknown};
use super::{NameRoom, NamedDocument};
use crate::asked_document::text_again;
use crate::index::{Index, IndexedPassages};
use config::Config;
use engine::Error;
use format::PassageRecord;
use publication::leading_passages::{Covered, LeadingPassages};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a passage that an answer has.
const CHARACTERS: usize = 1000;

/// The passages that stand at most places, and the documents of which most stands elsewhere.
#[derive(Clone, Debug, Serialize)]
pub struct PassagesAnswer {
    /// Passages of all documents.
    pub total: u64,
    /// Words of the shortest passage.
    pub shortest: u32,
    /// The passages that stand at most places, each where it stands first.
    pub most_repeated: Vec<ListedPassage>,
    /// The documents of which the largest share stands elsewhere, too.
    pub most_covered: Vec<ListedDocument>,
}

/// A passage of a list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedPassage {
    /// Its document.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// The passage.
    #[serde(flatten)]
    pub passage: PassageView,
}

/// A document of a list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedDocument {
    /// The document.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// Its words.
    pub words: u64,
    /// Its words in passages.
    pub repeated_words: u64,
}

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
    /// The beginning of its text; none if that cannot be read any more.
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

/// The passages of a document, by its doc_id, URL or id, and those of others that stand in it first;
/// at most `limit` of both.
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
    let views = shown.iter_mut().map(|one| &mut one.passage);
    let no_text = match shown_text(index, config, doc, views.collect())? {
        Some(why) if !records.is_empty() => Some(why),
        _ => None,
    };
    let quotes = known.quotes(standing)?;
    let mut quoted = Vec::new();
    for quote in quotes.iter().take(limit) {
        let quote = quote?;
        quoted.push(QuoteView {
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
        no_text,
        quotes: quoted,
        quotes_total: quotes.len(),
    })
}

/// The lists of a publication; at most `limit` rows of both.
///
/// # Errors
/// When the run did not look for passages.
pub fn leading_passages(
    index: &Index,
    config: &Config,
    limit: usize,
) -> Result<PassagesAnswer, Error> {
    let known = known(index)?;
    let (passages, documents) = leading(index, limit)?;
    Ok(PassagesAnswer {
        total: known.count(),
        shortest: known.shortest(),
        most_covered: listed_documents(index, &documents)?,
        most_repeated: listed_passages(index, config, &passages)?,
    })
}

/// The first of all passages and documents, in order.
pub fn leading(index: &Index, limit: usize) -> Result<(Vec<PassageRecord>, Vec<Covered>), Error> {
    let mut leading = LeadingPassages::of(limit);
    let mut document: Option<Covered> = None;
    for passage in known(index)?.all()?.iter() {
        let passage = passage?;
        leading.add_passage(passage);
        let repeated_words = u64::from(passage.end - passage.begin);
        match &mut document {
            Some(document) if document.doc == passage.doc => {
                document.repeated_words += repeated_words;
            }
            before => {
                let words = index.mark(passage.doc)?.words;
                let next = Covered {
                    doc: passage.doc,
                    words,
                    repeated_words,
                };
                if let Some(before) = before.replace(next) {
                    leading.add_document(before);
                }
            }
        }
    }
    document
        .into_iter()
        .for_each(|one| leading.add_document(one));
    Ok(leading.sorted())
}

/// Passages by name, with their text.
pub fn listed_passages(
    index: &Index,
    config: &Config,
    passages: &[PassageRecord],
) -> Result<Vec<ListedPassage>, Error> {
    let mut room = NameRoom::default();
    let mut listed = Vec::new();
    for passage in passages {
        listed.push(ListedPassage {
            document: named(index, passage.doc, &mut room)?,
            passage: PassageView::of(passage),
        });
    }
    let mut by_doc: BTreeMap<u32, Vec<&mut PassageView>> = BTreeMap::new();
    for (passage, listed) in passages.iter().zip(&mut listed) {
        let views = by_doc.entry(passage.doc).or_default();
        views.push(&mut listed.passage);
    }
    for (doc, views) in by_doc {
        shown_text(index, config, doc, views)?;
    }
    Ok(listed)
}

/// Documents of a list, by name.
pub fn listed_documents(
    index: &Index,
    documents: &[Covered],
) -> Result<Vec<ListedDocument>, Error> {
    let mut room = NameRoom::default();
    let listed = documents.iter().map(|covered| {
        Ok(ListedDocument {
            document: named(index, covered.doc, &mut room)?,
            words: covered.words,
            repeated_words: covered.repeated_words,
        })
    });
    listed.collect()
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
        passage.text = Some(words.chars().take(CHARACTERS).collect());
    }
    Ok(None)
}
