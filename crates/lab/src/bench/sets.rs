//! Sets of numbered shingles: their numbers, the overlap of two of them, and the clusters of linked
//! sets.
//!
//! This shares no code with the phases.

use crate::bench::all_pairs::{shared, shingles};
use model::Ratio;
use std::collections::{HashMap, HashSet};

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
    let shared = in_both(a, b);
    Ratio::new(shared, (a.len() + b.len()) as u64 - shared)
}

/// How many elements two ascending sets share.
pub(crate) fn in_both(a: &[u32], b: &[u32]) -> u64 {
    shared([a, b], 0).map_or(0, u64::from)
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

    proptest! {
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
