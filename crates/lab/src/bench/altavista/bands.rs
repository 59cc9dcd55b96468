//! Groups of many sizes laid side by side, each found by arithmetic.
//!
//! *Input.* How many groups of which size. *Output.* For the n-th item: its group, its place in it,
//! and the shape of the group. *Algorithm.* Groups of equal shape lie together in a [`Band`]; a
//! binary search finds the band, a division the group. *Memory.* One entry a shape, some thousands,
//! whatever the number of items.
//!
//! Sizes follow a power law. Counts are rounded by carrying the remainder on to the next size, so
//! the shares hold at any scale and nothing is drawn by chance.

/// Groups of one shape, one after another.
#[derive(Clone, Copy, Debug)]
struct Band {
    items: u64,
    distinct: u64,
    first_item: u64,
    first_group: u64,
}

/// An item's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of its group.
    pub(super) group: u64,
    /// Its place in the group.
    pub(super) position: u64,
    /// Different items of the group; the others are copies.
    pub(super) distinct: u64,
}

/// All bands, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Bands {
    list: Vec<Band>,
    /// Items in all.
    pub(super) items: u64,
    /// Groups in all.
    pub(super) groups: u64,
}

impl Bands {
    /// Appends groups of so many items, so many of them different.
    pub(super) fn push(&mut self, groups: u64, items: u64, distinct: u64) {
        if groups > 0 && items > 0 {
            self.list.push(Band {
                items,
                distinct,
                first_item: self.items,
                first_group: self.groups,
            });
            self.items += items * groups;
            self.groups += groups;
        }
    }

    /// Where the `item`th item is; `None` beyond the last.
    pub(super) fn place(&self, item: u64) -> Option<Place> {
        let after = self.list.partition_point(|band| band.first_item <= item);
        let band = self.list.get(after.checked_sub(1)?)?;
        let within = item - band.first_item;
        let place = Place {
            group: band.first_group + within / band.items,
            position: within % band.items,
            distinct: band.distinct,
        };
        (item < self.items).then_some(place)
    }
}

/// How many groups of each size from 2 on: `groups` groups of two or more with `items` items in
/// all, sizes above 2 falling as `weight` up to `largest`.
///
/// The items decide how many groups are larger than 2, the rest are pairs. Off by one or two where
/// small numbers do not allow better.
pub(super) fn sizes(
    groups: u64,
    items: u64,
    largest: u64,
    weight: impl Fn(u64) -> f64,
) -> Vec<(u64, u64)> {
    // The items on top of pairs.
    let excess = items.saturating_sub(2 * groups);
    let unit: f64 = (3..=largest)
        .map(|size| (size - 2) as f64 * weight(size))
        .sum();
    let (mut left, mut larger, mut carry) = (excess, 0, 0.5);
    let mut counts = Vec::new();
    for size in (4..=largest).rev() {
        carry += excess as f64 / unit * weight(size);
        let count = (carry.floor() as u64).min(left / (size - 2));
        carry -= carry.floor();
        if count > 0 {
            left -= count * (size - 2);
            larger += count;
            counts.push((size, count));
        }
    }
    counts.push((3, left));
    counts.push((2, groups.saturating_sub(larger + left)));
    counts.reverse();
    counts
}

/// `count` things in shares of `numerator` and `denominator` − `numerator`.
pub(super) fn share(count: u64, numerator: u64, denominator: u64) -> u64 {
    (u128::from(count) * u128::from(numerator) / u128::from(denominator.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_item_is_in_one_place(shapes in prop::collection::vec((1u64..6, 0u64..9), 0..8)) {
            let (mut bands, mut expected) = (Bands::default(), Vec::new());
            let (mut group, distinct) = (0, 1);
            for (items, groups) in shapes {
                bands.push(groups, items, distinct);
                for _ in 0..groups {
                    expected.extend((0..items).map(|position| Place { group, position, distinct }));
                    group += 1;
                }
            }
            let found: Vec<Place> = (0..).map_while(|item| bands.place(item)).collect();
            prop_assert_eq!((bands.items, bands.groups), (expected.len() as u64, group));
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn sizes_add_up(groups in 300u64..100_000, per_cent in 210u64..300) {
            let items = groups * per_cent / 100;
            let counts = sizes(groups, items, 200, |size| 1.0 / (size * size * size) as f64);
            prop_assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), groups);
            prop_assert_eq!(counts.iter().map(|(size, count)| size * count).sum::<u64>(), items);
        }
    }
}
