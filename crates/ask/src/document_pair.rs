//! Two documents, read and compared: the core of `pipeline compare` and `pipeline explain`.
//!
//! *Input.* Two names: each a file, or, with a run, the doc_id or URL of one of its documents
//! ([`asked_document`]). *Output.* [`PairFigures`]. *Algorithm.* [`ShingledDocument`], over all
//! shingles and over the sketches. *Memory.* The texts; the caller reserves the rest in
//! `work.memory` ([`DocumentPair::reserve`]). *Disk.* Read-only. *Limits.* None but memory.

use crate::asked_document::{self, AskedDocument, ChangeSinceRun, Corpus};
use crate::figures::{ComparedText, Figures, PairFigures};
use crate::index::Index;
use crate::overlaps::ShingledDocument;
use config::Config;
use engine::Error;
use format::PassageRecord;
use model::{Content, Overlap};
use sketch::{SketchParams, Sketcher, TextOfPages};
use sort::{BudgetError, MemoryBudget, Reservation};
use std::ffi::OsString;
use std::sync::Arc;

/// Two documents to compare.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// File, doc_id or URL.
    pub a: OsString,
    /// File, doc_id or URL.
    pub b: OsString,
    /// Whose parameters are used.
    pub basis: Basis,
}

/// Whose parameters a comparison uses.
#[derive(Clone, Debug)]
pub enum Basis {
    /// The parameters of a run, whose documents can be named. The query index, if it is open
    /// already.
    Run(Config, Option<Arc<Index>>),
    /// The parameters of a configuration, without a run: only files can be compared.
    Parameters(Config),
}

/// Two documents and everything needed to compare them.
pub(crate) struct DocumentPair<'a> {
    pub(crate) config: &'a Config,
    /// The publication of the run, if a run is named and has published.
    pub(crate) corpus: Option<Corpus<'a>>,
    pub(crate) params: SketchParams,
    pub(crate) a: AskedDocument,
    pub(crate) b: AskedDocument,
    budget: MemoryBudget,
}

impl<'a> DocumentPair<'a> {
    /// Reads both documents.
    pub(crate) fn read(request: &'a CompareRequest) -> Result<DocumentPair<'a>, Error> {
        let (config, corpus) = match &request.basis {
            Basis::Run(config, index) => (config, Corpus::of_if_any(config, index.as_ref())?),
            Basis::Parameters(config) => (config, None),
        };
        let a = asked_document::read(config, corpus.as_ref(), &request.a)?;
        let b = asked_document::read(config, corpus.as_ref(), &request.b)?;
        let memory_bytes = config.work.memory();
        Ok(DocumentPair {
            params: config.sketch.params(),
            config,
            corpus,
            a,
            b,
            budget: MemoryBudget::new(memory_bytes),
        })
    }

    /// Reserves memory to work on a document: `texts` times its text, and some bytes for each
    /// token.
    pub(crate) fn reserve(
        &self,
        document: &AskedDocument,
        texts: usize,
        token_bytes: usize,
    ) -> Result<Reservation, BudgetError> {
        let content = document.content();
        let mut tokens = 0;
        sketch::for_each_token(self.params.rules(), content, &mut |_| tokens += 1);
        let bytes = texts
            .saturating_mul(content.as_str().len())
            .saturating_add(token_bytes * tokens);
        self.budget
            .reserve("the comparison of two documents", bytes)
    }

    /// The passages of a document; `None` if they are not known, and if the document is not as the
    /// run has read it.
    pub(crate) fn passages(
        &self,
        document: &AskedDocument,
    ) -> Result<Option<Vec<PassageRecord>>, Error> {
        let is_same = document.since != ChangeSinceRun::Document;
        let corpus = self.corpus.as_ref().filter(|_| is_same);
        match corpus.zip(document.doc) {
            Some((corpus, doc)) => Ok(corpus.index.passages_of(doc)?),
            None => Ok(None),
        }
    }

    /// Compares them.
    pub(crate) fn compare(&self) -> PairFigures {
        let [a, b] =
            [&self.a, &self.b].map(|one| ShingledDocument::of(&self.params, one.content()));
        self.compare_shingles(&a, &b)
    }

    /// Their figures from an overlap.
    pub(crate) fn figures(&self, overlap: &Overlap) -> Figures {
        if overlap.shared == 0 && self.are_equal() {
            Figures::of_equal(overlap)
        } else {
            Figures::of(overlap)
        }
    }

    /// Whether they are the same, or have the same tokens, which a page with a short main part is
    /// told by.
    fn are_equal(&self) -> bool {
        let tokens = |one: &AskedDocument| {
            let mut sketcher = Sketcher::new(&self.params);
            let sketched = sketcher.sketch(one.content());
            (sketched.words, sketched.lexical)
        };
        let [a, b] = [&self.a, &self.b].map(|one| one.content().as_str());
        a == b || tokens(&self.a) == tokens(&self.b) && tokens(&self.a).0 > 0
    }

    /// Which text of them counts.
    fn compared_text(&self) -> ComparedText {
        let is_page = |one: &AskedDocument| {
            let content = one.content();
            matches!(content, Content::Html(_) | Content::Xhtml(_))
        };
        let is_main = matches!(self.params.text_of_pages, TextOfPages::Main { .. });
        match is_main && (is_page(&self.a) || is_page(&self.b)) {
            true => ComparedText::Main,
            false => ComparedText::All,
        }
    }

    /// Compares documents with these shingles.
    pub(crate) fn compare_shingles(
        &self,
        a: &ShingledDocument,
        b: &ShingledDocument,
    ) -> PairFigures {
        PairFigures {
            text: self.compared_text(),
            exact: self.figures(&a.exact(b)),
            estimated: self.figures(&a.estimated(b, self.config.sketch.sampling)),
        }
    }
}
