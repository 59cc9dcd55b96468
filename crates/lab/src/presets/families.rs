//! Bergillos, Rambla and Cabeza, section 8.2: the time of families of hash functions.

use crate::cpu::timed;
use crate::evaluation::{Claim, Evaluation, claims};
use crate::methods::family::{FAMILIES, HashFamily, MODULAR, MULTIPLICATIVE, MURMUR3};
use crate::methods::minhash::Functions;
use crate::plot::{Axis, Line, Plot};
use crate::set::{character_shingles, set_of};
use crate::table::{Table, figure, row};
use crate::words;

const SEED: u64 = 82;

/// Words of the text.
pub(super) const WORDS: usize = 20_000;
const FUNCTIONS: usize = 200;
const SIZES: [usize; 7] = [2, 4, 6, 8, 10, 14, 20];

pub(super) fn evaluate(words: usize) -> Evaluation {
    let text = words::text(SEED, words).join(" ");
    let title = "CPU time of a signature of 200 minima, by family and size k of shingles";
    let mut table = Table::new(title, []);
    let sets = SIZES.map(|k| (k, set_of(character_shingles(&text, k))));
    for family in &FAMILIES {
        let functions = Functions::new(family, FUNCTIONS, SEED);
        for (k, set) in &sets {
            let seconds = timed(|| std::hint::black_box(functions.signature(set))).1;
            let values = (FUNCTIONS * set.len()).max(1) as f64;
            table.push(row! {
                "family": family.name,
                "k": *k,
                "shingles": set.len(),
                "ms": 1e3 * seconds,
                "ns a value": 1e9 * seconds / values,
            });
        }
    }
    let line =
        |family: &HashFamily| Line::new(family.name, table.points_of(["k", "ms"], family.name));
    let plot = Plot::new(
        "bergillos-2",
        format!("A signature of a text of {words} words"),
        [
            Axis::Linear("characters in a shingle"),
            Axis::Logarithmic("CPU ms"),
        ],
        FAMILIES.iter().map(line),
    );
    Evaluation {
        name: "bergillos-2",
        title: "Time of the families of hash functions".to_owned(),
        setting: format!(
            "The signature of {FUNCTIONS} minima of a text of {words} words, from its different \
             k-shingles of characters. Shingles are keys of 64 bits when the time begins."
        ),
        claims: sentences(&table),
        plots: vec![plot],
        tables: vec![table],
    }
}

fn sentences(table: &Table) -> Vec<Claim> {
    let times = |family: &HashFamily| table.column_of("ms", family.name);
    let sum = |family: HashFamily| times(&family).iter().sum::<f64>();
    let [modular, multiplicative, murmur] = [MODULAR, MULTIPLICATIVE, MURMUR3].map(sum);
    let shingles = table.column_of("shingles", MODULAR.name);
    let (first, last) = (shingles[0], shingles[shingles.len() - 1]);
    let takes_longer = |family: &HashFamily| {
        let times = times(family);
        times[0] < times[times.len() - 1]
    };
    let modular_ms = times(&MODULAR);
    let source = "Bergillos 8.2";
    claims! {
        source, "the time increases with k, because there are more different shingles":
            first < last && FAMILIES.iter().all(takes_longer),
            "{first} shingles at k = 2, {last} at k = 20; modular: {} ms, {} ms",
            figure(modular_ms[0]), figure(modular_ms[SIZES.len() - 1]);
        source, "modular hashing takes less than half of the time of the other two":
            2.0 * modular < multiplicative.min(murmur),
            "over all k: modular {} ms, multiplicative {} ms, MurmurHash3 {} ms",
            figure(modular), figure(multiplicative), figure(murmur);
        source, "MurmurHash3 and multiplicative hashing take almost the same time":
            (0.5..2.0).contains(&(murmur / multiplicative)),
            "MurmurHash3 takes {} times as long", figure(murmur / multiplicative);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::family::RABIN;

    /// Times are not compared; counts are.
    #[test]
    fn longer_shingles_are_more_different_ones() {
        let table = &evaluate(300).tables[0];
        assert_eq!(table.rows.len(), 5 * SIZES.len());
        let counts = table.points_of(["k", "shingles"], RABIN.name);
        assert!(counts[..4].is_sorted_by(|a, b| a.1 < b.1), "{counts:?}");
        assert!(table.numbers("ms").all(|ms| ms.is_some_and(|ms| ms > 0.0)));
    }
}
