//! Parts of a text that are in passages of the corpus.

use format::PassageRecord;
use serde::Serialize;
use sketch::PlacedText;
use std::ops::Range;

/// A part of a text that is in a passage of the corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RepeatedPart {
    /// Its bytes.
    pub bytes: Range<usize>,
    /// In how many documents one of the windows of the passage stands: the most.
    pub documents: u32,
}

/// Words of all passages of a document.
pub(crate) fn words_in(passages: &[PassageRecord]) -> u64 {
    let words = passages.iter().map(|one| u64::from(one.end - one.begin));
    words.sum()
}

/// The parts of the text of some tokens that are in passages.
pub(crate) fn repeated_parts(
    text: &PlacedText,
    tokens: &Range<usize>,
    passages: &[PassageRecord],
) -> Vec<RepeatedPart> {
    let words = |passage: &PassageRecord| passage.begin as usize..passage.end as usize;
    let before = passages.partition_point(|passage| words(passage).end <= tokens.start);
    let within = passages[before..].iter();
    let within = within.take_while(|passage| words(passage).start < tokens.end);
    let part = |passage: &PassageRecord| {
        let words = words(passage);
        let of_part = words.start.max(tokens.start)..words.end.min(tokens.end);
        let part = text.tokens.get(of_part)?;
        let start = text.tokens.get(tokens.start)?.start;
        Some(RepeatedPart {
            bytes: part.first()?.start - start..part.last()?.end - start,
            documents: passage.documents,
        })
    };
    within.filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Content;

    #[test]
    fn parts_of_passages_are_marked_within_the_words() {
        let passage = |begin, end| PassageRecord {
            doc: 0,
            begin,
            end,
            characters: format::Characters::UNKNOWN,
            places: [2, 3],
            documents: end,
            source_doc: 0,
            source_begin: 0,
            is_source: true,
        };
        let params = crate::tokens::default_config().unwrap().sketch.params();
        let text = PlacedText::new(
            &params,
            Content::Text("“One”, two (three) four five. Six seven"),
        );
        let passages = [passage(0, 2), passage(3, 5), passage(6, 7)];
        let parts = |tokens: Range<usize>| {
            let words = text.words(&tokens).to_owned();
            let parts = repeated_parts(&text, &tokens, &passages);
            let shown = parts
                .into_iter()
                .map(|part| (words[part.bytes].to_owned(), part.documents));
            shown.collect::<Vec<_>>()
        };
        let owned = |(part, documents): (&str, u32)| (part.to_owned(), documents);
        let all = [("One”, two", 2), ("four five", 5), ("seven", 7)];
        assert_eq!(parts(0..7), all.map(owned));
        assert_eq!(parts(1..4), [("two", 2), ("four", 5)].map(owned));
        assert_eq!(parts(2..3), []);
        assert_eq!(parts(3..3), []);
    }
}
