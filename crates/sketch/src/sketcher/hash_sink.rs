//! Tokens → their hashes, gathered in a list.

use crate::fingerprint::Fingerprinter;
use crate::isa::Isa;
use crate::text::TokenSink;
use crate::word_cache::{Span, WordCache};

/// Gathers the hashes of tokens.
pub(super) trait HashSink {
    /// Makes hashes of tokens.
    fn prints(&self) -> &Fingerprinter;
    /// Hashes of words already seen.
    fn known(&mut self) -> &mut WordCache;
    /// The list.
    fn hashes(&mut self) -> &mut Vec<u64>;
    /// Makes room in the list, which is full: by taking hashes out, or by making it longer.
    fn make_room(&mut self);

    #[inline(always)]
    fn take(&mut self, hash: u64) {
        let hashes = self.hashes();
        if hashes.len() == hashes.capacity() {
            self.make_room();
        }
        self.hashes().push(hash);
    }

    #[inline(always)]
    fn take_four(&mut self, four: [u64; 4]) {
        let hashes = self.hashes();
        if hashes.capacity() - hashes.len() >= four.len() {
            hashes.extend_from_slice(&four);
        } else {
            four.into_iter().for_each(|hash| self.take(hash));
        }
    }
}

impl<S: HashSink> TokenSink for S {
    #[inline]
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.take(self.prints().ascii_word(text, start, end));
    }

    #[inline(always)]
    fn short<I: Isa>(&mut self, isa: I, token: I::Wide, length: usize) {
        self.take(self.prints().short(isa, token, length));
    }

    #[inline(always)]
    fn short_four<I: Isa>(&mut self, isa: I, tokens: I::Four, lengths: [usize; 4]) {
        self.take_four(self.prints().short_four(isa, tokens, lengths));
    }

    #[inline(always)]
    fn chunked(&mut self, isa: impl Isa, chunks: &[u64], length: usize) {
        self.take(self.prints().chunked(isa, chunks, length));
    }

    #[inline(always)]
    fn known(&mut self, span: &Span) -> bool {
        let hash = HashSink::known(self).hash(span);
        if let Some(hash) = hash {
            self.take(hash);
        }
        hash.is_some()
    }

    fn was_one_token(&mut self, span: &Span) {
        if let Some(&hash) = self.hashes().last() {
            HashSink::known(self).note(span, hash);
        }
    }

    fn token(&mut self, token: &[u8]) {
        self.take(self.prints().token(token));
    }
}
