//! Bergillos, Rambla and Cabeza, section 8.3: the time of three ways to compare all documents, by
//! the number of documents, beside the four phases of the program.

use crate::cpu::timed;
use crate::evaluation::{Claim, Evaluation, claims};
use crate::methods::family::MODULAR;
use crate::methods::minhash::{Functions, candidates, equal_places};
use crate::plot::{Axis, Line, Plot};
use crate::probability::{band_probability, largest_difference};
use crate::program::Scratch;
use crate::set::{character_shingles, pair_of_sets, resemblance, set_of};
use crate::table::{Table, figure, row};
use crate::words;
use engine::{Error, PhaseName};
use std::hint::black_box;

const SEED: u64 = 83;
const WORDS: usize = 50;
const SHINGLE: usize = 5;
const FUNCTIONS: usize = 200;
const ROWS: usize = 10;

/// Shingles of the documents of the S-curve.
const BAND_SHINGLES: usize = 500;

/// Numbers of documents; the paper went to 410, and to 100 with all pairs by sets.
pub(super) const DOCUMENTS: &[usize] =
    &[10, 50, 100, 200, 410, 1000, 3000, 10_000, 30_000, 100_000];

/// A way ends before the step that would take longer than this.
const SECONDS_MAX: f64 = 20.0;

fn document(words: &[String], number: usize) -> String {
    words::shuffled(words, SEED, number as u64).join(" ")
}

/// How one way to compare all documents goes on from step to step.
struct Way {
    seconds_max: f64,
    /// The documents and the seconds of the step before; none after a step that was too long.
    last: Option<(usize, f64)>,
}

impl Way {
    fn new(seconds_max: f64) -> Self {
        let last = Some((1, 0.0));
        Self { seconds_max, last }
    }

    /// Whether a step of so many documents, if its time is quadratic, is short enough. The way ends
    /// with the first step that is not.
    fn goes_on(&mut self, count: usize) -> bool {
        let growth = |before: usize| count as f64 / before.max(1) as f64;
        let is_short = |(before, seconds): &(usize, f64)| {
            seconds * growth(*before).powi(2) <= self.seconds_max
        };
        self.last = self.last.filter(is_short);
        self.last.is_some()
    }

    /// The seconds of `compare` over all pairs of `items`, unless they would be too many.
    fn all_pairs<T>(&mut self, items: &[T], compare: impl Fn(&T, &T)) -> Option<f64> {
        if !self.goes_on(items.len()) {
            return None;
        }
        let every = || {
            for (at, a) in items.iter().enumerate() {
                items[at + 1..].iter().for_each(|b| compare(a, b));
            }
        };
        let seconds = timed(every).1;
        self.last = Some((items.len(), seconds));
        Some(seconds)
    }
}

/// The times with so many documents.
pub(super) fn evaluate(counts: &[usize]) -> Result<Evaluation, Error> {
    evaluate_within(counts, SECONDS_MAX)
}

fn evaluate_within(counts: &[usize], seconds_max: f64) -> Result<Evaluation, Error> {
    let text = words::text(SEED, WORDS);
    let scratch = Scratch::new()?;
    let functions = Functions::new(&MODULAR, FUNCTIONS, SEED);
    let (mut sets, mut signatures) = (Vec::new(), Vec::new());
    let [mut by_sets, mut by_minima, mut by_program] = [0; 3].map(|_| Way::new(seconds_max));
    let (mut shingling_s, mut signing_s) = (0.0, 0.0);
    let mut table = Table::new("CPU seconds by the number of documents", []);
    for &count in counts {
        for number in signatures.len()..count {
            let text = document(&text, number);
            let (set, seconds) = timed(|| set_of(character_shingles(&text, SHINGLE)));
            shingling_s += seconds;
            let (signature, seconds) = timed(|| functions.signature(&set));
            signing_s += seconds;
            signatures.push(signature);
            if by_sets.last.is_some() {
                sets.push(set);
            }
        }
        let sets_s = match sets.len() == count {
            true => by_sets.all_pairs(&sets, |a, b| {
                black_box(resemblance(a, b));
            }),
            false => None,
        };
        let minima_s = by_minima.all_pairs(&signatures, |a, b| {
            black_box(equal_places(a, b));
        });
        let (pairs, bands_s) = timed(|| {
            let pairs = candidates(&signatures, ROWS);
            for &(a, b) in &pairs {
                let [a, b] = [a, b].map(|document| &signatures[document as usize]);
                black_box(equal_places(a, b));
            }
            pairs.len()
        });
        let mut program_s = None;
        if by_program.goes_on(count) {
            let name = format!("{count}.jsonl");
            let documents = (0..count).map(|number| document(&text, number));
            scratch.write_documents(&name, "text", documents)?;
            let settings = format!("tokens = \"chars\"\nshingle-size = {SHINGLE}\n");
            // The four phases of 1997, without tables and the index.
            let outcome = scratch.run(&name, &settings, Some(PhaseName::Cluster))?;
            let seconds = outcome.run.totals.cpu_s;
            by_program.last = Some((count, seconds));
            program_s = Some(seconds);
        }
        table.push(row! {
            "documents": count,
            "sets: pairs": sets_s,
            "signatures": shingling_s + signing_s,
            "minima: pairs": minima_s,
            "bands: pairs": bands_s,
            "candidates": pairs,
            "program": program_s,
        });
    }
    Ok(evaluation(table, bands(400)))
}

/// The share of pairs that are equal in a band, by resemblance, beside 1 − (1 − s^r)^b.
fn bands(seeds: u64) -> Table {
    let title = format!("Pairs that {} bands of {ROWS} rows find", FUNCTIONS / ROWS);
    let mut table = Table::new(title, []);
    for r in [0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95] {
        let (a, b) = pair_of_sets(BAND_SHINGLES, BAND_SHINGLES, r);
        let exact = resemblance(&a, &b);
        let is_found = |seed: &u64| {
            let functions = Functions::new(&MODULAR, FUNCTIONS, *seed);
            let signatures = [&a, &b].map(|set| functions.signature(set));
            !candidates(&signatures, ROWS).is_empty()
        };
        table.push(row! {
            "resemblance": exact,
            "found": (0..seeds).filter(is_found).count() as f64 / seeds as f64,
            "1 − (1 − s^r)^b": band_probability(exact, FUNCTIONS / ROWS, ROWS),
        });
    }
    table
}

/// The power of the number of documents with which a column grows over the last tenfold of it.
fn exponent(table: &Table, column: &str) -> Option<f64> {
    let points = table.points(["documents", column]);
    let (last_x, last_y) = *points.last()?;
    let (x, y) = *points.iter().rfind(|point| point.0 * 9.0 <= last_x)?;
    Some((last_y / y).ln() / (last_x / x).ln())
}

fn evaluation(table: Table, bands: Table) -> Evaluation {
    let line = |name, column| Line::new(name, table.points(["documents", column]));
    let signatures = table.points(["documents", "signatures"]);
    let sum = |name, column| {
        let both = table.points(["documents", column]).into_iter();
        let both = both.zip(&signatures);
        let sums = both.map(|((x, y), signing)| (x, y + signing.1));
        Line::new(name, sums.collect::<Vec<_>>())
    };
    let plot = Plot::new(
        "bergillos-3",
        "Permutations of a text of 50 words",
        ["documents", "CPU seconds"].map(Axis::Logarithmic),
        [
            line("all pairs by sets", "sets: pairs"),
            sum("signatures, all pairs", "minima: pairs"),
            line("pairs by minima alone", "minima: pairs"),
            sum("signatures, bands", "bands: pairs"),
            line("pairs by bands alone", "bands: pairs"),
            line("program", "program"),
        ],
    );
    let curve = Plot::new(
        "bergillos-3-bands",
        "Pairs that 20 bands of 10 rows find",
        ["resemblance", "share found"].map(Axis::Linear),
        ["found", "1 − (1 − s^r)^b"]
            .map(|column| Line::new(column, bands.points(["resemblance", column]))),
    );
    Evaluation {
        name: "bergillos-3",
        title: "Time of the ways to compare all documents".to_owned(),
        setting: format!(
            "Random permutations of a text of {WORDS} words, {SHINGLE}-shingles of characters; \
             {FUNCTIONS} minima (modular), as 20 bands of {ROWS} rows. A way ends before a step \
             that would take more than {SECONDS_MAX} s."
        ),
        claims: sentences(&table, &bands),
        plots: vec![plot, curve],
        tables: vec![table, bands],
    }
}

fn sentences(table: &Table, curve: &Table) -> Vec<Claim> {
    let exponent = |column| exponent(table, column).unwrap_or(f64::NAN);
    let [sets, minima, bands] = ["sets: pairs", "minima: pairs", "bands: pairs"].map(exponent);
    let [signing, program] = ["signatures", "program"].map(exponent);
    let at_410 = |column| {
        let points = table.points(["documents", column]);
        let found = points.iter().find(|point| point.0 == 410.0);
        found.map_or(f64::NAN, |point| point.1)
    };
    let (signing_s, pairs_s) = (at_410("signatures"), at_410("minima: pairs"));
    let off = largest_difference(&curve.points(["found", "1 − (1 − s^r)^b"]));
    let grows = |exponent| format!("n^{exponent:.2}");
    let source = "Bergillos 8.3";
    claims! {
        source, "comparing the sets of all pairs is exponential":
            sets > 2.5, "it grows as {}: quadratic, not exponential", grows(sets);
        source, "all pairs by minima are quadratic (believed, not shown)":
            minima > 1.8,
            "the pairs grow as {} (signatures leave the caches), the signatures as {}",
            grows(minima), grows(signing);
        source, "up to 410 documents, pairs are a small part of the time by minima":
            pairs_s < signing_s / 2.0,
            "{} s of signatures, {} s of pairs", figure(signing_s), figure(pairs_s);
        source, "bands are quadratic with a much smaller factor":
            bands > 1.0 && at_410("bands: pairs") < pairs_s,
            "the pairs by bands grow as {} over the last tenfold; the program, which ignores the \
             shingles that all documents share, as {}",
            grows(bands), grows(program);
        "Bergillos 5", "bands leave out pairs below the threshold and find those above it":
            off < 0.08, "the share found is within {} of 1 − (1 − s^r)^b", figure(off);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_its_seconds() {
        let evaluation = evaluate_within(&[10, 60], f64::INFINITY).expect("a run");
        let table = &evaluation.tables[0];
        let columns = table.columns.iter();
        for column in columns.filter(|column| **column != "candidates") {
            let seconds: Vec<f64> = table.numbers(column).flatten().collect();
            assert!(
                seconds.len() == 2 && seconds[1] > 0.0,
                "{column}: {seconds:?}"
            );
        }
    }

    #[test]
    fn bands_find_what_the_curve_says() {
        let points = bands(150).points(["found", "1 − (1 − s^r)^b"]);
        let is_near = |(found, expected): &(f64, f64)| (found - expected).abs() < 0.12;
        assert!(points.iter().all(is_near), "{points:?}");
    }

    #[test]
    fn a_way_ends_before_a_step_that_takes_too_long() {
        let mut way = Way {
            seconds_max: 20.0,
            last: Some((10, 1.0)),
        };
        assert_eq!(way.all_pairs(&[0; 50], |_, _| {}), None);
        assert_eq!(way.last, None);
        way.last = Some((10, 0.0));
        assert!(way.all_pairs(&[0; 50], |_, _| {}).is_some());
        assert_eq!(way.last.map(|last| last.0), Some(50));
    }

    #[test]
    fn the_exponent_is_that_of_a_power() {
        let quadratic = |n: usize| row! { "documents": n, "s": (n * n) as f64 * 1e-3 };
        let table = Table::new("", [10, 30, 100].map(quadratic));
        assert!((exponent(&table, "s").expect("two points") - 2.0).abs() < 1e-9);
    }
}
