//! Rabin's fingerprint: the residue of a string, read as a polynomial over the field of two
//! elements, modulo a random irreducible polynomial.
//!
//! *Input.* Bytes. *Output.* As many bits as the polynomial has degrees, 8 to 64. *Algorithm.*
//! Rabin, *Fingerprinting by random polynomials* (1981); Broder, *On the resemblance and
//! containment of documents* (1997), sections 4.1 and 4.3. A string is followed by as many null
//! bits as the fingerprint has, so that its last byte reaches all of them. Two strings that are
//! chosen without the polynomial collide with probability at most max(|s1|, |s2|) / 2^(l−1), where
//! l is the degree and |s| a length in bits. *Memory.* A table of 2 KiB; another for a sliding
//! window.

/// A fingerprint function.
pub struct Rabin {
    /// The degree of the polynomial.
    bits: u32,
    /// The polynomial without its leading term.
    rest: u64,
    /// byte · t^bits mod P.
    push: [u64; 256],
}

impl Rabin {
    /// The function of a random polynomial of this degree, 8 to 64.
    pub fn new(bits: u32, mut random: impl FnMut() -> u64) -> Rabin {
        let rest = loop {
            let candidate = (random() & mask(bits)) | 1;
            if is_irreducible(candidate, bits) {
                break candidate;
            }
        };
        let push = std::array::from_fn(|byte| times_power(byte as u64, bits, rest, bits));
        Rabin { bits, rest, push }
    }

    /// The residue of a string with one more byte.
    #[inline]
    fn append(&self, residue: u64, byte: u8) -> u64 {
        let top = (residue >> (self.bits - 8)) as usize & 255;
        ((residue << 8) & mask(self.bits)) ^ u64::from(byte) ^ self.push[top]
    }

    /// The fingerprint of a residue: null bytes are appended.
    fn finished(&self, residue: u64) -> u64 {
        (0..self.bits / 8).fold(residue, |residue, _| self.append(residue, 0))
    }

    /// The fingerprint of a string.
    pub fn of(&self, bytes: &[u8]) -> u64 {
        let residue = bytes
            .iter()
            .fold(0, |residue, &byte| self.append(residue, byte));
        self.finished(residue)
    }

    /// The fingerprints of all windows of `width` bytes that begin at multiples of `step`: a byte
    /// enters and a byte leaves.
    pub fn windows(&self, bytes: &[u8], width: usize, step: usize) -> Vec<u64> {
        // byte · t^(8 width) mod P, to take the leaving byte away
        let leave: [u64; 256] = std::array::from_fn(|byte| {
            times_power(byte as u64, 8 * width as u32, self.rest, self.bits)
        });
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

/// All bits below the degree.
fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// f · t^power mod P, for P = t^bits + rest.
fn times_power(f: u64, power: u32, rest: u64, bits: u32) -> u64 {
    (0..power).fold(f, |f, _| {
        let carry = f >> (bits - 1) & 1;
        ((f << 1) & mask(bits)) ^ (carry * rest)
    })
}

/// f² mod P: the bits of f at even places.
fn squared(f: u64, rest: u64, bits: u32) -> u64 {
    let mut square = 0;
    for bit in (0..bits).rev() {
        square = times_power(square, 2, rest, bits);
        square ^= f >> bit & 1;
    }
    square
}

/// The greatest common divisor of two polynomials.
fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        while a != 0 && a.ilog2() >= b.ilog2() {
            a ^= b << (a.ilog2() - b.ilog2());
        }
        (a, b) = (b, a);
    }
    a
}

/// Whether t^bits + rest has no factor (Ben-Or): no polynomial of up to half its degree divides it,
/// because t^(2^i) − t is the product of those of the degrees that divide i.
fn is_irreducible(rest: u64, bits: u32) -> bool {
    let polynomial = 1_u128 << bits | u128::from(rest);
    let mut power = 2;
    (1..=bits / 2).all(|_| {
        power = squared(power, rest, bits);
        common_divisor(polynomial, u128::from(power ^ 2)) == 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::mix;
    use proptest::prelude::*;

    /// The remainder by long division, bit by bit.
    fn remainder(bytes: &[u8], polynomial: u128, degree: u32) -> u128 {
        let mut rest = 0;
        for byte in bytes.iter().chain(&vec![0; degree as usize / 8]) {
            for bit in (0..8).rev() {
                rest = rest << 1 | u128::from(byte >> bit & 1);
                if rest >> degree & 1 == 1 {
                    rest ^= polynomial;
                }
            }
        }
        rest
    }

    fn rabin(bits: u32, seed: u64) -> Rabin {
        let mut number = 100 * seed;
        Rabin::new(bits, || {
            number += 1;
            mix(number)
        })
    }

    #[test]
    fn products_are_not_irreducible() {
        let product = |a: u128, b: u128| {
            (0..64)
                .filter(|bit| b >> bit & 1 == 1)
                .fold(0, |sum, bit| sum ^ a << bit)
        };
        // t^40 + t^5 + t^4 + t^3 + 1 and t^64 + t^4 + t^3 + t + 1 are irreducible.
        assert!(is_irreducible(0b11_1001, 40));
        assert!(is_irreducible(0x1B, 64));
        for (a, b) in [
            (0b111, 1 << 38 | 0b101),
            (1 << 20 | 0b1001, 1 << 20 | 0b11),
            (1 << 31 | 0b1001, 1 << 33 | 0b10_0000_0000_0011),
        ] {
            let product: u128 = product(a, b);
            let bits = product.ilog2();
            assert!(!is_irreducible(product as u64 & mask(bits), bits));
        }
    }

    proptest! {
        #[test]
        fn a_window_that_slides_has_the_fingerprint_of_its_bytes(
            text in prop::collection::vec(any::<u8>(), 0..80), width in 1_usize..12, seed in 0_u64..4,
            bits in prop_oneof![Just(32), Just(40), Just(64)],
        ) {
            let rabin = rabin(bits, seed);
            let scratch: Vec<u64> = text.windows(width).map(|window| rabin.of(window)).collect();
            prop_assert_eq!(rabin.windows(&text, width, 1), scratch);
            let polynomial = 1 << bits | u128::from(rabin.rest);
            prop_assert_eq!(u128::from(rabin.of(&text)), remainder(&text, polynomial, bits));
        }
    }

    /// The bound of the paper: max(|s1|, |s2|) / 2^(l−1), here for two strings of 256 bits with
    /// many common residues, and polynomials of 16 bits.
    #[test]
    fn strings_collide_as_seldom_as_the_paper_says() {
        let (a, b) = ([7_u8; 32], [9_u8; 32]);
        let collisions = (0..2000_u64)
            .filter(|seed| {
                let rabin = rabin(16, seed + 1);
                rabin.of(&a) == rabin.of(&b)
            })
            .count();
        assert!(
            collisions as f64 <= 2000.0 * 256.0 / f64::from(1 << 15),
            "{collisions}"
        );
    }
}
