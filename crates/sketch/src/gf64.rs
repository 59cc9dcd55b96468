//! Arithmetic in GF(2^64), the field every fingerprint is computed in.
//!
//! Elements are polynomials over GF(2) of degree below 64, bit `i` of a `u64` being the coefficient
//! of t^i, modulo t^64 + t^4 + t^3 + t + 1. Addition is XOR. Multiplication by a constant is linear
//! over GF(2), so it splits into one table of 256 products for each byte of the other factor: eight
//! loads and XORs, no branch, the same on every machine. (The same trick as the byte tables of A.
//! Broder, *Some applications of Rabin's fingerprinting method*, 1993.)
//!
//! Memory: 16 KiB for each constant.

/// t^64 reduced: t^4 + t^3 + t + 1.
const REDUCTION: u64 = 0x1B;

/// `a`·t in the field.
fn times_t(a: u64) -> u64 {
    let carry = a >> 63;
    (a << 1) ^ (carry * REDUCTION)
}

/// The product, one bit at a time: the definition. Slow; for constants and tests.
pub(crate) fn product(a: u64, b: u64) -> u64 {
    let mut shifted = a;
    let mut sum = 0;
    for bit in 0..64 {
        if b >> bit & 1 == 1 {
            sum ^= shifted;
        }
        shifted = times_t(shifted);
    }
    sum
}

/// `base` to the power `exponent`, by squaring.
pub(crate) fn power(base: u64, exponent: u32) -> u64 {
    let (mut result, mut square, mut rest) = (1, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = product(result, square);
        }
        square = product(square, square);
        rest >>= 1;
    }
    result
}

pub(crate) struct Multiplier {
    /// `tables[i][b]` is the constant times the element whose byte `i` is `b`, all others 0.
    tables: Box<[[u64; 256]; 8]>,
}

impl Multiplier {
    /// Bytes one multiplier holds.
    pub(crate) const MEMORY_BYTES: u64 = 8 * 256 * 8;

    /// Tables for `constant`.
    pub(crate) fn new(constant: u64) -> Multiplier {
        let mut tables = Box::new([[0; 256]; 8]);
        let mut shifted = constant;
        for table in tables.iter_mut() {
            for bit in 0..8 {
                let first = 1_usize << bit;
                for low in 0..first {
                    table[first | low] = table[low] ^ shifted;
                }
                shifted = times_t(shifted);
            }
        }
        Multiplier { tables }
    }

    /// `a` times the constant.
    #[inline]
    pub(crate) fn times(&self, a: u64) -> u64 {
        let b = a.to_le_bytes();
        let t = &self.tables;
        t[0][usize::from(b[0])]
            ^ t[1][usize::from(b[1])]
            ^ t[2][usize::from(b[2])]
            ^ t[3][usize::from(b[3])]
            ^ t[4][usize::from(b[4])]
            ^ t[5][usize::from(b[5])]
            ^ t[6][usize::from(b[6])]
            ^ t[7][usize::from(b[7])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_products() {
        assert_eq!(product(2, 1 << 63), 0x1B);
        assert_eq!(product(3, 3), 5);
        assert_eq!(product(1 << 63, 1 << 63), 0xC000_0000_0000_005A);
        assert_eq!(power(2, 64), 0x1B);
        assert_eq!(power(7, 0), 1);
        assert_eq!(power(7, 3), product(product(7, 7), 7));
    }

    #[test]
    fn every_element_returns_after_its_order() {
        // a^(2^64 − 1) = 1 for a ≠ 0, so a^(2^64) = a: 64 squarings. True only if the reduction is
        // right.
        for a in [2, 3, 0x1234_5678_9ABC_DEF0, u64::MAX] {
            assert_eq!((0..64).fold(a, |square, _| product(square, square)), a);
        }
    }

    proptest! {
        #[test]
        fn tables_give_the_schoolbook_product(constant: u64, a: u64) {
            prop_assert_eq!(Multiplier::new(constant).times(a), product(constant, a));
        }

        #[test]
        fn the_product_is_that_of_a_commutative_ring(a: u64, b: u64, c: u64) {
            prop_assert_eq!(product(a, b), product(b, a));
            prop_assert_eq!(product(a, b ^ c), product(a, b) ^ product(a, c));
            prop_assert_eq!(product(a, product(b, c)), product(product(a, b), c));
        }
    }
}
