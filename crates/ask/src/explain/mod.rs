//! `pipeline explain`: why two documents are together, or are not; the links that hold a cluster
//! together.
//!
//! *Input.* Two documents by doc_id, URL or file, or a cluster; the query index of the publication,
//! whose documents are read again from the input. *Output.* [`Explanation`] and
//! [`ClusterExplanation`], for people in one column or two. *Algorithm.* Modules
//! [`crate::overlaps`], [`crate::differences`], [`crate::passages`] and [`crate::graph`], whose
//! limits it has. *Memory.* The texts of two documents with their shingles, or a cluster's links,
//! within `work.memory`. *Disk.* Read-only.

mod cluster;
mod difference;
mod difference_kind;
mod difference_text;
mod links;
mod passage;
mod text;
mod why;
mod wrap;

pub use cluster::{ClusterExplanation, StarCentre, explain_cluster};
pub use difference::{DifferentWords, ShownDifference, TextDifference};
pub use difference_kind::DifferenceKind;
pub use links::{ClusterLink, Contained};
pub use text::render;
pub use why::{ClusteringReason, LinkChain};
pub(crate) use wrap::clean;
pub use wrap::{PassageColumns, Style};

use crate::asked_document::{AskedDocument, ChangeSinceRun};
use crate::document_pair::{CompareRequest, DocumentPair};
use crate::figures::PairFigures;
use crate::passages::{self, Passage};
use crate::repeated_parts::words_in;
use engine::Error;
use serde::Serialize;
use sketch::PlacedText;
use std::ops::Range;

/// The documents to explain.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// The two documents.
    pub pair: CompareRequest,
    /// Largest number of differences and passages to show.
    pub limit: usize,
    /// The content of the text of the explanation.
    pub view: ExplainView,
}

/// The part of the text of an explanation about the two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainView {
    /// The words that differ.
    Differences,
    /// The passages that both have.
    Shared,
}

/// One of the two documents.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedDocument {
    /// The name that the user gave.
    pub name: String,
    /// Its id, if it is of the publication.
    pub doc_id: Option<i64>,
    /// Its id in the input.
    pub id: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// Whether the document changed since the run.
    pub changed: bool,
    /// Whether its file changed since the run.
    pub file_changed: bool,
    /// Canonical tokens.
    pub words: usize,
    /// Windows: places where a shingle begins.
    pub windows: usize,
    /// Of those, how many are in a shared passage.
    pub covered: usize,
    /// Words that stand at several places of the corpus, if the run has passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated_words: Option<u64>,
    /// The text of the page that does not count.
    pub frame: String,
}

/// Where a passage stands in one of the documents.
#[derive(Clone, Debug, Serialize)]
pub struct PassageInDocument {
    /// Its first word, from 0.
    pub word: usize,
    /// Its first byte in the decoded document, markup included.
    pub byte: usize,
    /// In how many places it stands there; the first is shown.
    pub places: usize,
    /// The text, as it is read.
    pub text: String,
    /// Some words before it.
    pub before: String,
    /// And after it.
    pub after: String,
}

/// A passage that both have.
#[derive(Clone, Debug, Serialize)]
pub struct SharedPassage {
    /// Words in it.
    pub words: usize,
    /// Where it stands in A.
    pub a: PassageInDocument,
    /// And in B.
    pub b: PassageInDocument,
}

/// The reason why two documents are together, or are not.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The first document.
    pub a: ExplainedDocument,
    /// The second one.
    pub b: ExplainedDocument,
    /// The figures of the two documents.
    #[serde(flatten)]
    pub figures: PairFigures,
    /// Why the run has or has not joined them; `null` if one is not of the publication.
    pub why: Option<ClusteringReason>,
    /// The differences.
    pub difference: TextDifference,
    /// Number of shared passages.
    pub passages_in_all: usize,
    /// The longest passages, longest first, up to the limit of the request.
    pub passages: Vec<SharedPassage>,
    /// The first parameter in which the publication differs from the configuration.
    pub outdated: Option<String>,
    /// The content that [`render`] shows.
    #[serde(skip)]
    pub view: ExplainView,
}

/// Memory for each document, in multiples of its text: the text as it is read, and where its pieces
/// come from.
const TEXTS: usize = 8;

/// Bytes a token takes at most: its fingerprint, shingles, places, and suffixes in [`passages`].
/// The alignment of words takes less, and the suffixes are gone by then.
const TOKEN_BYTES: usize = 190;

/// Explains two documents.
pub fn explain(request: &ExplainRequest) -> Result<Explanation, Error> {
    let pair = DocumentPair::read(&request.pair)?;
    let _memory = [
        pair.reserve(&pair.a, TEXTS, TOKEN_BYTES)?,
        pair.reserve(&pair.b, TEXTS, TOKEN_BYTES)?,
    ];
    let figures = pair.compare();
    let text_a = PlacedText::new(&pair.params, pair.a.content());
    let text_b = PlacedText::new(&pair.params, pair.b.content());
    let shared = passages::shared(&text_a.windows, &text_b.windows);
    let why = match (&pair.corpus, pair.a.doc, pair.b.doc) {
        (Some(corpus), Some(a), Some(b)) => Some(why::why(corpus, a, b)?),
        _ => None,
    };
    let (passages_a, passages_b) = (pair.passages(&pair.a)?, pair.passages(&pair.b)?);
    let [repeated_a, repeated_b] =
        [&passages_a, &passages_b].map(|passages| passages.as_deref().map(words_in));
    let corpus = pair.corpus.as_ref();
    let longest = shared.passages.iter().take(request.limit);
    Ok(Explanation {
        a: explained_document(&pair, &pair.a, &text_a, (shared.covered_a, repeated_a)),
        b: explained_document(&pair, &pair.b, &text_b, (shared.covered_b, repeated_b)),
        figures,
        why,
        difference: difference::difference(
            [&text_a, &text_b],
            [&passages_a, &passages_b].map(|passages| passages.as_deref().unwrap_or_default()),
            request.limit,
        ),
        view: request.view,
        passages_in_all: shared.passages.len(),
        passages: longest
            .map(|passage| shared_passage(passage, &text_a, &text_b))
            .collect(),
        outdated: corpus.and_then(|corpus| crate::query::outdated(&corpus.index, pair.config)),
    })
}

impl Explanation {
    /// The figure of the two documents, and what differs.
    pub fn headline(&self) -> String {
        let (figures, difference) = (self.figures.headline(), self.difference.headline());
        match self.difference.is_without_words() {
            true => difference,
            false => format!("{figures}; {difference}"),
        }
    }
}

impl ExplainedDocument {
    /// Of a document of the publication its URL or its id in the input, else the name that the
    /// user gave.
    pub fn shown_name(&self) -> &str {
        let own = self.url.as_deref().or(self.id.as_deref());
        own.filter(|_| self.doc_id.is_some()).unwrap_or(&self.name)
    }
}

fn explained_document(
    pair: &DocumentPair<'_>,
    document: &AskedDocument,
    text: &PlacedText,
    (covered, repeated_words): (usize, Option<u64>),
) -> ExplainedDocument {
    let corpus = pair.corpus.as_ref();
    ExplainedDocument {
        name: document.name.clone(),
        doc_id: corpus
            .zip(document.doc)
            .map(|(corpus, doc)| corpus.index.public_id(doc)),
        id: document.id.clone(),
        url: document.url.clone(),
        changed: document.since == ChangeSinceRun::Document,
        file_changed: document.since != ChangeSinceRun::Nothing,
        words: text.tokens.len(),
        windows: text.windows.len(),
        covered,
        repeated_words,
        frame: sketch::frame_of(pair.params.rules(), document.content()),
    }
}

fn shared_passage(passage: &Passage, text_a: &PlacedText, text_b: &PlacedText) -> SharedPassage {
    let windows_a = passage.a..passage.a + passage.windows;
    let windows_b = passage.b..passage.b + passage.windows;
    SharedPassage {
        words: passage.windows + text_a.shingle_size.min(text_a.tokens.len()) - 1,
        a: passage_in_document(text_a, windows_a, passage.a_places),
        b: passage_in_document(text_b, windows_b, passage.b_places),
    }
}

/// Words shown before and after a passage.
const CONTEXT_WORDS: usize = 8;

fn passage_in_document(
    text: &PlacedText,
    windows: Range<usize>,
    places: usize,
) -> PassageInDocument {
    let (word, bytes) = (windows.start, text.bytes_of(windows.clone()));
    let first = text.tokens.get(word.saturating_sub(CONTEXT_WORDS));
    let before = first.map_or(bytes.start, |place| place.start.min(bytes.start));
    let last = (windows.end + text.shingle_size).saturating_sub(2) + CONTEXT_WORDS;
    let last = text
        .tokens
        .get(last.min(text.tokens.len().saturating_sub(1)));
    let after = last.map_or(bytes.end, |place| place.end);
    let part = |range: Range<usize>| text.text.get(range).unwrap_or_default().to_owned();
    PassageInDocument {
        word,
        byte: text.source_of(bytes.start),
        places,
        before: part(before..bytes.start),
        after: part(bytes.end..after.max(bytes.end)),
        text: part(bytes),
    }
}
