//! The differences of two texts, word by word.
//!
//! *Input.* The tokens of two documents, A and B, in order, each as a number: equal tokens have
//! equal numbers. *Output.* The [`Difference`]s, in order; what lies between two of them is equal
//! in both. *Algorithm.* [`align()`]. A difference is then widened to whole words, and differences
//! that are only few tokens apart become one. *Memory.* About 60 bytes a token. *Limits.* What is
//! aligned is not always the most that could be. Time is linear but for a logarithm.

mod align;

pub(crate) use align::Difference;
use align::align;
use std::ops::Range;

/// Tokens by which a difference is widened on each side, at most.
const WIDEN_MAX: usize = 8;

/// The differences of A and B.
///
/// `is_within_word(at_a, at_b)` tells whether the token of A at `at_a`, or that of B at `at_b`,
/// continues the word of the token before it, as `74` does in `1.74.0`. Differences with fewer than
/// `apart` equal tokens between them become one.
pub(crate) fn differences(
    a: &[u64],
    b: &[u64],
    apart: usize,
    is_within_word: &dyn Fn(usize, usize) -> bool,
) -> Vec<Difference> {
    let hunks = align(a, b);
    let mut differences: Vec<Difference> = Vec::new();
    for (at, hunk) in hunks.iter().enumerate() {
        let floor = at.checked_sub(1).map_or(0, |before| hunks[before].a.end);
        let ceiling = hunks.get(at + 1).map_or(a.len(), |next| next.a.start);
        let widened = widened(hunk, floor..ceiling, is_within_word);
        match differences.last_mut() {
            Some(last) if widened.a.start < last.a.end + apart => {
                last.a.end = widened.a.end;
                last.b.end = widened.b.end;
            }
            _ => differences.push(widened),
        }
    }
    differences
}

/// The difference with the rest of the words that it begins and ends in; `within` are the tokens of
/// A that it may take.
fn widened(
    hunk: &Difference,
    within: Range<usize>,
    is_within_word: &dyn Fn(usize, usize) -> bool,
) -> Difference {
    let Difference { mut a, mut b } = hunk.clone();
    for _ in 0..WIDEN_MAX {
        if a.start > within.start && is_within_word(a.start, b.start) {
            a.start -= 1;
            b.start -= 1;
        }
        if a.end < within.end && is_within_word(a.end, b.end) {
            a.end += 1;
            b.end += 1;
        }
    }
    Difference { a, b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number_of(token: &str) -> u64 {
        token.bytes().fold(7, |n, byte| n * 257 + u64::from(byte))
    }

    /// Words are separated by blanks, tokens by blanks or points.
    fn shown(a: &str, b: &str, apart: usize) -> Vec<(String, String)> {
        let tokens = |text: &str| -> (Vec<u64>, Vec<Range<usize>>) {
            let pieces = text.split([' ', '.']);
            let places = pieces.map(|piece| {
                let start = piece.as_ptr() as usize - text.as_ptr() as usize;
                start..start + piece.len()
            });
            let places: Vec<_> = places.filter(|place| !place.is_empty()).collect();
            let numbers = places.iter().map(|place| number_of(&text[place.clone()]));
            (numbers.collect(), places)
        };
        let ((numbers_a, places_a), (numbers_b, places_b)) = (tokens(a), tokens(b));
        let within = |text: &str, places: &[Range<usize>], at: usize| {
            at > 0 && at < places.len() && text[places[at - 1].end..places[at].start] == *"."
        };
        let found = differences(&numbers_a, &numbers_b, apart, &|at_a, at_b| {
            within(a, &places_a, at_a) || within(b, &places_b, at_b)
        });
        let text = |text: &str, places: &[Range<usize>], range: Range<usize>| match range.is_empty()
        {
            true => String::new(),
            false => text[places[range.start].start..places[range.end - 1].end].to_owned(),
        };
        let both = found.into_iter().map(|difference| {
            (
                text(a, &places_a, difference.a),
                text(b, &places_b, difference.b),
            )
        });
        both.collect()
    }

    fn pair(a: &str, b: &str) -> (String, String) {
        (a.to_owned(), b.to_owned())
    }

    #[test]
    fn whole_words_differ() {
        let (a, b) = ("boost 1.74.0 is here", "boost 1.81.0 is here");
        assert_eq!(shown(a, b, 1), [pair("1.74.0", "1.81.0")]);
        let (a, b) = ("boost 1.74 is here", "boost 1.74.1 is here today");
        assert_eq!(shown(a, b, 1), [pair("1.74", "1.74.1"), pair("", "today")]);
    }

    #[test]
    fn differences_close_to_each_other_are_one() {
        let (a, b) = ("on 3 may 2020 at noon", "on 4 may 2021 at noon");
        assert_eq!(shown(a, b, 1), [pair("3", "4"), pair("2020", "2021")]);
        assert_eq!(shown(a, b, 2), [pair("3 may 2020", "4 may 2021")]);
    }

    #[test]
    fn texts_that_share_nothing_or_all_or_are_empty() {
        assert_eq!(shown("a b", "c", 1), [pair("a b", "c")]);
        assert_eq!(shown("a b", "a b", 1), []);
        assert_eq!(shown("", "a b", 1), [pair("", "a b")]);
        assert_eq!(shown("", "", 1), []);
    }

    proptest! {
        /// Outside of the differences, the texts are equal.
        #[test]
        fn what_lies_between_is_equal(
            a in prop::collection::vec(0u64..9, 0..60),
            b in prop::collection::vec(0u64..9, 0..60),
            within in prop::collection::vec(any::<bool>(), 61),
            apart in 1usize..5,
        ) {
            let found = differences(&a, &b, apart, &|at_a, at_b| within[at_a] && within[at_b]);
            let (mut at_a, mut at_b) = (0, 0);
            for (index, difference) in found.iter().enumerate() {
                prop_assert_eq!(&a[at_a..difference.a.start], &b[at_b..difference.b.start]);
                prop_assert!(!difference.a.is_empty() || !difference.b.is_empty());
                prop_assert!(index == 0 || difference.a.start >= at_a + apart);
                (at_a, at_b) = (difference.a.end, difference.b.end);
            }
            prop_assert_eq!(&a[at_a..], &b[at_b..]);
        }

        #[test]
        fn equal_texts_have_no_differences(a in prop::collection::vec(0u64..9, 0..60)) {
            prop_assert_eq!(differences(&a, &a, 3, &|_, _| true), []);
        }
    }
}
