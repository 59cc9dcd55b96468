//! The properties of characters that the tokenizers need, gathered once into a table of the basic
//! plane.
//!
//! Letters, digits and case are those of the standard library, marks and normalization those of
//! `unicode-normalization`, the ranges below are ours. When either library moves to another version
//! of Unicode, tokens of newly assigned characters change: a test holds the versions that
//! [`CANONICAL_VERSION`](crate::CANONICAL_VERSION) stands for.
//!
//! *Input.* `basic_plane.txt`: the classes of the basic plane, computed once and held to the
//! computation by a test, because computing them costs every start of the program as much as some
//! 300 pages. *Output.* The class of any character. *Algorithm.* The list is unpacked at first use;
//! characters beyond the basic plane are computed. *Memory.* 64 KiB, shared by all threads.
//! *Limits.* Those of the versions of Unicode named below.

use std::sync::LazyLock;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// Properties of a character, a set of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class(u8);

impl Class {
    /// Part of a word: a letter, digit or combining mark, or a character that was lost
    /// ([`LOST`]).
    pub(crate) const WORD: Class = Class(1);
    /// A word character that is a token by itself: scripts written without spaces.
    pub(crate) const ALONE: Class = Class(1 << 1);
    /// A combining mark.
    pub(crate) const MARK: Class = Class(1 << 2);
    /// Of numeric type.
    pub(crate) const NUMERIC: Class = Class(1 << 3);
    /// Default-ignorable: vanishes.
    pub(crate) const IGNORABLE: Class = Class(1 << 4);
    /// Differs from its lower case.
    pub(crate) const UPPER: Class = Class(1 << 5);
    /// May change under normalization form C, alone or with its neighbours.
    pub(crate) const UNSTABLE: Class = Class(1 << 6);
    /// Combining class other than 0: its place among its neighbours may change.
    pub(crate) const MOVABLE: Class = Class(1 << 7);

    /// The properties that keep a character of three bytes from the fast way.
    pub(crate) const NOT_SIMPLE: Class =
        Class(Class::IGNORABLE.0 | Class::UPPER.0 | Class::UNSTABLE.0 | Class::MOVABLE.0);

    /// Whether any bit of `other` is set.
    #[inline]
    pub(crate) fn has(self, other: Class) -> bool {
        self.0 & other.0 != 0
    }
}

/// Stands for characters that could not be decoded: texts are not equal because both lost theirs.
const LOST: char = char::REPLACEMENT_CHARACTER;

/// The table of the basic plane.
#[derive(Clone, Copy)]
pub(crate) struct Classes(&'static [u8]);

/// Characters of the basic plane, surrogates among them.
const BASIC_PLANE_LENGTH: usize = 0x1_0000;

static BASIC_PLANE: LazyLock<Box<[u8]>> =
    LazyLock::new(|| unpacked(include_str!("basic_plane.txt")));

/// The table behind a list: in its first line the classes in hexadecimal, the first one called `a`,
/// the next `b`; then runs of characters of one class, its name and how many they are, if more than
/// one.
fn unpacked(list: &str) -> Box<[u8]> {
    let (names, runs) = list.split_once('\n').unwrap_or_default();
    let classes: Vec<u8> = names
        .split(' ')
        .filter_map(|class| u8::from_str_radix(class, 16).ok())
        .collect();
    let mut table = Vec::with_capacity(BASIC_PLANE_LENGTH);
    let mut rest = runs.bytes().filter(|byte| *byte != b'\n').peekable();
    while let Some(name) = rest.next() {
        let class = classes
            .get(usize::from(name.wrapping_sub(b'a')))
            .copied()
            .unwrap_or(Class::NOT_SIMPLE.0);
        let mut length = 0;
        while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
            length = 10 * length + usize::from(digit - b'0');
        }
        table.resize(table.len() + length.max(1), class);
    }
    table.into_boxed_slice()
}

impl Classes {
    /// The shared table.
    pub(crate) fn get() -> Classes {
        Classes(&BASIC_PLANE)
    }

    /// The class of a character of the basic plane.
    #[inline]
    pub(crate) fn of_basic(self, code: usize) -> Class {
        Class(self.0.get(code).copied().unwrap_or(Class::NOT_SIMPLE.0))
    }

    /// The class of a character.
    #[inline]
    pub(crate) fn of(self, c: char) -> Class {
        match self.0.get(c as usize) {
            Some(&bits) => Class(bits),
            None => compute(c),
        }
    }
}

fn compute(c: char) -> Class {
    let mark = is_combining_mark(c);
    let word = mark || c.is_alphanumeric() || c == LOST;
    let mut lower = c.to_lowercase();
    let facts = [
        (Class::WORD, word),
        (Class::ALONE, word && written_without_spaces(c)),
        (Class::MARK, mark),
        (Class::NUMERIC, c.is_numeric()),
        (Class::IGNORABLE, default_ignorable(c)),
        (Class::UPPER, lower.next() != Some(c)),
        (
            Class::UNSTABLE,
            is_nfc_quick(std::iter::once(c)) != IsNormalized::Yes,
        ),
        (Class::MOVABLE, canonical_combining_class(c) != 0),
    ];
    Class(
        facts
            .iter()
            .filter(|(_, holds)| *holds)
            .fold(0, |bits, (bit, _)| bits | bit.0),
    )
}

/// Han, Hiragana, Katakana (also of half width), Thai, Lao, Khmer, Myanmar.
fn written_without_spaces(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0E7F}' // Thai
        | '\u{0E80}'..='\u{0EFF}' // Lao
        | '\u{1000}'..='\u{109F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' | '\u{116D0}'..='\u{116FF}' // Myanmar
        | '\u{1780}'..='\u{17FF}' | '\u{19E0}'..='\u{19FF}' // Khmer
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}' | '\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303B}' // Han
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{16FE3}' | '\u{16FF0}'..='\u{16FF6}' | '\u{20000}'..='\u{3FFFF}'
        | '\u{3041}'..='\u{309F}' | '\u{1B000}'..='\u{1B16F}' // Hiragana, and Kana extensions of both kinds
        | '\u{30A0}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' | '\u{1AFF0}'..='\u{1AFFF}') // Katakana
}

/// Unicode's `Default_Ignorable_Code_Point`.
fn default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unicode_versions_behind_the_canonical_form() {
        // If this fails after an upgrade: raise CANONICAL_VERSION, or show that no assigned
        // character changed.
        assert_eq!(crate::CANONICAL_VERSION, 3);
        assert_eq!(char::UNICODE_VERSION, (17, 0, 0));
        assert_eq!(unicode_normalization::UNICODE_VERSION, (18, 0, 0));
    }

    #[test]
    fn the_classes_of_all_characters_are_golden() {
        // As above: one changed bit of one character may change tokens.
        let bits: Vec<u8> = (0..=char::MAX as u32)
            .filter_map(char::from_u32)
            .map(|c| compute(c).0)
            .collect();
        assert_eq!(
            twox_hash::XxHash3_64::oneshot(&bits),
            12_135_089_965_138_258_367
        );
    }

    /// The list that [`unpacked`] reads, in lines of some length.
    fn packed(table: &[u8]) -> String {
        let classes: std::collections::BTreeSet<u8> = table.iter().copied().collect();
        let names: Vec<String> = classes.iter().map(|class| format!("{class:02x}")).collect();
        let mut list = names.join(" ");
        let mut line = String::new();
        for run in table.chunk_by(|a, b| a == b) {
            let name = char::from(b'a' + classes.range(..run[0]).count() as u8);
            let length = if run.len() > 1 {
                run.len().to_string()
            } else {
                String::new()
            };
            if line.is_empty() || line.len() + 1 + length.len() > 120 {
                list += &line;
                line = "\n".to_owned();
            }
            line += &format!("{name}{length}");
        }
        list + &line + "\n"
    }

    #[test]
    fn the_list_is_the_computation() {
        let computed = |code| char::from_u32(code).map_or(0, |c| compute(c).0);
        let table: Vec<u8> = (0..BASIC_PLANE_LENGTH as u32).map(computed).collect();
        assert!(*unpacked(&packed(&table)) == table[..]);
        // If this fails after an upgrade, the canonical form has changed: see above.
        assert!(
            packed(&table) == include_str!("basic_plane.txt"),
            "basic_plane.txt should be:\n{}",
            packed(&table)
        );
    }

    #[test]
    fn the_table_agrees_with_the_computation() {
        let classes = Classes::get();
        for c in [
            '\0',
            'a',
            'Z',
            '7',
            'é',
            'É',
            '\u{301}',
            'か',
            'ก',
            '字',
            '\u{FFFF}',
            '\u{20000}',
            '😀',
        ] {
            assert_eq!(classes.of(c), compute(c), "{c:?}");
        }
        assert!(classes.of('字').has(Class::ALONE) && !classes.of('。').has(Class::WORD));
        assert!(classes.of('\u{AD}').has(Class::IGNORABLE) && classes.of('½').has(Class::NUMERIC));
        assert!(classes.of('\u{301}').has(Class::MOVABLE) && !classes.of('é').has(Class::UNSTABLE));
    }
}
