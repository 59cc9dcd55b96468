//! Wilson's interval, corrected for sampling without replacement.

/// A closed range of ratios, both ends within 0..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The square of the 97.5 % point of the normal distribution.
const Z2: f64 = 3.841_458_820_694_124;

impl Interval {
    /// The 95 % interval of the ratio of `hits` among `trials` things of which one in `modulus` was
    /// looked at.
    ///
    /// Wilson (1927) with z² (1 − 1/modulus) in place of z²: a sample at modulus m leaves out the
    /// share 1 − 1/m, and at m = 1 nothing is left out, so the width is zero. Only + − × ÷ √ are
    /// used: every machine gives the same bits. `trials = 0` knows nothing: 0..=1.
    pub fn wilson(hits: u64, trials: u64, modulus: u32) -> Interval {
        if trials == 0 {
            return Interval {
                low: 0.0,
                high: 1.0,
            };
        }
        let (k, n) = (hits as f64, trials as f64);
        let p = k / n;
        if modulus <= 1 {
            return Interval { low: p, high: p };
        }
        let z2 = Z2 * (1.0 - 1.0 / f64::from(modulus));
        let denominator = 1.0 + z2 / n;
        let centre = (p + z2 / (2.0 * n)) / denominator;
        let spread = (p * (1.0 - p) / n + z2 / (4.0 * n * n)) * z2;
        let half = spread.sqrt() / denominator;
        let low = if hits == 0 {
            0.0
        } else {
            (centre - half).max(0.0)
        };
        let high = if hits == trials {
            1.0
        } else {
            (centre + half).min(1.0)
        };
        Interval { low, high }
    }

    /// Whether `value` lies within, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_is_zero_when_everything_was_kept() {
        assert_eq!(
            Interval::wilson(3, 4, 1),
            Interval {
                low: 0.75,
                high: 0.75
            }
        );
    }

    #[test]
    fn textbook_value() {
        // Wilson 95 % for 5 of 10 is 0.2366..0.7634; a huge modulus leaves z² as it is.
        let interval = Interval::wilson(5, 10, u32::MAX);
        assert!((interval.low - 0.236_59).abs() < 1e-4, "{interval:?}");
        assert!((interval.high - 0.763_41).abs() < 1e-4, "{interval:?}");
    }

    #[test]
    fn ends_are_exact_at_none_and_all() {
        assert_eq!(Interval::wilson(0, 9, 25).low, 0.0);
        assert_eq!(Interval::wilson(9, 9, 25).high, 1.0);
        assert_eq!(
            Interval::wilson(0, 0, 25),
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
    }
}
