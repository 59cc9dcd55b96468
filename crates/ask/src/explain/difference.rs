//! The differences between two documents: the words that one has in the place of others.

use super::difference_kind::{DifferenceKind, kind_of};
use crate::differences::{self, Difference};
use crate::repeated_parts::{RepeatedPart, repeated_parts};
use format::PassageRecord;
use output::counted;
use serde::Serialize;
use sketch::PlacedText;
use std::collections::BTreeSet;
use std::ops::Range;

/// Equal words shown before and after a difference.
const CONTEXT_WORDS: usize = 3;

/// So many equal words between two differences are shown whole.
const UNFOLDED_WORDS: usize = 10;

/// Differences with fewer equal words between them are one.
const APART: usize = 3;

/// The differences between two documents.
#[derive(Clone, Debug, Serialize)]
pub struct TextDifference {
    /// Words that are equal in both and in the same order.
    pub equal_words: usize,
    /// Number of differences.
    pub differences_in_all: usize,
    /// The kinds of all differences, each once.
    pub kinds: BTreeSet<DifferenceKind>,
    /// The first differences, in the order of the texts, up to the limit of the request.
    pub differences: Vec<ShownDifference>,
    /// Equal words behind the last difference shown, up to the next one or the end, that are not
    /// shown.
    pub folded_words_behind: usize,
}

impl TextDifference {
    /// How many differences there are, and of which kinds.
    pub fn headline(&self) -> String {
        let kinds: Vec<_> = self.kinds.iter().map(|kind| kind.name()).collect();
        match self.differences_in_all {
            0 if self.is_without_words() => "neither document has a word".to_owned(),
            0 => "all words are equal".to_owned(),
            count => {
                let count = counted(count as u64, "difference");
                format!("{count}: {}", kinds.join(", "))
            }
        }
    }

    /// Whether neither document has a word.
    pub fn is_without_words(&self) -> bool {
        self.equal_words == 0 && self.differences_in_all == 0
    }
}

/// One difference and some words around it.
#[derive(Clone, Debug, Serialize)]
pub struct ShownDifference {
    /// The look of its words.
    pub kind: DifferenceKind,
    /// Equal words before it that are not shown.
    pub folded_words_before: usize,
    /// Some equal words before it, as A has them; none if the difference before it shows them.
    pub before: String,
    /// The words of A.
    pub a: DifferentWords,
    /// The words of B.
    pub b: DifferentWords,
    /// Some equal words behind it, as A has them.
    pub after: String,
    /// The parts of the words before it that stand at several places of the corpus.
    #[serde(skip)]
    pub repeated_before: Vec<RepeatedPart>,
    /// Those of the words behind it.
    #[serde(skip)]
    pub repeated_after: Vec<RepeatedPart>,
}

/// The words of a difference in one of the documents.
#[derive(Clone, Debug, Serialize)]
pub struct DifferentWords {
    /// The first of them, from 0.
    pub word: usize,
    /// Number of words; 0 if the other document has words where this has none.
    pub words: usize,
    /// The text, as it is read.
    pub text: String,
    /// The parts of it that stand at several places of the corpus.
    #[serde(skip)]
    pub repeated: Vec<RepeatedPart>,
}

/// Compares the words of two documents, which have these passages, and shows the first `limit`
/// differences.
pub(super) fn difference(
    [a, b]: [&PlacedText; 2],
    [passages_a, passages_b]: [&[PassageRecord]; 2],
    limit: usize,
) -> TextDifference {
    let is_within_word = |at_a: usize, at_b: usize| continues(a, at_a) || continues(b, at_b);
    let found = differences::differences(&a.prints, &b.prints, APART, &is_within_word);
    let kind_of = |difference: &Difference| kind_of(a.words(&difference.a), b.words(&difference.b));
    let shown = found.len().min(limit);
    // the equal words between the differences that are shown, and before and behind them
    let gaps: Vec<Gap> = (0..=shown)
        .map(|at| {
            let start = at.checked_sub(1).map_or(0, |before| found[before].a.end);
            let end = found.get(at).map_or(a.prints.len(), |next| next.a.start);
            Gap::new(start..end, at > 0, at < shown)
        })
        .collect();
    let show = |(difference, around): (&Difference, &[Gap])| {
        let [before, behind] = around else {
            return None;
        };
        Some(ShownDifference {
            kind: kind_of(difference),
            folded_words_before: before.folded,
            before: a.words(&before.lead).to_owned(),
            a: different_words(a, &difference.a, passages_a),
            b: different_words(b, &difference.b, passages_b),
            after: a.words(&behind.trail).to_owned(),
            repeated_before: repeated_parts(a, &before.lead, passages_a),
            repeated_after: repeated_parts(a, &behind.trail, passages_a),
        })
    };
    let different: usize = found.iter().map(|difference| difference.a.len()).sum();
    let equal_words = a.prints.len() - different;
    TextDifference {
        equal_words,
        differences_in_all: found.len(),
        kinds: found.iter().map(kind_of).collect(),
        differences: found.iter().zip(gaps.windows(2)).filter_map(show).collect(),
        folded_words_behind: gaps.last().map_or(0, |gap| gap.folded),
    }
}

/// Equal words between two differences, as tokens of A.
struct Gap {
    /// Shown behind the difference before it.
    trail: Range<usize>,
    /// Not shown.
    folded: usize,
    /// Shown before the difference behind it.
    lead: Range<usize>,
}

impl Gap {
    fn new(words: Range<usize>, is_behind_one: bool, is_before_one: bool) -> Gap {
        let context = CONTEXT_WORDS.min(words.len());
        let (trail, lead) = match (is_behind_one, is_before_one) {
            (true, true) if words.len() <= UNFOLDED_WORDS => (words.len(), 0),
            (behind, before) => (context * usize::from(behind), context * usize::from(before)),
        };
        Gap {
            trail: words.start..words.start + trail,
            folded: words.len() - trail - lead,
            lead: words.end - lead..words.end,
        }
    }
}

/// Whether a token continues the word of the token before it: something is between the two, but no
/// white space.
fn continues(text: &PlacedText, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.tokens.get(before));
    let (Some(before), Some(token)) = (before, text.tokens.get(at)) else {
        return false;
    };
    let between = text.text.get(before.end..token.start).unwrap_or_default();
    !between.is_empty() && !between.contains(char::is_whitespace)
}

fn different_words(
    text: &PlacedText,
    tokens: &Range<usize>,
    passages: &[PassageRecord],
) -> DifferentWords {
    DifferentWords {
        word: tokens.start,
        words: tokens.len(),
        text: text.words(tokens).to_owned(),
        repeated: repeated_parts(text, tokens, passages),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;
    use model::Content;
    use proptest::prelude::*;

    fn placed(text: &str) -> PlacedText {
        let config = tokens::default_config().unwrap();
        PlacedText::new(&config.sketch.params(), Content::Text(text))
    }

    fn shown(a: &str, b: &str) -> TextDifference {
        difference([&placed(a), &placed(b)], [&[]; 2], 5)
    }

    #[test]
    fn differences_stand_between_some_equal_words() {
        let found = shown(
            "A page of one two three four five, Boost 1.74.0 as it was six seven eight nine.",
            "A page of one two three four five, Boost 1.81.0 as it was six seven eight ten.",
        );
        assert_eq!(found.differences_in_all, 2);
        let names: Vec<_> = found.kinds.iter().map(|kind| kind.name()).collect();
        assert_eq!(names, ["version", "words"]);
        let [first, second] = &found.differences[..] else {
            panic!("{found:?}");
        };
        assert_eq!((&*first.a.text, &*first.b.text), ("1.74.0", "1.81.0"));
        assert_eq!(
            (&*first.before, first.folded_words_before),
            ("four five, Boost", 6)
        );
        assert_eq!(
            (&*first.after, &*second.before),
            ("as it was six seven eight", "")
        );
        assert_eq!((&*second.a.text, &*second.b.text), ("nine", "ten"));
        assert_eq!(
            (second.folded_words_before, found.folded_words_behind),
            (0, 0)
        );
        assert_eq!(found.equal_words, 15);
        assert_eq!(found.headline(), "2 differences: version, words");
    }

    #[test]
    fn texts_without_words_or_without_differences() {
        assert_eq!(shown("", "").headline(), "neither document has a word");
        assert_eq!(shown("a b", "A, B").headline(), "all words are equal");
        let same = shown("Some words, here.", "some WORDS here");
        assert_eq!((same.differences_in_all, same.equal_words), (0, 3));
        assert_eq!(same.folded_words_behind, 3);
        let other = shown("Some words.", "");
        assert_eq!(
            (&*other.differences[0].a.text, other.differences[0].b.words),
            ("Some words", 0)
        );
    }

    proptest! {
        /// Every word of A is shown, folded, or behind the last difference that is shown.
        #[test]
        fn every_word_is_counted(a in "[ab .]{0,60}", b in "[ab .]{0,60}", limit in 0usize..5) {
            let (a, b) = (placed(&a), placed(&b));
            let found = difference([&a, &b], [&[]; 2], limit);
            let count = |text: &str| placed(text).tokens.len();
            let shown = found.differences.iter().map(|difference| {
                difference.folded_words_before
                    + count(&difference.before)
                    + difference.a.words
                    + count(&difference.after)
            });
            let shown: usize = shown.sum();
            if found.differences.len() == found.differences_in_all {
                prop_assert_eq!(shown + found.folded_words_behind, a.tokens.len());
            } else {
                prop_assert!(shown + found.folded_words_behind < a.tokens.len() + 1);
            }
        }
    }
}
