//! Tokens → shingles of another family of fingerprints than ours ([`TextShingles`]).

use super::shingler::Shingler;
use crate::family::TextShingles;
use crate::params::ShingleKind;
use crate::text::TokenSink;

/// Receives the tokens of a document in place of the [`Shingler`], whose counts, lexical
/// fingerprint, windows and sampler it uses.
pub(super) struct TextSink<'a> {
    pub(super) shingler: &'a mut Shingler,
    pub(super) texts: &'a mut TextShingles,
}

impl TextSink<'_> {
    /// Takes a token, which is `change`d first.
    fn take(&mut self, token: &[u8], change: impl FnOnce(&mut [u8])) {
        let token = self.texts.append(token);
        change(token);
        let Shingler {
            prints, running, ..
        } = self.shingler;
        *running = prints.advance(*running, 0, prints.token(token));
        self.shingler.tokens += 1;
        let fingerprint = self.texts.shingle();
        self.shingle(fingerprint);
    }

    fn shingle(&mut self, fingerprint: Option<u64>) {
        match (fingerprint, self.shingler.kind) {
            (None, _) => {}
            (Some(fingerprint), ShingleKind::Set) => self.shingler.sampler.offer(fingerprint),
            (Some(fingerprint), ShingleKind::Labelled) => self.shingler.windows.push(fingerprint),
        }
    }

    /// The document is over. Returns its shingle occurrences.
    pub(super) fn finish(mut self) -> u64 {
        self.shingle(self.texts.short_document());
        self.shingler
            .offer_windows(|_, window, before| self.texts.labelled(window, before))
    }
}

impl TokenSink for TextSink<'_> {
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.take(&text[start..end], <[u8]>::make_ascii_lowercase);
    }

    fn token(&mut self, token: &[u8]) {
        self.take(token, |_| ());
    }
}
