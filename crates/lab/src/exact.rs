//! The exact answer: which sets share shingles, which of them are common, what clusters the links
//! make, and whether another clustering agrees.
//!
//! *Input.* Sets, each an ascending list of fingerprints, by their numbers. *Output.* [`Pair`]s,
//! with the number of shared shingles; clusters. *Algorithm.* A list of sets for each shingle
//! ([`ShingleIndex`]): the lists of the shingles of a set give every other set that shares one, and
//! how many. Clusters are compared over pairs of documents, by a contingency table: documents in
//! each (cluster of one, cluster of the other), so no pair is enumerated. That is the Rand index
//! (Rand 1971; Manning, Raghavan, Schütze 2008, 16.3), but precision and recall apart, because
//! nearly all pairs of documents are apart in both. *Memory.* Some 100 bytes for each different
//! shingle, 4 for each place of one, 12 for each pair. *Limits.* The time is that of the pairs of
//! sets in all lists.

use model::Ratio;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Sets by their shingles.
#[derive(Default)]
pub(crate) struct ShingleIndex {
    lists: HashMap<u64, Vec<u32>>,
    sets: usize,
}

/// The shingles that one set shares with each set of an [`ShingleIndex`], while it is looked up.
#[derive(Default)]
pub(crate) struct SharedCounts {
    shared: Vec<u32>,
    touched: Vec<u32>,
}

impl ShingleIndex {
    /// Adds the next set.
    pub(crate) fn insert(&mut self, set: &[u64]) {
        let number = self.sets as u32;
        for shingle in set {
            self.lists.entry(*shingle).or_default().push(number);
        }
        self.sets += 1;
    }

    /// Calls `f` with the number of each of the first `before` sets that shares shingles with this
    /// one, and how many.
    pub(crate) fn sharing(
        &self,
        set: &[u64],
        before: usize,
        counts: &mut SharedCounts,
        mut f: impl FnMut(usize, usize),
    ) {
        let SharedCounts { shared, touched } = counts;
        shared.resize(self.sets, 0);
        for list in set.iter().filter_map(|shingle| self.lists.get(shingle)) {
            for &other in list.iter().take_while(|other| (**other as usize) < before) {
                let count = &mut shared[other as usize];
                if *count == 0 {
                    touched.push(other);
                }
                *count += 1;
            }
        }
        for other in touched.drain(..) {
            let other = other as usize;
            f(other, std::mem::take(&mut shared[other]) as usize);
        }
    }
}

/// Two of some sets, the lower number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// Shingles in both.
    pub(crate) shared: u32,
}

impl Pair {
    /// |A ∩ B| / |A ∪ B|.
    pub(crate) fn resemblance(self, sets: &[Vec<u64>]) -> Ratio {
        let [a, b] = [self.a, self.b].map(|number| sets[number as usize].len() as u64);
        let shared = u64::from(self.shared);
        Ratio::new(shared, a + b - shared)
    }
}

/// All pairs of sets that share a shingle and that `is_wanted` takes.
pub(crate) fn pairs(sets: &[Vec<u64>], is_wanted: impl Fn(Pair) -> bool + Sync) -> Vec<Pair> {
    let mut index = ShingleIndex::default();
    sets.iter().for_each(|set| index.insert(set));
    let with_earlier = |counts: &mut SharedCounts, b: usize| {
        let mut found = Vec::new();
        index.sharing(&sets[b], b, counts, |a, shared| {
            let [a, b, shared] = [a, b, shared].map(|number| number as u32);
            let pair = Pair { a, b, shared };
            found.extend(is_wanted(pair).then_some(pair));
        });
        found
    };
    let all = (0..sets.len()).into_par_iter();
    all.map_init(SharedCounts::default, with_earlier)
        .flatten_iter()
        .collect()
}

/// The shingles that more than `limit` of some sets have.
pub(crate) fn common<'a>(sets: impl Iterator<Item = &'a Vec<u64>>, limit: usize) -> HashSet<u64> {
    let mut holders: HashMap<u64, usize> = HashMap::new();
    for shingle in sets.flatten() {
        *holders.entry(*shingle).or_default() += 1;
    }
    holders.retain(|_, sets| *sets > limit);
    holders.into_keys().collect()
}

/// The cluster of each node, as links are added: single linkage.
pub(crate) struct Components(Vec<u32>);

impl Components {
    /// Nodes without links.
    pub(crate) fn new(nodes: usize) -> Components {
        Components((0..nodes as u32).collect())
    }

    /// The components that these links make.
    #[cfg(any(test, feature = "program"))]
    pub(crate) fn of(nodes: usize, links: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
        let mut components = Components::new(nodes);
        links.for_each(|(a, b)| components.join(a, b));
        (0..nodes as u32)
            .map(|node| components.root(node))
            .collect()
    }

    /// Adds a link.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// The lowest node of a node's component; the path to it is halved.
    pub(crate) fn root(&mut self, mut node: u32) -> u32 {
        while self.0[node as usize] != node {
            let above = self.0[self.0[node as usize] as usize];
            self.0[node as usize] = above;
            node = above;
        }
        node
    }
}

/// Pairs of documents that two clusterings put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreement {
    /// Together in both.
    pub(crate) both: u64,
    /// Together in the clustering that is judged.
    pub(crate) run: u64,
    /// Together by the exact sets.
    pub(crate) exact: u64,
}

impl Agreement {
    /// Compares the clusters ⟨judged, exact⟩ of all documents.
    pub(crate) fn of<R: Copy + Eq + Hash>(documents: impl Iterator<Item = (R, u32)>) -> Agreement {
        let (mut both, mut run, mut exact) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (judged, of_exact) in documents {
            *both.entry((judged, of_exact)).or_insert(0) += 1;
            *run.entry(judged).or_insert(0) += 1;
            *exact.entry(of_exact).or_insert(0) += 1;
        }
        fn pairs<'a>(sizes: impl Iterator<Item = &'a u64>) -> u64 {
            sizes.map(|size| size * (size - 1) / 2).sum()
        }
        Agreement {
            both: pairs(both.values()),
            run: pairs(run.values()),
            exact: pairs(exact.values()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::{set_of, shared};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_those_of_all_sets(
            sets in prop::collection::vec(prop::collection::btree_set(0_u64..30, 0..12), 0..12),
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(set_of).collect();
            let mut found = pairs(&sets, |pair| pair.shared > 1);
            found.sort_unstable();
            let all = (0..sets.len()).flat_map(|a| (a + 1..sets.len()).map(move |b| [a, b]));
            let expected = all.map(|[a, b]| [a, b, shared(&sets[a], &sets[b])].map(|n| n as u32));
            let expected = expected.map(|[a, b, shared]| Pair { a, b, shared });
            let expected = expected.filter(|pair| pair.shared > 1).collect::<Vec<_>>();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn components_are_those_of_flooding(
            links in prop::collection::vec((0_u32..20, 0_u32..20), 0..25),
        ) {
            let mut lowest: Vec<u32> = (0..20).collect();
            for _ in 0..20 {
                for &(a, b) in &links {
                    let low = lowest[a as usize].min(lowest[b as usize]);
                    (lowest[a as usize], lowest[b as usize]) = (low, low);
                }
            }
            prop_assert_eq!(Components::of(20, links.into_iter()), lowest);
        }

        #[test]
        fn the_table_counts_what_enumeration_counts(
            documents in prop::collection::vec((0_u32..6, 0_u32..6), 0..40),
        ) {
            let mut expected = Agreement::default();
            for (at, a) in documents.iter().enumerate() {
                for b in &documents[..at] {
                    expected.run += u64::from(a.0 == b.0);
                    expected.exact += u64::from(a.1 == b.1);
                    expected.both += u64::from(a == b);
                }
            }
            prop_assert_eq!(Agreement::of(documents.into_iter()), expected);
        }
    }

    #[test]
    fn shingles_of_too_many_sets_are_common() {
        let sets = [vec![80, 90], vec![70, 90], vec![60, 80, 90]];
        assert_eq!(common(sets.iter(), 2), HashSet::from([90]));
        assert_eq!(common(sets.iter(), 1), HashSet::from([80, 90]));
    }
}
