//! Plain text → canonical tokens.
//!
//! Default-ignorable characters vanish, the rest is brought to normalization form C, cut into tokens, and each token is
//! put in lower case by itself, so that a sigma at its end becomes final (`str::to_lowercase`). A token of more than
//! [`TOKEN_BYTES_MAX`] bytes is cut there and goes on as another token: this bounds memory on any input.
//!
//! | module | what |
//! |---|---|
//! | [`class`] | what the tokenizers must know about a character, in one table look-up |
//! | [`canonical`] | the characters of a piece of text, ignorables gone, normalized |
//! | [`token`] | one token in the making: lower case, numbers, length |
//! | [`words`], [`units`] | the tokenizers: words; characters and lines |
//!
//! Linear in time. Memory: one token.

mod canonical;
mod class;
mod token;
mod units;
mod words;

use crate::params::{TokenRules, TokenUnit};

/// Longest token in bytes of lower-case UTF-8.
pub(crate) const TOKEN_BYTES_MAX: usize = 64 * 1024;

/// Who receives tokens.
pub(crate) trait TokenSink {
    /// A word of ASCII letters and digits, `text[start..end]`, in either case. The surrounding text comes along so that
    /// whole machine words can be loaded.
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize);
    /// Any other token, in lower case.
    fn token(&mut self, token: &str);
}

/// Sends the canonical tokens of `text` to `sink`, in order. `buffer` is scratch, reused between calls.
pub(crate) fn tokens(rules: TokenRules, text: &str, buffer: &mut String, sink: &mut impl TokenSink) {
    let mut maker = token::Maker::new(rules, buffer, sink);
    match rules.unit {
        TokenUnit::Words => words::words(text, &mut maker),
        TokenUnit::Chars => units::chars(text, &mut maker),
        TokenUnit::Lines => units::lines(text, &mut maker),
    }
}

#[cfg(test)]
mod tests;
