//! Which fingerprints are kept: a fixed modulus, or the smallest power of two that leaves few enough.
//!
//! Both from Broder, *On the resemblance and containment of documents* (1997), MOD_m and V_i. The adaptive level of a
//! document is the smallest i ≤ coarsest with at most `target` distinct multiples of 2^i. It is found in one pass: the
//! level only rises, and it rises only when more than `target` distinct candidates were seen at the present one, which
//! all the candidates together then exceed too. So raising early never overshoots.
//!
//! Memory: candidates wait in one list that is sorted and freed of repeats whenever it is full, so a page that repeats one
//! sampled shingle a million times costs nothing. The list is twice as long as its distinct content, at least
//! [`LIST_LENGTH_MIN`] (adaptive: 4 · target + 64).

use model::Sampling;

/// Candidates that are always collected before repeats are taken out.
pub(crate) const LIST_LENGTH_MIN: usize = 4096;

/// The sample of one document, in the making and ready. Reused from document to document.
pub(crate) struct Sampler {
    rule: Sampling,
    divisor: Divisor,
    level: u8,
    kept: Vec<u64>,
    /// Length at which repeats are taken out next.
    full: usize,
}

impl Sampler {
    pub(crate) fn new(rule: Sampling) -> Sampler {
        let mut sampler = Sampler { rule, divisor: Divisor::new(1), level: 0, kept: Vec::new(), full: 0 };
        sampler.clear();
        sampler
    }

    /// Makes ready for the next document.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.kept.shrink_to(2 * least_full(self.rule));
        self.full = least_full(self.rule);
        self.set_level(0);
    }

    /// Takes the fingerprint if the present level keeps it.
    #[inline]
    pub(crate) fn offer(&mut self, fingerprint: u64) {
        if self.divisor.divides(fingerprint) {
            self.kept.push(fingerprint);
            if self.kept.len() >= self.full {
                self.condense();
            }
        }
    }

    /// Level and sorted, distinct fingerprints of everything offered since [`Sampler::clear`].
    pub(crate) fn finish(&mut self) -> (u8, &[u64]) {
        self.condense();
        (self.level, &self.kept)
    }

    /// Fingerprints there is room for.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.kept.capacity()
    }

    fn condense(&mut self) {
        self.kept.sort_unstable();
        self.kept.dedup();
        if let Sampling::Adaptive { target, coarsest_log2 } = self.rule {
            while self.kept.len() as u64 > u64::from(target) && self.level < coarsest_log2.min(63) {
                self.set_level(self.level + 1);
                let divisor = self.divisor;
                self.kept.retain(|&fingerprint| divisor.divides(fingerprint));
            }
        }
        self.full = (2 * self.kept.len()).max(least_full(self.rule));
        // exact: a list of half a document's tokens must not double by itself
        self.kept.reserve_exact(self.full - self.kept.len());
    }

    fn set_level(&mut self, level: u8) {
        self.level = level;
        self.divisor = Divisor::new(self.rule.modulus_at(usize::from(level)));
    }
}

/// List length at which repeats are first taken out.
pub(crate) fn least_full(rule: Sampling) -> usize {
    match rule {
        Sampling::Modulus { .. } => LIST_LENGTH_MIN,
        Sampling::Adaptive { target, .. } => (target as usize).saturating_mul(4).saturating_add(64),
    }
}

/// Test for divisibility without a division (Hacker's Delight, 2nd edition, 10-17): for odd d, n is a multiple exactly
/// when n · d⁻¹ mod 2^64 ≤ (2^64 − 1) / d; a power of two in d is rotated out on the way.
#[derive(Clone, Copy)]
struct Divisor {
    inverse: u64,
    shift: u32,
    largest: u64,
}

impl Divisor {
    /// A modulus of 0 is taken as 1.
    fn new(modulus: u32) -> Divisor {
        let modulus = u64::from(modulus.max(1));
        let shift = modulus.trailing_zeros();
        let odd = modulus >> shift;
        // Newton's iteration: d is its own inverse to 3 bits, each step doubles the bits
        let mut inverse = odd;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        Divisor { inverse, shift, largest: u64::MAX / modulus }
    }

    #[inline]
    fn divides(self, value: u64) -> bool {
        value.wrapping_mul(self.inverse).rotate_right(self.shift) <= self.largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The definition, by counting.
    fn directly(rule: Sampling, offered: &[u64]) -> (u8, Vec<u64>) {
        let distinct: BTreeSet<u64> = offered.iter().copied().collect();
        let multiples = |modulus: u64| distinct.iter().copied().filter(|f| f % modulus == 0).collect::<Vec<_>>();
        match rule {
            Sampling::Modulus { modulus } => (0, multiples(u64::from(modulus))),
            Sampling::Adaptive { target, coarsest_log2 } => {
                let fits = |level: &u8| multiples(1 << level).len() <= target as usize;
                let level = (0..=coarsest_log2).find(fits).unwrap_or(coarsest_log2);
                (level, multiples(1 << level))
            }
        }
    }

    fn rules() -> impl Strategy<Value = Sampling> {
        prop_oneof![
            (1u32..200).prop_map(|modulus| Sampling::Modulus { modulus }),
            (1u32..40, 0u8..8).prop_map(|(target, coarsest_log2)| Sampling::Adaptive { target, coarsest_log2 }),
        ]
    }

    proptest! {
        #[test]
        fn sample_is_the_definition(rule in rules(), offered in prop::collection::vec(0u64..3000, 0..1500)) {
            let mut sampler = Sampler::new(rule);
            for _ in 0..2 {
                // twice: nothing of the first document may stay
                sampler.clear();
                offered.iter().for_each(|&f| sampler.offer(f));
                let (level, kept) = sampler.finish();
                prop_assert_eq!((level, kept.to_vec()), directly(rule, &offered));
            }
        }

        #[test]
        fn divisibility_is_a_zero_remainder(value: u64, modulus in 1u32.., factor: u32) {
            let divisor = Divisor::new(modulus);
            prop_assert_eq!(divisor.divides(value), value % u64::from(modulus) == 0);
            prop_assert!(divisor.divides(u64::from(modulus) * u64::from(factor)));
            prop_assert!(modulus == 1 || !divisor.divides(u64::from(modulus) * u64::from(factor) + 1));
        }
    }

    #[test]
    fn repeats_do_not_pile_up() {
        let mut sampler = Sampler::new(Sampling::Modulus { modulus: 1 });
        for n in 0..3_000_000_u64 {
            sampler.offer(n % 10);
        }
        assert!(sampler.kept.capacity() <= 2 * LIST_LENGTH_MIN, "{}", sampler.kept.capacity());
        assert_eq!(sampler.finish().1.len(), 10);
    }
}
