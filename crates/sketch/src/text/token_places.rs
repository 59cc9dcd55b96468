//! The tokens of a text and where each stands in it: the plain tokenizers with a builder that keeps
//! places.
//!
//! *Input.* A text and the rules. *Output.* The tokens that [`Tokenizer`](super::Tokenizer) makes,
//! each with the bytes it comes from. *Algorithm.* Normalization form C never joins a character
//! with those before it if that character is stable (it does not move, and passes the quick check
//! of Unicode Standard Annex 15); so a text is brought to form C one stretch at a time, from one
//! such character to the next, and what comes out of a stretch stands where the stretch does.
//! *Memory.* One token. *Limits.* Not for hot loops: it serves to show a passage to a user.

use super::canonical::for_each_char;
use super::class::{CharacterClass, CharacterClasses};
use super::sink::{TOKEN_BYTES_MAX, TokenSink};
use super::token::{TokenBuilder, TokenMaker};
use super::units::{chars, lines};
use super::words::words;
use crate::params::{TokenRules, TokenUnit};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;

/// Calls `f` with each token of `text`, in lower case, and the bytes of `text` it comes from.
pub(crate) fn placed_tokens(rules: TokenRules, text: &str, f: &mut dyn FnMut(&[u8], Range<usize>)) {
    let (span, queue, mut word) = (Cell::new((0, 0)), RefCell::default(), String::new());
    let by_char = matches!(rules.unit, TokenUnit::Chars(_));
    let mut sink = PlacingSink {
        f,
        span: &span,
        queue: &queue,
        by_char,
    };
    let mut builder = PlacedBuilder {
        rules,
        maker: TokenMaker::new(rules, &mut word, &mut sink),
        span: &span,
        queue: &queue,
        queued_bytes: 0,
        text,
    };
    match rules.unit {
        TokenUnit::Words => words(text.as_bytes(), &mut builder),
        TokenUnit::Chars(blanks) => chars(text.as_bytes(), blanks, &mut builder),
        TokenUnit::Lines => lines(text.as_bytes(), &mut builder),
    }
}

/// Where the characters in the making stand; for tokens of one character, each by itself.
type Queue = RefCell<VecDeque<Range<usize>>>;

/// Joins tokens with their places.
struct PlacingSink<'a> {
    f: &'a mut dyn FnMut(&[u8], Range<usize>),
    span: &'a Cell<(usize, usize)>,
    queue: &'a Queue,
    by_char: bool,
}

impl TokenSink for PlacingSink<'_> {
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        (self.f)(&text[start..end].to_ascii_lowercase(), start..end);
    }

    fn token(&mut self, token: &[u8]) {
        let (start, end) = self.span.get();
        let queued = if self.by_char {
            self.queue.borrow_mut().pop_front()
        } else {
            None
        };
        (self.f)(token, queued.unwrap_or(start..end));
    }
}

/// Sends characters on and keeps their places.
struct PlacedBuilder<'a, 'b> {
    rules: TokenRules,
    maker: TokenMaker<'a, PlacingSink<'b>>,
    span: &'a Cell<(usize, usize)>,
    queue: &'a Queue,
    /// Bytes of the characters that the queue is for.
    queued_bytes: usize,
    text: &'a str,
}

impl PlacedBuilder<'_, '_> {
    /// Puts down the places of what a character becomes in lower case.
    fn queue(&mut self, c: char, place: &Range<usize>) {
        let length: usize = c.to_lowercase().map(char::len_utf8).sum();
        // the maker hands on what it has before it grows too long
        if self.queued_bytes + length > TOKEN_BYTES_MAX {
            self.finish();
        }
        let classes = self.maker.classes;
        let is_kept = |lower: &char| {
            !(self.rules.drop_numbers && classes.of(*lower).has(CharacterClass::NUMERIC))
        };
        let places = c.to_lowercase().filter(is_kept).map(|_| place.clone());
        self.queue.borrow_mut().extend(places);
        self.queued_bytes += length;
    }
}

impl TokenBuilder for PlacedBuilder<'_, '_> {
    type Place = Range<usize>;
    fn classes(&self) -> CharacterClasses {
        self.maker.classes
    }
    fn each_char(
        &mut self,
        _: &[u8],
        piece: Range<usize>,
        mut take: impl FnMut(&mut Self, char, CharacterClass, &Range<usize>),
    ) {
        let (text, classes) = (self.text, self.maker.classes);
        for_each_placed_char(classes, text, piece, |c, class, place| {
            take(self, c, class, &place);
        });
    }
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.maker.ascii_word(text, start, end);
    }
    fn push(&mut self, c: char, class: CharacterClass, place: &Range<usize>) {
        if matches!(self.rules.unit, TokenUnit::Chars(_)) {
            self.queue(c, place);
        } else {
            let start = if self.maker.is_empty() {
                place.start
            } else {
                self.span.get().0
            };
            self.span.set((start, place.end));
        }
        self.maker.push(c, class, &());
    }
    fn is_empty(&self) -> bool {
        self.maker.is_empty()
    }
    fn finish(&mut self) {
        self.maker.finish();
        self.queue.borrow_mut().clear();
        self.queued_bytes = 0;
    }
}

/// Calls `f` with each character of the canonical form of `text[piece]`, its class, and the bytes
/// it comes from.
fn for_each_placed_char(
    classes: CharacterClasses,
    text: &str,
    piece: Range<usize>,
    mut f: impl FnMut(char, CharacterClass, Range<usize>),
) {
    let moves = |class: CharacterClass| {
        class.has(CharacterClass::MOVABLE)
            || class.has(CharacterClass::UNSTABLE)
            || class.has(CharacterClass::IGNORABLE)
    };
    let mut start = piece.start;
    let starts = text[piece.clone()]
        .char_indices()
        .skip(1)
        .filter(|(_, c)| !moves(classes.of(*c)));
    let ends = starts.map(|(at, _)| piece.start + at).chain([piece.end]);
    for end in ends {
        for_each_char(classes, &text[start..end], |c, class| {
            f(c, class, start..end);
        });
        start = end;
    }
}
