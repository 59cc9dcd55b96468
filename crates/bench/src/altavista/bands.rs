//! Groups of many sizes laid side by side, each found by arithmetic.
//!
//! *Input.* How many groups of which size. *Output.* For the n-th item: its group, its place in it,
//! and what the group is like. *Algorithm.* Groups of equal shape lie together in a [`Band`]; a
//! binary search finds the band, a division the group. *Memory.* One entry a shape, some thousands,
//! whatever the number of items.
//!
//! Sizes follow a power law. Counts are rounded by carrying the remainder on to the next size, so
//! the shares hold at any scale and nothing is drawn by chance.

/// The shape of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Items in it.
    pub items: u64,
    /// Different ones among them; the others are copies.
    pub distinct: u64,
}

impl Shape {
    /// A group of so many items, so many of them different.
    pub fn new(items: u64, distinct: u64) -> Shape {
        Shape { items, distinct }
    }
}

/// Groups of one shape, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// Their shape.
    pub shape: Shape,
    /// How many there are.
    pub groups: u64,
    first_item: u64,
    first_group: u64,
}

/// An item's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of its group.
    pub group: u64,
    /// Its place in the group.
    pub position: u64,
    /// The shape of the group.
    pub shape: Shape,
}

/// All bands, in order.
#[derive(Clone, Debug, Default)]
pub struct Bands {
    list: Vec<Band>,
    items: u64,
    groups: u64,
}

impl Bands {
    /// Appends groups of a shape.
    pub fn push(&mut self, shape: Shape, groups: u64) {
        if groups == 0 || shape.items == 0 {
            return;
        }
        self.list.push(Band {
            shape,
            groups,
            first_item: self.items,
            first_group: self.groups,
        });
        self.items += shape.items * groups;
        self.groups += groups;
    }

    /// Items in all.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Groups in all.
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// The bands.
    pub fn iter(&self) -> impl Iterator<Item = &Band> {
        self.list.iter()
    }

    /// Where the `item`th item is; `None` beyond the last.
    #[inline]
    pub fn place(&self, item: u64) -> Option<Place> {
        let after = self.list.partition_point(|band| band.first_item <= item);
        let band = self.list.get(after.checked_sub(1)?)?;
        let within = item - band.first_item;
        let group = within / band.shape.items;
        let place = Place {
            group: band.first_group + group,
            position: within - group * band.shape.items,
            shape: band.shape,
        };
        (group < band.groups).then_some(place)
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
    // What is to be laid on top of pairs.
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
        fn every_item_is_in_one_place(shapes in proptest::collection::vec((1u64..6, 0u64..9), 0..8)) {
            let mut bands = Bands::default();
            let mut expected = Vec::new();
            let mut group = 0;
            for (items, groups) in shapes {
                let shape = Shape { items, distinct: 1 };
                bands.push(shape, groups);
                for _ in 0..groups {
                    expected.extend((0..items).map(|position| Place { group, position, shape }));
                    group += 1;
                }
            }
            let found: Vec<Place> = (0..).map_while(|item| bands.place(item)).collect();
            prop_assert_eq!((bands.items(), bands.groups()), (expected.len() as u64, group));
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

    #[test]
    fn shares_hold_at_any_scale() {
        let at = |groups: u64| {
            let counts = sizes(groups, groups * 18 / 5, 200, |size| {
                1.0 / (size as f64).powi(3)
            });
            let large: u64 = counts
                .iter()
                .filter(|(size, _)| *size > 10)
                .map(|(_, count)| count)
                .sum();
            large as f64 / groups as f64
        };
        assert!(
            (at(2_000) / at(2_000_000) - 1.0).abs() < 0.1,
            "{} {}",
            at(2_000),
            at(2_000_000)
        );
    }
}
