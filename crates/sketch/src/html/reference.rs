//! Character references: `&amp;`, `&amp`, `&#38;`, `&#x26;`.
//!
//! A named reference is the longest name of the table that the text begins with, so `&notit;` is
//! `¬it;` and `&notin;` is `∉`. The table is sorted; the range of names that begin as the text does
//! is taken by the first letter and then narrowed byte by byte. Before that, what stands up to a
//! near semicolon is looked up as a whole: nearly all references of pages are found so, whichever
//! they are, in the same few steps.

use entities::ENTITIES;

/// The meaning of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecodedReference {
    /// A named reference: one or two characters.
    Named(&'static str),
    Numeric(char),
    /// No reference: the bytes are text as they stand.
    Nothing,
}

/// Decodes the reference that `text` begins with; its first byte is `&`. Gives the bytes taken as
/// well.
pub(super) fn decode(text: &str) -> (DecodedReference, usize) {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'#') => numeric(bytes),
        Some(byte) if byte.is_ascii_alphabetic() => named(bytes),
        _ => (DecodedReference::Nothing, 1),
    }
}

/// The names of the references, without `&` and with `;` where one needs it, and their texts,
/// sorted by the bytes of the names.
static NAMES: [(&str, &str); ENTITIES.len()] = {
    let mut names = [("", ""); ENTITIES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = (ENTITIES[at].entity.split_at(1).1, ENTITIES[at].characters);
        at += 1;
    }
    // A merge sort; the library has no sort that runs at compile time.
    let mut run = 1;
    while run < names.len() {
        let unmerged = names;
        let (mut at, mut left) = (0, 0);
        while at < names.len() {
            let middle = least(left + run, names.len());
            let end = least(middle + run, names.len());
            let mut right = middle;
            while at < end {
                let is_left = left < middle
                    && (right == end || precedes(unmerged[left].0, unmerged[right].0));
                let from = if is_left { &mut left } else { &mut right };
                names[at] = unmerged[*from];
                *from += 1;
                at += 1;
            }
            left = end;
        }
        run *= 2;
    }
    names
};

const fn least(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

/// Whether the bytes of `a` sort before those of `b`.
const fn precedes(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}

/// Slots for the names of up to eight bytes that end in a semicolon, some 1500.
const SLOTS: usize = 4096;

/// Such names as numbers, each in the first free slot behind that of its hash, with their texts; 0
/// is free.
static SHORT: [(u64, &str); SLOTS] = {
    let mut slots = [(0, ""); SLOTS];
    let mut at = 0;
    while at < NAMES.len() {
        let name = NAMES[at].0.as_bytes();
        if name.len() <= 8 && name[name.len() - 1] == b';' {
            let (mut key, mut byte) = (0_u64, name.len());
            while byte > 0 {
                byte -= 1;
                key = key << 8 | name[byte] as u64;
            }
            let mut slot = slot_of(key);
            while slots[slot].0 != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = (key, NAMES[at].1);
        }
        at += 1;
    }
    slots
};

const fn slot_of(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.ilog2())) as usize
}

/// The reference whose name ends in a semicolon within eight bytes. No other name begins with that
/// one.
fn short(bytes: &[u8]) -> Option<(&'static str, usize)> {
    const ONES: u64 = u64::MAX / 255;
    let word = u64::from_le_bytes(*bytes.get(1..)?.first_chunk()?);
    let differs = word ^ (ONES * b';' as u64);
    // The top bit of the first semicolon; behind it, of others perhaps as well.
    let ends = differs.wrapping_sub(ONES) & !differs & (ONES << 7);
    if ends == 0 {
        return None;
    }
    let last_bit = ends & ends.wrapping_neg();
    let key = word & (last_bit << 1).wrapping_sub(1);
    let mut slot = slot_of(key);
    loop {
        match SHORT[slot] {
            (known, value) if known == key => {
                return Some((value, last_bit.trailing_zeros() as usize / 8 + 2));
            }
            (0, _) => return None,
            _ => slot = (slot + 1) % SLOTS,
        }
    }
}

/// Where the names begin that begin with each letter; the last two are the end of the table.
const BY_LETTER: [u16; 129] = {
    let mut starts = [0; 129];
    let mut letter = 0;
    let mut at = 0;
    while letter < starts.len() {
        while at < NAMES.len() && (NAMES[at].0.as_bytes()[0] as usize) < letter {
            at += 1;
        }
        starts[letter] = at as u16;
        letter += 1;
    }
    starts
};

fn named(bytes: &[u8]) -> (DecodedReference, usize) {
    if let Some((value, length)) = short(bytes) {
        return (DecodedReference::Named(value), length);
    }
    longest(bytes)
}

/// The longest name that the text begins with.
fn longest(bytes: &[u8]) -> (DecodedReference, usize) {
    let letter = usize::from(bytes[1] & 0x7F);
    let all = &NAMES[usize::from(BY_LETTER[letter])..usize::from(BY_LETTER[letter + 1])];
    let mut names = all;
    let mut longest = (DecodedReference::Nothing, 1);
    for (at, &byte) in bytes[1..].iter().enumerate().skip(1) {
        // all names left agree with the text in the first `at` bytes; one that ends there sorts
        // first
        let byte_of = |entity: &(&str, &str)| entity.0.as_bytes().get(at).copied();
        let from = names.partition_point(|entity| byte_of(entity) < Some(byte));
        let to = from + names[from..].partition_point(|entity| byte_of(entity) == Some(byte));
        names = &names[from..to];
        match names.first() {
            Some((name, value)) if name.len() == at + 1 => {
                longest = (DecodedReference::Named(value), at + 2);
            }
            Some(_) => {}
            None => break,
        }
    }
    longest
}

fn numeric(bytes: &[u8]) -> (DecodedReference, usize) {
    let (radix, start) = if matches!(bytes.get(2), Some(b'x' | b'X')) {
        (16, 3)
    } else {
        (10, 2)
    };
    let mut code = 0_u32;
    let mut at = start;
    while let Some(digit) = bytes
        .get(at)
        .and_then(|&byte| char::from(byte).to_digit(radix))
    {
        code = code.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return (DecodedReference::Nothing, 2);
    }
    if bytes.get(at) == Some(&b';') {
        at += 1;
    }
    (DecodedReference::Numeric(character(code)), at)
}

/// The character of a number: NUL, surrogates and numbers out of range are U+FFFD, and 0x80 … 0x9F
/// mean windows-1252.
fn character(code: u32) -> char {
    const WINDOWS_1252: [u16; 32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
        0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ];
    let code = match code {
        0 => 0xFFFD,
        0x80..=0x9F => u32::from(WINDOWS_1252[(code - 0x80) as usize]),
        _ => code,
    };
    char::from_u32(code).unwrap_or('\u{FFFD}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named_text(text: &str) -> (&'static str, usize) {
        match decode(text) {
            (DecodedReference::Named(value), length) => (value, length),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn every_name_of_the_table_is_found() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| name.as_bytes()));
        for (name, value) in &NAMES {
            assert_eq!(
                named_text(&format!("&{name}")),
                (*value, name.len() + 1),
                "{name}"
            );
            assert_eq!(
                named_text(&format!("&{name}!")),
                (*value, name.len() + 1),
                "{name}"
            );
            let is_short = name.len() <= 8 && name.ends_with(';');
            let found = super::short(format!("&{name} and more").as_bytes());
            assert_eq!(
                found,
                is_short.then_some((*value, name.len() + 1)),
                "{name}"
            );
        }
    }

    #[test]
    fn the_table_is_that_of_html5ever() {
        // theirs has all beginnings of names as well, with no character
        let theirs = &html5ever::data::NAMED_ENTITIES;
        assert_eq!(
            theirs.values().filter(|&&(first, _)| first != 0).count(),
            NAMES.len()
        );
        for (name, value) in &NAMES {
            let &(first, second) = theirs.get(name).expect("a known name");
            let text: String = [first, second]
                .iter()
                .filter(|&&c| c != 0)
                .filter_map(|&c| char::from_u32(c))
                .collect();
            assert_eq!(&text, value, "{name}");
        }
    }

    #[test]
    fn text_grows_by_a_fifth_at_most() {
        // the bound on the text buffer
        assert!(
            NAMES
                .iter()
                .all(|(name, value)| 5 * value.len() <= 6 * (1 + name.len()))
        );
    }

    #[test]
    fn the_longest_name_wins() {
        assert_eq!(named_text("&notit;"), ("¬", 4));
        assert_eq!(named_text("&notin;"), ("∉", 7));
        assert_eq!(named_text("&ampx"), ("&", 4));
        for text in [
            "&",
            "&;",
            "&xyz;",
            "& amp;",
            "&a",
            "&CounterClockwiseContourIntegra;",
            "&é",
        ] {
            assert_eq!(decode(text), (DecodedReference::Nothing, 1), "{text}");
        }
    }

    #[test]
    fn numbers() {
        for (text, c, length) in [
            ("&#65;", 'A', 5),
            ("&#65x", 'A', 4),
            ("&#x41;", 'A', 6),
            ("&#X4a", 'J', 5),
            ("&#0;", '\u{FFFD}', 4),
            ("&#xD800;", '\u{FFFD}', 8),
            ("&#x110000;", '\u{FFFD}', 10),
            ("&#99999999999999999999;", '\u{FFFD}', 23),
            ("&#128;", '€', 6),
            ("&#x9f;", 'Ÿ', 6),
            ("&#129;", '\u{81}', 6),
        ] {
            assert_eq!(
                decode(text),
                (DecodedReference::Numeric(c), length),
                "{text}"
            );
        }
        assert_eq!(decode("&#;"), (DecodedReference::Nothing, 2));
        assert_eq!(decode("&#xg"), (DecodedReference::Nothing, 2));
    }

    proptest! {
        #[test]
        fn longest_match_is_the_definition(at in 0..NAMES.len(), cut in 0usize..4, tail in "[a-zA-Z;&]{0,4}") {
            let name = NAMES[at].0;
            let text = format!("&{}{tail}", &name[..name.len().saturating_sub(cut)]);
            let best = NAMES.iter().filter(|(name, _)| text[1..].starts_with(name)).max_by_key(|(name, _)| name.len());
            let expected = best.map_or((DecodedReference::Nothing, 1), |(name, value)| (DecodedReference::Named(value), name.len() + 1));
            prop_assert_eq!(decode(&text), expected);
            // Behind it is room for a word of eight bytes, or not.
            let followed = text.clone() + " and more";
            prop_assert_eq!(decode(&followed), longest(followed.as_bytes()));
        }
    }
}
