//! The words of a page, by their numbers.

use super::vocabulary::Vocabulary;
use crate::bench::altavista::plan::{Purpose, edits};
use crate::bench::altavista::{Change, Copy, Document, Model};
use testkit::Random;
use testkit::random::mix;

/// Fills in the words of a document.
pub(super) fn words(
    model: &Model,
    vocabulary: &Vocabulary,
    document: &Document,
    words: &mut Vec<u16>,
) {
    words.clear();
    let of_template = document.template.map_or(0, |template| template.words);
    if let Some(template) = document.template {
        let mut random = model.stream(Purpose::TemplateWords, template.number);
        words.extend((0..template.words).map(|_| vocabulary.draw(&mut random)));
    }
    let mut random = model.stream(Purpose::Words, document.source);
    words.extend((of_template..document.words).map(|_| vocabulary.draw(&mut random)));
    match document.change {
        Change::None => {}
        Change::Excerpt { from, to } => {
            words.truncate(to as usize);
            words.drain(..from as usize);
        }
        Change::Edited { key } => edit(vocabulary, key, words),
    }
    if let (Some(Copy::Shingle(number)), Some(last)) = (document.copy, words.last_mut()) {
        // Only the last shingle is another, and one in 25 of those is sampled.
        *last = vocabulary.draw(&mut Random::new(mix(document.source ^ number << 40)));
    }
}

/// Puts another word, a new one or none wherever the near-copy has an edit.
fn edit(vocabulary: &Vocabulary, key: u64, words: &mut Vec<u16>) {
    let mut random = Random::new(mix(key));
    let mut edited = Vec::with_capacity(words.len() + words.len() / 64);
    let mut edits = edits(key);
    for (at, &word) in (0..).zip(words.iter()) {
        if edits.next_if_eq(&at).is_none() {
            edited.push(word);
            continue;
        }
        match random.below(4) {
            0 => {}
            1 => edited.extend([word, vocabulary.draw(&mut random)]),
            _ => edited.push(vocabulary.draw(&mut random)),
        }
    }
    *words = edited;
}
