//! A generated language: words of real lengths, drawn by Zipf's law.
//!
//! The r-th word comes 1/r as often as the first. Frequent words are short, so that a word of
//! running text has 4.8 letters on average. One word in fifty holds a letter outside ASCII, written
//! as pages of 1996 wrote it, by reference.

use std::collections::BTreeSet;
use testkit::Random;

/// Words in all.
const WORDS: u32 = 40_000;

/// Bits of a draw.
const DRAW_BITS: u32 = 16;

/// Letters, the most frequent of English text first.
const LETTERS: &str = "etaoinshrdlcumwfgypbvkjxqz";

/// How often each of them comes, by thousands.
const SHARES: [u64; 26] = [
    127, 91, 82, 75, 70, 67, 63, 61, 60, 43, 40, 28, 28, 24, 24, 22, 20, 20, 19, 15, 10, 8, 2, 2,
    1, 1,
];

/// Letters outside ASCII: as a letter, by name and by number.
pub(super) const FOREIGN: [[&str; 3]; 6] = [
    ["é", "&eacute;", "&#233;"],
    ["ü", "&uuml;", "&#252;"],
    ["ö", "&ouml;", "&#xF6;"],
    ["à", "&agrave;", "&#224;"],
    ["ñ", "&ntilde;", "&#241;"],
    ["ß", "&szlig;", "&#223;"],
];

/// The words.
pub(crate) struct Vocabulary {
    words: Vec<String>,
    /// A word's number for each draw.
    by_draw: Vec<u16>,
}

impl Vocabulary {
    /// The language of a seed.
    pub(crate) fn new(seed: u64) -> Vocabulary {
        let mut random = Random::new(seed);
        let mut seen = BTreeSet::new();
        let mut words = Vec::with_capacity(WORDS as usize);
        while words.len() < WORDS as usize {
            let word = word(words.len(), &mut random);
            if seen.insert(word.clone()) {
                words.push(word);
            }
        }
        let total: f64 = (1..=WORDS).map(|rank| 1.0 / f64::from(rank)).sum();
        let (mut by_draw, mut rank, mut sum) = (Vec::new(), 0, 1.0 / total);
        for draw in 0..1_u32 << DRAW_BITS {
            while sum < f64::from(draw) / f64::from(1_u32 << DRAW_BITS) && rank + 1 < WORDS {
                rank += 1;
                sum += 1.0 / (f64::from(rank + 1) * total);
            }
            by_draw.push(rank as u16);
        }
        Vocabulary { words, by_draw }
    }

    /// The number of the next word of a text.
    #[inline]
    pub(crate) fn draw(&self, random: &mut Random) -> u16 {
        self.by_draw[(random.bits() >> (64 - DRAW_BITS)) as usize]
    }

    /// A word by its number.
    #[inline]
    pub(crate) fn word(&self, number: u16) -> &str {
        self.words
            .get(usize::from(number))
            .map_or("", String::as_str)
    }
}

fn word(rank: usize, random: &mut Random) -> String {
    let (low, high) = match rank {
        0 => (3, 3),
        1..8 => (2, 3),
        8..64 => (3, 4),
        64..512 => (4, 5),
        512..4096 => (5, 7),
        _ => (6, 10),
    };
    let length = random.within(low, high);
    let mut word: String = (0..length).map(|_| letter(random)).collect();
    if rank > 64 && random.chance(20) {
        word.pop();
        word.push_str(FOREIGN[random.index(FOREIGN.len())][0]);
    }
    word
}

fn letter(random: &mut Random) -> char {
    let mut at = random.below(SHARES.iter().sum());
    for (letter, share) in LETTERS.chars().zip(SHARES) {
        match at.checked_sub(share) {
            Some(rest) => at = rest,
            None => return letter,
        }
    }
    'e'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_running_text_have_the_lengths_of_real_ones() {
        let vocabulary = Vocabulary::new(1);
        let mut random = Random::new(2);
        let lengths: Vec<usize> = (0..100_000)
            .map(|_| {
                vocabulary
                    .word(vocabulary.draw(&mut random))
                    .chars()
                    .count()
            })
            .collect();
        let mean = lengths.iter().sum::<usize>() as f64 / 1e5;
        assert!((4.6..5.0).contains(&mean), "{mean}");
        let short = lengths.iter().filter(|length| **length <= 8).count();
        assert!((85_000..97_000).contains(&short), "{short}");
    }

    #[test]
    fn words_fall_by_zipf() {
        let vocabulary = Vocabulary::new(1);
        let share = |rank: u16| {
            vocabulary
                .by_draw
                .iter()
                .filter(|number| **number == rank)
                .count() as f64
        };
        assert!((share(0) / share(9) - 10.0).abs() < 1.0);
        assert!((share(9) / share(99) - 10.0).abs() < 2.0);
        let different: BTreeSet<&String> = vocabulary.words.iter().collect();
        assert_eq!(different.len(), WORDS as usize);
    }
}
