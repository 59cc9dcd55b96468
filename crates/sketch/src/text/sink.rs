//! The receiver of tokens.

use crate::isa::Isa;
use crate::word_cache::Span;
use std::borrow::Cow;

/// Longest token in bytes of lower-case UTF-8.
pub(crate) const TOKEN_BYTES_MAX: usize = 64 * 1024;

/// Receives the tokens of a text, in order.
pub(crate) trait TokenSink {
    /// A word of ASCII letters and digits, `text[start..end]`, in either case. The surrounding text
    /// comes along so that whole machine words can be loaded.
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize);
    /// A token of at most 16 bytes, in lower case, zeros behind it.
    #[inline(always)]
    fn short<I: Isa>(&mut self, isa: I, token: I::Wide, length: usize) {
        self.token(isa.bytes(token).get(..length).unwrap_or_default());
    }
    /// Four such tokens, one after the other.
    #[inline(always)]
    fn short_four<I: Isa>(&mut self, isa: I, tokens: I::Four, lengths: [usize; 4]) {
        isa.each(tokens)
            .into_iter()
            .zip(lengths)
            .for_each(|(token, length)| self.short(isa, token, length));
    }
    /// A token in lower case, eight bytes to a chunk, the first byte lowest, zeros behind it.
    #[inline(always)]
    fn chunked(&mut self, _isa: impl Isa, chunks: &[u64], length: usize) {
        let bytes: Vec<u8> = chunks
            .iter()
            .flat_map(|chunk| chunk.to_le_bytes())
            .take(length)
            .collect();
        self.token(&bytes);
    }
    /// Takes the token that a span was before, if that was told with [`TokenSink::was_one_token`];
    /// whether it was.
    #[inline(always)]
    fn known(&mut self, _span: &Span) -> bool {
        false
    }
    /// The token last handed on is all that this span is, and always will be, by the same rules.
    fn was_one_token(&mut self, _span: &Span) {}
    /// Any other token, in lower case, valid UTF-8.
    fn token(&mut self, token: &[u8]);
}

/// The text of UTF-8. Callers send valid UTF-8 only; anything else would have its wrong bytes
/// replaced.
pub(super) fn utf8(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text)
}
