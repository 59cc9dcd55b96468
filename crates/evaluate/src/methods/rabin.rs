//! Rabin's fingerprint: the residue of a string, read as a polynomial over the field of two
//! elements, modulo a random irreducible polynomial.
//!
//! *Input.* Bytes. *Output.* 40 bits. *Algorithm.* Rabin, *Fingerprinting by random polynomials*
//! (1981); Broder 1997, "Choosing a random permutation and a sample" and "Computing the
//! fingerprints". A string is followed by five null bytes, so that its last byte reaches all bits.
//! *Memory.* A table of 2 KiB; another for a sliding window.

use crate::random::Random;

/// Bits of a fingerprint: the degree of the polynomial.
pub(crate) const BITS: u32 = 40;

const MASK: u64 = (1 << BITS) - 1;

/// A fingerprint function.
pub(crate) struct Rabin {
    /// The polynomial with its leading term.
    polynomial: u64,
    /// byte · t^40 mod P.
    push: [u64; 256],
}

impl Rabin {
    /// The function of the `number`th random polynomial of a seed.
    pub(crate) fn new(seed: u64, number: u64) -> Rabin {
        let mut random = Random::new(seed, number);
        let polynomial = loop {
            let candidate = (1 << BITS) | (random.bits() & MASK) | 1;
            if is_irreducible(candidate) {
                break candidate;
            }
        };
        let push = std::array::from_fn(|byte| times_power(byte as u64, BITS, polynomial));
        Rabin { polynomial, push }
    }

    /// The residue of a string with one more byte.
    fn append(&self, residue: u64, byte: u8) -> u64 {
        let top = (residue >> (BITS - 8)) as usize & 255;
        ((residue << 8) & MASK) ^ u64::from(byte) ^ self.push[top]
    }

    /// The fingerprint of a residue: five null bytes are appended.
    fn finished(&self, residue: u64) -> u64 {
        (0..BITS / 8).fold(residue, |residue, _| self.append(residue, 0))
    }

    /// The fingerprint of a string.
    pub(crate) fn of(&self, bytes: &[u8]) -> u64 {
        let residue = bytes
            .iter()
            .fold(0, |residue, &byte| self.append(residue, byte));
        self.finished(residue)
    }

    /// The fingerprints of all windows of `width` bytes that begin at multiples of `step`: a byte
    /// enters and a byte leaves.
    pub(crate) fn windows(&self, bytes: &[u8], width: usize, step: usize) -> Vec<u64> {
        // byte · t^(8 width) mod P, to take the leaving byte away
        let leave: [u64; 256] =
            std::array::from_fn(|byte| times_power(byte as u64, 8 * width as u32, self.polynomial));
        let mut residue = 0;
        let mut found = Vec::with_capacity(bytes.len() / step.max(1));
        for (at, &byte) in bytes.iter().enumerate() {
            residue = self.append(residue, byte);
            if let Some(&leaving) = at.checked_sub(width).and_then(|at| bytes.get(at)) {
                residue ^= leave[usize::from(leaving)];
            }
            if at + 1 >= width && (at + 1 - width).is_multiple_of(step.max(1)) {
                found.push(self.finished(residue));
            }
        }
        found
    }
}

/// f · t^power mod P.
fn times_power(f: u64, power: u32, polynomial: u64) -> u64 {
    (0..power).fold(f, |f, _| {
        let next = f << 1;
        if next >> BITS & 1 == 1 {
            next ^ polynomial
        } else {
            next
        }
    })
}

/// f² mod P: the bits of f at even places.
fn squared(f: u64, polynomial: u64) -> u64 {
    let mut square = 0;
    for bit in (0..BITS).rev() {
        square = times_power(square, 2, polynomial);
        square ^= f >> bit & 1;
    }
    square
}

/// The greatest common divisor of two polynomials.
fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        while a != 0 && a.ilog2() >= b.ilog2() {
            a ^= b << (a.ilog2() - b.ilog2());
        }
        (a, b) = (b, a);
    }
    a
}

/// Whether a polynomial of degree 40 has no factor (Ben-Or): no polynomial of degree up to 20
/// divides it, because t^(2^i) − t is the product of those of the degrees that divide i.
fn is_irreducible(polynomial: u64) -> bool {
    let mut power = 2;
    (1..=BITS / 2).all(|_| {
        power = squared(power, polynomial);
        common_divisor(polynomial, power ^ 2) == 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The remainder by long division, bit by bit.
    fn remainder(bytes: &[u8], polynomial: u64) -> u64 {
        let mut rest = 0_u64;
        for byte in bytes.iter().chain(&[0; 5]) {
            for bit in (0..8).rev() {
                rest = rest << 1 | u64::from(byte >> bit & 1);
                if rest >> BITS & 1 == 1 {
                    rest ^= polynomial;
                }
            }
        }
        rest
    }

    #[test]
    fn products_are_not_irreducible() {
        let product = |a: u64, b: u64| {
            (0..41)
                .filter(|bit| b >> bit & 1 == 1)
                .fold(0, |sum, bit| sum ^ a << bit)
        };
        // t^40 + t^5 + t^4 + t^3 + 1 is irreducible; both others have a factor.
        assert!(is_irreducible(1 << 40 | 0b11_1001));
        assert!(!is_irreducible(product(0b111, 1 << 38 | 0b101)));
        let (a, b) = (1 << 20 | 0b1001, 1 << 20 | 0b11);
        assert!(!is_irreducible(product(a, b)));
    }

    proptest! {
        #[test]
        fn a_window_that_slides_has_the_fingerprint_of_its_bytes(
            text in prop::collection::vec(any::<u8>(), 0..80), width in 1_usize..12, number in 0_u64..4,
        ) {
            let rabin = Rabin::new(9, number);
            let scratch: Vec<u64> = text.windows(width).map(|window| rabin.of(window)).collect();
            prop_assert_eq!(rabin.windows(&text, width, 1), scratch);
            prop_assert_eq!(rabin.of(&text), remainder(&text, rabin.polynomial));
        }
    }
}
