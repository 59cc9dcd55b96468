//! The properties of document n: its cluster, its length, its template.

use super::bands::{Bands, share, sizes};
use super::{ALTAVISTA, Permutation};
use std::iter::Peekable;
use testkit::Random;
use testkit::random::mix;

/// Words of a shingle.
pub(super) const SHINGLE_WORDS: u64 = 10;

/// Words between two edits of a near-copy: from 1 to this, 71 on average.
const EDIT_GAP_MAX: u64 = 142;

/// Words of a page in a template, and of one with near-copies, at least: enough that a template
/// makes no two pages alike, and that near-copies are found.
const TEMPLATED_WORDS_MIN: u64 = 400;
const MIXED_WORDS_MIN: u64 = 300;
const WORDS_MIN: u64 = 12;

/// Words of a template.
const TEMPLATE_WORDS: (u64, u64) = (24, 54);

/// Pages of the largest template.
const TEMPLATE_PAGES_MAX: u64 = 100_000;

/// Templates of one page there would be among the documents of 1996; of k pages there are 1/k² of
/// it.
const TEMPLATES: u64 = 1_450_000;

/// Mean words, in documents alone, groups of identical ones, clusters.
const MEAN_WORDS: [u64; 3] = [527, 410, 570];

/// Lengths at every 64th of all pages, in thousandths of the mean: log-normal with σ = 0.9.
const LENGTHS: [u64; 65] = [
    61, 96, 124, 147, 167, 186, 203, 220, 236, 252, 268, 284, 299, 315, 331, 346, 362, 379, 395,
    411, 428, 446, 463, 481, 499, 518, 537, 557, 577, 598, 620, 642, 665, 689, 714, 739, 766, 794,
    823, 854, 886, 920, 955, 993, 1033, 1075, 1120, 1168, 1220, 1277, 1338, 1404, 1478, 1559, 1651,
    1754, 1873, 2012, 2178, 2382, 2645, 3006, 3556, 4621, 8868,
];

/// How a document relates to the first of its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is the first, or has no other.
    None,
    /// Words here and there are others; `key` decides which.
    Edited {
        /// Of the stream of edits.
        key: u64,
    },
    /// A run of its words.
    Excerpt {
        /// The first word.
        from: u64,
        /// The word after the last.
        to: u64,
    },
}

/// How a copy relates to what it is a copy of. Each number is another copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copy {
    /// To the byte, under another address.
    Identical,
    /// The same words in other markup.
    Lexical(u64),
    /// One word is another, and none of the sampled shingles.
    Shingle(u64),
}

/// Words that many pages begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// Which.
    pub(crate) number: u64,
    /// How many words.
    pub(crate) words: u64,
}

/// The properties of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// Its cluster, or itself if it is alone.
    pub(crate) source: u64,
    /// Which of the different documents of its cluster.
    pub(crate) distinct: u64,
    /// How it differs from the first of them.
    pub(crate) change: Change,
    /// The original that it is a copy of, if there is one.
    pub(crate) copy: Option<Copy>,
    /// Words of the first document of its cluster, the template's included.
    pub(crate) words: u64,
    /// Its template.
    pub(crate) template: Option<Template>,
}

/// The collection.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(super) seed: u64,
    pub(super) documents: u64,
    /// Pages keep fewer words than sketches stand for: see [`Model::of_pages`].
    words_per_mille: u64,
    shuffle: Permutation,
    alone: u64,
    identical: Bands,
    mixed: Bands,
    templates: Bands,
    template_shuffle: Permutation,
}

/// Streams of random numbers for different things.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Order = 1,
    Templates,
    TemplateWords,
    Words,
    Member,
    Style,
    Site,
}

impl Model {
    /// The collection whose sketches have 600 M shingles in all representatives of 30 M documents:
    /// 24 each.
    pub(crate) fn of_sketches(seed: u64, documents: u64) -> Model {
        Model::new(seed, documents, 1000)
    }

    /// The collection whose pages have about 500 words each, 5 KB, as all 30 M documents had on
    /// average.
    pub(crate) fn of_pages(seed: u64, documents: u64) -> Model {
        Model::new(seed, documents, 800)
    }

    fn new(seed: u64, documents: u64, words_per_mille: u64) -> Model {
        let part = |of: u64| share(of, documents, ALTAVISTA.documents);
        let mut identical = Bands::default();
        let (groups, items) = (
            part(ALTAVISTA.identical_clusters),
            part(ALTAVISTA.identical_documents),
        );
        for (size, count) in sizes(groups, items, 1000, |size| power(size, 3)) {
            identical.push(count, size, 1);
        }
        let mut mixed = Bands::default();
        let (groups, distinct) = (
            part(ALTAVISTA.mixed_clusters),
            part(ALTAVISTA.mixed_distinct),
        );
        for (size, count) in sizes(groups, distinct, 200, |size| power(size, 2)) {
            // Copies in proportion to the different documents, rounded so that their sum is right.
            let copies = ALTAVISTA.mixed_documents - ALTAVISTA.mixed_distinct;
            let fewer = share(size, copies, ALTAVISTA.mixed_distinct);
            let more = share(count * size, copies, ALTAVISTA.mixed_distinct) - count * fewer;
            mixed.push(count - more, size + fewer, size);
            mixed.push(more, size + fewer + 1, size);
        }
        let alone = documents.saturating_sub(identical.items + mixed.items);
        let sources = alone + identical.groups;
        let templates = templates(part(TEMPLATES), sources);
        let stream = |purpose: Purpose| mix(seed ^ (purpose as u64) << 56);
        let shuffle = Permutation::new(documents, stream(Purpose::Order));
        let template_shuffle = Permutation::new(sources, stream(Purpose::Templates));
        Model {
            seed,
            documents,
            words_per_mille,
            shuffle,
            alone,
            identical,
            mixed,
            templates,
            template_shuffle,
        }
    }

    /// Document `number`.
    pub(crate) fn document(&self, number: u64) -> Document {
        let slot = self.shuffle.apply(number);
        let grouped = slot.checked_sub(self.alone);
        let mixed = grouped.and_then(|item| item.checked_sub(self.identical.items));
        if let Some(place) = mixed.and_then(|item| self.mixed.place(item)) {
            let source = self.alone + self.identical.groups + place.group;
            return self.near_copy(source, place.position, place.distinct);
        }
        let place = grouped.and_then(|item| self.identical.place(item));
        let source = place.map_or(slot, |place| self.alone + place.group);
        let template = self.template(source);
        let least = match template {
            Some(_) => TEMPLATED_WORDS_MIN,
            None => WORDS_MIN,
        };
        Document {
            source,
            distinct: 0,
            change: Change::None,
            copy: place
                .filter(|place| place.position > 0)
                .map(|_| Copy::Identical),
            words: self.words(source, MEAN_WORDS[usize::from(place.is_some())], least),
            template,
        }
    }

    fn near_copy(&self, source: u64, position: u64, distinct_documents: u64) -> Document {
        let words = self.words(source, MEAN_WORDS[2], MIXED_WORDS_MIN);
        let draw = self.number_for(Purpose::Member, mix(source) ^ position);
        let copy = match draw % 10 {
            _ if position < distinct_documents => None,
            0..=4 => Some(Copy::Identical),
            5..=7 => Some(Copy::Lexical(position)),
            _ => Some(Copy::Shingle(position)),
        };
        let distinct = if copy.is_some() {
            (draw >> 32) % distinct_documents
        } else {
            position
        };
        let mut member = Random::for_item(self.number_for(Purpose::Member, source), distinct);
        let change = if distinct == 0 {
            Change::None
        } else if member.chance(100) {
            let length = words * member.within(60, 90) / 100;
            let from = member.within(0, words - length);
            Change::Excerpt {
                from,
                to: from + length,
            }
        } else {
            Change::Edited { key: member.bits() }
        };
        Document {
            source,
            distinct,
            change,
            copy,
            words,
            template: None,
        }
    }

    fn words(&self, source: u64, mean: u64, least: u64) -> u64 {
        let draw = self.number_for(Purpose::Words, source) >> 48;
        length(draw, mean * self.words_per_mille / 1000, least)
    }

    fn template(&self, source: u64) -> Option<Template> {
        let item = self.template_shuffle.apply(source);
        let number = self.templates.place(item)?.group;
        let (low, high) = TEMPLATE_WORDS;
        let words = low + self.number_for(Purpose::TemplateWords, number) % (high - low + 1);
        Some(Template { number, words })
    }

    /// One random number for the `number`th thing of a purpose.
    pub(super) fn number_for(&self, purpose: Purpose, number: u64) -> u64 {
        mix(mix(self.seed ^ (purpose as u64) << 56) ^ mix(number))
    }

    /// A stream of random numbers for the `number`th thing of a purpose.
    pub(super) fn stream(&self, purpose: Purpose, number: u64) -> Random {
        Random::new(self.number_for(purpose, number))
    }
}

/// size^−(exponent + 3/4), with operations that are exact on every machine.
fn power(size: u64, exponent: i32) -> f64 {
    let root = (size as f64).sqrt();
    1.0 / ((size as f64).powi(exponent) * root * root.sqrt())
}

/// Words of a page whose draw is 16 bits.
fn length(draw: u64, mean: u64, least: u64) -> u64 {
    let (at, within) = ((draw >> 10) as usize & 63, draw & 1023);
    let per_mille = LENGTHS[at] + (LENGTHS[at + 1] - LENGTHS[at]) * within / 1024;
    (mean * per_mille / 1000).max(least)
}

/// `unit` / k² templates of k pages, as far as there are sources for them.
fn templates(unit: u64, sources: u64) -> Bands {
    let mut bands = Bands::default();
    let mut carry = 0.5;
    for pages in 2..=TEMPLATE_PAGES_MAX {
        carry += unit as f64 / (pages * pages) as f64;
        let count = (carry.floor() as u64).min((sources - bands.items) / pages);
        carry -= carry.floor();
        bands.push(count, pages, pages);
    }
    bands
}

/// Positions at which a near-copy has other words than the first document of its cluster,
/// ascending, without end.
pub(super) fn edits(key: u64) -> Peekable<impl Iterator<Item = u64>> {
    let mut random = Random::new(key);
    let first = random.below(EDIT_GAP_MAX);
    let next = move |at: &u64| Some(at + random.within(1, EDIT_GAP_MAX));
    std::iter::successors(Some(first), next).peekable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn shares_are_those_of_the_paper_at_a_thousandth() {
        let model = Model::of_sketches(7, 30_000);
        let mut clusters: BTreeMap<u64, Vec<Document>> = BTreeMap::new();
        for number in 0..30_000 {
            let document = model.document(number);
            clusters.entry(document.source).or_default().push(document);
        }
        clusters.retain(|_, documents| documents.len() > 1);
        let different = |documents: &[Document]| {
            let originals = documents.iter().filter(|document| document.copy.is_none());
            originals.count()
        };
        let (identical, mixed): (Vec<_>, Vec<_>) = clusters
            .into_values()
            .partition(|documents| different(documents) == 1);
        assert_eq!((identical.len(), identical.concat().len()), (2_100, 5_300));
        let (clusters, mixed) = (mixed.len(), mixed.concat());
        assert_eq!((clusters, different(&mixed)), (1_500, 5_400));
        assert!(mixed.len().abs_diff(7_000) < 30);
        let identical = mixed
            .iter()
            .filter(|document| document.copy == Some(Copy::Identical));
        assert!(identical.count().abs_diff(800) < 80);
    }
}
