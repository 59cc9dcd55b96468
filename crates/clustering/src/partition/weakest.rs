//! Finds the weakest of several links.

use std::cmp::Ordering;

/// The counts behind a link. Ordered by resemblance, the weakest first; links of equal resemblance
/// by their counts, so that the weakest link does not depend on the order of the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakestLink {
    /// Shared shingles.
    pub shared: u32,
    /// Shingles of the union.
    pub union: u32,
}

impl WeakestLink {
    /// The weaker of two.
    #[inline]
    #[must_use]
    pub fn or_weaker(self, other: WeakestLink) -> WeakestLink {
        if other < self { other } else { self }
    }
}

impl PartialOrd for WeakestLink {
    #[inline]
    fn partial_cmp(&self, other: &WeakestLink) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for WeakestLink {
    #[inline]
    fn cmp(&self, other: &WeakestLink) -> Ordering {
        // 0 / 0 counts as 0. The products fit 64 bits.
        let product = |shared: u32, union: u32| u64::from(shared) * u64::from(union.max(1));
        let by_ratio = product(self.shared, other.union).cmp(&product(other.shared, self.union));
        by_ratio.then_with(|| (self.shared, self.union).cmp(&(other.shared, other.union)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Ratio;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_weakest_has_the_lowest_ratio(
            links in proptest::collection::vec((0u32..20, 0u32..20), 1..20), scale in prop_oneof![Just(1_u32), Just(100_000_000)],
        ) {
            let link = |(shared, more): (u32, u32)| WeakestLink { shared: shared * scale, union: (shared + more) * scale };
            let links: Vec<WeakestLink> = links.into_iter().map(link).collect();
            let ratio = |link: &WeakestLink| Ratio::new(u64::from(link.shared), u64::from(link.union));
            let expected = links.iter().min_by_key(|link| (ratio(link), link.shared, link.union)).copied();
            prop_assert_eq!(links.into_iter().reduce(WeakestLink::or_weaker), expected);
        }
    }
}
