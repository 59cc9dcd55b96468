//! Broder 1997: the sentences of the paper beside the figures of its tables.

use crate::evaluation::Claim;
use crate::probability::at_least;
use crate::table::{Cell, Table, figure};

/// The largest and the least number of a column.
fn range(table: &Table, column: &str) -> [f64; 2] {
    let numbers = || table.numbers(column).flatten();
    [
        numbers().fold(f64::INFINITY, f64::min),
        numbers().fold(f64::NEG_INFINITY, f64::max),
    ]
}

/// Documents of the walk of 1996, and the pairs of them.
const WALK: f64 = 3e7;

pub(super) fn claims(tables: &[Table]) -> Vec<Claim> {
    let [accuracy, levels, short, ids, heap, windows, roses, changed] = tables else {
        return Vec::new();
    };
    let mut claims = of_samples(accuracy, levels, short);
    claims.extend(of_ids(ids, heap, windows));
    claims.extend(of_definitions(roses, changed));
    claims
}

/// The claims on estimates and on the sizes of samples.
fn of_samples(accuracy: &Table, levels: &Table, short: &Table) -> Vec<Claim> {
    let [low, high] = range(accuracy, "deviation");
    let [measured, bound] =
        ["mean error", "binomial"].map(|column| accuracy.numbers(column).flatten());
    let worst = measured.zip(bound).map(|(error, bound)| error / bound);
    let worst = worst.fold(0.0, f64::max);
    let of_smallest = |s: usize| {
        let chosen = |row: &[Cell]| row[0] == Cell::from("MIN_s") && row[1] == Cell::from(s);
        let points = accuracy.points_where(["r", "within 0.1"], chosen);
        points.into_iter().map(|point| point.1).fold(1.0, f64::min)
    };
    let far = [100, 200].map(|s| WALK * WALK / 2.0 * at_least(s, s * 9 / 10 + 1, 0.5));
    let sizes = range(levels, "mean size");
    let short_errors = short.column("mean error");
    vec![
        Claim::new(
            "Broder 1997, Theorem 1",
            "the estimates by MIN_s and MOD_m are unbiased",
            format!(
                "all means lie within {} standard errors",
                figure(high.max(-low))
            ),
            high.max(-low) < 4.0,
        ),
        Claim::new(
            "Broder 1997, 4.2",
            "the errors are those of the binomial distribution, or less",
            format!(
                "the mean error is at most {} times that of the distribution",
                figure(worst)
            ),
            worst < 1.1,
        ),
        Claim::new(
            "Broder 1997, 4.2",
            "100 samples seem reasonable, 200 more than enough",
            format!(
                "an estimate is within 0.1 in {:.1} % of the cases with 100 at least, in {:.1} % with 200",
                100.0 * of_smallest(100),
                100.0 * of_smallest(200)
            ),
            of_smallest(100) > 0.94 && of_smallest(200) > 0.99,
        ),
        Claim::new(
            "Broder 1997, 4.2",
            "for the entire web, the probability that any pair below 50 % is estimated above 90 % is less than 0.1 %",
            format!(
                "of the pairs of 30 million documents, all at 50 %, {} are expected with 100 samples, {} with 200",
                figure(far[0]),
                figure(far[1])
            ),
            far[1] < 1e-3,
        ),
        Claim::new(
            "Broder 1997, 3",
            "the expected size of V_i is always between 50 and 100",
            format!(
                "the mean is {} to {}: the definition leaves 100 to 200, twice as many",
                figure(sizes[0]),
                figure(sizes[1])
            ),
            sizes[0] >= 49.0 && sizes[1] <= 101.0,
        ),
        Claim::new(
            "Broder 1997, 3",
            "the containment of very short documents in substantially larger ones is rather error prone",
            format!(
                "of 200 shingles: mean error {} in a document as long, {} in one 256 times as long",
                figure(short_errors[0]),
                figure(short_errors[short_errors.len() - 1])
            ),
            3.0 * short_errors[0] < short_errors[short_errors.len() - 1],
        ),
    ]
}

/// The claims on ids, the heap and windows, and the example of the definitions.
fn of_ids(collisions: &Table, heap: &Table, windows: &Table) -> Vec<Claim> {
    let changes = collisions.points(["largest change of r", "bound"]);
    let ids = collisions.points(["different ids", "expected"]);
    let id_error = ids
        .iter()
        .map(|(found, expected)| (found - expected).abs() / expected.sqrt())
        .fold(0.0, f64::max);
    let entered = heap.points(["entered", "s (1 + ln(n / s))"]);
    let entered = entered
        .iter()
        .map(|(found, expected)| (found / expected - 1.0).abs())
        .fold(0.0, f64::max);
    let gains = windows.column("gain");
    vec![
        Claim::new(
            "Broder 1997, 4.1",
            "n shingles have n − C(n, 2) / 2^l + … different ids of l bits",
            format!("all means are within {} √n of it", figure(id_error)),
            id_error < 0.2,
        ),
        Claim::new(
            "Broder 1997, 4.1",
            "ids of l bits change r by less than |S(A) ∪ S(B)| / 2^(l−11), with 99.9 %",
            format!(
                "the largest change at 32 bits is {}, the bound {}",
                figure(changes[7].0),
                figure(changes[7].1)
            ),
            changes.iter().all(|(change, bound)| change < bound),
        ),
        Claim::new(
            "Broder 1997, 4.1",
            "a value enters the heap O(s log(n/m)) times",
            format!("s (1 + ln(n / s)) times, to {:.1} %", 100.0 * entered),
            entered < 0.03,
        ),
        Claim::new(
            "Broder 1997, 4.3",
            "fingerprints of a sliding window gain a factor of w",
            format!(
                "the gain is {} at w = 1 and {} at w = 20",
                figure(gains[0]),
                figure(gains[gains.len() - 1])
            ),
            gains.is_sorted() && gains[gains.len() - 1] > 5.0,
        ),
    ]
}

/// The claims on shingles.
fn of_definitions(roses: &Table, changed: &Table) -> Vec<Claim> {
    let [by_labels, by_sets] =
        [["option A", "paper, A"], ["option B", "paper, B"]].map(|columns| roses.points(columns));
    let is_exact = |(found, paper): &(f64, f64)| (found - paper).abs() < 1e-4;
    let changes = changed.points(["w", "changed shingles"]);
    let [least, most] = range(changed, "resemblance");
    vec![
        Claim::new(
            "Broder 1997, 2",
            "the roses resemble each other by 70, 50, 30 % and by 60, 50, 42.85 %",
            "the same",
            by_labels.iter().chain(&by_sets).all(is_exact),
        ),
        Claim::new(
            "Broder 1997, 2",
            "the change in one token affects w shingles",
            format!(
                "so many are changed; the resemblance of texts of 1000 words is {} at w = 1 and {} at w = 50",
                figure(most),
                figure(least)
            ),
            changes.iter().all(|(w, changed)| w == changed),
        ),
    ]
}
