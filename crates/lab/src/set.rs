//! Sets of shingles, and what two of them share.
//!
//! A set is a sorted list of different fingerprints of 64 bits. *Algorithm.* The two iterators of
//! Bergillos, Rambla and Cabeza, section 2: linear in both sets.

use crate::random::mix;
pub(crate) use model::shared;
use twox_hash::XxHash3_64;

/// The seed of the fingerprints of shingles.
const SEED: u64 = 1997;

/// Sorts a list of fingerprints and drops repetitions.
pub(crate) fn set_of(fingerprints: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut set: Vec<u64> = fingerprints.into_iter().collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// The k-shingles of a sequence of tokens, with repetitions, in the order of the text. A sequence
/// shorter than k has none.
pub(crate) fn shingles<T: AsRef<[u8]>>(tokens: &[T], k: usize) -> Vec<u64> {
    let mut bytes = Vec::new();
    let print = |window: &[T]| {
        bytes.clear();
        for token in window {
            bytes.extend_from_slice(token.as_ref());
            bytes.push(0);
        }
        XxHash3_64::oneshot_with_seed(SEED, &bytes)
    };
    tokens.windows(k.max(1)).map(print).collect()
}

/// The k-shingles of the characters of an ASCII text, with repetitions.
pub(crate) fn character_shingles(text: &str, k: usize) -> Vec<u64> {
    let windows = text.as_bytes().windows(k.max(1));
    windows
        .map(|window| XxHash3_64::oneshot_with_seed(SEED, window))
        .collect()
}

/// The labelled shingles of option A: the nth occurrence of a shingle becomes an element of its
/// own.
pub(crate) fn labelled(shingles: &[u64]) -> Vec<u64> {
    let mut sorted = shingles.to_vec();
    sorted.sort_unstable();
    let same = sorted.chunk_by(|a, b| a == b);
    let label = |(n, shingle): (usize, &u64)| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&shingle.to_le_bytes());
        bytes[8..].copy_from_slice(&(n as u64).to_le_bytes());
        XxHash3_64::oneshot_with_seed(SEED, &bytes)
    };
    same.flat_map(|same| same.iter().enumerate().map(label))
        .collect()
}

/// |A ∩ B| / |A ∪ B|; 0 for two empty sets.
pub(crate) fn resemblance(a: &[u64], b: &[u64]) -> f64 {
    let shared = shared(a, b);
    ratio(shared, a.len() + b.len() - shared)
}

/// |A ∩ B| / |A|: how much of A is in B; 0 for an empty A.
pub(crate) fn containment(a: &[u64], b: &[u64]) -> f64 {
    ratio(shared(a, b), a.len())
}

/// A quotient; 0 if the divisor is 0.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Two sets of these sizes whose resemblance is as near `r` as whole numbers allow.
pub(crate) fn pair_of_sets(size_a: usize, size_b: usize, r: f64) -> (Vec<u64>, Vec<u64>) {
    let shared = ((size_a + size_b) as f64 * r / (1.0 + r)).round() as usize;
    let first = (size_a - shared.min(size_a)) as u64;
    let a = set_of((1..=size_a as u64).map(mix));
    let b = set_of((first + 1..=first + size_b as u64).map(mix));
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn words(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    /// Resemblance under option A and option B.
    fn both(a: &str, b: &str, k: usize) -> [f64; 2] {
        let [a, b] = [a, b].map(|text| shingles(&words(text), k));
        [
            resemblance(&set_of(labelled(&a)), &set_of(labelled(&b))),
            resemblance(&set_of(a), &set_of(b)),
        ]
    }

    /// Broder, *On the resemblance and containment of documents*: 70, 50, 30 % and 60, 50, 42.85 %.
    #[test]
    fn the_roses_resemble_each_other_as_in_the_paper() {
        let (a, b) = (
            "a rose is a rose is a rose",
            "a rose is a flower which is a rose",
        );
        for (size, labelled, set) in [(1, 0.7, 0.6), (2, 0.5, 0.5), (3, 0.3, 3.0 / 7.0)] {
            assert_eq!(both(a, b, size), [labelled, set], "size {size}");
        }
        let four = shingles(&words(a), 4);
        assert_eq!(
            (
                four.len(),
                set_of(labelled(&four)).len(),
                set_of(four).len()
            ),
            (5, 5, 3)
        );
    }

    /// The same paper: (a, c, a, b, a) resembles (a, b, a, c, a) 100 % for size 2; a permutation
    /// does so for size 1 under option A.
    #[test]
    fn permutations_that_resemble_each_other_fully() {
        assert_eq!(both("a c a b a", "a b a c a", 2), [1.0, 1.0]);
        assert_eq!(both("a c a b a", "a b a c a", 3)[0], 0.5);
        assert_eq!(both("a b b c", "b c a b", 1)[0], 1.0);
    }

    /// Bergillos, Rambla and Cabeza, section 2: 3/9.
    #[test]
    fn three_of_nine() {
        let (a, b) = ([0, 1, 2, 5, 6], [0, 2, 3, 4, 5, 7, 9]);
        assert_eq!(shared(&a, &b), 3);
        assert_eq!(resemblance(&a, &b), 3.0 / 9.0);
        assert_eq!(containment(&a, &b), 3.0 / 5.0);
    }

    #[test]
    fn a_contiguous_part_is_contained() {
        let whole: Vec<String> = (0..40).map(|n| format!("w{}", n % 17)).collect();
        let (part, whole) = (shingles(&whole[5..20], 3), shingles(&whole, 3));
        assert_eq!(containment(&set_of(part), &set_of(whole)), 1.0);
    }

    proptest! {
        #[test]
        fn two_iterators_count_as_sets_do(
            a in prop::collection::btree_set(0_u64..60, 0..40),
            b in prop::collection::btree_set(0_u64..60, 0..40),
            c in prop::collection::btree_set(0_u64..60, 0..40),
        ) {
            let list = |set: &BTreeSet<u64>| set.iter().copied().collect::<Vec<_>>();
            prop_assert_eq!(shared(&list(&a), &list(&b)), a.intersection(&b).count());
            // Broder 1997: 1 − r obeys the triangle inequality.
            let distance = |a: &_, b: &_| 1.0 - resemblance(&list(a), &list(b));
            if !a.is_empty() && !b.is_empty() && !c.is_empty() {
                prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c) + 1e-12);
            }
        }
    }
}
