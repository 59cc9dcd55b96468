//! A document's tokens, rolled into windows, fingerprinted and sampled.
//!
//! Follows *Syntactic Clustering of the Web* (Broder, Glassman, Manasse, Zweig, 1997), "Sketching". Only the hashes of
//! the last w tokens are held, so a long document costs its text and its sample. Labelled shingles are the exception:
//! which occurrence of a window is the k-th matters to nobody, but how often each occurs is known only at the end, so all
//! windows are kept and sorted, and a run of r equal ones gets the labels 1 … r.

use crate::fingerprint::{Fingerprinter, Running};
use crate::html;
use crate::params::{ShingleKind, SketchParams, TokenRules};
use crate::sample::Sampler;
use crate::text::{self, TokenSink};
use model::{Content, Sampling};
use xxhash_rust::xxh3::Xxh3;

/// Buffers grown beyond this by a document of more than 1 MiB are given back.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

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
    /// Keyed digest of modulus and fingerprints.
    pub sketch_digest: u128,
}

/// Makes sketches, one document after another, reusing its buffers. One for each thread.
pub struct Sketcher {
    rules: TokenRules,
    sampling: Sampling,
    digest_seed: u64,
    text: String,
    token: String,
    shingler: Shingler,
}

impl Sketcher {
    /// Makes the tables of the keys.
    pub fn new(params: &SketchParams) -> Sketcher {
        Sketcher {
            rules: params.rules(),
            sampling: params.sampling,
            digest_seed: params.keys.sketch_seed,
            text: String::new(),
            token: String::new(),
            shingler: Shingler::new(params),
        }
    }

    /// The sketch of a document. It holds until the next call.
    pub fn sketch(&mut self, content: Content<'_>) -> Sketched<'_> {
        self.shingler.clear();
        let text = match content {
            Content::Text(text) => text,
            Content::Html(page) => {
                html::text_of(page, &mut self.text);
                &self.text
            }
        };
        self.shingler.expect_tokens(self.rules.unit.tokens_max(text.len() as u64));
        text::tokens(self.rules, text, &mut self.token, &mut self.shingler);
        if content.as_str().len() > BUFFER_BYTES_KEPT {
            self.text = String::new();
        }
        let (words, lexical) = (self.shingler.tokens, self.shingler.running.lexical);
        let shingles = self.shingler.finish();
        let (level, fingerprints) = self.shingler.sampler.finish();
        let modulus = self.sampling.modulus_at(usize::from(level));
        let sketch_digest = digest(self.digest_seed, modulus, fingerprints);
        Sketched { words, shingles, lexical, level, fingerprints, sketch_digest }
    }
}

/// XXH3, 128 bits, over the modulus and the fingerprints, each as 8 little-endian bytes.
fn digest(seed: u64, modulus: u32, fingerprints: &[u64]) -> u128 {
    let mut hasher = Xxh3::with_seed(seed);
    hasher.update(&u64::from(modulus).to_le_bytes());
    for fingerprint in fingerprints {
        hasher.update(&fingerprint.to_le_bytes());
    }
    hasher.digest128()
}

/// Tokens → windows → sample.
struct Shingler {
    prints: Fingerprinter,
    size: usize,
    kind: ShingleKind,
    /// Hashes of the last `size` tokens; the oldest at `oldest` once there are so many.
    ring: Vec<u64>,
    oldest: usize,
    running: Running,
    tokens: u64,
    /// All windows; for labelled shingles only.
    windows: Vec<u64>,
    sampler: Sampler,
}

impl Shingler {
    fn new(params: &SketchParams) -> Shingler {
        Shingler {
            prints: Fingerprinter::new(params),
            size: params.shingle_size.max(1) as usize,
            kind: params.shingles,
            ring: Vec::new(),
            oldest: 0,
            running: Running::default(),
            tokens: 0,
            windows: Vec::new(),
            sampler: Sampler::new(params.sampling),
        }
    }

    fn clear(&mut self) {
        self.ring.clear();
        self.ring.shrink_to(BUFFER_BYTES_KEPT / 8);
        self.windows.clear();
        self.windows.shrink_to(BUFFER_BYTES_KEPT / 8);
        (self.oldest, self.tokens, self.running) = (0, 0, Running::default());
        self.sampler.clear();
    }

    /// Reserves what so many tokens can need at most, so that no list doubles beyond that.
    fn expect_tokens(&mut self, tokens_max: u64) {
        if self.kind == ShingleKind::Labelled {
            self.windows.reserve_exact(usize::try_from(tokens_max).unwrap_or(0));
        }
    }

    #[inline]
    fn take(&mut self, hash: u64) {
        self.tokens += 1;
        let mut leaving = 0;
        if self.ring.len() < self.size {
            self.ring.push(hash);
        } else {
            leaving = std::mem::replace(&mut self.ring[self.oldest], hash);
            self.oldest = if self.oldest + 1 == self.size { 0 } else { self.oldest + 1 };
        }
        self.running = self.prints.advance(self.running, leaving, hash);
        if self.ring.len() == self.size {
            self.shingle(self.running.window);
        }
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
        self.windows.sort_unstable();
        for run in self.windows.chunk_by(|a, b| a == b) {
            for (before, window) in (0_u64..).zip(run) {
                self.sampler.offer(self.prints.fingerprint(window ^ self.prints.label(before)));
            }
        }
        match self.tokens {
            0 => 0,
            tokens => tokens.saturating_sub(size) + 1,
        }
    }
}

impl TokenSink for Shingler {
    #[inline]
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.take(self.prints.ascii_word(text, start, end));
    }

    fn token(&mut self, token: &str) {
        self.take(self.prints.token(token.as_bytes()));
    }
}

#[cfg(test)]
mod tests;
