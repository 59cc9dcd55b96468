//! Bergillos, Rambla and Cabeza, section 8.4: the estimate by the number of hash functions, for a
//! pair of documents with 60 % resemblance.

use crate::evaluation::{Claim, Evaluation, claims};
use crate::methods::family::{FAMILIES, HashFamily, KEYED, MODULAR};
use crate::methods::minhash::{Functions, equal_places};
use crate::plot::{Axis, Line, Plot};
use crate::probability::mean_error;
use crate::set::{character_shingles, resemblance, set_of};
use crate::table::{Table, figure, row};
use crate::words;
use model::Interval;

const SEED: u64 = 84;
const SHINGLE: usize = 9;
const WORDS: usize = 200;
const RESEMBLANCE: f64 = 0.6;
const SEEDS: u64 = 50;
const COUNTS: [usize; 9] = [2, 5, 10, 20, 50, 100, 200, 500, 1000];
/// The interval knows nothing of the size of the sets.
const OF_MANY: u32 = u32::MAX;

/// Two sets of shingles whose resemblance is near 60 %: words are replaced one after the other.
fn pair() -> (Vec<u64>, Vec<u64>) {
    let set = |words: &[String]| set_of(character_shingles(&words.join(" "), SHINGLE));
    let (text, other) = (words::text(SEED, WORDS), words::text(SEED + 1, WORDS));
    let first = set(&text);
    let edited = |edits: usize| {
        let step = |at: usize| at * edits / WORDS < (at + 1) * edits / WORDS;
        let word = |at: usize| if step(at) { &other[at] } else { &text[at] };
        set(&(0..WORDS)
            .map(|at| word(at).clone())
            .collect::<Vec<String>>())
    };
    let distance = |set: &Vec<u64>| (resemblance(&first, set) - RESEMBLANCE).abs();
    let nearest = (0..WORDS)
        .map(edited)
        .min_by(|a, b| distance(a).total_cmp(&distance(b)));
    (first, nearest.unwrap_or_default())
}

pub(super) fn evaluate() -> Evaluation {
    let (a, b) = pair();
    let exact = resemblance(&a, &b);
    let title = format!("Estimates of {}, over {SEEDS} seeds", figure(exact));
    let mut table = Table::new(title, []);
    for family in &FAMILIES {
        let equal = |seed| {
            let functions = Functions::new(family, COUNTS[COUNTS.len() - 1], seed);
            let (a, b) = (functions.signature(&a), functions.signature(&b));
            COUNTS.map(|count| equal_places(&a[..count], &b[..count]))
        };
        let equal: Vec<[usize; COUNTS.len()]> = (0..SEEDS).map(equal).collect();
        for (at, count) in COUNTS.into_iter().enumerate() {
            let estimates = equal.iter().map(|equal| equal[at] as f64 / count as f64);
            let errors: Vec<f64> = estimates.map(|estimate| (estimate - exact).abs()).collect();
            let covers = |equal: &&[usize; COUNTS.len()]| {
                Interval::wilson(equal[at] as u64, count as u64, OF_MANY).contains(exact)
            };
            table.push(row! {
                "family": family.name,
                "functions": count,
                "one estimate": equal[0][at] as f64 / count as f64,
                "mean error": errors.iter().sum::<f64>() / SEEDS as f64,
                "expected": mean_error(count, exact),
                "worst": errors.iter().copied().fold(0.0, f64::max),
                "coverage": equal.iter().filter(covers).count() as f64 / SEEDS as f64,
            });
        }
    }
    Evaluation {
        name: "bergillos-4",
        title: "Estimate by the number of hash functions".to_owned(),
        setting: format!(
            "Two texts of {WORDS} words whose sets of {SHINGLE}-shingles of characters resemble \
             each other by {}. The estimate is the share of equal minima.",
            figure(exact)
        ),
        claims: sentences(&table),
        plots: plots(&table, exact),
        tables: vec![table],
    }
}

/// One estimate and the mean error, by the number of functions.
fn plots(table: &Table, exact: f64) -> Vec<Plot> {
    let line = |name: &str, column, family: &HashFamily| {
        Line::new(name, table.points_of(["functions", column], family.name))
    };
    let by_family = |column| FAMILIES.map(|family| line(family.name, column, &family));
    let functions = Axis::Logarithmic("hash functions");
    let exact = Line::new("exact", COUNTS.map(|count| (count as f64, exact)));
    let binomial = line("binomial", "expected", &KEYED);
    vec![
        Plot::new(
            "bergillos-4",
            "One seed: the estimate",
            [functions, Axis::Linear("estimate")],
            by_family("one estimate").into_iter().chain([exact]),
        ),
        Plot::new(
            "bergillos-4-error",
            "50 seeds: the mean error",
            [functions, Axis::Logarithmic("mean error")],
            by_family("mean error").into_iter().chain([binomial]),
        ),
    ]
}

fn sentences(table: &Table) -> Vec<Claim> {
    let errors = |family: &HashFamily| table.column_of("mean error", family.name);
    let modular = errors(&MODULAR);
    let falls = |family: &HashFamily| {
        let errors = errors(family);
        let mut steps = errors.iter().zip(&errors[2..]);
        steps.all(|(before, later)| later < before)
    };
    let cells = table.points(["mean error", "expected"]).into_iter();
    let worst = cells
        .map(|(error, expected)| error / expected)
        .fold(0.0, f64::max);
    let coverage = table.column("coverage");
    let coverage = coverage.iter().sum::<f64>() / coverage.len().max(1) as f64;
    claims! {
        "Bergillos 8.4", "the error decreases as the number of hash functions increases":
            FAMILIES.iter().all(falls),
            "modular: mean error {} with 10 functions, {} with 100, {} with 1000",
            figure(modular[2]), figure(modular[5]), figure(modular[8]);
        "Broder 1997, 4.2", "the number of common values follows the binomial distribution":
            worst < 1.5 && coverage > 0.93,
            "the mean error of a family is at most {} times that of the distribution; its interval \
             of 95 % has the exact value in {:.1} % of the cases",
            figure(worst), 100.0 * coverage;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_fall_as_the_distribution_says() {
        let (a, b) = pair();
        assert!((resemblance(&a, &b) - RESEMBLANCE).abs() < 0.01);
        let evaluation = evaluate();
        assert!(evaluation.is_met(), "{evaluation}");
    }
}
