//! From shared and sampled counts to resemblance and containment.

use crate::{Interval, Ratio, record, word_record};

/// The shingles that the sketches of two documents A and B share, at modulus `modulus`.
///
/// Of samples at a modulus, made from the pair count and the two sketch sizes, common shingles left
/// out. Of sketches of a fixed size, see [`crate::Sampling::compare_fixed`]. Ordered by its fields,
/// for the sorts of records that have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Overlap {
    /// |V(A) ∩ V(B)|.
    pub shared: u32,
    /// |V(A)|.
    pub size_a: u32,
    /// |V(B)|.
    pub size_b: u32,
    /// The modulus at which all three were counted; [`Overlap::SMALLEST`] or
    /// [`Overlap::MIN_HASHES`] if there is none.
    pub modulus: u32,
}

record! { Overlap { shared, size_a, size_b, modulus } }
word_record! { Overlap { shared, size_a, size_b, modulus } }

/// A ratio with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate, exact.
    pub ratio: Ratio,
    /// Where the true value lies with 95 % confidence.
    pub interval: Interval,
}

impl Estimate {
    /// The ratio, the lower end of its interval and the upper one.
    pub fn with_ends(&self) -> [f64; 3] {
        [self.ratio.to_f64(), self.interval.low, self.interval.high]
    }
}

impl Overlap {
    /// In place of a modulus: the counts are those of the smallest shingles of the union.
    pub const SMALLEST: u32 = u32::MAX - 1;

    /// In place of a modulus: `shared` counts equal min-hashes. The sizes are made up, as if the
    /// documents were of equal length, so that the union is the number of min-hashes of a sketch.
    pub const MIN_HASHES: u32 = u32::MAX;

    /// The sizes of A and B; `None` if the counts are those of min-hashes.
    pub fn sizes(&self) -> Option<[u32; 2]> {
        (self.modulus != Overlap::MIN_HASHES).then_some([self.size_a, self.size_b])
    }

    /// The overlap with A and B exchanged.
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

    /// Estimate of the containment of A in B, |A ∩ B| / |A|: n / a. `None` if the counts are those
    /// of min-hashes, which do not say how long a document is.
    pub fn containment_a_in_b(&self) -> Option<Estimate> {
        let [size, _] = self.sizes()?;
        Some(self.estimate(self.share_of(size)))
    }

    /// Estimate of the containment of B in A: n / b. `None` as in
    /// [`Overlap::containment_a_in_b`].
    pub fn containment_b_in_a(&self) -> Option<Estimate> {
        self.reversed().containment_a_in_b()
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
        let ratio = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.ratio);
        assert_eq!(ratio(overlap.containment_a_in_b()), Some(Ratio::new(1, 1)));
        assert_eq!(ratio(overlap.containment_b_in_a()), Some(Ratio::new(1, 4)));
        let of_min_hashes = Overlap {
            modulus: Overlap::MIN_HASHES,
            ..overlap
        };
        assert_eq!(of_min_hashes.containment_a_in_b(), None);
        assert_eq!(of_min_hashes.containment_b_in_a(), None);
        assert_eq!(of_min_hashes.resemblance().ratio, Ratio::new(1, 4));
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
