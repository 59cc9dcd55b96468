//! `pipeline explain`: why two documents are together, or are not; what holds a cluster together.
//!
//! *Input.* Two documents by doc_id, URL or file, or a cluster; the query index of the publication,
//! whose documents are read again from the input. *Output.* [`Explanation`] and
//! [`ClusterExplanation`], for people in one column or two. *Algorithm.* [`query::compare`],
//! [`query::passages`], [`query::graph`]. *Memory.* The texts of two documents with their shingles,
//! or a cluster's links, within `work.memory`. *Disk.* Read-only. *Limits.* Those of these three.

mod cluster;
mod links;
mod text;
mod why;

pub use cluster::{ClusterExplanation, Keeper, explain_cluster};
pub use links::LinkShown;
pub use text::{Columns, Look, render};
pub use why::{Chain, Why};

use crate::compare::{Compared, Figures, Sides};
use crate::named::{Corpus, Page, Since};
use crate::tokens;
use ::query::passages::{self, Passage};
use config::Config;
use runtime::Error;
use serde::Serialize;
use sketch::PlacedText;
use std::ffi::OsString;
use std::ops::Range;

/// What to explain.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// File, doc_id or URL.
    pub a: OsString,
    /// File, doc_id or URL.
    pub b: OsString,
    /// The run they belong to; without it only files can be explained.
    pub config: Option<Config>,
    /// Passages and common shingles shown at most.
    pub limit: usize,
}

/// One of the two documents.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// As it was asked for.
    pub name: String,
    /// Its id, if it is of the publication.
    pub doc_id: Option<i64>,
    /// Its URL.
    pub url: Option<String>,
    /// Whether the document is no longer what the run has read.
    pub changed: bool,
    /// Whether its file is not.
    pub file_changed: bool,
    /// Canonical tokens.
    pub words: usize,
    /// Windows: places where a shingle begins.
    pub windows: usize,
    /// Of those, how many are in a shared passage.
    pub covered: usize,
}

/// Where a passage stands in one of the documents.
#[derive(Clone, Debug, Serialize)]
pub struct PassageSide {
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
pub struct PassageShown {
    /// Words in it.
    pub words: usize,
    /// Where it stands in A.
    pub a: PassageSide,
    /// And in B.
    pub b: PassageSide,
}

/// A common shingle that both have, and that counts for nothing.
#[derive(Clone, Debug, Serialize)]
pub struct CommonShown {
    /// Its fingerprint.
    pub shingle: String,
    /// Representatives that have it.
    pub documents: u32,
    /// Its words, as A has them.
    pub text: String,
}

/// Why two documents are together, or are not.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The first document.
    pub a: Side,
    /// The second one.
    pub b: Side,
    /// From all shingles.
    pub exact: Figures,
    /// From the sketches.
    pub estimated: Figures,
    /// Common shingles of the run that were left out; none if there was no run to ask.
    pub common_shingles_left_out: Option<usize>,
    /// Those that both have, most frequent first, as many as were asked for.
    pub common: Vec<CommonShown>,
    /// How many of those there are.
    pub common_in_both: usize,
    /// How the run sees them; none if one is not of the publication.
    pub why: Option<Why>,
    /// Shared passages in all.
    pub passages_in_all: usize,
    /// The longest ones, longest first.
    pub passages: Vec<PassageShown>,
    /// In what the publication differs from the configuration.
    pub outdated: Option<String>,
}

/// What is made of a document beside its text: the text as it is read, and where its pieces come
/// from.
const TEXTS: usize = 8;

/// Bytes a token takes at most: shingles, places and runs of A; of B also the automaton of
/// [`passages`].
const TOKEN_BYTES: [usize; 2] = [128, 224];

/// Explains two documents.
///
/// # Errors
/// When one cannot be found or read, when both do not fit `work.memory`, and at damage of the
/// index.
pub fn explain(request: &ExplainRequest) -> Result<Explanation, Error> {
    let standard = tokens::default_config()?;
    let config = request.config.as_ref().unwrap_or(&standard);
    let sides = Sides::read(config, request.config.as_ref(), [&request.a, &request.b])?;
    let _memory = sides.reserve(TEXTS, TOKEN_BYTES)?;
    let Compared { figures, common } = sides.compared()?;
    let left_out: Vec<u64> = common
        .iter()
        .flatten()
        .map(|(shingle, _)| *shingle)
        .collect();
    let Sides {
        params,
        corpus,
        pages: [a, b],
        ..
    } = &sides;
    let (text_a, text_b) = (
        PlacedText::new(params, a.content()),
        PlacedText::new(params, b.content()),
    );
    let shared = passages::shared(&text_a.windows, &text_b.windows, &left_out);
    let shown = |passage: &Passage| PassageShown {
        words: passage.windows + text_a.shingle_size.min(text_a.tokens.len()) - 1,
        a: side_of(
            &text_a,
            passage.a..passage.a + passage.windows,
            passage.a_places,
        ),
        b: side_of(
            &text_b,
            passage.b..passage.b + passage.windows,
            passage.b_places,
        ),
    };
    let why = match (corpus, a.doc, b.doc) {
        (Some(corpus), Some(a), Some(b)) => Some(why::why(corpus, a, b)?),
        _ => None,
    };
    let frequency = |shingle: u64| {
        common
            .iter()
            .flatten()
            .find(|(other, _)| *other == shingle)
            .map_or(0, |(_, n)| *n)
    };
    let mut both: Vec<(u32, u64, usize)> = shared
        .common
        .iter()
        .map(|(s, a, _)| (frequency(*s), *s, *a))
        .collect();
    both.sort_unstable_by_key(|(documents, shingle, _)| (std::cmp::Reverse(*documents), *shingle));
    let common_shown = both
        .iter()
        .take(request.limit)
        .map(|(documents, shingle, at)| CommonShown {
            shingle: format!("{shingle:016x}"),
            documents: *documents,
            text: text_a.text[text_a.bytes_of(*at..at + 1)].to_owned(),
        });
    Ok(Explanation {
        a: side(corpus, a, (&text_a, shared.covered_a)),
        b: side(corpus, b, (&text_b, shared.covered_b)),
        exact: Figures::of(&figures.exact),
        estimated: Figures::of(&figures.estimated),
        common_shingles_left_out: common.as_ref().map(Vec::len),
        common: common_shown.collect(),
        common_in_both: both.len(),
        why,
        passages_in_all: shared.passages.len(),
        passages: shared
            .passages
            .iter()
            .take(request.limit)
            .map(shown)
            .collect(),
        outdated: corpus
            .as_ref()
            .and_then(|corpus| crate::query::outdated(&corpus.index, config)),
    })
}

fn side(corpus: &Option<Corpus<'_>>, page: &Page, (text, covered): (&PlacedText, usize)) -> Side {
    let doc_id = corpus
        .as_ref()
        .zip(page.doc)
        .map(|(corpus, doc)| corpus.index.public_id(doc));
    Side {
        name: page.name.clone(),
        doc_id,
        url: page.url.clone(),
        changed: page.since == Since::Changed,
        file_changed: page.since != Since::Same,
        words: text.tokens.len(),
        windows: text.windows.len(),
        covered,
    }
}

/// Words shown before and after a passage.
const CONTEXT_WORDS: usize = 8;

fn side_of(text: &PlacedText, windows: Range<usize>, places: usize) -> PassageSide {
    let word = windows.start;
    let bytes = text.bytes_of(windows.clone());
    let place_of = |word: usize| text.tokens.get(word).map(|place| place.start);
    let before = place_of(word.saturating_sub(CONTEXT_WORDS))
        .unwrap_or(bytes.start)
        .min(bytes.start);
    let last = (windows.end + text.shingle_size).saturating_sub(2) + CONTEXT_WORDS;
    let after = text
        .tokens
        .get(last.min(text.tokens.len().saturating_sub(1)))
        .map_or(bytes.end, |place| place.end);
    let part = |range: Range<usize>| text.text.get(range).unwrap_or_default().to_owned();
    PassageSide {
        word,
        byte: text.source_of(bytes.start),
        places,
        before: part(before..bytes.start),
        after: part(bytes.end..after.max(bytes.end)),
        text: part(bytes),
    }
}
