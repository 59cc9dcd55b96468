//! The text of a document, its repeated stretches apart from the others.
//!
//! *Input.* The text, read again; the passages. *Output.* [`MarkedText`]: of long stretches the
//! words at their ends.

use crate::asked_document::text_again;
use crate::index::Index;
use config::Config;
use engine::Error;
use format::PassageRecord;
use serde::Serialize;
use sketch::PlacedText;
use std::ops::Range;

/// Words that are shown at each end of a long stretch that stands nowhere else.
const CONTEXT_WORDS: usize = 40;

/// Words that are shown at each end of a long passage.
const PASSAGE_WORDS: usize = 150;

/// The text of a document in stretches.
#[derive(Clone, Debug, Serialize)]
pub struct MarkedText {
    /// The stretches, in order, up to the limit of the request.
    pub stretches: Vec<TextStretch>,
    /// Words behind them.
    pub words_behind: usize,
}

/// Words of a text one after the other that are all repeated, or none of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextStretch {
    /// Its words, or the first of them.
    pub text: String,
    /// Words that are not shown.
    pub folded_words: usize,
    /// Its last words, where some are not shown.
    pub end: String,
    /// In how many documents one of its windows stands: the most; none if it is not repeated.
    pub documents: Option<u32>,
}

/// Reads the text of a document again and marks its passages; at most `limit` of them. Gives the
/// reason if the text is not there any more.
pub fn marked_text(
    index: &Index,
    config: &Config,
    doc: u32,
    limit: usize,
) -> Result<Result<MarkedText, String>, Error> {
    let passages = index.passages_of(doc)?;
    let text = text_again(index, config, doc)?;
    Ok(text.map(|text| marked(&text, &passages, limit)))
}

fn marked(text: &PlacedText, passages: &[PassageRecord], limit: usize) -> MarkedText {
    let (words, mut at) = (text.tokens.len(), 0);
    let mut stretches = Vec::new();
    for passage in passages.iter().take(limit) {
        let [begin, end] = [passage.begin, passage.end].map(|word| (word as usize).min(words));
        stretches.extend(stretch(text, at..begin, None));
        stretches.extend(stretch(text, begin..end, Some(passage.documents)));
        at = end;
    }
    if passages.len() <= limit {
        stretches.extend(stretch(text, at..words, None));
        at = words;
    }
    MarkedText {
        stretches,
        words_behind: words - at,
    }
}

/// Some words, if there are any. A stretch that is not repeated has the characters up to the words
/// around it, too.
fn stretch(text: &PlacedText, words: Range<usize>, documents: Option<u32>) -> Option<TextStretch> {
    let (first, last) = (text.tokens.get(words.start)?, words.end.checked_sub(1)?);
    let last = text.tokens.get(last).filter(|_| !words.is_empty())?;
    let before = words
        .start
        .checked_sub(1)
        .and_then(|at| text.tokens.get(at));
    let (bytes, shown) = match documents {
        Some(_) => (first.start..last.end, PASSAGE_WORDS),
        None => {
            let after = text.tokens.get(words.end);
            let end = after.map_or(text.text.len(), |next| next.start);
            (before.map_or(0, |before| before.end)..end, CONTEXT_WORDS)
        }
    };
    let folded = words.start + shown..words.end.saturating_sub(shown);
    let part = |bytes: Range<usize>| text.text.get(bytes).unwrap_or_default().to_owned();
    let place = |word: usize| text.tokens.get(word).cloned().unwrap_or_default();
    let (start, end) = match folded.is_empty() {
        true => (part(bytes), String::new()),
        false => (
            part(bytes.start..place(folded.start - 1).end),
            part(place(folded.end).start..bytes.end),
        ),
    };
    Some(TextStretch {
        text: start,
        folded_words: folded.len(),
        end,
        documents,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use format::Characters;
    use model::Content;
    use proptest::prelude::*;

    fn passage([begin, end]: [u32; 2]) -> PassageRecord {
        PassageRecord {
            doc: 0,
            begin,
            end,
            characters: Characters::UNKNOWN,
            places: [2, 2],
            documents: end,
            source_doc: 0,
            source_begin: begin,
            is_source: true,
        }
    }

    proptest! {
        /// Every word is in one stretch, and marked if it is in a passage.
        #[test]
        fn every_word_is_shown_or_counted(
            lengths in prop::collection::vec((0_u32..200, 1_u32..500), 0..5), behind in 0_usize..200, limit in 0_usize..6,
        ) {
            let (mut at, mut passages) = (0, Vec::new());
            for (between, words) in lengths {
                passages.push(passage([at + between, at + between + words]));
                at += between + words;
            }
            let words: String = (0..at as usize + behind).map(|word| format!("W{word}, ")).collect();
            let params = crate::tokens::default_config().unwrap().sketch.params();
            let text = PlacedText::new(&params, Content::Text(&words));
            let found = marked(&text, &passages, limit);
            let (mut next, mut shown) = (0, String::new());
            for stretch in &found.stretches {
                let passage = passages.iter().find(|one| (one.begin..one.end).contains(&next));
                prop_assert_eq!(stretch.documents, passage.map(|one| one.documents));
                for (part, folded) in [(&stretch.text, stretch.folded_words), (&stretch.end, 0)] {
                    for word in part.split(", ").filter(|word| !word.is_empty()) {
                        prop_assert_eq!(word, format!("W{next}"));
                        next += 1;
                    }
                    next += folded as u32;
                }
                shown += &stretch.text;
                if let Some(passage) = passage {
                    prop_assert_eq!(next, passage.end);
                }
            }
            prop_assert_eq!(next as usize + found.words_behind, text.tokens.len());
            let is_whole = passages.len() <= limit;
            prop_assert!(!is_whole || found.words_behind == 0);
            let is_folded = found.stretches.iter().any(|stretch| stretch.folded_words > 0);
            prop_assert!(is_folded || !is_whole || behind == 0 || shown == words);
        }
    }
}
