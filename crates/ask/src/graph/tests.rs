use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn edges() -> impl Strategy<Value = Vec<Edge>> {
    let link = (0u32..9, 0u32..9, 1u32..5);
    prop::collection::vec(link, 1..20).prop_map(|links| {
        let links: BTreeMap<(u32, u32), u32> = links
            .into_iter()
            .filter(|(a, b, _)| a != b)
            .map(|(a, b, n)| ((a.min(b) * 3, a.max(b) * 3), n))
            .collect();
        links
            .into_iter()
            .map(|((a, b), shared)| Edge {
                a,
                b,
                shared,
                union: 4,
            })
            .collect()
    })
}

/// Whether a chain of these links joins two documents, and the fewest links one needs.
fn distance(links: &[Edge], from: u32, to: u32) -> Option<u32> {
    let mut reached = BTreeSet::from([from]);
    for steps in 0.. {
        if reached.contains(&to) {
            return Some(steps);
        }
        let before = reached.len();
        let next: Vec<u32> = links
            .iter()
            .flat_map(|link| [(link.a, link.b), (link.b, link.a)])
            .filter(|(near, _)| reached.contains(near))
            .map(|(_, far)| far)
            .collect();
        reached.extend(next);
        if reached.len() == before {
            break;
        }
    }
    None
}

/// All links that a chain from 0 reaches.
fn connected(links: &[Edge]) -> Vec<Edge> {
    let Some(first) = links.first() else {
        return Vec::new();
    };
    links
        .iter()
        .filter(|link| distance(links, first.a, link.a).is_some())
        .copied()
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn the_widest_chain_has_the_strongest_weakest_link_and_no_detour(links in edges(), from in 0u32..9, to in 0u32..9) {
        let (from, to) = (from * 3, to * 3);
        let graph = Graph::new(links.clone());
        let at_least = |least: u32| links.iter().filter(|link| link.shared >= least).copied().collect::<Vec<_>>();
        let joined = (1..5).rev().find_map(|least| distance(&at_least(least), from, to).map(|steps| (least, steps)));
        let found = graph.widest_path(from, to);
        if graph.place(from).is_none() || graph.place(to).is_none() {
            prop_assert_eq!(found, None);
        } else if from == to {
            prop_assert_eq!(found, Some(Vec::new()));
        } else {
            let described = found.as_ref().map(|chain| {
                (chain.iter().map(|link| link.shared).min().unwrap_or(0), chain.len() as u32)
            });
            prop_assert_eq!(described, joined);
            let mut at = from;
            for link in found.unwrap_or_default() {
                prop_assert!(links.contains(&link) && (link.a == at || link.b == at));
                at = link.a + link.b - at;
            }
            prop_assert!(joined.is_none() || at == to);
        }
    }

    #[test]
    fn bridges_are_the_links_whose_loss_splits(links in edges()) {
        let mut expected: Vec<Edge> = links
            .iter()
            .filter(|lost| {
                let rest: Vec<Edge> = links.iter().filter(|link| link != lost).copied().collect();
                distance(&rest, lost.a, lost.b).is_none()
            })
            .copied()
            .collect();
        expected.sort_by_key(|link| (link.shared, link.a, link.b));
        prop_assert_eq!(Graph::new(links).bridges(), expected);
    }

    #[test]
    fn weakest_links_come_first(links in edges(), limit in 0usize..9) {
        let mut expected = links.clone();
        expected.sort_by_key(|link| (link.shared, link.a, link.b));
        expected.truncate(limit);
        prop_assert_eq!(Graph::new(links).weakest(limit), expected);
    }

    #[test]
    fn the_diameter_is_the_longest_shortest_chain_and_bounds_hold_it(links in edges(), steps in 0usize..400) {
        let links = connected(&links);
        let graph = Graph::new(links.clone());
        let documents = graph.documents().to_vec();
        let pairs = documents.iter().flat_map(|a| documents.iter().map(move |b| (*a, *b)));
        let exact = pairs.filter_map(|(a, b)| distance(&links, a, b)).max().unwrap_or(0);
        prop_assert_eq!(graph.diameter(usize::MAX), Diameter { low: exact, high: exact });
        let bounds = graph.diameter(steps);
        prop_assert!(bounds.low <= exact && exact <= bounds.high && bounds.high <= 2 * bounds.low, "{:?} {}", bounds, exact);
    }

    #[test]
    fn stars_take_untaken_neighbours_in_order(links in edges(), turn in 0usize..9, parts in any::<u64>()) {
        let graph = Graph::new(links.clone());
        let mut ranked = graph.documents().to_vec();
        let length = ranked.len().max(1);
        ranked.rotate_left(turn % length);
        let is_part = |link: &Edge| match parts >> ((link.a + link.b) % 60) & 3 {
            0 => Some(link.a),
            1 => Some(link.b),
            _ => None,
        };
        let parts: Vec<u32> = links.iter().filter_map(is_part).collect();
        let (last, first): (Vec<u32>, Vec<u32>) = ranked.iter().partition(|document| parts.contains(document));
        let mut keepers: BTreeMap<u32, u32> = BTreeMap::new();
        for document in first.into_iter().chain(last) {
            if keepers.contains_key(&document) {
                continue;
            }
            keepers.insert(document, document);
            for link in links.iter().filter(|link| link.a == document || link.b == document) {
                let other = link.a + link.b - document;
                if is_part(link) != Some(document) {
                    keepers.entry(other).or_insert(document);
                }
            }
        }
        let stars = graph.stars(&ranked, is_part);
        prop_assert_eq!(stars, keepers.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_long_chain_is_searched_without_recursion() {
    let links = (0..200_000)
        .map(|a| Edge {
            a,
            b: a + 1,
            shared: 1 + a % 3,
            union: 4,
        })
        .collect();
    let graph = Graph::new(links);
    assert_eq!(graph.bridges().len(), 200_000);
    assert_eq!(
        graph.widest_path(0, 200_000).map(|chain| chain.len()),
        Some(200_000)
    );
    let Diameter { low, high } = graph.diameter(1_000_000);
    assert!(low == 200_000 && high <= 400_000, "{low} {high}");
}
