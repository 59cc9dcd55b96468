//! Words of simple characters: the fast form of what [`words`](super::words) does with runs that
//! are not ASCII alone.
//!
//! A character is simple if it cannot change under normalization, whatever its neighbours, if it
//! does not vanish, and if its lower case, whatever its neighbours, is itself or another character
//! of two bytes. Nearly all are. They come from two tables: 2,048 entries for characters of two
//! bytes, with class and lower case in one, and the class table of the basic plane for those of
//! three. Tokens are gathered eight bytes at a time in a register.
//!
//! At the first character that is not simple the rest of the run is left to the plain form, from
//! where its token begins, or, if there is none, from the character before: that one is simple, so
//! nothing before it can change any more.

use super::class::{CharacterClass, CharacterClasses};
use super::sink::TokenSink;
use super::token::TokenMaker;
use crate::isa::Isa;
use std::sync::LazyLock;

/// Longest token gathered here.
const TOKEN_BYTES: usize = 128;

/// The character is not simple.
const HARD: u16 = 1 << 15;
/// The character is part of a word.
const WORD: u16 = 1 << 14;

/// The properties of the characters of two bytes: the lower case, [`WORD`], [`HARD`].
static TWO_BYTES: LazyLock<Box<[u16; 2048]>> = LazyLock::new(|| {
    let mut table = Box::new([HARD; 2048]);
    let classes = CharacterClasses::get();
    for (code, entry) in (0_u32..).zip(table.iter_mut()).skip(0x80) {
        if let Some(c) = char::from_u32(code) {
            *entry = two_byte_entry(c, classes.of(c));
        }
    }
    table
});

fn two_byte_entry(c: char, class: CharacterClass) -> u16 {
    let mut lower = c.to_lowercase().map(u32::from);
    let hard = [
        CharacterClass::UNSTABLE,
        CharacterClass::MOVABLE,
        CharacterClass::IGNORABLE,
        CharacterClass::MARK,
        CharacterClass::ALONE,
    ];
    // whether a capital sigma is final shows only at the end of its token
    if c == 'Σ' || hard.iter().any(|&property| class.has(property)) {
        return HARD;
    }
    match (lower.next(), lower.next()) {
        (Some(code @ 0x80..0x800), None) => {
            code as u16
                | if class.has(CharacterClass::WORD) {
                    WORD
                } else {
                    0
                }
        }
        _ => HARD,
    }
}

#[derive(Clone, Copy)]
pub(super) struct CharacterTables {
    two_bytes: &'static [u16; 2048],
    classes: CharacterClasses,
}

impl CharacterTables {
    /// The tables of the process.
    pub(super) fn get() -> CharacterTables {
        CharacterTables {
            two_bytes: &TWO_BYTES,
            classes: CharacterClasses::get(),
        }
    }
}

/// Tokens, one after the other; of the one in the making whole chunks of eight bytes, and the last
/// one.
struct TokenBytes {
    chunks: [u64; TOKEN_BYTES / 8],
    last: u64,
    length: usize,
    /// Tokens handed on.
    finished: usize,
}

impl TokenBytes {
    /// Adds `width` bytes, 1 to 3, the first one lowest.
    #[inline(always)]
    fn push(&mut self, bytes: u32, width: usize) {
        let bytes = u64::from(bytes);
        let used = 8 * (self.length % 8) as u32;
        let chunk = self.last | bytes << used;
        self.last = chunk;
        if used as usize + 8 * width >= 64 {
            self.chunks[self.length / 8 % (TOKEN_BYTES / 8)] = chunk;
            // a shift by 64 is none at all: then nothing is left over
            self.last = bytes.checked_shr(64 - used).unwrap_or(0);
        }
        self.length += width;
    }

    /// Hands the token on, if there is one.
    #[inline(always)]
    fn finish(&mut self, isa: impl Isa, maker: &mut TokenMaker<'_, impl TokenSink>) {
        if self.length > 0 {
            let count = self.length.div_ceil(8);
            if !self.length.is_multiple_of(8) {
                self.chunks[count - 1] = self.last;
            }
            maker.chunked(isa, &self.chunks[..count], self.length);
            (self.last, self.length) = (0, 0);
            self.finished += 1;
        }
    }
}

impl CharacterTables {
    /// Hands on the words of `run` from `first` on, a run without ASCII separators, perhaps but for
    /// a byte before `first`. Returns how many they are; as an error, where the plain form must
    /// take over.
    #[inline(always)]
    pub(super) fn words(
        self,
        isa: impl Isa,
        run: &[u8],
        first: usize,
        maker: &mut TokenMaker<'_, impl TokenSink>,
    ) -> Result<usize, usize> {
        let mut token = TokenBytes {
            chunks: [0; TOKEN_BYTES / 8],
            last: 0,
            length: 0,
            finished: 0,
        };
        // whether the token is a character that is one by itself
        let mut alone = false;
        let (mut at, mut restart) = (first, 0);
        while let Some(&byte) = run.get(at) {
            let (bytes, width, is_word) = if byte < 0x80 {
                (u32::from(byte.to_ascii_lowercase()), 1, true)
            } else if byte < 0xE0 {
                let entry = self.two_bytes[usize::from(byte & 0x1F) << 6 | continued(run, at + 1)];
                if entry & HARD != 0 {
                    return Err(restart);
                }
                let lower = u32::from(entry & 0x7FF);
                (
                    0x80C0 | lower >> 6 | (lower & 0x3F) << 8,
                    2,
                    entry & WORD != 0,
                )
            } else if byte < 0xF0 {
                let code = usize::from(byte & 0xF) << 12
                    | continued(run, at + 1) << 6
                    | continued(run, at + 2);
                let class = self.classes.of_basic(code);
                if class.has(CharacterClass::NOT_SIMPLE) {
                    return Err(restart);
                }
                let bytes = [
                    byte,
                    run.get(at + 1).copied().unwrap_or(0),
                    run.get(at + 2).copied().unwrap_or(0),
                    0,
                ];
                if class.has(CharacterClass::ALONE) || (alone && !class.has(CharacterClass::MARK)) {
                    token.finish(isa, maker);
                    alone = class.has(CharacterClass::ALONE);
                }
                (
                    u32::from_le_bytes(bytes),
                    3,
                    class.has(CharacterClass::WORD),
                )
            } else {
                return Err(restart);
            };
            if width < 3 && alone {
                token.finish(isa, maker);
                alone = false;
            }
            if !is_word {
                token.finish(isa, maker);
                alone = false;
                restart = at;
            } else {
                if token.length == 0 {
                    restart = at;
                } else if token.length + width > TOKEN_BYTES {
                    return Err(restart);
                }
                token.push(bytes, width);
            }
            at += width;
        }
        token.finish(isa, maker);
        Ok(token.finished)
    }
}

/// The six bits of the continuation byte at `at`.
#[inline(always)]
fn continued(run: &[u8], at: usize) -> usize {
    run.get(at).map_or(0, |&byte| usize::from(byte & 0x3F))
}
