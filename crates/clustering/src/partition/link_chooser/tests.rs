//! The chosen links beside all links, by brute force.

use super::*;
use model::Ratio;
use model::VecCells;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Documents of a random graph.
const DOCUMENTS: u32 = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    a: u32,
    b: u32,
    shared: u32,
    union: u32,
}

impl Link {
    fn ratio(&self) -> Ratio {
        Ratio::new(u64::from(self.shared), u64::from(self.union))
    }

    fn joins(&self, doc: u32) -> bool {
        self.a == doc || self.b == doc
    }
}

/// Links of distinct pairs, few resemblances among them, strongest first.
fn links() -> impl Strategy<Value = Vec<Link>> {
    let pairs =
        proptest::collection::btree_map((0..DOCUMENTS, 0..DOCUMENTS), (1u32..5, 0u32..5), 0..70);
    pairs.prop_map(|pairs| {
        let pairs = pairs.into_iter().filter(|((a, b), _)| a < b);
        let mut links: Vec<Link> = pairs
            .map(|((a, b), (shared, more))| Link {
                a,
                b,
                shared,
                union: shared + more,
            })
            .collect();
        links.sort_by_key(|link| (weakness(link.shared, link.union), link.a, link.b));
        links
    })
}

fn limits(strongest: u32) -> DensityLimits {
    DensityLimits {
        strongest,
        ..DensityLimits::DEFAULT
    }
}

fn chosen(links: &[Link], strongest: u32) -> Vec<Link> {
    let cells = [(); 3].map(|()| VecCells::new(DOCUMENTS as usize));
    let mut chooser = LinkChooser::new(limits(strongest), cells);
    let is_chosen = |link: &&Link| chooser.chooses(link.a, link.b).unwrap();
    links.iter().filter(is_chosen).copied().collect()
}

/// The lowest document that each one reaches.
fn components(links: &[Link]) -> Vec<u32> {
    let mut label: Vec<u32> = (0..DOCUMENTS).collect();
    for _ in 0..DOCUMENTS {
        for link in links {
            let low = label[link.a as usize].min(label[link.b as usize]);
            (label[link.a as usize], label[link.b as usize]) = (low, low);
        }
    }
    label
}

/// The links that join two components of the links before them (a spanning forest), and the others.
fn forest(links: &[Link]) -> (Vec<Link>, Vec<Link>) {
    let (mut forest, mut others) = (Vec::new(), Vec::new());
    for link in links {
        let label = components(&forest);
        if label[link.a as usize] == label[link.b as usize] {
            others.push(*link);
        } else {
            forest.push(*link);
        }
    }
    (forest, others)
}

/// The links without which there are more components.
fn bridges(links: &[Link]) -> BTreeSet<(u32, u32)> {
    let all = components(links);
    let is_bridge = |left_out: &&Link| {
        let others: Vec<Link> = links
            .iter()
            .filter(|link| link != left_out)
            .copied()
            .collect();
        components(&others) != all
    };
    links
        .iter()
        .filter(is_bridge)
        .map(|link| (link.a, link.b))
        .collect()
}

/// For every two documents the weakest link of the widest chain (Floyd and Warshall).
fn widest(links: &[Link]) -> BTreeMap<(u32, u32), Ratio> {
    let mut widest = BTreeMap::new();
    for link in links {
        widest.insert((link.a, link.b), link.ratio());
        widest.insert((link.b, link.a), link.ratio());
    }
    for by in 0..DOCUMENTS {
        for from in 0..DOCUMENTS {
            for to in 0..DOCUMENTS {
                let ways = widest.get(&(from, by)).zip(widest.get(&(by, to)));
                let Some((first, second)) = ways.filter(|_| from != to) else {
                    continue;
                };
                let way = *first.min(second);
                let known = widest.entry((from, to)).or_insert(way);
                *known = (*known).max(way);
            }
        }
    }
    widest
}

proptest! {
    #[test]
    fn chosen_links_join_the_same_documents_by_the_same_bridges(
        links in links(), strongest in 0u32..4,
    ) {
        let chosen = chosen(&links, strongest);
        prop_assert_eq!(components(&chosen), components(&links));
        prop_assert_eq!(bridges(&chosen), bridges(&links));
    }

    #[test]
    fn the_widest_chain_between_any_two_documents_stays_as_wide(
        links in links(), strongest in 0u32..4,
    ) {
        prop_assert_eq!(widest(&chosen(&links, strongest)), widest(&links));
    }

    #[test]
    fn chosen_are_the_strongest_links_of_each_document_and_two_forests(
        links in links(), strongest in 0u32..4,
    ) {
        let mut expected = BTreeSet::new();
        for doc in 0..DOCUMENTS {
            let mut own: Vec<Link> = links.iter().filter(|link| link.joins(doc)).copied().collect();
            // Of equal ones those with the lower other document.
            own.sort_by(|one, other| {
                let by_document = (one.a + one.b).cmp(&(other.a + other.b));
                other.ratio().cmp(&one.ratio()).then(by_document)
            });
            let own = own.iter().take(strongest as usize);
            expected.extend(own.map(|link| (link.a, link.b)));
        }
        let (first, others) = forest(&links);
        let (second, _) = forest(&others);
        expected.extend([first, second].concat().iter().map(|link| (link.a, link.b)));
        let chosen = chosen(&links, strongest);
        let chosen: BTreeSet<(u32, u32)> = chosen.iter().map(|link| (link.a, link.b)).collect();
        prop_assert_eq!(chosen, expected);
    }

    #[test]
    fn weakness_orders_links_as_their_exact_ratios(
        one in (1u32..9, 0u32..9), other in (1u32..9, 0u32..9),
        scale in prop_oneof![Just(1u32), Just(3), Just(238_609_294)],
    ) {
        let counts = |(shared, more): (u32, u32), scale: u32| [shared * scale, (shared + more) * scale];
        let [shared, union] = counts(one, 1);
        let [other_shared, other_union] = counts(other, scale);
        let ratio = |shared: u32, union: u32| Ratio::new(u64::from(shared), u64::from(union));
        prop_assert_eq!(
            weakness(shared, union).cmp(&weakness(other_shared, other_union)),
            ratio(other_shared, other_union).cmp(&ratio(shared, union))
        );
    }

    #[test]
    fn neighbouring_ratios_of_large_numbers_differ(shared in 1u32..u32::MAX - 1, less in 1u32..1000) {
        let union = (u32::MAX - less).max(shared);
        prop_assert!(weakness(shared, union) < weakness(shared, union + 1));
        prop_assert!(weakness(shared.min(union - 1) + 1, union) < weakness(shared.min(union - 1), union));
    }

    #[test]
    fn clusters_that_cannot_be_dense_are_told_by_their_size(
        per in 0u32..6, links in 0u64..200, representatives in 2u32..20,
    ) {
        let limits = DensityLimits { links_per_representative: per, strongest: 8 };
        let most = u64::from(representatives) * u64::from(representatives - 1) / 2;
        let dense = links > u64::from(per * representatives);
        let fewest = u32::try_from(limits.fewest_representatives()).unwrap();
        prop_assert!(limits.is_dense(limits.fewest_links(), fewest));
        prop_assert!(!limits.is_dense(limits.fewest_links() - 1, fewest));
        if links <= most {
            prop_assert_eq!(limits.is_dense(links, representatives), dense);
            prop_assert!(!dense || links >= limits.fewest_links());
        }
    }
}

#[test]
fn a_link_without_shared_shingles_is_the_weakest() {
    assert_eq!(weakness(0, 0), u64::MAX);
    assert!(weakness(1, u32::MAX) < weakness(0, 1));
    assert_eq!((weakness(7, 7), weakness(1, 2)), (0, 1 << 63));
}
