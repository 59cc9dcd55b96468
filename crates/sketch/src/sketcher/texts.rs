//! Tokens → shingles of another family of fingerprints than ours ([`TextShingles`]).

use super::hash_sink::HashSink;
use super::shingler::Shingler;
use crate::family::TextShingles;
use crate::isa::Isa;
use crate::params::ShingleKind;
use crate::text::TokenSink;

/// Receives the tokens of a document in place of the [`Shingler`], which makes the lexical
/// fingerprint of their hashes and samples the shingles.
pub(super) struct TextSink<'a> {
    pub(super) shingler: &'a mut Shingler,
    pub(super) texts: &'a mut TextShingles,
}

impl TextSink<'_> {
    /// Takes the hash of the token whose text was appended last.
    #[inline(always)]
    fn take(&mut self, hash: u64) {
        self.shingler.take(hash);
        if self.texts.is_full() {
            self.take_shingles();
        }
    }

    fn take_shingles(&mut self) {
        let shingler = &mut *self.shingler;
        let shingles = self.texts.shingles();
        match shingler.kind {
            ShingleKind::Set => shingler.sampler.offer_all(shingler.cpu, shingles),
            ShingleKind::Labelled => shingler.windows.extend_from_slice(shingles),
        }
    }

    /// The document is over. Returns its shingle occurrences.
    pub(super) fn finish(mut self) -> u64 {
        self.take_shingles();
        if let Some(fingerprint) = self.texts.short_document() {
            match self.shingler.kind {
                ShingleKind::Set => self.shingler.sampler.offer(fingerprint),
                ShingleKind::Labelled => self.shingler.windows.push(fingerprint),
            }
        }
        self.shingler.roll();
        self.shingler
            .offer_windows(|_, window, before| self.texts.labelled(window, before))
    }
}

impl TokenSink for TextSink<'_> {
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.texts.append(&text[start..end]).make_ascii_lowercase();
        self.take(self.shingler.prints.ascii_word(text, start, end));
    }

    #[inline(always)]
    fn short<I: Isa>(&mut self, isa: I, token: I::Wide, length: usize) {
        self.texts.append_short(isa.bytes(token), length);
        self.take(self.shingler.prints.short(isa, token, length));
    }

    #[inline(always)]
    fn short_four<I: Isa>(&mut self, isa: I, tokens: I::Four, lengths: [usize; 4]) {
        let hashes = self.shingler.prints.short_four(isa, tokens, lengths);
        let [a, b, c, d] = isa.each(tokens);
        let bytes = [isa.bytes(a), isa.bytes(b), isa.bytes(c), isa.bytes(d)];
        for ((bytes, length), hash) in bytes.into_iter().zip(lengths).zip(hashes) {
            self.texts.append_short(bytes, length);
            self.take(hash);
        }
    }

    fn token(&mut self, token: &[u8]) {
        self.texts.append(token);
        self.take(self.shingler.prints.token(token));
    }
}
