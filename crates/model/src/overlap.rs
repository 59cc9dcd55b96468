//! From shared and sampled counts to resemblance and containment.

use crate::{Interval, Ratio};

/// The shingles that the sketches of two documents A and B share, at modulus `modulus`.
///
/// Of samples at a modulus, made from the pair count and the two sketch sizes, common shingles left
/// out. Of sketches of a fixed size, see [`crate::Sampling::compare_fixed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// |V(A) ∩ V(B)|.
    pub shared: u32,
    /// |V(A)|.
    pub size_a: u32,
    /// |V(B)|.
    pub size_b: u32,
    /// The modulus at which all three were counted.
    pub modulus: u32,
}

/// A ratio with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate, exact.
    pub ratio: Ratio,
    /// Where the true value lies with 95 % confidence.
    pub interval: Interval,
}

impl Overlap {
    /// The same, of b and a.
    pub fn reversed(self) -> Overlap {
        Overlap {
            size_a: self.size_b,
            size_b: self.size_a,
            ..self
        }
    }

    /// Estimate of the resemblance, |A ∩ B| / |A ∪ B|: n / (a + b − n).
    pub fn resemblance(&self) -> Estimate {
        self.estimate(self.shared_of_union())
    }

    /// n / (a + b − n) without its interval.
    #[inline]
    pub fn shared_of_union(&self) -> Ratio {
        let union = u64::from(self.size_a) + u64::from(self.size_b)
            - u64::from(self.shared.min(self.size_a));
        Ratio::new(u64::from(self.shared), union)
    }

    /// n / a or n / b, whichever size is given, without its interval.
    #[inline]
    pub fn share_of(&self, size: u32) -> Ratio {
        Ratio::new(u64::from(self.shared), u64::from(size))
    }

    /// Estimate of the containment of A in B, |A ∩ B| / |A|: n / a.
    pub fn containment_a_in_b(&self) -> Estimate {
        self.estimate(self.share_of(self.size_a))
    }

    /// Estimate of the containment of B in A: n / b.
    pub fn containment_b_in_a(&self) -> Estimate {
        self.estimate(self.share_of(self.size_b))
    }

    fn estimate(&self, ratio: Ratio) -> Estimate {
        Estimate {
            ratio,
            interval: Interval::wilson(ratio.numerator, ratio.denominator, self.modulus),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containment_is_not_symmetric() {
        let overlap = Overlap {
            shared: 10,
            size_a: 10,
            size_b: 40,
            modulus: 1,
        };
        assert_eq!(overlap.resemblance().ratio, Ratio::new(1, 4));
        assert_eq!(overlap.containment_a_in_b().ratio, Ratio::new(1, 1));
        assert_eq!(overlap.containment_b_in_a().ratio, Ratio::new(1, 4));
    }

    #[test]
    fn a_document_resembles_itself_fully() {
        let overlap = Overlap {
            shared: 7,
            size_a: 7,
            size_b: 7,
            modulus: 25,
        };
        assert_eq!(overlap.resemblance().ratio, Ratio::new(1, 1));
        assert!(overlap.resemblance().interval.contains(1.0));
    }
}
