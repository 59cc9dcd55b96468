//! Bergillos, Rambla and Cabeza, section 8.1: the resemblance of 20 random permutations of a text
//! of 50 words, by the size of shingles.

use crate::evaluation::{Claim, Evaluation};
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
fn pairs(sets: &[Vec<u64>]) -> Vec<f64> {
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
    let columns = [
        "k",
        "mean",
        "least",
        "largest",
        "share below 0.01",
        "blanks dropped",
        "words",
    ];
    let mut table = Table::new(
        "Resemblance of 190 pairs, by the size k of shingles",
        &columns,
    );
    for k in SIZES {
        let characters = |texts: &[String]| {
            let sets = texts.iter().map(|text| set_of(character_shingles(text, k)));
            pairs(&sets.collect::<Vec<_>>())
        };
        let values = characters(&spaced);
        let of_words = documents.iter().map(|words| set_of(shingles(words, k)));
        let of_words = pairs(&of_words.collect::<Vec<_>>());
        let least = values.iter().copied().fold(1.0, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        let none = values.iter().filter(|value| **value < NOTHING).count();
        let zero = none as f64 / values.len() as f64;
        table.rows.push(row![
            k,
            mean(&values),
            least,
            most,
            zero,
            mean(&characters(&dense)),
            mean(&of_words)
        ]);
    }
    let line = |name, column| Line::new(name, table.points(["k", column]));
    let plot = Plot::new(
        "bergillos-1",
        "190 pairs of permutations of 50 words",
        ["characters in a shingle", "resemblance"].map(Axis::linear),
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
        claims: claims(&table),
        plots: vec![plot],
        tables: vec![table],
    }
}

fn claims(table: &Table) -> Vec<Claim> {
    let [means, largest, zeros] =
        ["mean", "largest", "share below 0.01"].map(|column| table.column(column));
    let (at_9, from_13) = (largest[9 - SIZES.start()], &zeros[13 - SIZES.start()..]);
    let least_zero = from_13.iter().copied().fold(1.0, f64::min);
    let source = "Bergillos 8.1";
    vec![
        Claim::new(
            source,
            "the resemblance decreases as the size of shingles increases",
            format!(
                "mean {} at k = 2, {} at 5, {} at 9, {} at 20",
                figure(means[0]),
                figure(means[3]),
                figure(means[7]),
                figure(means[18])
            ),
            means.is_sorted_by(|a, b| a >= b),
        ),
        Claim::new(
            source,
            "for k = 9, the resemblance of all pairs is less than 0.1",
            format!("the largest of 190 is {}", figure(at_9)),
            at_9 < 0.1,
        ),
        Claim::new(
            source,
            "for k larger than 12, the resemblance is mostly 0",
            format!(
                "it is below {NOTHING} for {:.0} % of the pairs at least",
                100.0 * least_zero
            ),
            least_zero > 0.8,
        ),
    ]
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
