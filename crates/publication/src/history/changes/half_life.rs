//! The half-life of the content of a page.
//!
//! *Input.* Of each pair of consecutive snapshots: how long is between them, and of the pages in
//! both the share of shingles that survived, as a sum and a sum of squares. *Output.* A half-life
//! with its 95 % interval. *Algorithm.* The content of a page is taken to go at a constant rate r:
//! after a time t the share exp(−rt) of its shingles is left, half of it after ln 2 / r. The
//! containment of the old version in the new one estimates that share, 1 where tokens are equal.
//! Pages weigh the same, whichever pair of snapshots they are of: r is the rate at which the
//! expected sum of shares, Σ exp(−rt) over all pages, is the observed one. The sum falls with r, so
//! bisection finds it; for one pair of snapshots, r = −ln(mean share) / t. The interval is that of
//! the normal approximation: the variance of the sum is that of n pages about their expected
//! shares, times n / (n − 1), that of r this by the square of the slope Σ t exp(−rt) (delta
//! method), and r ± 1.96 standard deviations gives both ends. Pages that are gone do not count:
//! they are counted apart. *Limits.* The error of the shares themselves is in their variance; that
//! pages of one site change together is not. Pairs of snapshots of one date say nothing of the
//! rate. Sums are of whole numbers, and the rest is + − × ÷ √ with a logarithm and a power of its
//! own, so that every machine agrees.

use model::{record, word_record};
use output::HalfLife;
use serde::{Deserialize, Serialize};

/// One: shares are kept as whole numbers up to this, so that adding them up in any order gives the
/// same.
pub(super) const WHOLE: u64 = 1 << 32;

const LN_2: f64 = std::f64::consts::LN_2;
/// The 97.5 % point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Shares that survived between two snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct SurvivalSums {
    pub(super) pages: u64,
    /// In units of one by [`WHOLE`].
    pub(super) sum: u64,
    /// Of the squares, in the same unit.
    pub(super) squares: u64,
}

record! { SurvivalSums { pages, sum, squares } }
word_record! { SurvivalSums { pages, sum, squares } }

impl SurvivalSums {
    /// Adds one page, of which `left` of `all` shingles are left.
    pub(super) fn add(&mut self, left: u64, all: u64) {
        if all == 0 {
            return;
        }
        let share = (u128::from(left.min(all)) * u128::from(WHOLE) / u128::from(all)) as u64;
        self.pages += 1;
        self.sum += share;
        self.squares += ((u128::from(share) * u128::from(share)) >> 32) as u64;
    }

    fn mean(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.sum as f64 / WHOLE as f64 / self.pages as f64)
    }

    /// The squares of how far the shares are from this one, summed.
    fn squares_about(&self, share: f64) -> f64 {
        let [sum, squares] = [self.sum, self.squares].map(|sum| sum as f64 / WHOLE as f64);
        (squares - 2.0 * share * sum + share * share * self.pages as f64).max(0.0)
    }
}

/// Pairs of snapshots, each with the days between them, if that is known of all.
pub(super) fn half_life(pairs: &[(SurvivalSums, Option<f64>)]) -> HalfLife {
    let known = || pairs.iter().filter(|(surviving, _)| surviving.pages > 0);
    let in_days = pairs.iter().all(|(_, days)| days.is_some());
    let pages = known().map(|(surviving, _)| surviving.pages).sum();
    let unit = if in_days { "days" } else { "snapshots" }.to_owned();
    let sum: f64 = known()
        .filter_map(|(surviving, _)| Some(surviving.mean()? * surviving.pages as f64))
        .sum();
    let surviving = (pages > 0).then(|| sum / pages as f64);
    let mut found = HalfLife {
        unit,
        pages,
        surviving,
        ..HalfLife::default()
    };
    let timed = known().map(|&(surviving, days)| (surviving, days.filter(|_| in_days)));
    let timed = timed.map(|(surviving, days)| (surviving, days.unwrap_or(1.0)));
    let steps: Vec<(SurvivalSums, f64)> = timed.filter(|(_, time)| *time > 0.0).collect();
    let Some(rate) = rate(&steps) else {
        return found;
    };
    if rate == f64::INFINITY {
        // Nothing is left: that is faster than can be said.
        (found.value, found.low) = (Some(0.0), Some(0.0));
        return found;
    }
    let after = |rate: f64| (rate > 0.0).then(|| LN_2 / rate);
    found.value = after(rate);
    if let Some(spread) = spread(&steps, rate) {
        (found.low, found.high) = (after(rate + spread), after(rate - spread));
    }
    found
}

/// The rate at which as much is left as was found; none without a page, infinite if nothing is.
fn rate(steps: &[(SurvivalSums, f64)]) -> Option<f64> {
    let rates = steps
        .iter()
        .map(|(surviving, time)| match surviving.mean() {
            Some(mean) if mean > 0.0 => -ln(mean) / time,
            _ => f64::INFINITY,
        });
    let (mut low, mut high) = rates.fold((f64::INFINITY, 0.0_f64), |(low, high), rate| {
        (low.min(rate), high.max(rate))
    });
    if steps.is_empty() || low == f64::INFINITY {
        return steps.first().map(|_| low);
    }
    let found: f64 = steps
        .iter()
        .map(|(surviving, _)| surviving.sum as f64 / WHOLE as f64)
        .sum();
    let is_below = |rate: f64| {
        let left = |(surviving, time): &(SurvivalSums, f64)| {
            surviving.pages as f64 * exp_of_minus(rate * time)
        };
        steps.iter().map(left).sum::<f64>() < found
    };
    if high == f64::INFINITY {
        let time = steps.iter().fold(0.0_f64, |all, (_, time)| all.max(*time));
        high = low.max(1.0 / time);
        while !is_below(high) {
            high *= 2.0;
        }
    }
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return Some(middle);
        }
        match is_below(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
}

/// Half the width of the interval of a rate; none for a single page.
fn spread(steps: &[(SurvivalSums, f64)], rate: f64) -> Option<f64> {
    let (mut pages, mut squares, mut slope) = (0.0, 0.0, 0.0);
    for (surviving, time) in steps {
        let share = exp_of_minus(rate * time);
        pages += surviving.pages as f64;
        squares += surviving.squares_about(share);
        slope += surviving.pages as f64 * time * share;
    }
    let variance = squares * pages / (pages - 1.0);
    (pages > 1.0 && slope > 0.0).then(|| Z * variance.sqrt() / slope)
}

/// exp(−x) for x from 0 on, to a few units in the last place: x = k ln 2 + r with r from −½ ln 2 to
/// ½ ln 2, and exp(−r) by its series.
fn exp_of_minus(x: f64) -> f64 {
    let k = (x / LN_2 + 0.5).floor();
    if k > 1000.0 {
        return 0.0;
    }
    let rest = k * LN_2 - x;
    // |rest| is at most 0.347: the terms left out are below 1e-18.
    let series = (1..=14)
        .rev()
        .fold(1.0, |sum, i| 1.0 + sum * rest / f64::from(i));
    (0..k as u32).fold(series, |power, _| power * 0.5)
}

/// The natural logarithm of a positive number, to a few units in the last place: x = m · 2^k with m
/// from √½ to √2, and ln m = 2 artanh((m − 1) / (m + 1)) by its series.
fn ln(x: f64) -> f64 {
    let (mut m, mut k) = (x, 0.0);
    while m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        k += 1.0;
    }
    while m < std::f64::consts::FRAC_1_SQRT_2 {
        m *= 2.0;
        k -= 1.0;
    }
    let t = (m - 1.0) / (m + 1.0);
    let square = t * t;
    // |t| is at most 0.172: the terms left out are below 1e-18.
    let series = (0..11)
        .rev()
        .fold(0.0, |sum, i| sum * square + 1.0 / f64::from(2 * i + 1));
    k * LN_2 + 2.0 * t * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    fn surviving(shares: &[(u64, u64)]) -> SurvivalSums {
        let mut all = SurvivalSums::default();
        shares.iter().for_each(|&(left, of)| all.add(left, of));
        all
    }

    #[test]
    fn the_logarithm_is_that_of_the_library() {
        for i in 1..=100_000_u32 {
            let x = f64::from(i) / 100_000.0;
            assert!(
                (ln(x) - x.ln()).abs() <= 1e-15 * x.ln().abs().max(1e-3),
                "{x}"
            );
        }
        assert_eq!(ln(1.0), 0.0);
    }

    #[test]
    fn the_power_is_that_of_the_library() {
        for i in 0..=100_000_u32 {
            let x = f64::from(i) / 500.0;
            let error = (exp_of_minus(x) - (-x).exp()).abs();
            assert!(error <= 1e-15 * (1.0 + x) * (-x).exp(), "{x}");
        }
        assert_eq!((exp_of_minus(0.0), exp_of_minus(1e6)), (1.0, 0.0));
    }

    /// A crawl of a few pages that was broken off says little, and has little say.
    #[test]
    fn a_tiny_crawl_hardly_changes_the_half_life() {
        let halved = surviving(&[[(4, 10); 200], [(6, 10); 200]].concat());
        let night = (halved, Some(1.0));
        let without = half_life(&[night; 5]);
        for tiny in [(0, 10), (10, 10), (1, 10)] {
            let all = [&[night; 5][..], &[(surviving(&[tiny]), Some(1.0))]].concat();
            let found = half_life(&all);
            assert!((found.value.unwrap() - 1.0).abs() < 0.002, "{found:?}");
            assert!(
                found.low < found.value && found.value < found.high,
                "{found:?}"
            );
            let width = |of: &HalfLife| of.high.unwrap() - of.low.unwrap();
            assert!(width(&found) < 1.1 * width(&without), "{found:?}");
        }
    }

    /// Pages that lose their shingles at a known rate, each by itself, in crawls of any sizes at
    /// any distances.
    #[test]
    fn a_known_rate_is_found() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let days = random.within(5, 200) as f64;
            let step = |random: &mut Random| {
                let between = random.within(1, 30) as f64;
                let left = ((-LN_2 * between / days).exp() * 1e9) as u64;
                let mut sums = SurvivalSums::default();
                for _ in 0..random.within(1, 800) {
                    sums.add(
                        (0..50)
                            .filter(|_| random.below(1_000_000_000) < left)
                            .count() as u64,
                        50,
                    );
                }
                (sums, Some(between))
            };
            let steps: Vec<_> = (0..random.within(1, 12))
                .map(|_| step(&mut random))
                .collect();
            let found = half_life(&steps);
            let (rate, fastest) = (LN_2 / found.value.unwrap(), LN_2 / found.low.unwrap());
            // Three times the half of the 95 % interval are about six standard deviations.
            let is_near = (rate - LN_2 / days).abs() <= 3.0 * (fastest - rate);
            assert!(is_near, "{found:?}, {days} days, seed {seed}");
            let left = |pages: u64, time: f64| pages as f64 * (-rate * time).exp();
            let (mut expected, mut sum) = (0.0, 0.0);
            for (sums, time) in &steps {
                expected += left(sums.pages, time.unwrap());
                sum += sums.sum as f64 / WHOLE as f64;
            }
            assert!(
                (expected - sum).abs() < 1e-9 * sum,
                "{expected} {sum}, seed {seed}"
            );
        }
    }

    #[test]
    fn what_halves_each_day_has_a_half_life_of_a_day() {
        let halved = surviving(&[(5, 10); 40]);
        let found = half_life(&[(halved, Some(1.0)), (halved, Some(1.0))]);
        assert_eq!(
            (found.unit.as_str(), found.pages, found.surviving),
            ("days", 80, Some(0.5))
        );
        assert!((found.value.unwrap() - 1.0).abs() < 1e-15);
        let longer = half_life(&[(halved, Some(7.0)), (halved, None)]);
        assert_eq!(
            (longer.unit.as_str(), longer.value),
            ("snapshots", found.value)
        );
        let quarter = half_life(&[(surviving(&[(1, 4); 9]), Some(6.0))]);
        assert!(
            (quarter.value.unwrap() - 3.0).abs() < 1e-14,
            "two half-lives in six days"
        );
    }

    #[test]
    fn the_interval_is_that_of_the_mean() {
        // Half of the pages lose all, half nothing: a mean of 1/2 with a standard deviation of 1/2
        // of each.
        let all = surviving(&[[(0, 3); 200], [(3, 3); 200]].concat());
        let found = half_life(&[(all, None)]);
        let spread = Z * (0.25_f64 / 399.0).sqrt() / 0.5;
        let ends = [LN_2 / (LN_2 + spread), LN_2 / (LN_2 - spread)];
        assert!(
            (found.low.unwrap() - ends[0]).abs() < 1e-12
                && (found.high.unwrap() - ends[1]).abs() < 1e-12
        );
        let covers = |half_life: &HalfLife| {
            half_life.low < half_life.value && half_life.value < half_life.high
        };
        assert!(covers(&found));
        // Of few pages that lose little it may be any time.
        let few = half_life(&[(surviving(&[(9, 10), (10, 10)]), None)]);
        assert!(few.low.is_some() && few.high.is_none());
    }

    #[test]
    fn nothing_lost_and_nothing_left_and_nothing_known() {
        let whole = half_life(&[(surviving(&[(3, 3); 5]), None)]);
        assert_eq!(
            (whole.value, whole.low, whole.high, whole.surviving),
            (None, None, None, Some(1.0))
        );
        let none = half_life(&[(surviving(&[(0, 3); 5]), None)]);
        assert_eq!((none.value, none.high), (Some(0.0), None));
        let unknown = half_life(&[(surviving(&[(0, 0)]), None)]);
        assert_eq!(
            (unknown.value, unknown.pages, unknown.surviving),
            (None, 0, None)
        );
        assert_eq!(half_life(&[]).value, None);
    }
}
