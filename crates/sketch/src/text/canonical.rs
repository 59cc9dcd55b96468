//! The characters of a piece of text, default-ignorables gone, in normalization form C.
//!
//! Most text is in form C already: this is tested first with the classes alone (Unicode Standard
//! Annex 15, quick check). The pieces that are not go through the `unicode-normalization` iterator,
//! one character at a time.
//!
//! Marks piled on one base must be sorted, so the iterator holds them all. In text with a pile
//! above [`MARKS_TRUSTED`] marks the Stream-Safe Text Process of Annex 15 runs before: it breaks
//! piles of more than 30.
//!
//! A piece may begin and end anywhere where the next character is ASCII: no ASCII character moves
//! or joins backwards.

use super::class::{CharacterClass, CharacterClasses};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// Marks on one base that are sorted without further ado. A mark decomposes to two at most, so
/// these stay far below 30, and the process alone decides what is too many.
const MARKS_TRUSTED: usize = 8;

/// The work that brings a text to form C.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Nothing,
    Normalize,
    BreakPilesAndNormalize,
}

/// Calls `f` with each character of the canonical form of `piece`, and its class.
#[inline]
pub(crate) fn for_each_char(
    classes: CharacterClasses,
    piece: &str,
    mut f: impl FnMut(char, CharacterClass),
) {
    let visible = |c: &char| !classes.of(*c).has(CharacterClass::IGNORABLE);
    let mut normalized = |c: char| {
        // breaking piles puts an ignorable character in
        if visible(&c) {
            f(c, classes.of(c));
        }
    };
    match need(classes, piece) {
        Need::Nothing => {
            for c in piece.chars() {
                let class = classes.of(c);
                if !class.has(CharacterClass::IGNORABLE) {
                    f(c, class);
                }
            }
        }
        Need::Normalize => piece
            .chars()
            .filter(visible)
            .nfc()
            .for_each(&mut normalized),
        Need::BreakPilesAndNormalize => {
            piece
                .chars()
                .filter(visible)
                .stream_safe()
                .nfc()
                .for_each(&mut normalized);
        }
    }
}

fn need(classes: CharacterClasses, piece: &str) -> Need {
    let mut need = Need::Nothing;
    let mut pile = 0;
    let mut highest = 0;
    for c in piece.chars() {
        let class = classes.of(c);
        if !(class.has(CharacterClass::MOVABLE) || class.has(CharacterClass::UNSTABLE)) {
            if !class.has(CharacterClass::IGNORABLE) {
                (pile, highest) = (0, 0);
            }
            continue;
        }
        if class.has(CharacterClass::IGNORABLE) {
            continue;
        }
        let combining = canonical_combining_class(c);
        if class.has(CharacterClass::UNSTABLE) || (combining != 0 && combining < highest) {
            need = Need::Normalize;
        }
        highest = combining;
        pile += 1;
        if pile > MARKS_TRUSTED {
            return Need::BreakPilesAndNormalize;
        }
    }
    need
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(piece: &str) -> String {
        let mut text = String::new();
        for_each_char(CharacterClasses::get(), piece, |c, _| text.push(c));
        text
    }

    fn directly(piece: &str) -> String {
        piece
            .chars()
            .filter(|&c| !CharacterClasses::get().of(c).has(CharacterClass::IGNORABLE))
            .nfc()
            .collect()
    }

    #[test]
    fn examples() {
        assert_eq!(canonical("e\u{301}"), "é");
        assert_eq!(canonical("a\u{AD}e\u{200B}\u{301}"), "aé");
        assert_eq!(canonical("=\u{338}"), "≠");
        assert_eq!(
            canonical("a\u{301}\u{316}"),
            "a\u{301}\u{316}".nfc().collect::<String>()
        );
        assert_eq!(canonical("\u{1112}\u{1161}\u{11AB}"), "한");
    }

    #[test]
    fn marks_that_only_change_places_do_so() {
        // neither composes with anything: their order alone decides
        assert_eq!(canonical("ก\u{E48}\u{E38}"), "ก\u{E38}\u{E48}");
        assert_eq!(
            canonical("ก\u{E38}\u{E48}ก\u{E38}"),
            "ก\u{E38}\u{E48}ก\u{E38}"
        );
    }

    #[test]
    fn a_pile_of_more_than_thirty_marks_is_broken() {
        let pile = |marks: usize| -> String {
            std::iter::once('x')
                .chain(['\u{316}', '\u{31B}'].into_iter().cycle().take(marks))
                .collect()
        };
        assert_eq!(canonical(&pile(30)), directly(&pile(30)));
        assert_eq!(
            canonical(&pile(62)),
            [&pile(30)[..], &pile(30)[1..], "\u{316}\u{31B}"]
                .map(directly)
                .concat()
        );
    }

    fn marks_and_letters() -> impl Strategy<Value = String> {
        let char = prop_oneof![
            Just('\u{AD}'),
            Just('\u{34F}'),
            Just('\u{301}'),
            Just('\u{316}'),
            Just('\u{338}'),
            Just('\u{E38}'),
            Just('\u{E48}'),
            Just('e'),
            Just('='),
            Just('é'),
            Just('\u{1100}'),
            Just('\u{1161}'),
            Just('\u{11A8}'),
            Just('\u{2126}'),
            any::<char>()
        ];
        prop::collection::vec(char, 0..25).prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn canonical_is_the_definition(piece in marks_and_letters()) {
            prop_assert_eq!(canonical(&piece), directly(&piece));
        }

        #[test]
        fn twins_are_equal(piece in marks_and_letters()) {
            prop_assert_eq!(canonical(&piece.nfd().collect::<String>()), canonical(&piece.nfc().collect::<String>()));
        }

        #[test]
        fn pieces_cut_before_ascii_join_to_the_whole(a in marks_and_letters(), b in marks_and_letters()) {
            let whole = format!("{a} {b}");
            prop_assert_eq!(canonical(&whole), canonical(&a) + &canonical(&format!(" {b}")));
        }
    }
}
