//! Broder 1997: the sentences of the paper beside the figures of its tables.

use crate::evaluation::{Claim, claims};
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

/// The claims on estimates and on the sizes of samples.
pub(super) fn of_samples(accuracy: &Table, levels: &Table, short: &Table) -> Vec<Claim> {
    let [low, high] = range(accuracy, "deviation");
    let deviation = high.max(-low);
    let errors = accuracy.points(["mean error", "binomial"]).into_iter();
    let worst = errors
        .map(|(error, bound)| error / bound)
        .fold(0.0, f64::max);
    let of_smallest = |s: usize| {
        let chosen = |row: &[Cell]| row[0] == Cell::from("MIN_s") && row[1] == Cell::from(s);
        let points = accuracy.points_where(["r", "within 0.1"], chosen);
        points.into_iter().map(|point| point.1).fold(1.0, f64::min)
    };
    let far = [100, 200].map(|s| WALK * WALK / 2.0 * at_least(s, s * 9 / 10 + 1, 0.5));
    let [smallest, largest] = range(levels, "mean size");
    let short_errors = short.column("mean error");
    let [hundred, two_hundred] = [100, 200].map(of_smallest);
    let (as_long, much_longer) = (short_errors[0], short_errors[short_errors.len() - 1]);
    claims! {
        "Broder 1997, Theorem 1", "the estimates by MIN_s and MOD_m are unbiased":
            deviation < 4.0, "all means lie within {} standard errors", figure(deviation);
        "Broder 1997, 4.2", "the errors are those of the binomial distribution, or less":
            worst < 1.1,
            "the mean error is at most {} times that of the distribution", figure(worst);
        "Broder 1997, 4.2", "100 samples seem reasonable, 200 more than enough":
            hundred > 0.94 && two_hundred > 0.99,
            "an estimate is within 0.1 in {:.1} % of the cases with 100 at least, in {:.1} % with \
             200",
            100.0 * hundred, 100.0 * two_hundred;
        "Broder 1997, 4.2",
        "for the entire web, the probability that any pair below 50 % is estimated above 90 % is \
         less than 0.1 %":
            far[1] < 1e-3,
            "of the pairs of 30 million documents, all at 50 %, {} are expected with 100 samples, \
             {} with 200",
            figure(far[0]), figure(far[1]);
        "Broder 1997, 3", "the expected size of V_i is always between 50 and 100":
            smallest >= 49.0 && largest <= 101.0,
            "the mean is {} to {}: the definition leaves 100 to 200, twice as many",
            figure(smallest), figure(largest);
        "Broder 1997, 3",
        "the containment of very short documents in substantially larger ones is rather error prone":
            3.0 * as_long < much_longer,
            "of 200 shingles: mean error {} in a document as long, {} in one 256 times as long",
            figure(as_long), figure(much_longer);
    }
}

/// The claims on ids, the heap and windows, and the example of the definitions.
pub(super) fn of_ids(collisions: &Table, heap: &Table, windows: &Table) -> Vec<Claim> {
    let changes = collisions.points(["largest change of r", "bound"]);
    let ids = collisions.points(["different ids", "expected"]).into_iter();
    let id_errors = ids.map(|(found, expected)| (found - expected).abs() / expected.sqrt());
    let id_error = id_errors.fold(0.0, f64::max);
    let entered = heap.points(["entered", "s (1 + ln(n / s))"]).into_iter();
    let entered = entered.map(|(found, expected)| (found / expected - 1.0).abs());
    let entered = entered.fold(0.0, f64::max);
    let gains = windows.column("gain");
    let (change, bound) = changes[7];
    let (of_one, of_twenty) = (gains[0], gains[gains.len() - 1]);
    claims! {
        "Broder 1997, 4.1", "n shingles have n − C(n, 2) / 2^l + … different ids of l bits":
            id_error < 0.2, "all means are within {} √n of it", figure(id_error);
        "Broder 1997, 4.1",
        "ids of l bits change r by less than |S(A) ∪ S(B)| / 2^(l−11), with 99.9 %":
            changes.iter().all(|(change, bound)| change < bound),
            "the largest change at 32 bits is {}, the bound {}", figure(change), figure(bound);
        "Broder 1997, 4.1", "a value enters the heap O(s log(n/m)) times":
            entered < 0.03, "s (1 + ln(n / s)) times, to {:.1} %", 100.0 * entered;
        "Broder 1997, 4.3", "fingerprints of a sliding window gain a factor of w":
            gains.is_sorted() && of_twenty > 5.0,
            "the gain is {} at w = 1 and {} at w = 20", figure(of_one), figure(of_twenty);
    }
}

/// The claims on shingles.
pub(super) fn of_definitions(roses: &Table, changed: &Table) -> Vec<Claim> {
    let [by_labels, by_sets] =
        [["option A", "paper, A"], ["option B", "paper, B"]].map(|columns| roses.points(columns));
    let is_exact = |(found, paper): &(f64, f64)| (found - paper).abs() < 1e-4;
    let changes = changed.points(["w", "changed shingles"]);
    let [least, most] = range(changed, "resemblance");
    claims! {
        "Broder 1997, 2", "the roses resemble each other by 70, 50, 30 % and by 60, 50, 42.85 %":
            by_labels.iter().chain(&by_sets).all(is_exact), "the same";
        "Broder 1997, 2", "the change in one token affects w shingles":
            changes.iter().all(|(w, changed)| w == changed),
            "so many are changed; the resemblance of texts of 1000 words is {} at w = 1 and {} at \
             w = 50",
            figure(most), figure(least);
    }
}
