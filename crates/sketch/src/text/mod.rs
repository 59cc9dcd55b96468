//! Plain text → canonical tokens.
//!
//! Default-ignorable characters vanish, the rest is brought to normalization form C, cut into
//! tokens, and each token is put in lower case by itself, so that a sigma at its end becomes final
//! (`str::to_lowercase`). A token of more than [`TOKEN_BYTES_MAX`] bytes is cut there and goes on
//! as another token: this bounds memory on any input.
//!
//! | module | what |
//! |---|---|
//! | [`class`] | what the tokenizers must know about a character, in one table look-up |
//! | [`canonical`] | the characters of a piece of text, ignorables gone, normalized |
//! | [`token`] | one token in the making: lower case, numbers, length |
//! | [`words`], [`units`] | the tokenizers: words; characters and lines |
//! | [`fast`], [`simple`] | words again, many bytes at a time |
//! | [`placed`] | all three again, with the place of each token |
//!
//! Linear in time. Memory: one token, and the places of the words in 1 KiB of text.

mod canonical;
mod class;
mod fast;
mod placed;
mod simple;
mod token;
mod units;
mod words;

pub(crate) use placed::placed_tokens;

use crate::cpu::Cpu;
use crate::isa::{self, Isa};
use crate::known::Run;
use crate::params::{TokenRules, TokenUnit};
use std::borrow::Cow;

/// Longest token in bytes of lower-case UTF-8.
pub(crate) const TOKEN_BYTES_MAX: usize = 64 * 1024;

/// Who receives tokens.
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
    /// Takes the token that a run was before, if that was told with [`TokenSink::was_one_token`];
    /// whether it was.
    #[inline(always)]
    fn known(&mut self, _run: &Run) -> bool {
        false
    }
    /// The token last handed on is all that this run is, and always will be, by the same rules.
    fn was_one_token(&mut self, _run: &Run) {}
    /// Any other token, in lower case, valid UTF-8.
    fn token(&mut self, token: &[u8]);
}

/// Makes tokens, of one text after another. One for each thread.
pub(crate) struct Tokenizer {
    cpu: Cpu,
    rules: TokenRules,
    /// The token in the making.
    token: String,
    edges: Box<fast::Edges>,
}

impl Tokenizer {
    /// Makes tokens by `rules` with this form of the hot loops.
    pub(crate) fn new(cpu: Cpu, rules: TokenRules) -> Tokenizer {
        Tokenizer {
            cpu,
            rules,
            token: String::new(),
            edges: Box::default(),
        }
    }

    /// Sends the canonical tokens of `text`, which must be UTF-8, to `sink`, in order.
    pub(crate) fn tokens(&mut self, text: &[u8], sink: &mut impl TokenSink) {
        let mut maker = token::Maker::new(self.rules, &mut self.token, sink);
        match self.rules.unit {
            TokenUnit::Words => {
                isa::run(
                    self.cpu.level(),
                    words::Words {
                        text,
                        edges: &mut self.edges,
                        maker: &mut maker,
                    },
                );
            }
            TokenUnit::Chars => units::chars(&utf8(text), &mut maker),
            TokenUnit::Lines => units::lines(&utf8(text), &mut maker),
        }
    }

    /// What the unit of tokens is.
    pub(crate) fn unit(&self) -> TokenUnit {
        self.rules.unit
    }

    /// Bytes held.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.token.capacity()
    }
}

/// The text of UTF-8. What is not would have its wrong bytes replaced, but nobody sends such.
fn utf8(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text)
}

#[cfg(test)]
mod tests;
