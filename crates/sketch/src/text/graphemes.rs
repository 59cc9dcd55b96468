//! Where a text may be cut: behind a character with all that changes it.
//!
//! *Input.* A text and a byte of it. *Output.* The next border of extended grapheme clusters
//! (Unicode Standard Annex 29). *Algorithm.* The rules of the annex, over two characters that stand
//! side by side. Where a rule asks for more, a border that there is may be passed over, and none is
//! given that there is not. *Limits.* Flags are tokens, and are never asked for.

use super::class::{CharacterClass, CharacterClasses};

/// The first border at a byte or behind it: the cluster around the byte goes with its beginning.
pub(crate) fn next_border(text: &str, byte: usize) -> usize {
    let (begin, rest) = text.split_at(byte);
    let mut end = byte;
    if let Some(mut before) = begin.chars().next_back() {
        let classes = CharacterClasses::get();
        for c in rest.chars().take_while(|c| {
            let is_joined = continues(classes, before, *c);
            before = *c;
            is_joined
        }) {
            end += c.len_utf8();
        }
    }
    end
}

/// Whether there is no border between two characters.
fn continues(classes: CharacterClasses, before: char, c: char) -> bool {
    if before.is_control() || c.is_control() {
        return (before, c) == ('\r', '\n');
    }
    let class = classes.of(c);
    let is_lead = |c| matches!(c, '\u{1100}'..='\u{115F}' | '\u{A960}'..='\u{A97C}');
    class.has(CharacterClass::MARK)
        || is_joiner(before) && class.has(CharacterClass::ALONE)
        || is_stacker(before) && c.is_alphabetic()
        || is_lead(before) && (is_lead(c) || matches!(c, '\u{AC00}'..='\u{D7A3}'))
        || matches!(c,
            '\u{E33}' | '\u{EB3}' | '\u{FF9E}'..='\u{FF9F}' // vowels and voices with a width
            | '\u{1160}'..='\u{11FF}' | '\u{D7B0}'..='\u{D7FB}' // vowels and tails of Hangul
            | '\u{200C}'..='\u{200D}' | '\u{E0020}'..='\u{E007F}')
}

/// Joins the emoji on both sides.
fn is_joiner(c: char) -> bool {
    c == '\u{200D}'
}

/// Puts the next consonant below the one before.
fn is_stacker(c: char) -> bool {
    matches!(
        c,
        '\u{94D}'
            | '\u{9CD}'
            | '\u{ACD}'
            | '\u{B4D}'
            | '\u{C4D}'
            | '\u{D4D}'
            | '\u{1039}'
            | '\u{17D2}'
            | '\u{1A60}'
            | '\u{1B44}'
            | '\u{1BAB}'
            | '\u{A9C0}'
            | '\u{AAF6}'
    )
}

/// Encloses the number or the word behind it, and is of its cluster.
pub(crate) fn is_prefix(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{890}'..='\u{891}' | '\u{8E2}'
        | '\u{110BD}' | '\u{110CD}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cluster_is_not_divided() {
        for cluster in [
            "ก\u{E47}",
            "ก\u{E38}\u{E48}",
            "ก\u{E33}",
            "\u{1780}\u{17D2}\u{1781}",
            "か\u{3099}",
            "ｶ\u{FF9E}",
            "\u{1100}\u{1161}\u{11A8}",
            "\u{1100}가",
            "❤\u{FE0F}",
            "👍🏽",
            "👩\u{200D}🚀",
            "\r\n",
        ] {
            let text = format!("a{cluster}ข");
            let end = 1 + cluster.len();
            for (at, _) in text.char_indices().filter(|(at, _)| (2..end).contains(at)) {
                assert_eq!(next_border(&text, at), end, "{text:?} at {at}");
            }
            for at in [0, 1, end, text.len()] {
                assert_eq!(next_border(&text, at), at, "{text:?} at {at}");
            }
        }
        assert_eq!(next_border("\n\u{301}a", 1), 1);
    }

    proptest! {
        #[test]
        fn a_border_is_its_own_next_one(text in "[ก\u{E47}\u{E48}👩\u{200D}a\u{301}\n ]{0,12}") {
            let bytes = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let borders: Vec<usize> = bytes.map(|byte| next_border(&text, byte)).collect();
            prop_assert!(borders.is_sorted());
            prop_assert!(borders.iter().all(|border| next_border(&text, *border) == *border));
        }
    }
}
