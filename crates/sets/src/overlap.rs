//! How many shingles two sets share.

use model::Ratio;
use sketch::intersection_size;

/// Shingles of a document, all or a sample of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShingleSet<'a> {
    /// The sampling level of the list: 0 if it holds all shingles.
    pub level: u8,
    /// The shingles, sorted.
    pub shingles: &'a [u64],
}

impl ShingleSet<'_> {
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
    /// Counts two sorted lists without duplicates.
    pub fn of(a: &[u64], b: &[u64]) -> SetOverlap {
        let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        SetOverlap {
            shared: size(intersection_size(a, b)),
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
            let overlap = SetOverlap::of(&list(&a), &list(&b));
            prop_assert_eq!(overlap.shared as usize, a.intersection(&b).count());
            prop_assert_eq!(overlap.resemblance(), Ratio::new(overlap.shared.into(), a.union(&b).count() as u64));
        }
    }
}
