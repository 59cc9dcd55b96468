//! Samples of a set under a random permutation: MIN_s, MOD_m, V_i, and the smallest of the
//! multiples.
//!
//! *Input.* Permuted sets, sorted. *Output.* Samples, sorted; estimates as counts ([`Hits`]).
//! *Algorithm.* Broder, *On the resemblance and containment of documents* (1997), Theorem 1.

use crate::random::{Random, mix};
use crate::set::{ratio, set_of, shared};
use std::collections::{BinaryHeap, HashSet};

/// Shared values and compared values: their quotient is an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hits {
    pub(crate) hits: usize,
    pub(crate) of: usize,
}

impl Hits {
    pub(crate) fn ratio(self) -> f64 {
        ratio(self.hits, self.of)
    }
}

/// The stream of the keys of permutations.
const PERMUTATIONS: u64 = 7;

/// The images of a set under the permutation of 64 bits that a seed chooses, sorted.
pub(crate) fn permuted(set: &[u64], seed: u64) -> Vec<u64> {
    // The values may be mix(n): a key of mix(seed) would make n and the seed change places.
    let key = Random::new(seed, PERMUTATIONS).bits();
    set_of(set.iter().map(|&value| mix(mix(value ^ key))))
}

/// MIN_s: the s smallest values, or all.
pub(crate) fn smallest(permuted: &[u64], s: usize) -> &[u64] {
    &permuted[..s.min(permuted.len())]
}

/// MOD_m: the values that are 0 mod m.
pub(crate) fn multiples(permuted: &[u64], modulus: u64) -> Vec<u64> {
    let values = permuted.iter().copied();
    values
        .filter(|value| value.is_multiple_of(modulus.max(1)))
        .collect()
}

/// The i of V_i = MOD_2^i for a set of this size: from 100·2^i to 100·2^(i+1).
pub(crate) fn level(size: usize) -> u32 {
    (size / 100).max(1).ilog2()
}

/// Which values two samples have in common, of all values of both.
pub(crate) fn common(a: &[u64], b: &[u64]) -> Hits {
    let hits = shared(a, b);
    Hits {
        hits,
        of: a.len() + b.len() - hits,
    }
}

/// |MIN_s(M(A) ∪ M(B)) ∩ M(A) ∩ M(B)| of |MIN_s(M(A) ∪ M(B))|: a merge that stops after s values.
pub(crate) fn common_of_smallest(a: &[u64], b: &[u64], s: usize) -> Hits {
    let (mut at_a, mut at_b, mut hits, mut of) = (0, 0, 0, 0);
    while of < s {
        let (x, y) = (a.get(at_a), b.get(at_b));
        if x.is_none() && y.is_none() {
            break;
        }
        let take_a = y.is_none() || x.is_some_and(|x| Some(x) <= y);
        let take_b = x.is_none() || y.is_some_and(|y| Some(y) <= x);
        at_a += usize::from(take_a);
        at_b += usize::from(take_b);
        hits += usize::from(take_a && take_b);
        of += 1;
    }
    Hits { hits, of }
}

/// |L(A) ∩ L(B)| of |L(A)|: the containment of A in B.
pub(crate) fn contained(a: &[u64], b: &[u64]) -> Hits {
    Hits {
        hits: shared(a, b),
        of: a.len(),
    }
}

/// MIN_s of values as they come, by a heap with the largest at its root, and how often a value
/// entered it ("Choosing a random permutation and a sample").
pub(crate) fn smallest_by_heap(values: &[u64], s: usize) -> (Vec<u64>, usize) {
    let (mut heap, mut inside) = (BinaryHeap::new(), HashSet::new());
    let mut entered = 0;
    for &value in values {
        let is_below = heap.len() < s || heap.peek().is_some_and(|root| value < *root);
        if !is_below || !inside.insert(value) {
            continue;
        }
        entered += 1;
        heap.push(value);
        if heap.len() > s
            && let Some(root) = heap.pop()
        {
            inside.remove(&root);
        }
    }
    (heap.into_sorted_vec(), entered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_of_v_i_lie_between_100_and_200_on_average() {
        for (size, expected) in [
            (1, 0),
            (199, 0),
            (200, 1),
            (399, 1),
            (400, 2),
            (1000, 3),
            (102_400, 10),
        ] {
            assert_eq!(level(size), expected, "{size}");
            let kept = size as f64 / f64::from(1 << level(size));
            assert!(size < 100 || (100.0..200.0).contains(&kept), "{size}");
        }
    }

    #[test]
    fn the_next_level_follows_from_a_level() {
        let set = permuted(&(0..5000).collect::<Vec<u64>>(), 3);
        let coarser = multiples(&multiples(&set, 8), 16);
        assert_eq!(coarser, multiples(&set, 16));
        assert!((250..400).contains(&coarser.len()), "{}", coarser.len());
    }

    #[test]
    fn a_permutation_keeps_what_sets_share() {
        let (a, b): (Vec<u64>, Vec<u64>) = ((0..900).collect(), (300..1200).collect());
        let [a, b] = [a, b].map(|set| permuted(&set, 7));
        assert_eq!(
            common(&a, &b),
            Hits {
                hits: 600,
                of: 1200
            }
        );
        assert_eq!(
            common_of_smallest(&a, &b, usize::MAX),
            Hits {
                hits: 600,
                of: 1200
            }
        );
        assert_eq!(contained(&a, &b), Hits { hits: 600, of: 900 });
    }

    proptest! {
        #[test]
        fn the_merge_looks_at_the_smallest_of_the_union(
            a in prop::collection::btree_set(0_u64..90, 0..60),
            b in prop::collection::btree_set(0_u64..90, 0..60),
            s in 0_usize..70,
        ) {
            let union: Vec<u64> = a.union(&b).copied().collect();
            let (a, b): (Vec<u64>, Vec<u64>) = (a.into_iter().collect(), b.into_iter().collect());
            let (m, n) = (smallest(&a, s), smallest(&b, s));
            let least = smallest(&union, s);
            let expected = Hits { hits: shared(&set_of([m, n].concat()), least)
                .min(least.iter().filter(|v| m.contains(v) && n.contains(v)).count()), of: least.len() };
            prop_assert_eq!(common_of_smallest(m, n, s), expected);
        }

        #[test]
        fn the_heap_has_the_smallest(values in prop::collection::vec(0_u64..200, 0..150), s in 1_usize..40) {
            let (heap, entered) = smallest_by_heap(&values, s);
            let set = set_of(values);
            prop_assert_eq!(heap, smallest(&set, s));
            prop_assert!(entered >= s.min(set.len()));
        }
    }
}
