//! The formulas of the papers: how far an estimate is off, and which pairs a method finds.

use std::f64::consts::PI;

/// ln n!, exact to about 1e-10: a sum below 32, Stirling's series from there on.
fn ln_factorial(n: usize) -> f64 {
    let x = n as f64;
    if n < 32 {
        return (2..=n).map(|n| (n as f64).ln()).sum();
    }
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    x * x.ln() - x + 0.5 * (2.0 * PI * x).ln() + series
}

/// The probability of k successes in n trials.
pub(crate) fn binomial(n: usize, k: usize, p: f64) -> f64 {
    if k > n {
        return 0.0;
    }
    if p <= 0.0 || p >= 1.0 {
        return f64::from(u8::from(k == if p <= 0.0 { 0 } else { n }));
    }
    let ways = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    (ways + k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln()).exp()
}

/// Broder 1997, "The size of the sample": the probability that the estimate from s samples lies
/// within r ± error.
pub(crate) fn within(s: usize, r: f64, error: f64) -> f64 {
    let is_within = |k: &usize| (*k as f64 / s as f64 - r).abs() <= error + 1e-12;
    (0..=s).filter(is_within).map(|k| binomial(s, k, r)).sum()
}

/// The expected distance between r and the estimate from s samples.
pub(crate) fn mean_error(s: usize, r: f64) -> f64 {
    (0..=s)
        .map(|k| binomial(s, k, r) * (k as f64 / s as f64 - r).abs())
        .sum()
}

/// The probability of `least` or more successes in n trials.
pub(crate) fn at_least(n: usize, least: usize, p: f64) -> f64 {
    (least..=n).map(|k| binomial(n, k, p)).sum()
}

/// The probability that two signatures are equal in one of b bands of r rows, at resemblance s.
pub(crate) fn band_probability(s: f64, bands: usize, rows: usize) -> f64 {
    1.0 - (1.0 - s.powi(rows as i32)).powi(bands as i32)
}

/// The probability that n trials have `length` successes in a row. A super-shingle of `length`
/// values is shared if the union of two sketches, sorted, has so many shared values in a row.
pub(crate) fn run_probability(n: usize, length: usize, p: f64) -> f64 {
    // at[j]: no such run so far, and the last j trials succeeded
    let mut at = vec![0.0; length.max(1)];
    at[0] = 1.0;
    for _ in 0..n {
        let failed = at.iter().sum::<f64>() * (1.0 - p);
        at.rotate_right(1);
        at.iter_mut().skip(1).for_each(|state| *state *= p);
        at[0] = failed;
    }
    1.0 - at.iter().sum::<f64>()
}

/// The expected number of different ids of l bits that n different shingles have.
pub(crate) fn expected_ids(n: usize, bits: u32) -> f64 {
    let ids = 2.0_f64.powi(bits as i32);
    // 1 − (1 − 1/ids)^n without the loss of 1 − 1/ids
    -ids * (n as f64 * (-1.0 / ids).ln_1p()).exp_m1()
}

/// How far measured values are from predicted ones at most.
pub(crate) fn largest_difference(pairs: &[(f64, f64)]) -> f64 {
    let differences = pairs
        .iter()
        .map(|(found, expected)| (found - expected).abs());
    differences.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, error: f64) {
        assert!((a - b).abs() <= error, "{a} and not {b}");
    }

    #[test]
    fn the_binomial_distribution_adds_up() {
        near(binomial(10, 3, 0.5), 120.0 / 1024.0, 1e-12);
        near(binomial(200, 100, 0.5), 0.056_348_48, 1e-7);
        for (n, p) in [(0, 0.3), (7, 0.0), (7, 1.0), (31, 0.4), (400, 0.9)] {
            near((0..=n).map(|k| binomial(n, k, p)).sum(), 1.0, 1e-9);
        }
    }

    #[test]
    fn errors_shrink_with_the_sample() {
        // 50 of 100 ± 5: C(100, 45) + … + C(100, 55), over 2^100.
        near(within(100, 0.5, 0.05), 0.728_747, 1e-6);
        near(within(200, 0.5, 0.05), 0.862_633, 1e-6);
        near(mean_error(200, 0.5), (0.25 / 200.0 * 2.0 / PI).sqrt(), 1e-4);
        near(at_least(3, 2, 0.5), 0.5, 1e-12);
    }

    #[test]
    fn the_s_curve_of_20_bands_of_10_rows() {
        near(band_probability(0.5, 20, 10), 0.019_351, 1e-6);
        near(band_probability(0.8, 20, 10), 0.896_869, 1e-6);
        near(band_probability(0.6, 20, 10), 0.114_231, 1e-6);
        assert_eq!(band_probability(1.0, 20, 10), 1.0);
        // Half of the pairs are found near (1/b)^(1/r).
        near(
            band_probability((1.0_f64 / 20.0).powf(0.1), 20, 10),
            0.641_5,
            1e-3,
        );
    }

    #[test]
    fn runs_are_those_of_a_coin() {
        // Of 16 sequences of 4 tosses 8 have two heads in a row, and 3 have three.
        near(run_probability(4, 2, 0.5), 8.0 / 16.0, 1e-12);
        near(run_probability(4, 3, 0.5), 3.0 / 16.0, 1e-12);
        near(run_probability(5, 1, 0.25), 1.0 - 0.75_f64.powi(5), 1e-12);
        assert_eq!(run_probability(2, 3, 0.9), 0.0);
    }

    #[test]
    fn ids_collide_as_the_paper_says() {
        near(expected_ids(2, 1), 1.5, 1e-12);
        // n − C(n, 2) / 2^l for l well above log n
        let (n, bits) = (100_000, 40);
        let pairs = n as f64 * (n as f64 - 1.0) / 2.0;
        near(
            expected_ids(n, bits),
            n as f64 - pairs / 2.0_f64.powi(40),
            1e-4,
        );
    }
}
