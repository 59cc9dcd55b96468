//! The half-life of the content of a page.
//!
//! *Input.* Of each pair of consecutive snapshots: how long is between them, and of the pages in
//! both the share of shingles that survived, as a sum and a sum of squares. *Output.* A half-life
//! with its 95 % interval. *Algorithm.* The content of a page is taken to go at a constant rate r:
//! after a time t the share exp(−rt) of its shingles is left, half of it after ln 2 / r. The
//! containment of the old version in the new one estimates that share, 1 where tokens are equal;
//! pages weigh the same. Over several pairs of snapshots, r = Σ −ln(mean share) / Σ time. The
//! interval is that of the normal approximation over pages: the variance of a mean of n shares is
//! their variance / n, that of its logarithm this by the square of the mean (delta method), and r ±
//! 1.96 standard deviations gives both ends. Pages that are gone do not count: they are counted
//! apart. *Limits.* The error of the shares themselves is in their variance; that pages of one site
//! change together is not. Sums are of whole numbers, and the rest is + − × ÷ √ with a logarithm of
//! its own, so that every machine agrees.

use output::HalfLife;

/// One: shares are kept as whole numbers up to this, so that adding them up in any order gives the
/// same.
pub(super) const WHOLE: u64 = 1 << 32;

const LN_2: f64 = std::f64::consts::LN_2;
/// The 97.5 % point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Shares that survived between two snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SurvivalSums {
    pub(super) pages: u64,
    /// In units of one by [`WHOLE`].
    pub(super) sum: u64,
    /// Of the squares, in the same unit.
    pub(super) squares: u64,
}

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

    /// Of the mean; none of a single page.
    fn variance(&self) -> Option<f64> {
        let mean = self.mean()?;
        let n = self.pages as f64;
        let of_pages = (self.squares as f64 / WHOLE as f64 / n - mean * mean).max(0.0);
        (self.pages > 1).then(|| of_pages / (n - 1.0))
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
    let (mut lost, mut time, mut variance) = (0.0, 0.0, Some(0.0));
    for (surviving, days) in known() {
        let mean = surviving.mean().unwrap_or(0.0);
        if mean <= 0.0 {
            // Of one whole snapshot nothing is left: that is faster than can be said.
            (found.value, found.low, found.high) = (Some(0.0), Some(0.0), None);
            return found;
        }
        lost -= ln(mean);
        time += days.filter(|_| in_days).unwrap_or(1.0);
        variance = variance
            .zip(surviving.variance())
            .map(|(all, one)| all + one / (mean * mean));
    }
    if time <= 0.0 {
        return found;
    }
    let (rate, spread) = (
        lost / time,
        variance.map(|variance| Z * variance.sqrt() / time),
    );
    let after = |rate: f64| (rate > 0.0).then(|| LN_2 / rate);
    found.value = after(rate);
    found.low = spread.and_then(|spread| after(rate + spread));
    found.high = spread.and_then(|spread| after(rate - spread));
    found
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
