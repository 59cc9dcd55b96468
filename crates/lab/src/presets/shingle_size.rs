//! Bergillos, Rambla and Cabeza, section 8.1: the resemblance of 20 random permutations of a text
//! of 50 words, by the size of shingles.

use crate::evaluation::{Claim, Evaluation, claims};
use crate::plot::{Axis, Line, Plot};
use crate::set::{character_shingles, resemblance, set_of, shingles};
use crate::table::{Table, figure, row};
use crate::words;

const SEED: u64 = 81;
const WORDS: usize = 50;
const PERMUTATIONS: u64 = 20;
/// A resemblance that a plot shows as 0.
const NOTHING: f64 = 0.01;
const SIZES: std::ops::RangeInclusive<usize> = 2..=20;

/// The resemblances of all pairs of documents.
fn pairs(sets: impl Iterator<Item = Vec<u64>>) -> Vec<f64> {
    let sets: Vec<Vec<u64>> = sets.collect();
    let pairs = sets.iter().enumerate();
    let pairs = pairs.flat_map(|(at, a)| sets[at + 1..].iter().map(move |b| resemblance(a, b)));
    pairs.collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

pub(super) fn evaluate() -> Evaluation {
    let text = words::text(SEED, WORDS);
    let documents: Vec<Vec<String>> = (0..PERMUTATIONS)
        .map(|number| words::shuffled(&text, SEED, number))
        .collect();
    let [spaced, dense] = [" ", ""].map(|blank| {
        let texts = documents.iter().map(|words| words.join(blank));
        texts.collect::<Vec<String>>()
    });
    let row = |k| {
        let characters =
            |texts: &[String]| pairs(texts.iter().map(|text| set_of(character_shingles(text, k))));
        let values = characters(&spaced);
        let none = values.iter().filter(|value| **value < NOTHING).count();
        let of_words = pairs(documents.iter().map(|words| set_of(shingles(words, k))));
        row! {
            "k": k,
            "mean": mean(&values),
            "least": values.iter().copied().fold(1.0, f64::min),
            "largest": values.iter().copied().fold(0.0, f64::max),
            "share below 0.01": none as f64 / values.len() as f64,
            "blanks dropped": mean(&characters(&dense)),
            "words": mean(&of_words),
        }
    };
    let title = "Resemblance of 190 pairs, by the size k of shingles";
    let table = Table::new(title, SIZES.map(row));
    let line = |name, column| Line::new(name, table.points(["k", column]));
    let plot = Plot::new(
        "bergillos-1",
        "190 pairs of permutations of 50 words",
        ["characters in a shingle", "resemblance"].map(Axis::Linear),
        [
            line("mean", "mean"),
            line("largest", "largest"),
            line("least", "least"),
            line("mean, blanks dropped", "blanks dropped"),
            line("mean, k words", "words"),
        ],
    );
    Evaluation {
        name: "bergillos-1",
        title: "Resemblance by the size of shingles".to_owned(),
        setting: format!(
            "{PERMUTATIONS} random permutations of a text of {WORDS} words, exact sets of \
             k-shingles of characters. Words are joined by blanks, or by nothing."
        ),
        claims: sentences(&table),
        plots: vec![plot],
        tables: vec![table],
    }
}

fn sentences(table: &Table) -> Vec<Claim> {
    let [means, largest, zeros] =
        ["mean", "largest", "share below 0.01"].map(|column| table.column(column));
    let (at_9, from_13) = (largest[9 - SIZES.start()], &zeros[13 - SIZES.start()..]);
    let least_zero = from_13.iter().copied().fold(1.0, f64::min);
    let source = "Bergillos 8.1";
    claims! {
        source, "the resemblance decreases as the size of shingles increases":
            means.is_sorted_by(|a, b| a >= b),
            "mean {} at k = 2, {} at 5, {} at 9, {} at 20",
            figure(means[0]), figure(means[3]), figure(means[7]), figure(means[18]);
        source, "for k = 9, the resemblance of all pairs is less than 0.1":
            at_9 < 0.1, "the largest of 190 is {}", figure(at_9);
        source, "for k larger than 12, the resemblance is mostly 0":
            least_zero > 0.8,
            "it is below {NOTHING} for {:.0} % of the pairs at least", 100.0 * least_zero;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_findings_of_the_paper_are_met() {
        let evaluation = evaluate();
        assert!(evaluation.is_met(), "{evaluation}");
        let means: Vec<f64> = evaluation.tables[0].numbers("mean").flatten().collect();
        assert_eq!(means.len(), 19);
        assert!(means[0] > 0.5 && means[7] < 0.1, "{means:?}");
    }
}
