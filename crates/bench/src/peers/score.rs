//! Clusters held against the exact answer.
//!
//! *Input.* A label a document; equal labels are one cluster. *Output.* Counts of pairs. A pair is
//! *found* when its two documents have one label. Recall: found pairs of those whose exact
//! resemblance reaches the threshold. Precision: of all pairs with one label, those whose documents
//! are in one component of exact pairs; chains are clusters to every tool here, so the pairs along
//! a chain are no error. *Memory.* A few words a document.

use super::exact::{Truth, pairs_of};
use std::collections::HashMap;

/// What a tool's clusters are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Score {
    /// Exact pairs.
    pub exact: u64,
    /// Exact pairs with one label.
    pub found: u64,
    /// Pairs with one label.
    pub together: u64,
    /// Pairs with one label and in one exact component.
    pub right: u64,
    /// Documents that are not the first of their label.
    pub removed: u64,
}

impl Score {
    /// Found, of the exact pairs.
    pub fn recall(&self) -> f64 {
        self.found as f64 / self.exact.max(1) as f64
    }

    /// Right, of the pairs with one label.
    pub fn precision(&self) -> f64 {
        self.right as f64 / self.together.max(1) as f64
    }
}

impl Truth {
    /// Holds labels against the exact answer. Documents without a label are alone.
    pub fn score(&self, labels: &[Option<u64>]) -> Score {
        let label = |doc: u32| labels.get(doc as usize).copied().flatten();
        // Class → how many of its documents have which label.
        let counts = |class: &Vec<u32>| {
            let mut counts: HashMap<u64, u64> = HashMap::new();
            class
                .iter()
                .filter_map(|&doc| label(doc))
                .for_each(|label| *counts.entry(label).or_default() += 1);
            counts
        };
        let classes: Vec<HashMap<u64, u64>> = self.classes.iter().map(counts).collect();
        let mut score = Score {
            exact: self.pairs(),
            ..Score::default()
        };
        score.found = classes
            .iter()
            .flat_map(HashMap::values)
            .map(|&n| pairs_of(n))
            .sum();
        for &(a, b) in &self.links {
            let other = &classes[b as usize];
            score.found += classes[a as usize]
                .iter()
                .map(|(label, n)| n * other.get(label).unwrap_or(&0))
                .sum::<u64>();
        }
        let (mut all, mut parts): (HashMap<u64, u64>, HashMap<(u32, u64), u64>) =
            (HashMap::new(), HashMap::new());
        for (&component, counts) in self.component.iter().zip(&classes) {
            for (&label, &n) in counts {
                *all.entry(label).or_default() += n;
                *parts.entry((component, label)).or_default() += n;
            }
        }
        score.together = all.values().map(|&n| pairs_of(n)).sum();
        score.right = parts.values().map(|&n| pairs_of(n)).sum();
        score.removed = all.values().map(|&n| n - 1).sum();
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scores_are_what_looking_at_all_pairs_finds(
            (classes, links, labels) in (1u32..7).prop_flat_map(|classes| (
                proptest::collection::vec(0..classes, 1..14),
                proptest::collection::btree_set((0..classes, 0..classes), 0..6),
                proptest::collection::vec(proptest::option::of(0u64..4), 14),
            )),
        ) {
            // Documents by class; a component is everything that links join.
            let count = classes.iter().max().map_or(0, |&last| last + 1);
            let members = |class: u32| (0..).zip(&classes).filter(|&(_, &of)| of == class).map(|(doc, _)| doc).collect();
            let links: Vec<(u32, u32)> = links.into_iter().filter(|&(a, b)| a < b && b < count).collect();
            let mut component: Vec<u32> = (0..count).collect();
            for _ in 0..count {
                for &(a, b) in &links {
                    let low = component[a as usize].min(component[b as usize]);
                    (component[a as usize], component[b as usize]) = (low, low);
                }
            }
            let truth = Truth { classes: (0..count).map(members).collect(), links: links.clone(), component, common: 0 };
            let mut expected = Score::default();
            for b in 0..classes.len() {
                for a in 0..b {
                    let pair = (classes[a].min(classes[b]), classes[a].max(classes[b]));
                    let exact = pair.0 == pair.1 || links.contains(&pair);
                    let together = labels[a].is_some() && labels[a] == labels[b];
                    let right = truth.component[pair.0 as usize] == truth.component[pair.1 as usize];
                    expected.exact += u64::from(exact);
                    expected.found += u64::from(exact && together);
                    expected.together += u64::from(together);
                    expected.right += u64::from(together && right);
                }
                let earlier = (0..b).any(|a| labels[a] == labels[b]);
                expected.removed += u64::from(labels[b].is_some() && earlier);
            }
            prop_assert_eq!(truth.score(&labels), expected);
        }
    }
}
