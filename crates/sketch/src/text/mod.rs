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
//! | `token_places` | the places of tokens |
//!
//! Linear in time. Memory: one token, and the places of the words in 1 KiB of text.

mod canonical;
mod class;
mod fast;
mod graphemes;
mod simple;
mod sink;
mod token;
mod token_places;
mod units;
mod words;

pub(crate) use graphemes::{is_prefix, next_border};
pub(crate) use sink::{TOKEN_BYTES_MAX, TokenSink};
pub(crate) use token_places::placed_tokens;

use crate::cpu::Cpu;
use crate::dispatch;
use crate::params::{TokenRules, TokenUnit};
use model::Markup;
use std::ops::Range;

/// Calls `f` with each line of a list of tokens and the place of the line.
pub(crate) fn features(text: &[u8], mut f: impl FnMut(&[u8], Range<usize>)) {
    let mut start = 0;
    for line in text.split(|byte| *byte == b'\n') {
        let mut at = start;
        for token in line.chunks(TOKEN_BYTES_MAX) {
            f(token, at..at + token.len());
            at += token.len();
        }
        start += line.len() + 1;
    }
}

/// Makes tokens, of one text after another. One for each thread.
pub(crate) struct Tokenizer {
    cpu: Cpu,
    pub(crate) rules: TokenRules,
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
        let mut maker = token::TokenMaker::new(self.rules, &mut self.token, sink);
        match self.rules.unit {
            TokenUnit::Words => {
                dispatch::run(
                    self.cpu.level(),
                    fast::FastWords {
                        text,
                        edges: &mut self.edges,
                        maker: &mut maker,
                    },
                );
            }
            TokenUnit::Chars(blanks) => units::chars(text, blanks, &mut maker),
            TokenUnit::Lines => units::lines(text, &mut maker),
        }
    }

    /// Sends the tokens of a document to `sink`; `text` is its text without markup.
    pub(crate) fn content_tokens(
        &mut self,
        markup: Markup,
        text: &[u8],
        sink: &mut impl TokenSink,
    ) {
        if markup == Markup::Features {
            features(text, |token, _| sink.token(token));
        } else {
            self.tokens(text, sink);
        }
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.token.capacity()
    }
}

#[cfg(test)]
mod tests;
