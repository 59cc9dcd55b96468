//! Exact resemblances of all pairs of sets, and the clusters that follow from them.
//!
//! *Input.* Sets of shingles. *Output.* [`Exact`]. *Algorithm.* See [`crate::all_pairs`]; connected
//! components over its pairs. Nothing is sampled, nothing left out. This shares no code with the
//! phases. *Memory.* That of [`crate::all_pairs`], and the pairs at [`LISTED_FROM`] or more.

use crate::all_pairs::{Measure, all_pairs, shingles};
use model::Ratio;
use std::collections::{HashMap, HashSet};

/// Pairs below this resemblance, 1/10, are not held.
const LISTED_FROM: (u64, u64) = (1, 10);

/// Two sets of this resemblance, 1/2, are in one cluster.
const LINKED_FROM: (u64, u64) = (1, 2);

/// The truth.
pub(crate) struct Exact {
    /// The sets, each ascending.
    sets: Vec<Vec<u32>>,
    /// Every pair (lower, higher) of sets at resemblance 0.1 or more.
    pub(crate) pairs: HashMap<(u32, u32), Ratio>,
    /// The cluster of each set: its lowest one, over all pairs at 0.5 or more.
    pub(crate) cluster_of: Vec<u32>,
}

impl Exact {
    /// Compares all pairs of `sets`.
    pub(crate) fn of(sets: Vec<Vec<u32>>) -> Exact {
        let listed_from = Ratio::new(LISTED_FROM.0, LISTED_FROM.1);
        let pairs = all_pairs(&sets, Measure::Resemblance, listed_from).into_iter();
        let of_both = |a: u32, b: u32| (sets[a as usize].len() + sets[b as usize].len()) as u64;
        let pairs = pairs.map(|pair| {
            let shared = u64::from(pair.shared);
            let ratio = Ratio::new(shared, of_both(pair.a, pair.b) - shared);
            ((pair.a, pair.b), ratio)
        });
        let mut exact = Exact {
            pairs: pairs.collect(),
            cluster_of: Vec::new(),
            sets,
        };
        exact.cluster_of = components(exact.sets.len(), exact.linked());
        exact
    }

    /// The pairs at resemblance 0.5 or more.
    pub(crate) fn linked(&self) -> impl Iterator<Item = (u32, u32)> {
        let least = Ratio::new(LINKED_FROM.0, LINKED_FROM.1);
        let linked = self.pairs.iter().filter(move |(_, ratio)| **ratio >= least);
        linked.map(|(pair, _)| *pair)
    }

    /// The resemblance of any pair of sets.
    pub(crate) fn resemblance(&self, pair: (u32, u32)) -> Ratio {
        let known = self.pairs.get(&pair).copied();
        known.unwrap_or_else(|| {
            resemblance(&self.sets[pair.0 as usize], &self.sets[pair.1 as usize])
        })
    }
}

/// The same sets with their shingles numbered from 0, ascending in each set.
pub(crate) fn numbered(sets: &[Vec<u64>]) -> Vec<Vec<u32>> {
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let mut numbered = Vec::with_capacity(sets.len());
    for fingerprints in sets {
        let number = |fingerprint: &u64| {
            let next = numbers.len() as u32;
            *numbers.entry(*fingerprint).or_insert(next)
        };
        let mut set: Vec<u32> = fingerprints.iter().map(number).collect();
        set.sort_unstable();
        numbered.push(set);
    }
    numbered
}

/// The sets without the shingles that more than `limit` different ones of them hold, and how many
/// shingles that were.
pub(crate) fn without_common(sets: &[Vec<u32>], limit: usize) -> (Vec<Vec<u32>>, usize) {
    let different: HashSet<&Vec<u32>> = sets.iter().collect();
    let mut holders = vec![0; shingles(sets)];
    for shingle in different.into_iter().flatten() {
        holders[*shingle as usize] += 1;
    }
    let is_kept = |shingle: &u32| holders[*shingle as usize] <= limit;
    let keep = |set: &Vec<u32>| set.iter().copied().filter(is_kept).collect();
    let common = holders.iter().filter(|sets| **sets > limit).count();
    (sets.iter().map(keep).collect(), common)
}

/// The resemblance of two ascending sets.
pub(crate) fn resemblance(a: &[u32], b: &[u32]) -> Ratio {
    let shared = shared(a, b);
    Ratio::new(shared, (a.len() + b.len()) as u64 - shared)
}

/// How many elements two ascending sets share, by walking along both.
pub(crate) fn shared(a: &[u32], b: &[u32]) -> u64 {
    let (mut at, mut shared) = (0, 0);
    for shingle in a {
        while b.get(at).is_some_and(|other| other < shingle) {
            at += 1;
        }
        shared += u64::from(b.get(at) == Some(shingle));
    }
    shared
}

/// The lowest node of each node's connected component.
pub(crate) fn components(nodes: usize, links: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..nodes as u32).collect();
    for (a, b) in links {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        parent[a.max(b) as usize] = a.min(b);
    }
    let root = |node| root(&mut parent, node);
    (0..nodes as u32).map(root).collect()
}

/// The root of a node; the path to it is halved.
fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        let above = parent[parent[node as usize] as usize];
        parent[node as usize] = above;
        node = above;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn sets() -> impl Strategy<Value = Vec<Vec<u32>>> {
        let set = prop::collection::btree_set(0_u32..40, 0..20);
        prop::collection::vec(set.prop_map(|set| set.into_iter().collect()), 0..25)
    }

    fn brute(a: &[u32], b: &[u32]) -> Ratio {
        let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
        Ratio::new(
            a.intersection(&b).count() as u64,
            a.union(&b).count() as u64,
        )
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_brute_force(sets in sets()) {
            let exact = Exact::of(sets.clone());
            for b in 0..sets.len() {
                for a in 0..b {
                    let (pair, expected) = ((a as u32, b as u32), brute(&sets[a], &sets[b]));
                    let is_listed = expected >= Ratio::new(1, 10);
                    prop_assert_eq!(exact.pairs.get(&pair).copied(), is_listed.then_some(expected));
                    prop_assert_eq!(exact.resemblance(pair), expected);
                    if expected >= Ratio::new(1, 2) {
                        prop_assert_eq!(exact.cluster_of[a], exact.cluster_of[b]);
                    }
                }
            }
        }

        #[test]
        fn components_are_those_of_flooding(links in prop::collection::vec((0_u32..20, 0_u32..20), 0..25)) {
            let mut lowest: Vec<u32> = (0..20).collect();
            for _ in 0..20 {
                for &(a, b) in &links {
                    let low = lowest[a as usize].min(lowest[b as usize]);
                    (lowest[a as usize], lowest[b as usize]) = (low, low);
                }
            }
            prop_assert_eq!(components(20, links.into_iter()), lowest);
        }
    }

    #[test]
    fn shingles_of_too_many_different_sets_go() {
        let sets = numbered(&[vec![90, 80], vec![90, 70], vec![90, 80, 60], vec![90, 80]]);
        assert_eq!(sets, [vec![0, 1], vec![0, 2], vec![0, 1, 3], vec![0, 1]]);
        assert_eq!(
            without_common(&sets, 2),
            (vec![vec![1], vec![2], vec![1, 3], vec![1]], 1)
        );
        assert_eq!(
            without_common(&sets, 1),
            (vec![vec![], vec![2], vec![3], vec![]], 2)
        );
    }
}
