//! Texts made of invented words, from a seed.
//!
//! *Algorithm.* The word of rank n is the same in every text of a seed. Words are drawn by Zipf's
//! law. Common words are short, as in English: the mean is near five letters.

use crate::random::Random;

/// Number of different words.
const VOCABULARY: f64 = 20_000.0;

const VOWELS: &[u8] = b"eeeeaaaooiiu";
const CONSONANTS: &[u8] = b"tttnnnssshhrrddllcmwfgypbvk";

/// The word of a rank, from 0 on.
fn word(seed: u64, rank: u64) -> String {
    let mut random = Random::new(seed, rank);
    let length = 2 + random.below(3) + (rank + 1).ilog2() as usize / 3;
    let mut is_vowel = random.below(2) == 0;
    let letter = |_| {
        let letters = if is_vowel { VOWELS } else { CONSONANTS };
        is_vowel = !is_vowel;
        char::from(letters[random.below(letters.len())])
    };
    (0..length).map(letter).collect()
}

/// A text of `count` words.
pub(crate) fn text(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed, u64::MAX);
    let ranks = (0..count).map(|_| {
        let share = random.bits() as f64 / 2.0_f64.powi(64);
        VOCABULARY.powf(share) as u64 - 1
    });
    ranks.map(|rank| word(seed, rank)).collect()
}

/// The `number`th random permutation of a text.
pub(crate) fn shuffled(words: &[String], seed: u64, number: u64) -> Vec<String> {
    let mut words = words.to_vec();
    Random::new(seed, number).shuffle(&mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_like_a_text() {
        let text = text(1, 2000);
        assert_eq!(text, super::text(1, 2000));
        let letters: usize = text.iter().map(String::len).sum();
        assert!((4.0..6.0).contains(&(letters as f64 / 2000.0)), "{letters}");
        let different = crate::set::set_of(crate::set::shingles(&text, 1)).len();
        assert!((900..1600).contains(&different), "{different}");
        let mut moved = shuffled(&text, 1, 1);
        assert_ne!(moved, text);
        moved.sort();
        let mut sorted = text;
        sorted.sort();
        assert_eq!(moved, sorted);
    }
}
