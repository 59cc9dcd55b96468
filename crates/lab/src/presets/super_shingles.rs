//! Broder, Glassman, Manasse and Zweig, *Syntactic Clustering of the Web* (1997), "Super shingles":
//! why one common super-shingle says less than counted shingles.

use crate::evaluation::{Claim, Evaluation, claims};
use crate::methods::sample::{common, contained, multiples, permuted};
use crate::plot::{Axis, Line, Plot};
use crate::probability::{at_least, largest_difference, run_probability};
use crate::random::mix;
use crate::set::{pair_of_sets, set_of, shared};
use crate::table::{Table, figure, row};
use model::key_of;

const SEEDS: u64 = 400;

/// The modulus of the paper, and shingles of a document that leave about 120 of them.
const MODULUS: u64 = 25;
const DOCUMENT: usize = 3000;

/// The values in a super-shingle.
const LENGTHS: [usize; 5] = [2, 4, 6, 10, 20];

/// The length that the other tables use: it finds half of the pairs at a resemblance near 0.5.
const LENGTH: usize = 6;

/// Whether two documents have a super-shingle in common: a shingle of `length` values of the sorted
/// sketch. A sketch shorter than a super-shingle has none.
fn share_one(a: &[u64], b: &[u64], length: usize) -> bool {
    let [a, b] = [a, b].map(|sketch| set_of(sketch.windows(length.max(1)).map(key_of)));
    shared(&a, &b) > 0
}

/// The sketches of two sets under a permutation.
fn sketches(pair: &(Vec<u64>, Vec<u64>), seed: u64) -> [Vec<u64>; 2] {
    [&pair.0, &pair.1].map(|set| multiples(&permuted(set, seed), MODULUS))
}

/// The share of all permutations of which `is_found` says so.
fn share(pair: &(Vec<u64>, Vec<u64>), is_found: impl Fn(&[u64], &[u64]) -> bool) -> f64 {
    let found = (0..SEEDS).filter(|seed| {
        let [a, b] = sketches(pair, *seed);
        is_found(&a, &b)
    });
    found.count() as f64 / SEEDS as f64
}

/// The values that the sketches of two documents of resemblance r have together.
fn union(r: f64) -> usize {
    (2.0 * DOCUMENT as f64 / (1.0 + r) / MODULUS as f64).round() as usize
}

/// Which pairs of long documents have a common super-shingle.
fn by_resemblance() -> Table {
    let title = format!("Pairs of {DOCUMENT} shingles with a common super-shingle of n values");
    let mut table = Table::new(title, []);
    for length in LENGTHS {
        for r in [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95] {
            let pair = pair_of_sets(DOCUMENT, DOCUMENT, r);
            table.push(row! {
                "n": length,
                "resemblance": r,
                "found": share(&pair, |a, b| share_one(a, b, length)),
                "expected": run_probability(union(r), length, r),
            });
        }
    }
    table
}

/// Which pairs are found, by the size of the documents.
fn by_size() -> Table {
    let title =
        format!("Pairs of resemblance 0.9, found by super-shingles of {LENGTH} and by counting");
    let mut table = Table::new(title, []);
    for size in [50_usize, 100, 200, 400, 800, 1600, 6400] {
        let pair = pair_of_sets(size, size, 0.9);
        table.push(row! {
            "shingles": size,
            "sketch": size as f64 / MODULUS as f64,
            "super-shingles": share(&pair, |a, b| share_one(a, b, LENGTH)),
            "counting, 0.5": share(&pair, |a, b| common(a, b).ratio() >= 0.5),
        });
    }
    table
}

/// Which documents are found that a longer one contains.
fn by_containment() -> Table {
    let title = format!("A document of {DOCUMENT} shingles that a longer one contains whole");
    let mut table = Table::new(title, []);
    for times in [1_usize, 2, 4, 8, 16] {
        let set = |size: usize| set_of((1..=size as u64).map(mix));
        let pair = (set(DOCUMENT), set(times * DOCUMENT));
        table.push(row! {
            "times as long": times,
            "resemblance": 1.0 / times as f64,
            "super-shingles": share(&pair, |a, b| share_one(a, b, LENGTH)),
            "counting, containment 0.9": share(&pair, |a, b| contained(a, b).ratio() >= 0.9),
        });
    }
    table
}

/// The pairs that each way judges wrongly, of pairs whose resemblances are spread evenly.
fn by_threshold() -> Table {
    let title = "Wrongly judged pairs by threshold, resemblances spread evenly, sketches of 120";
    let mut table = Table::new(title, []);
    let resemblances = || (1..200).map(|step| f64::from(step) / 200.0);
    for threshold in [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95] {
        let wrong = |found: &dyn Fn(f64) -> f64| {
            let wrong = |r| match r >= threshold {
                true => 1.0 - found(r),
                false => found(r),
            };
            resemblances().map(wrong).sum::<f64>() / 199.0
        };
        let by_length = |length: usize| (length, wrong(&|r| run_probability(union(r), length, r)));
        let best = (1..60).map(by_length).min_by(|a, b| a.1.total_cmp(&b.1));
        let (length, lost) = best.unwrap_or((0, 1.0));
        let counted = wrong(&|r| {
            let n = union(r);
            at_least(n, (threshold * n as f64 - 1e-9).ceil() as usize, r)
        });
        table.push(row! {
            "threshold": threshold,
            "best n": length,
            "super-shingles": lost,
            "counting": counted,
            "times": lost / counted,
        });
    }
    table
}

pub(super) fn evaluate() -> Evaluation {
    let tables = [
        by_resemblance(),
        by_size(),
        by_containment(),
        by_threshold(),
    ];
    let of_length = |length: usize| {
        let points = tables[0].points_of(["resemblance", "found"], length);
        Line::new(format!("super-shingles of {length}"), points)
    };
    let curves = Plot::new(
        "super-shingles",
        "Pairs with a common super-shingle, by resemblance",
        ["resemblance", "share found"].map(Axis::Linear),
        LENGTHS.map(of_length),
    );
    let by_size = |column| tables[1].points(["shingles", column]);
    let sizes = Plot::new(
        "super-shingles-size",
        "Pairs of resemblance 0.9, by size of the documents",
        [Axis::Logarithmic("shingles"), Axis::Linear("share found")],
        [
            Line::new(
                format!("super-shingles of {LENGTH}"),
                by_size("super-shingles"),
            ),
            Line::new("counting, 0.5", by_size("counting, 0.5")),
        ],
    );
    Evaluation {
        name: "super-shingles",
        title: "Super-shingles beside counted shingles".to_owned(),
        setting: format!(
            "Sketches of the multiples of {MODULUS}, under {SEEDS} permutations. `found` has a \
             common super-shingle; `expected` is the probability of a run of shared values."
        ),
        claims: sentences(&tables),
        plots: vec![curves, sizes],
        tables: tables.into(),
    }
}

fn sentences([curves, sizes, containment, thresholds]: &[Table; 4]) -> Vec<Claim> {
    let off = largest_difference(&curves.points(["found", "expected"]));
    let [by_super, by_count] = ["super-shingles", "counting, 0.5"].map(|way| sizes.column(way));
    let [inside, counted] =
        ["super-shingles", "counting, containment 0.9"].map(|way| containment.column(way));
    let times = thresholds.column("times");
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let of_ten = curves.points_of(["resemblance", "found"], 10_usize);
    let (at_half, at_nine) = (of_ten[2].1, of_ten[6].1);
    let source = "Broder et al. 1997, Super shingles";
    claims! {
        source,
        "with the right length, similar documents have a common super-shingle, others do not":
            at_nine > 0.95 && at_half < 0.25 && off < 0.15,
            "of 10 values: {} of the pairs at 0.9, {} at 0.5; at most {} from the formula",
            percent(at_nine), percent(at_half), figure(off);
        source, "super-shingles do not work well for short documents":
            by_super[0] < 0.1 && by_super[3] < by_count[3],
            "at 0.9, {} of the pairs of 50 shingles are found, {} of those of 400; by counting {} \
             and {}",
            percent(by_super[0]), percent(by_super[3]), percent(by_count[0]), percent(by_count[3]);
        source, "super-shingles cannot detect containment":
            inside[2] < 0.15 && counted[2] > 0.99,
            "in a document 4 times as long {} are found, by counting {}",
            percent(inside[2]), percent(counted[2]);
        source, "super-shingles are not as accurate as regular sketches":
            least > 1.0,
            "with the best length they judge {} times as many pairs wrongly at a threshold of 0.5, \
             {} times at 0.9",
            figure(times[1]), figure(times[5]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn super_shingles_lose_as_the_paper_says() {
        let evaluation = evaluate();
        assert!(evaluation.is_met(), "{evaluation}");
    }

    #[test]
    fn a_common_sequence_is_needed() {
        let (a, b) = ([1, 3, 5, 7, 9, 11], [3, 5, 7, 8, 9, 11]);
        assert!(share_one(&a, &b, 3));
        assert!(!share_one(&a, &b, 4));
        assert!(!share_one(&a[..2], &a[..2], 3), "shorter than three values");
    }

    /// "The extra shingles will be interspersed with the common shingles."
    #[test]
    fn a_contained_document_loses_its_sequences() {
        let whole: Vec<u64> = (0..60).collect();
        let part: Vec<u64> = (0..60).step_by(3).collect();
        assert!(!share_one(&part, &whole, 2));
    }
}
