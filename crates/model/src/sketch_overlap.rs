//! The overlap of two sketches.
//!
//! *Input.* Two sketches of one [`Sampling`]. *Output.* An [`Overlap`]. *Algorithm.* A merge of
//! both (Broder, *On the resemblance and containment of documents*, 1997, Theorem 1), or equal
//! min-hashes, place by place. *Memory.* None.

use crate::{Overlap, Sampling};

impl Sampling {
    /// The overlap of two sketches of a fixed size; `None` for samples at a modulus.
    ///
    /// `Min`: all counts are those of the `size` smallest elements of the union, so the resemblance
    /// is the estimate of the theorem of the paper. The modulus is that of the sample if both
    /// sketches and their union are whole; else it is [`Overlap::SMALLEST`].
    ///
    /// `MinHash`: of k min-hashes, n are equal. The union is k. The sizes are made up, as if the
    /// documents were of equal length ([`Overlap::MIN_HASHES`]).
    pub fn compare_fixed(&self, a: &[u64], b: &[u64]) -> Option<Overlap> {
        match *self {
            Sampling::Modulus { .. } | Sampling::Adaptive { .. } => None,
            Sampling::Min { size, modulus } => Some(compare_smallest(size, modulus, a, b)),
            Sampling::MinHash { permutations, .. } => {
                let equal = a.iter().zip(b).filter(|(a, b)| a == b).count() as u32;
                let only_one = permutations.saturating_sub(equal);
                Some(Overlap {
                    shared: equal,
                    size_a: equal + only_one.div_ceil(2),
                    size_b: equal + only_one / 2,
                    modulus: Overlap::MIN_HASHES,
                })
            }
        }
    }

    /// The overlap of two sketches, each given by its level and its elements.
    pub fn compare(&self, a: (usize, &[u64]), b: (usize, &[u64])) -> Overlap {
        self.compare_fixed(a.1, b.1).unwrap_or_else(|| {
            let level = a.0.max(b.0);
            let size = |elements: &[u64]| {
                let is_kept = |element: &&u64| self.coarsest_level_of(**element) >= level;
                elements.iter().filter(is_kept).count() as u32
            };
            // All elements of the coarser sketch are of its level, so those that both sketches
            // have are, too: only the sizes need the filter.
            Overlap {
                shared: shared(a.1, b.1) as u32,
                size_a: size(a.1),
                size_b: size(b.1),
                modulus: self.modulus_at(level),
            }
        })
    }
}

/// How many elements two ascending lists share.
pub fn shared(a: &[u64], b: &[u64]) -> usize {
    merge(a, b, usize::MAX)[2]
}

/// Merges two sketches of the `size` smallest up to the `size`-th element of their union.
fn compare_smallest(size: u32, modulus: u32, a: &[u64], b: &[u64]) -> Overlap {
    let most = size as usize;
    let [mut size_a, mut size_b, shared] = merge(a, b, most);
    let taken = size_a + size_b - shared;
    // The merge ended with the shorter sketch or with `most` elements. In the first case, the rest
    // of the union is from the other sketch.
    let rest = most - taken;
    let [rest_a, rest_b] = [a.len() - size_a, b.len() - size_b].map(|left| left.min(rest));
    size_a += rest_a;
    size_b += rest_b;
    let is_whole = a.len().max(b.len()) < most && taken + rest_a + rest_b < most;
    Overlap {
        shared: shared as u32,
        size_a: size_a as u32,
        size_b: size_b as u32,
        modulus: if is_whole { modulus } else { Overlap::SMALLEST },
    }
}

/// Merges two ascending lists until one is at its end or `most` different elements were met. Gives
/// how many of the first list were met, of the second, and of both. No branch depends on which
/// element is less: that is random, so the branch predictor would miss half of the time.
fn merge(a: &[u64], b: &[u64], most: usize) -> [usize; 3] {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j))
        && i + j - shared < most
    {
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        shared += usize::from(x == y);
    }
    [i, j, shared]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interval, PermutationFamily, Ratio};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn sets() -> impl Strategy<Value = [BTreeSet<u64>; 2]> {
        let set = || prop::collection::btree_set(0_u64..60, 0..30);
        [set(), set()]
    }

    fn listed(set: &BTreeSet<u64>) -> Vec<u64> {
        set.iter().copied().collect()
    }

    proptest! {
        /// By the definition: the `size` smallest of the union, and who has them.
        #[test]
        fn the_smallest_are_compared_by_the_definition(sets in sets(), size in 1_usize..40) {
            let kept = sets.each_ref().map(|set| set.iter().copied().take(size).collect());
            let [a, b]: &[BTreeSet<u64>; 2] = &kept;
            let union = a | b;
            let smallest: BTreeSet<u64> = union.iter().copied().take(size).collect();
            let count = |of: &BTreeSet<u64>| (of & &smallest).len() as u32;
            let is_whole = a.len() < size && b.len() < size && union.len() < size;
            let rule = Sampling::Min { size: size as u32, modulus: 3 };
            let expected = Overlap {
                shared: count(&(a & b)),
                size_a: count(a),
                size_b: count(b),
                modulus: if is_whole { 3 } else { Overlap::SMALLEST },
            };
            prop_assert_eq!(rule.compare((0, &listed(a)), (0, &listed(b))), expected);
        }

        /// By the definition: the multiples of the coarser modulus in each, and in both.
        #[test]
        fn samples_are_compared_at_the_coarser_level(sets in sets(), levels in [0_usize..4, 0..4]) {
            let rule = Sampling::Adaptive { target: 8, coarsest_log2: 5 };
            let at = |set: &BTreeSet<u64>, level: usize| -> BTreeSet<u64> {
                set.iter().copied().filter(|one| one.is_multiple_of(1 << level)).collect()
            };
            let level = levels[0].max(levels[1]);
            let [a, b] = sets.each_ref().map(|set| at(set, level));
            let expected = Overlap {
                shared: (&a & &b).len() as u32,
                size_a: a.len() as u32,
                size_b: b.len() as u32,
                modulus: 1 << level,
            };
            let sketches = [0, 1].map(|side| (levels[side], listed(&at(&sets[side], levels[side]))));
            let [a, b] = sketches.each_ref().map(|(level, sketch)| (*level, &sketch[..]));
            prop_assert_eq!(rule.compare(a, b), expected);
        }
    }

    #[test]
    fn the_smallest_of_the_union_give_the_estimate_of_the_paper() {
        let min = |size| Sampling::Min { size, modulus: 1 };
        let compare = |size, a: &[u64], b: &[u64]| {
            let counts = min(size).compare_fixed(a, b).unwrap();
            assert_eq!(counts.shared_of_union(), counts.resemblance().ratio);
            let sizes = (counts.size_a, counts.size_b);
            (counts.shared, sizes, counts.modulus)
        };
        // The four smallest of {1, 2, 3, 4, 5, 9} are 1, 2, 3 and 4, of which both have 2 and 4.
        assert_eq!(
            compare(4, &[1, 2, 4, 9], &[2, 3, 4, 5]),
            (2, (3, 3), Overlap::SMALLEST)
        );
        // Whole sketches and a whole union say the resemblance exactly.
        assert_eq!(compare(9, &[1, 2, 4], &[2, 3]), (1, (3, 2), 1));
        // A document of four shingles may have more.
        assert_eq!(
            compare(4, &[1, 2, 3, 4], &[2, 3]),
            (2, (4, 2), Overlap::SMALLEST)
        );
        assert_eq!(compare(4, &[], &[]), (0, (0, 0), 1));
    }

    /// Columns of a matrix with rows of the four types of Manning and others, C00 to C11: 1, 1, 1
    /// and 1 make a resemblance of 1 in 3.
    #[test]
    fn equal_min_hashes_are_shared_of_as_many_as_there_are() {
        let rule = Sampling::MinHash {
            permutations: 3,
            family: PermutationFamily::Keyed,
        };
        let slots = |values: [u64; 3]| [0, 1, 2].map(|slot| (slot as u64) << 56 | values[slot]);
        let counts = rule
            .compare_fixed(&slots([7, 8, 9]), &slots([7, 9, 8]))
            .unwrap();
        assert_eq!(counts.shared_of_union(), Ratio::new(1, 3));
        assert_eq!((counts.size_a, counts.size_b), (2, 2));
        let interval = counts.resemblance().interval;
        assert_eq!(interval, Interval::wilson(1, 3, u32::MAX));
        assert_eq!(rule.value_of(1 << 56 | 5), 5 << 8);
    }
}
