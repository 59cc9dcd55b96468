//! Words: maximal runs of letters, digits and combining marks; in scripts written without spaces
//! each character. Emoji are a word each, and so are the two letters of a flag.
//!
//! ASCII words are found with a table of byte classes and handed on as they lie in the text. A run
//! of bytes without ASCII separators that holds anything else goes through the canonical
//! characters. ASCII separators are safe places to cut: no word crosses them, and no character
//! after them changes under normalization with one before them, with one exception: `<`, `=` and
//! `>` join with a following U+0338 to a sign that is no word. So a run that begins with another
//! character takes the separator before it along.

use super::class::{CharacterClass, is_regional_indicator};
use super::token::TokenBuilder;
use std::ops::Range;

const SEPARATOR: u8 = 0;
const LETTER_OR_DIGIT: u8 = 1;

/// Class of a byte: separator, ASCII letter or digit, or 2: part of a longer character.
static BYTE_CLASS: [u8; 256] = byte_classes();

const fn byte_classes() -> [u8; 256] {
    let mut classes = [SEPARATOR; 256];
    let mut byte = 0;
    while byte < 256 {
        if byte >= 128 {
            classes[byte] = 2;
        } else if (byte as u8).is_ascii_alphanumeric() {
            classes[byte] = LETTER_OR_DIGIT;
        }
        byte += 1;
    }
    classes
}

/// Sends the words of `text` to `builder`: the portable form.
pub(super) fn words(text: &[u8], builder: &mut impl TokenBuilder) {
    let class = |at: usize| {
        text.get(at)
            .map_or(SEPARATOR, |&byte| BYTE_CLASS[usize::from(byte)])
    };
    let mut at = 0;
    while at < text.len() {
        if class(at) == SEPARATOR {
            at += 1;
            continue;
        }
        let start = at;
        while class(at) == LETTER_OR_DIGIT {
            at += 1;
        }
        if class(at) == SEPARATOR {
            builder.ascii_word(text, start, at);
            continue;
        }
        let with_separator = if start == at {
            start.saturating_sub(1)
        } else {
            start
        };
        while class(at) != SEPARATOR {
            at += 1;
        }
        run(text, with_separator..at, builder);
    }
}

/// Sends the words of a run, `text[piece]`, that holds more than ASCII.
pub(super) fn run(text: &[u8], piece: Range<usize>, builder: &mut impl TokenBuilder) {
    let (mut alone, mut half_flag) = (false, false);
    builder.each_char(text, piece, |builder, c, class, place| {
        let is_half = is_regional_indicator(c);
        let ends_flag = half_flag && is_half;
        half_flag = is_half && !ends_flag;
        if ends_flag {
            builder.push(c, class, place);
        } else if !class.has(CharacterClass::WORD) {
            builder.finish();
        } else if class.has(CharacterClass::ALONE) {
            builder.finish();
            builder.push(c, class, place);
            alone = true;
        } else {
            if alone && !class.has(CharacterClass::MARK) {
                builder.finish();
            }
            if builder.is_empty() {
                alone = false;
            }
            builder.push(c, class, place);
        }
    });
    builder.finish();
}
