//! How words become text.
//!
//! Input: word numbers and a stream of random numbers. Output: text. Algorithm: each number has one
//! spelling; a style adds only what the canonical form takes away again: sentences, capitals,
//! blanks, marks, soft hyphens, and accents as one character or two. Memory: none beside the text.

use crate::random::Random;

/// A way of writing. One stream of random numbers decides it, so equal streams write equal texts.
pub(super) struct Style {
    random: Random,
    line_end: &'static str,
    sentence_words: u64,
    spelling: Spelling,
}

/// How letters are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As composed characters.
    Plain,
    /// Accents as characters of their own, which NFC joins.
    Decomposed,
    /// Soft hyphens between syllables, which vanish.
    Hyphenated,
    /// Capitals only.
    Capitals,
}

/// Between two words; some need escaping in JSON, some lie beyond 16 bits. None is a letter, digit
/// or mark.
const MARKS: [&str; 12] = [
    ", ",
    " - ",
    " \"",
    "\" ",
    " \\ ",
    "\t",
    "/",
    " \u{1F600} ",
    " \u{2028}",
    " \u{1}",
    "; ",
    " <& ",
];

const CONSONANTS: [char; 16] = [
    'b', 'd', 'f', 'g', 'h', 'j', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z',
];
const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
const GREEK: [char; 16] = [
    'α', 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ', 'ι', 'κ', 'λ', 'μ', 'ν', 'ξ', 'ο', 'π',
];

impl Style {
    pub(super) fn new(mut random: Random) -> Style {
        let line_end = random.pick(["\n", "\n", "\r\n", "\n\n"]);
        let sentence_words = random.within(5, 18);
        let spelling = random.pick([
            Spelling::Plain,
            Spelling::Plain,
            Spelling::Decomposed,
            Spelling::Hyphenated,
            Spelling::Capitals,
        ]);
        Style {
            random,
            line_end,
            sentence_words,
            spelling,
        }
    }

    /// Appends the words as sentences and paragraphs.
    pub(super) fn write(mut self, words: &[u64], out: &mut String) {
        let mut in_sentence = 0;
        for (position, &word) in words.iter().enumerate() {
            if position > 0 {
                out.push_str(self.separator(&mut in_sentence));
            }
            let start = out.len();
            self.word(word, out);
            // only ASCII: capitals elsewhere may change with their neighbours (final sigma)
            match out.get_mut(start..) {
                Some(written) if self.spelling == Spelling::Capitals => {
                    written.make_ascii_uppercase();
                }
                Some(written) if in_sentence == 0 => capitalize(written),
                _ => {}
            }
            in_sentence += 1;
        }
        out.push_str(if words.is_empty() { "" } else { "." });
        out.push_str(self.line_end);
    }

    fn separator(&mut self, in_sentence: &mut u64) -> &'static str {
        if *in_sentence >= self.sentence_words {
            *in_sentence = 0;
            return if self.random.chance(200) {
                self.line_end
            } else {
                ". "
            };
        }
        if self.random.chance(80) {
            self.random.pick(MARKS)
        } else {
            " "
        }
    }

    /// Different numbers give different words within a script, and each word is one token.
    fn word(&self, number: u64, out: &mut String) {
        match number % 40 {
            7 => digits(number, 16, &mut |digit| out.push(GREEK[digit])),
            13 => out.extend(char::from_u32(0x4E00 + (number / 40 % 20_000) as u32)),
            21 => out.push_str(&number.to_string()),
            31 => {
                self.latin(number, out);
                out.push_str(if self.spelling == Spelling::Decomposed {
                    "e\u{301}"
                } else {
                    "é"
                });
            }
            _ => self.latin(number, out),
        }
    }

    fn latin(&self, number: u64, out: &mut String) {
        let mut first = true;
        digits(number, 80, &mut |digit| {
            if !first && self.spelling == Spelling::Hyphenated {
                out.push('\u{AD}');
            }
            first = false;
            out.extend([CONSONANTS[digit / 5], VOWELS[digit % 5]]);
        });
    }
}

fn capitalize(word: &mut str) {
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
}

/// The digits of a number, lowest first, at least one.
fn digits(mut number: u64, base: u64, each: &mut dyn FnMut(usize)) {
    loop {
        each((number % base) as usize);
        number /= base;
        if number == 0 {
            break;
        }
    }
}
