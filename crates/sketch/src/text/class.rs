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
pub(crate) struct CharacterClass(u8);

impl CharacterClass {
    /// Part of a word: a letter, digit, combining mark or emoji, or a character that was lost
    /// ([`LOST`]).
    pub(crate) const WORD: CharacterClass = CharacterClass(1);
    /// A word character that is a token by itself: scripts written without spaces, and emoji.
    pub(crate) const ALONE: CharacterClass = CharacterClass(1 << 1);
    /// A combining mark, or what changes an emoji.
    pub(crate) const MARK: CharacterClass = CharacterClass(1 << 2);
    /// Of numeric type.
    pub(crate) const NUMERIC: CharacterClass = CharacterClass(1 << 3);
    /// Default-ignorable: vanishes.
    pub(crate) const IGNORABLE: CharacterClass = CharacterClass(1 << 4);
    /// Differs from its lower case.
    pub(crate) const UPPER: CharacterClass = CharacterClass(1 << 5);
    /// May change under normalization form C, alone or with its neighbours.
    pub(crate) const UNSTABLE: CharacterClass = CharacterClass(1 << 6);
    /// Combining class other than 0: its place among its neighbours may change.
    pub(crate) const MOVABLE: CharacterClass = CharacterClass(1 << 7);

    /// The properties that keep a character of three bytes from the fast way.
    pub(crate) const NOT_SIMPLE: CharacterClass = CharacterClass(
        CharacterClass::IGNORABLE.0
            | CharacterClass::UPPER.0
            | CharacterClass::UNSTABLE.0
            | CharacterClass::MOVABLE.0,
    );

    /// Whether any bit of `other` is set.
    #[inline]
    pub(crate) fn has(self, other: CharacterClass) -> bool {
        self.0 & other.0 != 0
    }
}

/// Stands for characters that could not be decoded: texts are not equal because both lost theirs.
const LOST: char = char::REPLACEMENT_CHARACTER;

/// The table of the basic plane.
#[derive(Clone, Copy)]
pub(crate) struct CharacterClasses(&'static [u8]);

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
            .unwrap_or(CharacterClass::NOT_SIMPLE.0);
        let mut length = 0;
        while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
            length = 10 * length + usize::from(digit - b'0');
        }
        table.resize(table.len() + length.max(1), class);
    }
    table.into_boxed_slice()
}

impl CharacterClasses {
    pub(crate) fn get() -> CharacterClasses {
        CharacterClasses(&BASIC_PLANE)
    }

    /// The class of a character of the basic plane.
    #[inline]
    pub(crate) fn of_basic(self, code: usize) -> CharacterClass {
        CharacterClass(
            self.0
                .get(code)
                .copied()
                .unwrap_or(CharacterClass::NOT_SIMPLE.0),
        )
    }

    /// The class of a character.
    #[inline]
    pub(crate) fn of(self, c: char) -> CharacterClass {
        match self.0.get(c as usize) {
            Some(&bits) => CharacterClass(bits),
            None => compute(c),
        }
    }
}

fn compute(c: char) -> CharacterClass {
    let emoji = is_emoji(c) && !c.is_alphanumeric();
    let mark = is_combining_mark(c) || is_skin_colour(c);
    let word = mark || c.is_alphanumeric() || emoji || c == LOST;
    let mut lower = c.to_lowercase();
    let facts = [
        (CharacterClass::WORD, word),
        (
            CharacterClass::ALONE,
            word && written_without_spaces(c) || emoji && !mark,
        ),
        (CharacterClass::MARK, mark),
        (CharacterClass::NUMERIC, c.is_numeric()),
        (CharacterClass::IGNORABLE, default_ignorable(c)),
        (CharacterClass::UPPER, lower.next() != Some(c)),
        (
            CharacterClass::UNSTABLE,
            is_nfc_quick(std::iter::once(c)) != IsNormalized::Yes,
        ),
        (CharacterClass::MOVABLE, canonical_combining_class(c) != 0),
    ];
    CharacterClass(
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

/// Whether a character is an emoji: in the basic plane what Unicode calls `Emoji`, but for ASCII,
/// punctuation, `©`, `®` and `™`; beyond it `Extended_Pictographic`, in which the emoji to come are
/// reserved, with the letters of flags and the colours of skin.
fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{2194}'..='\u{2199}' | '\u{21A9}'..='\u{21AA}' | '\u{231A}'..='\u{231B}' | '\u{2328}' | '\u{23CF}'
        | '\u{23E9}'..='\u{23F3}' | '\u{23F8}'..='\u{23FA}' | '\u{25AA}'..='\u{25AB}' | '\u{25B6}' | '\u{25C0}'
        | '\u{25FB}'..='\u{25FE}' | '\u{2600}'..='\u{2604}' | '\u{260E}' | '\u{2611}' | '\u{2614}'..='\u{2615}'
        | '\u{2618}' | '\u{261D}' | '\u{2620}' | '\u{2622}'..='\u{2623}' | '\u{2626}' | '\u{262A}'
        | '\u{262E}'..='\u{262F}' | '\u{2638}'..='\u{263A}' | '\u{2640}' | '\u{2642}' | '\u{2648}'..='\u{2653}'
        | '\u{265F}'..='\u{2660}' | '\u{2663}' | '\u{2665}'..='\u{2666}' | '\u{2668}' | '\u{267B}'
        | '\u{267E}'..='\u{267F}' | '\u{2692}'..='\u{2697}' | '\u{2699}' | '\u{269B}'..='\u{269C}'
        | '\u{26A0}'..='\u{26A1}' | '\u{26A7}' | '\u{26AA}'..='\u{26AB}' | '\u{26B0}'..='\u{26B1}'
        | '\u{26BD}'..='\u{26BE}' | '\u{26C4}'..='\u{26C5}' | '\u{26C8}' | '\u{26CE}'..='\u{26CF}' | '\u{26D1}'
        | '\u{26D3}'..='\u{26D4}' | '\u{26E9}'..='\u{26EA}' | '\u{26F0}'..='\u{26F5}' | '\u{26F7}'..='\u{26FA}'
        | '\u{26FD}' | '\u{2702}' | '\u{2705}' | '\u{2708}'..='\u{270D}' | '\u{270F}' | '\u{2712}' | '\u{2714}'
        | '\u{2716}' | '\u{271D}' | '\u{2721}' | '\u{2728}' | '\u{2733}'..='\u{2734}' | '\u{2744}' | '\u{2747}'
        | '\u{274C}' | '\u{274E}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}'..='\u{2764}'
        | '\u{2795}'..='\u{2797}' | '\u{27A1}' | '\u{27B0}' | '\u{27BF}' | '\u{2934}'..='\u{2935}'
        | '\u{2B05}'..='\u{2B07}' | '\u{2B1B}'..='\u{2B1C}' | '\u{2B50}' | '\u{2B55}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1F0FF}' | '\u{1F10D}'..='\u{1F10F}' | '\u{1F12F}' | '\u{1F16C}'..='\u{1F16F}' | '\u{1F18E}'
        | '\u{1F191}'..='\u{1F19A}' | '\u{1F1AD}'..='\u{1F20F}' | '\u{1F21A}' | '\u{1F22F}' | '\u{1F232}'..='\u{1F23A}'
        | '\u{1F23C}'..='\u{1F23F}' | '\u{1F249}'..='\u{1F53D}' | '\u{1F546}'..='\u{1F64F}' | '\u{1F680}'..='\u{1F6FF}'
        | '\u{1F774}'..='\u{1F77F}' | '\u{1F7D5}'..='\u{1F7FF}' | '\u{1F80C}'..='\u{1F80F}' | '\u{1F848}'..='\u{1F84F}'
        | '\u{1F85A}'..='\u{1F85F}' | '\u{1F888}'..='\u{1F88F}' | '\u{1F8AE}'..='\u{1F8FF}' | '\u{1F90C}'..='\u{1F93A}'
        | '\u{1F93C}'..='\u{1F945}' | '\u{1F947}'..='\u{1FAFF}' | '\u{1FC00}'..='\u{1FFFD}')
}

/// Half of a flag.
pub(crate) fn is_regional_indicator(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

/// Changes the colour of the emoji before it.
fn is_skin_colour(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
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
        assert_eq!(crate::CANONICAL_VERSION, 7);
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
            4_156_538_038_558_234_521
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
        let classes = CharacterClasses::get();
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
        assert!(
            classes.of('字').has(CharacterClass::ALONE)
                && !classes.of('。').has(CharacterClass::WORD)
        );
        assert!(
            "👍☕✔🇩🀄"
                .chars()
                .all(|c| classes.of(c).has(CharacterClass::ALONE))
        );
        assert!(
            "#+©™→€🙽‼"
                .chars()
                .all(|c| !classes.of(c).has(CharacterClass::WORD))
        );
        assert!(
            classes.of('\u{AD}').has(CharacterClass::IGNORABLE)
                && classes.of('½').has(CharacterClass::NUMERIC)
        );
        assert!(
            classes.of('\u{301}').has(CharacterClass::MOVABLE)
                && !classes.of('é').has(CharacterClass::UNSTABLE)
        );
    }
}
