//! Tests for divisibility without a division.

/// A divisor, prepared for the test of Hacker's Delight (2nd edition, 10-17).
///
/// For odd d, n is a multiple exactly when n · d⁻¹ mod 2^64 ≤ (2^64 − 1) / d. A power of two in d
/// is rotated out on the way.
#[derive(Clone, Copy)]
pub(crate) struct Divisor {
    /// The inverse of the odd part, modulo 2^64.
    pub(crate) inverse: u64,
    /// The power of two in the divisor.
    pub(crate) shift: u32,
    pub(crate) largest: u64,
}

impl Divisor {
    /// A modulus of 0 is taken as 1.
    pub(crate) fn new(modulus: u32) -> Divisor {
        let modulus = u64::from(modulus.max(1));
        let shift = modulus.trailing_zeros();
        let odd = modulus >> shift;
        // Newton's iteration: d is its own inverse to 3 bits, each step doubles the bits
        let mut inverse = odd;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        Divisor {
            inverse,
            shift,
            largest: u64::MAX / modulus,
        }
    }

    /// Whether the value is a multiple.
    #[inline(always)]
    pub(crate) fn divides(self, value: u64) -> bool {
        value.wrapping_mul(self.inverse).rotate_right(self.shift) <= self.largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn divisibility_is_a_zero_remainder(value: u64, modulus in 1u32.., factor: u32) {
            let divisor = Divisor::new(modulus);
            prop_assert_eq!(divisor.divides(value), value % u64::from(modulus) == 0);
            prop_assert!(divisor.divides(u64::from(modulus) * u64::from(factor)));
            prop_assert!(modulus == 1 || !divisor.divides(u64::from(modulus) * u64::from(factor) + 1));
        }
    }
}
