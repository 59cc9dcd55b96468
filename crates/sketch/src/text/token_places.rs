//! The tokens of a text and where each stands in it: the plain tokenizers again, keeping places.
//!
//! *Input.* A text and the rules. *Output.* The tokens that [`Tokenizer`](super::Tokenizer) makes,
//! each with the bytes it comes from. *Algorithm.* Normalization form C never joins a character
//! with those before it if that character is stable (it does not move, and passes the quick check
//! of Unicode Standard Annex 15); so a text is brought to form C one stretch at a time, from one
//! such character to the next, and what comes out of a stretch stands where the stretch does.
//! *Memory.* One token. *Limits.* Not for hot loops: it serves to show a passage to a user.

use super::canonical::for_each_char;
use super::class::{Class, Classes};
use super::sink::{TOKEN_BYTES_MAX, TokenSink};
use super::token::Maker;
use crate::params::{TokenRules, TokenUnit};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;

/// Calls `f` with each token of `text`, in lower case, and the bytes of `text` it comes from.
pub(crate) fn placed_tokens(rules: TokenRules, text: &str, f: &mut dyn FnMut(&[u8], Range<usize>)) {
    let (span, queue, mut word) = (Cell::new((0, 0)), RefCell::default(), String::new());
    let by_char = rules.unit == TokenUnit::Chars;
    let mut sink = PlacingSink {
        f,
        span: &span,
        queue: &queue,
        by_char,
    };
    let maker = Maker::new(rules, &mut word, &mut sink);
    let mut placing = PlacedTokenizer {
        rules,
        maker,
        span: &span,
        queue: &queue,
        text,
    };
    match rules.unit {
        TokenUnit::Words => placing.words(),
        TokenUnit::Chars => placing.chars(),
        TokenUnit::Lines => placing.lines(),
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

struct PlacedTokenizer<'a, 'b> {
    rules: TokenRules,
    maker: Maker<'a, PlacingSink<'b>>,
    span: &'a Cell<(usize, usize)>,
    queue: &'a Queue,
    text: &'a str,
}

impl PlacedTokenizer<'_, '_> {
    /// Adds a character of the token in the making.
    fn push(&mut self, c: char, class: Class, place: &Range<usize>) {
        let start = if self.maker.is_empty() {
            place.start
        } else {
            self.span.get().0
        };
        self.span.set((start, place.end));
        self.maker.push(c, class);
    }

    fn words(&mut self) {
        let text = self.text;
        let bytes = text.as_bytes();
        let is_separator = |at: usize| {
            bytes
                .get(at)
                .is_none_or(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric())
        };
        let mut at = 0;
        while at < bytes.len() {
            if is_separator(at) {
                at += 1;
                continue;
            }
            let start = at;
            while !is_separator(at) {
                at += 1;
            }
            if bytes[start..at].is_ascii() {
                self.maker.ascii_word(bytes, start, at);
            } else {
                // `<`, `=` and `>` join with a following U+0338 to a sign that is no word
                let with_separator = if bytes[start].is_ascii() {
                    start
                } else {
                    start.saturating_sub(1)
                };
                let first = if text.is_char_boundary(with_separator) {
                    with_separator
                } else {
                    start
                };
                self.run(first..at);
            }
        }
    }

    /// The words of a run that holds more than ASCII.
    fn run(&mut self, run: Range<usize>) {
        let mut alone = false;
        let text = self.text;
        for_each_placed_char(self.maker.classes, text, run, |c, class, place| {
            if !class.has(Class::WORD) {
                self.maker.finish();
            } else if class.has(Class::ALONE) {
                self.maker.finish();
                self.push(c, class, &place);
                alone = true;
            } else {
                if alone && !class.has(Class::MARK) {
                    self.maker.finish();
                }
                if self.maker.is_empty() {
                    alone = false;
                }
                self.push(c, class, &place);
            }
        });
        self.maker.finish();
    }

    fn chars(&mut self) {
        let (text, classes) = (self.text, self.maker.classes);
        for line in lines_of(text) {
            let mut gathered = 0;
            for_each_placed_char(classes, text, line, |c, class, place| {
                let length: usize = c.to_lowercase().map(char::len_utf8).sum();
                // the maker hands on what it has before it grows too long
                if c.is_whitespace() || gathered + length > TOKEN_BYTES_MAX {
                    self.maker.finish();
                    self.queue.borrow_mut().clear();
                    gathered = 0;
                }
                if !c.is_whitespace() {
                    let kept = |lower: &char| {
                        !(self.rules.drop_numbers && classes.of(*lower).has(Class::NUMERIC))
                    };
                    let places = c.to_lowercase().filter(kept).map(|_| place.clone());
                    self.queue.borrow_mut().extend(places);
                    gathered += length;
                    self.maker.push(c, class);
                }
            });
            self.maker.finish();
            self.queue.borrow_mut().clear();
        }
    }

    fn lines(&mut self) {
        let (text, classes) = (self.text, self.maker.classes);
        for line in lines_of(text) {
            let mut space = false;
            for_each_placed_char(classes, text, line, |c, class, place| {
                if c.is_whitespace() {
                    space = true;
                    return;
                }
                if space && !self.maker.is_empty() {
                    self.push(' ', classes.of(' '), &place);
                }
                space = false;
                self.push(c, class, &place);
            });
            self.maker.finish();
        }
    }
}

/// Where the lines of a text are, their ends left out.
fn lines_of(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split(['\n', '\r']).map(move |line| {
        let start = at;
        at += line.len() + 1;
        start..start + line.len()
    })
}

/// Calls `f` with each character of the canonical form of `text[piece]`, its class, and the bytes
/// it comes from.
fn for_each_placed_char(
    classes: Classes,
    text: &str,
    piece: Range<usize>,
    mut f: impl FnMut(char, Class, Range<usize>),
) {
    let moves = |class: Class| {
        class.has(Class::MOVABLE) || class.has(Class::UNSTABLE) || class.has(Class::IGNORABLE)
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
