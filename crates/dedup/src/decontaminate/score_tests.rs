//! The scorer against a plain count over all stretches.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The stretches that the scorer finds.
fn found(size: usize, least: Threshold, item: &[u64], document: &[u64]) -> Vec<Stretch> {
    let mut sorted: Vec<Gram> = grams(document, size).collect();
    sorted.sort_unstable();
    let document = DocumentWords {
        words: document,
        grams: &sorted,
    };
    let mut stretches = Vec::new();
    Scorer::new(size, least).stretches(item, document, |stretch| stretches.push(stretch));
    stretches
}

/// The words beside runs of shared n-grams: ⟨word of the document, word of the item⟩.
fn beside(size: usize, item: &[u64], document: &[u64]) -> BTreeSet<(usize, usize)> {
    let shared = |place: usize, word: usize| {
        word + size <= item.len()
            && place + size <= document.len()
            && item[word..word + size] == document[place..place + size]
    };
    let mut beside = BTreeSet::new();
    let mut place = 0;
    while place < document.len() {
        let Some(word) = (0..item.len()).find(|word| shared(place, *word)) else {
            place += 1;
            continue;
        };
        let grams = (0..).take_while(|at| shared(place + at, word + at)).count();
        for step in 1..=size {
            let behind = grams + size + step - 2;
            let pairs = [
                (place.checked_sub(step), word.checked_sub(step)),
                (Some(place + behind), Some(word + behind)),
            ];
            for (place, word) in pairs {
                let one = document.get(place.unwrap_or(usize::MAX));
                if one.is_some() && one == item.get(word.unwrap_or(usize::MAX)) {
                    beside.extend(place.zip(word));
                }
            }
        }
        place += grams;
    }
    beside
}

/// The words of the item that stand in a stretch, by the definition.
fn standing(size: usize, item: &[u64], document: &[u64], begin: usize, end: usize) -> u32 {
    let (mut words, mut places) = (BTreeSet::new(), BTreeSet::new());
    for place in begin..(end + 1).saturating_sub(size) {
        for word in 0..item.len() + 1 - size {
            if item[word..word + size] == document[place..place + size] {
                words.extend(word..word + size);
                places.extend(place..place + size);
            }
        }
    }
    for (place, word) in beside(size, item, document) {
        if (begin..end).contains(&place) {
            words.insert(word);
            places.insert(place);
        }
    }
    words.len().min(places.len()) as u32
}

fn words(most: std::ops::Range<usize>, kinds: u64) -> impl Strategy<Value = Vec<u64>> {
    // fingerprints are not small numbers: the n-grams of those would be alike
    let word = (0..kinds).prop_map(|kind| (kind + 1).wrapping_mul(0xd6e8_feb8_6659_fd93));
    prop::collection::vec(word, most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn the_stretches_are_those_of_a_plain_count(
        kinds in 1u64..12, size in 1usize..5, hundredths in 1u8..=100, seed: u64,
        (item, mut document) in (1u64..12).prop_flat_map(|kinds| (words(5..25, kinds), words(0..80, kinds))),
    ) {
        // mostly, the document has a changed part of the item
        if seed % 4 > 0 {
            let part = &item[(seed >> 8) as usize % item.len()..];
            let at = (seed >> 16) as usize % (document.len() + 1);
            document.splice(at..at, part.iter().copied());
            let at = (seed >> 24) as usize % document.len();
            document[at] = kinds;
        }
        let least = Threshold::hundredths(hundredths);
        let stretches = found(size, least, &item, &document);
        let most = 2 * item.len();
        let best = (0..document.len()).map(|begin| {
            standing(size, &item, &document, begin, document.len().min(begin + most))
        }).max().unwrap_or(0);
        let reaches = |words: u32| least.reached_by(Ratio::new(words.into(), item.len() as u64));
        prop_assert_eq!(stretches.is_empty(), best == 0 || !reaches(best));
        for stretch in &stretches {
            let (begin, end) = (stretch.begin as usize, stretch.end as usize);
            prop_assert!(end - begin <= most && reaches(stretch.words));
            prop_assert_eq!(stretch.words, standing(size, &item, &document, begin, end));
            prop_assert!(standing(size, &item, &document, begin + 1, end) < stretch.words);
            prop_assert!(standing(size, &item, &document, begin, end - 1) < stretch.words);
        }
        prop_assert!(stretches.windows(2).all(|two| two[0].end <= two[1].begin));
        // before, between and behind them nothing is left
        let ends = std::iter::once(0).chain(stretches.iter().map(|one| one.end as usize));
        let begins = stretches.iter().map(|one| one.begin as usize).chain([document.len()]);
        let is_left = ends.zip(begins).any(|(from, to)| (from..to).any(|begin| {
            let words = standing(size, &item, &document, begin, to.min(begin + most));
            words > 0 && reaches(words)
        }));
        prop_assert!(!is_left || stretches.is_empty());
    }

    #[test]
    fn an_item_that_stands_as_it_is_has_the_share_1(
        item in words(8..60, 3), before in words(0..40, 4), behind in words(0..40, 4),
    ) {
        let document = [&before[..], &item, &behind].concat();
        let stretches = found(8, Threshold::hundredths(100), &item, &document);
        prop_assert!(!stretches.is_empty());
    }
}

/// Distinct words.
fn text(numbers: std::ops::Range<u64>) -> Vec<u64> {
    numbers
        .map(|number| (number + 1).wrapping_mul(0xd6e8_feb8_6659_fd93))
        .collect()
}

#[test]
fn one_word_in_place_of_another_costs_one_word() {
    let item = text(0..20);
    let mut document = [text(100..150), item.clone(), text(200..250)].concat();
    document[55] = 7;
    let stretch = Stretch {
        words: 19,
        begin: 50,
        end: 70,
    };
    assert_eq!(
        found(8, Threshold::hundredths(80), &item, &document),
        [stretch]
    );
    // a word more than two shared runs of n words apart
    document[64] = 7;
    let stretch = Stretch {
        words: 18,
        ..stretch
    };
    assert_eq!(
        found(8, Threshold::hundredths(80), &item, &document),
        [stretch]
    );
    document[61] = 7;
    assert_eq!(found(8, Threshold::hundredths(80), &item, &document), []);
}

#[test]
fn scattered_phrases_do_not_add_up() {
    let item = text(0..40);
    let apart = |other: u64| [&item[..20], &text(1000..1000 + other), &item[20..]].concat();
    let near = found(8, Threshold::hundredths(80), &item, &apart(40));
    assert_eq!(
        near,
        [Stretch {
            words: 40,
            begin: 0,
            end: 80
        }]
    );
    assert_eq!(found(8, Threshold::hundredths(80), &item, &apart(60)), []);
}

#[test]
fn a_changed_copy_before_the_item_is_a_stretch() {
    let item = text(0..20);
    let document = [
        text(100..115),
        item[..17].to_vec(),
        item.clone(),
        text(200..210),
    ]
    .concat();
    let places: Vec<(u32, u32)> = found(8, Threshold::hundredths(80), &item, &document)
        .iter()
        .map(|stretch| (stretch.begin, stretch.end))
        .collect();
    assert_eq!(places, [(15, 32), (32, 52)]);
}

#[test]
fn every_copy_is_a_stretch() {
    let item = text(0..20);
    let document = [item.clone(), item.clone(), text(50..60), item.clone()].concat();
    let begins: Vec<u32> = found(8, Threshold::hundredths(100), &item, &document)
        .iter()
        .map(|stretch| stretch.begin)
        .collect();
    assert_eq!(begins, [0, 20, 50]);
}

#[test]
fn a_word_repeated_a_million_times_takes_no_longer_than_another_text() {
    let (item, document) = (vec![7; 50_000], vec![7; 1_000_000]);
    let stretches = found(8, Threshold::hundredths(80), &item, &document);
    assert!(!stretches.is_empty());
}
