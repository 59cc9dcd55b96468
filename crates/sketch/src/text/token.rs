//! One token in the making.

use super::canonical::for_each_char;
use super::class::{CharacterClass, CharacterClasses};
use super::sink::{TOKEN_BYTES_MAX, TokenSink, utf8};
use crate::isa::Isa;
use crate::params::{TokenRules, TokenUnit};
use crate::word_cache::Span;
use std::ops::Range;

/// The receiver of the characters of a text from the plain tokenizers.
pub(super) trait TokenBuilder {
    /// Where a character stands, if that is kept.
    type Place: Clone;
    /// The classes of characters.
    fn classes(&self) -> CharacterClasses;
    /// Calls `take` with each character of the canonical form of `text[piece]`, its class and its
    /// place.
    fn each_char(
        &mut self,
        text: &[u8],
        piece: Range<usize>,
        take: impl FnMut(&mut Self, char, CharacterClass, &Self::Place),
    );
    /// Adds a whole word of ASCII letters and digits, `text[start..end]`.
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize);
    /// Adds a character to the token.
    fn push(&mut self, c: char, class: CharacterClass, place: &Self::Place);
    /// Whether no token is in the making.
    fn is_empty(&self) -> bool;
    /// Ends the token, if there is one.
    fn finish(&mut self);
}

/// Gathers characters to tokens in lower case, drops what the rules drop, and hands the rest on.
pub(crate) struct TokenMaker<'a, S> {
    pub(crate) classes: CharacterClasses,
    rules: TokenRules,
    token: &'a mut String,
    sink: &'a mut S,
    /// Whether all characters so far are numeric.
    numeric: bool,
    /// Whether a capital sigma waits: whether it is final shows only at the end of the token.
    sigma: bool,
}

impl<'a, S: TokenSink> TokenMaker<'a, S> {
    pub(crate) fn new(
        rules: TokenRules,
        token: &'a mut String,
        sink: &'a mut S,
    ) -> TokenMaker<'a, S> {
        token.clear();
        TokenMaker {
            classes: CharacterClasses::get(),
            rules,
            token,
            sink,
            numeric: true,
            sigma: false,
        }
    }

    /// Whether tokens of digits only are left out.
    pub(crate) fn drops_numbers(&self) -> bool {
        self.rules.drop_numbers
    }

    /// A whole word of 1 to 16 ASCII letters and digits, in lower case, zeros behind it.
    #[inline(always)]
    pub(crate) fn short_ascii<I: Isa>(&mut self, isa: I, word: I::Wide, length: usize) {
        if self.rules.drop_numbers && is_numeric(isa.bytes(word), length) {
            return;
        }
        self.sink.short(isa, word, length);
    }

    /// Four such words, one after the other.
    #[inline(always)]
    pub(crate) fn short_ascii_four<I: Isa>(&mut self, isa: I, words: I::Four, lengths: [usize; 4]) {
        if self.rules.drop_numbers {
            isa.each(words)
                .into_iter()
                .zip(lengths)
                .for_each(|(word, length)| self.short_ascii(isa, word, length));
        } else {
            self.sink.short_four(isa, words, lengths);
        }
    }

    /// Hands on the token that a run is known to be; whether it is. Only if no numbers are left
    /// out.
    #[inline(always)]
    pub(crate) fn known(&mut self, span: &Span) -> bool {
        self.sink.known(span)
    }

    /// The token last handed on is all that this run is, whatever stands before or behind it.
    pub(crate) fn was_one_token(&mut self, span: &Span) {
        self.sink.was_one_token(span);
    }

    /// A whole token in lower case, eight bytes to a chunk. Only if no numbers are left out.
    #[inline(always)]
    pub(crate) fn chunked(&mut self, isa: impl Isa, chunks: &[u64], length: usize) {
        self.sink.chunked(isa, chunks, length);
    }

    /// Every character a token: they were gathered only because lower case depends on the
    /// neighbours.
    fn hand_on_chars(&mut self) {
        for c in self.token.chars() {
            if !(self.rules.drop_numbers && self.classes.of(c).has(CharacterClass::NUMERIC)) {
                self.sink.token(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }

    /// Hands on what there is if `c` would make the token too long.
    #[cold]
    fn cut_if_full(&mut self, c: char) {
        let length: usize = c.to_lowercase().map(char::len_utf8).sum();
        if self.token.len() + length > TOKEN_BYTES_MAX {
            self.finish();
        }
    }
}

impl<S: TokenSink> TokenBuilder for TokenMaker<'_, S> {
    type Place = ();
    fn classes(&self) -> CharacterClasses {
        self.classes
    }
    #[inline]
    fn each_char(
        &mut self,
        text: &[u8],
        piece: Range<usize>,
        mut take: impl FnMut(&mut Self, char, CharacterClass, &()),
    ) {
        for_each_char(self.classes, &utf8(&text[piece]), |c, class| {
            take(self, c, class, &());
        });
    }
    #[inline]
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        let mut start = start;
        while start < end {
            let cut = end.min(start + TOKEN_BYTES_MAX);
            if !(self.rules.drop_numbers && text[start..cut].iter().all(u8::is_ascii_digit)) {
                self.sink.ascii_word(text, start, cut);
            }
            start = cut;
        }
    }
    #[inline]
    fn push(&mut self, c: char, class: CharacterClass, _: &()) {
        // a lower case is at most three characters of four bytes
        if self.token.len() + 12 > TOKEN_BYTES_MAX {
            self.cut_if_full(c);
        }
        self.numeric &= class.has(CharacterClass::NUMERIC);
        if !class.has(CharacterClass::UPPER) {
            self.token.push(c);
        } else if c == 'Σ' {
            self.sigma = true;
            self.token.push(c);
        } else {
            self.token.extend(c.to_lowercase());
        }
    }
    fn is_empty(&self) -> bool {
        self.token.is_empty()
    }
    #[inline]
    fn finish(&mut self) {
        if self.token.is_empty() {
            return;
        }
        if self.sigma {
            *self.token = self.token.to_lowercase();
        }
        match self.rules.unit {
            TokenUnit::Chars(_) => self.hand_on_chars(),
            TokenUnit::Words | TokenUnit::Lines if self.rules.drop_numbers && self.numeric => {}
            TokenUnit::Words | TokenUnit::Lines => self.sink.token(self.token.as_bytes()),
        }
        self.token.clear();
        (self.numeric, self.sigma) = (true, false);
    }
}

/// Whether the first `length` bytes are digits. By value and apart, so that the word itself stays
/// in its register.
#[inline(never)]
fn is_numeric(word: [u8; 16], length: usize) -> bool {
    word.iter().take(length).all(u8::is_ascii_digit)
}
