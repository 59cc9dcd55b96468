//! How many shingles two sets share.

use model::Ratio;
use sketch::{common_bits, intersection_size};

/// Shingles of a document, all or a sample of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShingleSet<'a> {
    /// The sampling level of the list: 0 if it holds all shingles.
    pub level: u8,
    /// Frequent shingles as bits; empty if they are in the list. Of two sets that are compared,
    /// both have them as bits, or none.
    pub frequent: &'a [u64],
    /// The shingles, or the others, sorted.
    pub shingles: &'a [u64],
}

impl ShingleSet<'_> {
    fn len(&self) -> usize {
        self.shingles.len() + common_bits(self.frequent, self.frequent)
    }

    /// The shingles up to `last`.
    pub(crate) fn up_to(self, last: u64) -> Self {
        let end = self.shingles.partition_point(|one| *one <= last);
        ShingleSet {
            shingles: &self.shingles[..end],
            ..self
        }
    }
}

/// The sizes of two sets and of their intersection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetOverlap {
    /// |A ∩ B|.
    pub shared: u32,
    /// |A|.
    pub size_a: u32,
    /// |B|.
    pub size_b: u32,
}

impl SetOverlap {
    /// Counts two sets.
    pub fn of(a: ShingleSet<'_>, b: ShingleSet<'_>) -> SetOverlap {
        let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        let shared = intersection_size(a.shingles, b.shingles);
        SetOverlap {
            shared: size(shared + common_bits(a.frequent, b.frequent)),
            size_a: size(a.len()),
            size_b: size(b.len()),
        }
    }

    /// The overlap of the unions of two pairs of disjoint sets.
    #[must_use]
    pub fn plus(self, other: SetOverlap) -> SetOverlap {
        SetOverlap {
            shared: self.shared.saturating_add(other.shared),
            size_a: self.size_a.saturating_add(other.size_a),
            size_b: self.size_b.saturating_add(other.size_b),
        }
    }

    /// The resemblance, exact: |A ∩ B| / |A ∪ B|.
    pub fn resemblance(&self) -> Ratio {
        let union = u64::from(self.size_a) + u64::from(self.size_b) - u64::from(self.shared);
        Ratio::new(u64::from(self.shared), union)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_sizes_are_those_of_the_sets(
            a in prop::collection::btree_set(0u64..60, 0..50), b in prop::collection::btree_set(0u64..60, 0..50),
        ) {
            let list = |set: &BTreeSet<u64>| set.iter().copied().collect::<Vec<_>>();
            let lists = [list(&a), list(&b)];
            let [one, other] = lists.each_ref().map(|list| ShingleSet { shingles: list, ..ShingleSet::default() });
            let overlap = SetOverlap::of(one, other);
            prop_assert_eq!(overlap.shared as usize, a.intersection(&b).count());
            prop_assert_eq!(overlap.resemblance(), Ratio::new(overlap.shared.into(), a.union(&b).count() as u64));
        }
    }
}
