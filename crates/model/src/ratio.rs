//! Exact rationals: estimates are ratios of counts, thresholds are decimals, and both compare
//! without rounding.

use std::cmp::Ordering;
use std::fmt;

/// `numerator / denominator`, compared exactly. 0/0 counts as 0.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// Upper part.
    pub numerator: u64,
    /// Lower part; 0 only together with a numerator of 0.
    pub denominator: u64,
}

impl Ratio {
    /// A ratio of two counts.
    pub fn new(numerator: u64, denominator: u64) -> Ratio {
        Ratio {
            numerator,
            denominator,
        }
    }

    /// The nearest double; 0/0 gives 0.
    pub fn to_f64(self) -> f64 {
        if self.denominator == 0 {
            0.0
        } else {
            self.numerator as f64 / self.denominator as f64
        }
    }

    fn parts(self) -> (u128, u128) {
        if self.denominator == 0 {
            (0, 1)
        } else {
            (u128::from(self.numerator), u128::from(self.denominator))
        }
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Ratio) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Ratio {}
impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        (a * d).cmp(&(c * b))
    }
}

/// A threshold in 0..=1 as the decimal the user wrote, so that `0.6` means 6/10 and not the double
/// next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold(Ratio);

/// Why a number is no threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThresholdError(String);

impl fmt::Display for ThresholdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected a number from 0 to 1 with at most 18 decimals, got {}",
            self.0
        )
    }
}
impl std::error::Error for ThresholdError {}

impl Threshold {
    /// The threshold nearest to what the user wrote: the shortest decimal that reads back as
    /// `value`.
    pub fn from_f64(value: f64) -> Result<Threshold, ThresholdError> {
        let refuse = || ThresholdError(value.to_string());
        if !(0.0..=1.0).contains(&value) {
            return Err(refuse());
        }
        let text = format!("{value}");
        let (whole, decimals) = text.split_once('.').unwrap_or((text.as_str(), ""));
        let places = u32::try_from(decimals.len()).map_err(|_| refuse())?;
        if places > 18 {
            return Err(refuse());
        }
        let denominator = 10_u64.pow(places);
        let whole: u64 = whole.parse().map_err(|_| refuse())?;
        let decimals: u64 = if decimals.is_empty() {
            0
        } else {
            decimals.parse().map_err(|_| refuse())?
        };
        Ok(Threshold(Ratio::new(
            whole * denominator + decimals,
            denominator,
        )))
    }

    /// Whether only a whole reaches it.
    pub fn is_all(self) -> bool {
        self.0.numerator == self.0.denominator
    }

    /// So many hundredths, at most 100.
    pub const fn hundredths(hundredths: u8) -> Threshold {
        let numerator = if hundredths > 100 { 100 } else { hundredths };
        Threshold(Ratio {
            numerator: numerator as u64,
            denominator: 100,
        })
    }

    /// Whether `ratio` reaches the threshold.
    pub fn reached_by(&self, ratio: Ratio) -> bool {
        ratio >= self.0
    }

    /// As a double, for reports.
    pub fn to_f64(self) -> f64 {
        self.0.to_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn six_tenths_is_reached_by_three_fifths() {
        let threshold = Threshold::from_f64(0.6).expect("a threshold");
        assert!(threshold.reached_by(Ratio::new(3, 5)));
        assert!(!threshold.reached_by(Ratio::new(599_999_999, 1_000_000_000)));
        // the double nearest to 0.6 is below 6/10; as a double, 0.6 * 5 > 3 would go wrong
        // elsewhere
        assert!(
            Threshold::from_f64(0.1)
                .expect("a threshold")
                .reached_by(Ratio::new(1, 10))
        );
    }

    #[test]
    fn hundredths_are_decimals() {
        for (hundredths, same) in [(0, 0.0), (25, 0.25), (50, 0.5), (100, 1.0), (255, 1.0)] {
            let (threshold, same) = (
                Threshold::hundredths(hundredths),
                Threshold::from_f64(same).unwrap(),
            );
            assert_eq!(threshold.to_f64(), same.to_f64());
            assert!(threshold.reached_by(same.0) && same.reached_by(threshold.0));
        }
    }

    #[test]
    fn outside_is_refused() {
        for value in [-0.1, 1.000_000_1, f64::NAN, f64::INFINITY] {
            assert!(Threshold::from_f64(value).is_err(), "{value}");
        }
        assert!(Threshold::from_f64(1.0).is_ok() && Threshold::from_f64(0.0).is_ok());
    }

    proptest! {
        #[test]
        fn order_agrees_with_cross_multiplication(a in 0u64..1000, b in 1u64..1000, c in 0u64..1000, d in 1u64..1000) {
            prop_assert_eq!(Ratio::new(a, b).cmp(&Ratio::new(c, d)), (a * d).cmp(&(c * b)));
        }
    }
}
