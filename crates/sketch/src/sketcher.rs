//! A document's tokens, rolled into windows, fingerprinted and sampled.
//!
//! Follows *Syntactic Clustering of the Web* (Broder, Glassman, Manasse, Zweig, 1997), "Sketching".
//! Only the hashes of the last w tokens are held, so a long document costs its text and its sample.
//! Labelled shingles are the exception. It does not matter which occurrence of a window is the
//! k-th, but how often each occurs is known only at the end, so all windows are kept and sorted,
//! and a run of r equal ones gets the labels 1 … r.

use crate::cpu::Cpu;
use crate::family::TextShingles;
use crate::html::Pages;
use crate::params::{SketchParams, TextOfPages};
use crate::sample::Sampler;
use crate::text::Tokenizer;
use model::{Content, Sampling};

mod digest;
mod hash_sink;
mod pieces;
mod shingler;
mod texts;
mod windows;

use digest::{digest, of_text, with_sum};
pub use pieces::SetPiece;
use shingler::{BUFFER_BYTES_KEPT, Shingler};
use texts::TextSink;
pub(crate) use windows::HashChunk;

/// The sketch of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sketched<'a> {
    /// Tokens.
    pub words: u64,
    /// Shingle occurrences: tokens − w + 1, or 1 if there are 1 to w − 1 tokens, or 0.
    pub shingles: u64,
    /// Fingerprint of the token sequence; to be compared together with `words`.
    pub lexical: u64,
    /// Index into the levels of the [`Sampling`].
    pub level: u8,
    /// The sample: sorted, distinct.
    pub fingerprints: &'a [u64],
    /// Keyed digest of modulus and fingerprints. Where an adaptive sketch or one of a fixed size
    /// leaves shingles out, it covers all shingles and how often each occurs.
    pub sketch_digest: u128,
}

/// Makes sketches, one document after another, reusing its buffers. One for each thread.
pub struct Sketcher {
    cpu: Cpu,
    tokenizer: Tokenizer,
    sampling: Sampling,
    digest_seed: u64,
    pages: Pages,
    text_of_pages: TextOfPages,
    digested: Vec<u8>,
    shingler: Shingler,
    /// In place of the windows of the shingler, for other families of fingerprints.
    texts: Option<TextShingles>,
    /// The sampler that keeps all fingerprints.
    all: Sampler,
}

impl Sketcher {
    /// Makes the tables of the keys, for the best form of the hot loops.
    pub fn new(params: &SketchParams) -> Sketcher {
        Sketcher::for_cpu(params, Cpu::chosen())
    }

    /// Makes the tables of the keys, for this form of the hot loops. All forms give the same
    /// sketches.
    pub fn for_cpu(params: &SketchParams, cpu: Cpu) -> Sketcher {
        Sketcher {
            cpu,
            tokenizer: Tokenizer::new(cpu, params.rules()),
            sampling: params.sampling,
            digest_seed: params.keys.sketch_seed,
            pages: Pages::default(),
            text_of_pages: params.text_of_pages,
            digested: Vec::new(),
            shingler: Shingler::new(params, cpu),
            texts: TextShingles::new(params),
            all: Sampler::new(Sampling::Modulus { modulus: 1 }, 0, cpu),
        }
    }

    /// The sketch of a document. It holds until the next call.
    pub fn sketch(&mut self, content: Content<'_>) -> Sketched<'_> {
        let shingles = self.shingles(content);
        let (words, lexical) = (self.shingler.tokens, self.shingler.running.lexical);
        let sum = self.shingler.sampler.sum();
        let (level, fingerprints) = self.shingler.sampler.finish();
        let modulus = self.sampling.modulus_at(usize::from(level));
        let sketch = digest(self.digest_seed, modulus, fingerprints, &mut self.digested);
        // A fixed modulus has the classes of 1997: of documents with equal sketches.
        let is_partial = level > 0 || self.sampling.has_fixed_size();
        let sketch_digest = if is_partial {
            with_sum(sketch, sum)
        } else {
            sketch
        };
        Sketched {
            words,
            shingles,
            lexical,
            level,
            fingerprints,
            sketch_digest,
        }
    }

    /// The title of a document: the text of the first `title` element within 64 KiB of markup,
    /// white space collapsed, at most 200 characters; `None` if there is none, or it is empty.
    pub fn title(&mut self, content: Content<'_>) -> Option<String> {
        match content {
            Content::Text(_) | Content::Features(_) => None,
            Content::Html(page) | Content::Xhtml(page) => self.pages.title(page, content.markup()),
        }
    }

    /// Fingerprint of all text of a document, also of what its main part leaves out: its characters
    /// as they are, but white space is as good as any other. `None` if a character could not be
    /// decoded: nobody knows which it was.
    pub fn text_fingerprint(&mut self, content: Content<'_>) -> Option<u128> {
        let text = self.pages.read(self.cpu, content, TextOfPages::Whole);
        let text = std::str::from_utf8(text).ok()?;
        let is_decoded = !text.contains(char::REPLACEMENT_CHARACTER);
        let fingerprint = is_decoded.then(|| of_text(self.digest_seed, text));
        self.end_document(content);
        fingerprint
    }

    /// All fingerprints of a document, sorted and distinct. They hold until the next call.
    pub fn all_fingerprints(&mut self, content: Content<'_>) -> &[u64] {
        std::mem::swap(&mut self.shingler.sampler, &mut self.all);
        self.shingles(content);
        std::mem::swap(&mut self.shingler.sampler, &mut self.all);
        self.all.finish().1
    }

    /// Gives the shingles of a document to the sampler. Returns how often shingles occur.
    fn shingles(&mut self, content: Content<'_>) -> u64 {
        self.shingler.clear();
        self.read_text(content, self.text_of_pages);
        let shingles = self.shingle(content);
        self.end_document(content);
        shingles
    }

    /// Makes the text of a page; plain text is read where it is.
    fn read_text(&mut self, content: Content<'_>, text_of_pages: TextOfPages) {
        self.pages.read(self.cpu, content, text_of_pages);
    }

    /// Shingles the text that was made. A page whose main part is too short has the words of its
    /// whole text, but no shingles, and is told by its source.
    fn shingle(&mut self, content: Content<'_>) -> u64 {
        let shingles = self.shingle_text(content);
        let words = self.shingler.tokens * u64::from(self.pages.has_main_part());
        let is_page = matches!(content, Content::Html(_) | Content::Xhtml(_));
        if !(is_page && self.text_of_pages.is_too_short(words)) {
            return shingles;
        }
        self.shingler.clear();
        self.read_text(content, TextOfPages::Whole);
        self.shingle_text(content);
        self.shingler.running.lexical = of_text(self.digest_seed, content.as_str()) as u64;
        self.shingler.sampler.clear();
        0
    }

    fn shingle_text(&mut self, content: Content<'_>) -> u64 {
        let text = match content {
            Content::Text(text) | Content::Features(text) => text.as_bytes(),
            Content::Html(_) | Content::Xhtml(_) => self.pages.text(),
        };
        // no reference has more characters than bytes, though its characters may have more bytes
        let bytes = text.len().min(content.as_str().len()) as u64;
        self.shingler
            .expect_tokens(self.tokenizer.rules.unit.tokens_max(bytes));
        let (markup, shingler) = (content.markup(), &mut self.shingler);
        if let Some(texts) = &mut self.texts {
            texts.begin(self.tokenizer.rules.unit, content);
            let mut sink = TextSink { shingler, texts };
            self.tokenizer.content_tokens(markup, text, &mut sink);
            return sink.finish();
        }
        self.tokenizer.content_tokens(markup, text, shingler);
        shingler.roll();
        shingler.finish()
    }

    /// Gives the text of a large page back.
    fn end_document(&mut self, content: Content<'_>) {
        if content.as_str().len() > BUFFER_BYTES_KEPT {
            self.pages.shrink();
        }
    }
}

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod tests;
