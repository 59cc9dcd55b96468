//! A document's tokens, rolled into windows, fingerprinted and sampled.
//!
//! Follows *Syntactic Clustering of the Web* (Broder, Glassman, Manasse, Zweig, 1997), "Sketching".
//! Only the hashes of the last w tokens are held, so a long document costs its text and its sample.
//! Labelled shingles are the exception. It does not matter which occurrence of a window is the
//! k-th, but how often each occurs is known only at the end, so all windows are kept and sorted,
//! and a run of r equal ones gets the labels 1 … r.

use crate::cpu::Cpu;
use crate::dispatch;
use crate::family::TextShingles;
use crate::fingerprint::{Fingerprinter, Running};
use crate::html::{self, PageText};
use crate::isa::Isa;
use crate::params::{ShingleKind, SketchParams};
use crate::roll::{Mix, Roll};
use crate::roll_keys::CHUNK;
use crate::sample::Sampler;
use crate::text::{TokenSink, Tokenizer};
use crate::word_cache::{Span, WordCache};
use model::{COUNTED_ONE_IN, COUNTED_SHINGLES_MAX, Content, Sampling};

/// Buffers grown beyond this by a document of more than 1 MiB are given back.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

/// Token hashes gathered before they are rolled over, at least.
const HASHES_MIN: usize = 1024;

mod digest;
mod pieces;
mod texts;

use digest::{digest, with_sum};
pub use pieces::SetPiece;
use texts::TextSink;

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
    /// Keyed digest of modulus and fingerprints. Where an adaptive sketch leaves shingles out, it
    /// covers them, too: documents with equal digests have the same shingles, each as often. So
    /// does that of a sketch of a fixed size.
    pub sketch_digest: u128,
}

impl Sketched<'_> {
    /// Whether the document is counted: one in [`COUNTED_ONE_IN`], chosen by the digest of its
    /// sketch and so by its content alone.
    pub fn is_counted(&self) -> bool {
        (1..=COUNTED_SHINGLES_MAX).contains(&self.shingles)
            && (self.sketch_digest as u64).is_multiple_of(COUNTED_ONE_IN)
    }
}

/// Makes sketches, one document after another, reusing its buffers. One for each thread.
pub struct Sketcher {
    cpu: Cpu,
    tokenizer: Tokenizer,
    sampling: Sampling,
    digest_seed: u64,
    text: PageText,
    digested: Vec<u8>,
    shingler: Shingler,
    /// In place of the windows of the shingler, for other families of fingerprints.
    texts: Option<TextShingles>,
    /// The sampler that keeps all fingerprints, for counted documents.
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
            text: PageText::default(),
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
            Content::Html(page) | Content::Xhtml(page) => {
                html::title_of(page, content.markup(), &mut self.text)
            }
        }
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
        self.extract_text(content);
        let shingles = self.shingle(content);
        self.end_document(content);
        shingles
    }

    /// Makes the text of a page; plain text is read where it is.
    fn extract_text(&mut self, content: Content<'_>) {
        if let Content::Html(page) | Content::Xhtml(page) = content {
            html::text_of(self.cpu, page, content.markup(), &mut self.text);
        }
    }

    /// Shingles the text that was made.
    fn shingle(&mut self, content: Content<'_>) -> u64 {
        let text = match content {
            Content::Text(text) | Content::Features(text) => text.as_bytes(),
            Content::Html(_) | Content::Xhtml(_) => self.text.as_bytes(),
        };
        // no reference has more characters than bytes, though its characters may have more bytes
        let bytes = text.len().min(content.as_str().len()) as u64;
        self.shingler
            .expect_tokens(self.tokenizer.unit().tokens_max(bytes));
        let (markup, shingler) = (content.markup(), &mut self.shingler);
        if let Some(texts) = &mut self.texts {
            texts.begin(self.tokenizer.unit(), content);
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
            self.text = PageText::default();
        }
    }
}

/// Tokens → windows → sample.
struct Shingler {
    cpu: Cpu,
    prints: Fingerprinter,
    known: WordCache,
    size: usize,
    kind: ShingleKind,
    /// Hashes of the last `size` tokens rolled over, or of all, then of those not yet rolled over.
    hashes: Vec<u64>,
    /// How many of them have been rolled over.
    rolled: usize,
    /// Tokens rolled over.
    tokens: u64,
    /// Their polynomials.
    running: Running,
    /// The polynomials of the windows of one chunk.
    chunk: Box<[u64; CHUNK]>,
    /// All windows; for labelled shingles only.
    windows: Vec<u64>,
    sampler: Sampler,
}

impl Shingler {
    fn new(params: &SketchParams, cpu: Cpu) -> Shingler {
        Shingler {
            cpu,
            prints: Fingerprinter::new(params),
            known: WordCache::new(),
            size: params.shingle_size.max(1) as usize,
            kind: params.shingles,
            hashes: Vec::new(),
            rolled: 0,
            tokens: 0,
            running: Running::default(),
            chunk: Box::new([0; CHUNK]),
            windows: Vec::new(),
            sampler: Sampler::new(params.sampling, params.keys.permutation_key, cpu),
        }
    }

    fn clear(&mut self) {
        self.hashes.clear();
        self.hashes.shrink_to(BUFFER_BYTES_KEPT / 8);
        self.windows.clear();
        self.windows.shrink_to(BUFFER_BYTES_KEPT / 8);
        (self.rolled, self.tokens, self.running) = (0, 0, Running::default());
        self.sampler.clear();
    }

    /// Reserves what so many tokens can need at most, so that no list doubles beyond that.
    fn expect_tokens(&mut self, tokens_max: u64) {
        if self.kind == ShingleKind::Labelled {
            self.windows
                .reserve_exact(usize::try_from(tokens_max).unwrap_or(0));
        }
    }

    #[inline(always)]
    fn take(&mut self, hash: u64) {
        if self.hashes.len() == self.hashes.capacity() {
            self.make_room();
        }
        self.hashes.push(hash);
    }

    #[inline(always)]
    fn take_four(&mut self, hashes: [u64; 4]) {
        if self.hashes.capacity() - self.hashes.len() >= hashes.len() {
            self.hashes.extend_from_slice(&hashes);
        } else {
            hashes.into_iter().for_each(|hash| self.take(hash));
        }
    }

    /// Rolls over what is there, or makes the list longer while it is shorter than two windows.
    #[cold]
    fn make_room(&mut self) {
        let most = self.size + self.size.max(HASHES_MIN);
        if self.hashes.len() < most {
            let length = (2 * self.hashes.len()).clamp(2 * HASHES_MIN, most.max(2 * HASHES_MIN));
            self.hashes.reserve_exact(length - self.hashes.len());
        } else {
            self.roll();
        }
    }

    /// Rolls over the hashes not yet rolled over, and forgets all but the last window of them.
    fn roll(&mut self) {
        while self.rolled < self.hashes.len() {
            let end = self.hashes.len().min(self.rolled + CHUNK);
            let count = end - self.rolled;
            self.running = dispatch::run(
                self.cpu.level(),
                Roll {
                    prints: &self.prints,
                    hashes: &self.hashes[..end],
                    from: self.rolled,
                    size: self.size,
                    running: self.running,
                    windows: &mut self.chunk,
                },
            );
            // no window ends at the first w − 1 tokens
            let partial = (self.size as u64 - 1)
                .saturating_sub(self.tokens)
                .min(count as u64) as usize;
            let windows = &mut self.chunk[partial..count];
            match self.kind {
                ShingleKind::Set => {
                    dispatch::run(
                        self.cpu.level(),
                        Mix {
                            prints: &self.prints,
                            windows,
                        },
                    );
                    self.sampler.offer_all(self.cpu, windows);
                }
                ShingleKind::Labelled => self.windows.extend_from_slice(windows),
            }
            self.tokens += count as u64;
            self.rolled = end;
        }
        let length = self.hashes.len();
        let kept = self.size.min(length);
        self.hashes.copy_within(length - kept.., 0);
        self.hashes.truncate(kept);
        self.rolled = kept;
    }

    #[inline]
    fn shingle(&mut self, window: u64) {
        match self.kind {
            ShingleKind::Set => self.sampler.offer(self.prints.fingerprint(window)),
            ShingleKind::Labelled => self.windows.push(window),
        }
    }

    /// The document is over. Returns its shingle occurrences.
    fn finish(&mut self) -> u64 {
        let size = self.size as u64;
        if self.tokens > 0 && self.tokens < size {
            self.shingle(self.running.window);
        }
        self.offer_windows(|prints, window, before| {
            prints.fingerprint(window ^ prints.label(before))
        })
    }

    /// Offers the windows of labelled shingles, each with its occurrences before. Returns the
    /// shingle occurrences.
    fn offer_windows(&mut self, labelled: impl Fn(&Fingerprinter, u64, u64) -> u64) -> u64 {
        self.windows.sort_unstable();
        for run in self.windows.chunk_by(|a, b| a == b) {
            for (before, window) in (0_u64..).zip(run) {
                self.sampler.offer(labelled(&self.prints, *window, before));
            }
        }
        match self.tokens {
            0 => 0,
            tokens => tokens.saturating_sub(self.size as u64) + 1,
        }
    }
}

impl TokenSink for Shingler {
    #[inline]
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.take(self.prints.ascii_word(text, start, end));
    }

    #[inline(always)]
    fn short<I: Isa>(&mut self, isa: I, token: I::Wide, length: usize) {
        self.take(self.prints.short(isa, token, length));
    }

    #[inline(always)]
    fn short_four<I: Isa>(&mut self, isa: I, tokens: I::Four, lengths: [usize; 4]) {
        self.take_four(self.prints.short_four(isa, tokens, lengths));
    }

    #[inline(always)]
    fn chunked(&mut self, isa: impl Isa, chunks: &[u64], length: usize) {
        self.take(self.prints.chunked(isa, chunks, length));
    }

    #[inline(always)]
    fn known(&mut self, span: &Span) -> bool {
        let hash = self.known.hash(span);
        if let Some(hash) = hash {
            self.take(hash);
        }
        hash.is_some()
    }

    fn was_one_token(&mut self, span: &Span) {
        if let Some(&hash) = self.hashes.last() {
            self.known.note(span, hash);
        }
    }

    fn token(&mut self, token: &[u8]) {
        self.take(self.prints.token(token));
    }
}

#[cfg(test)]
mod tests;
