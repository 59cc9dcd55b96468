//! Clusters held against the exact answer.
//!
//! *Input.* A label for each document; equal labels are one cluster. *Output.* Counts of pairs. A
//! pair is *found* when its two documents have one label. Recall: found pairs of those whose exact
//! resemblance reaches the threshold. Precision: of all pairs with one label, those whose documents
//! are in one component of exact pairs; chains are clusters to every tool here, so the pairs along
//! a chain are no error. *Memory.* A few words for each document.

use super::exact::Truth;
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
        let label = |document: u32| labels.get(document as usize).copied().flatten();
        let is_found = |&&(a, b): &&(u32, u32)| label(a).is_some() && label(a) == label(b);
        let mut by_label: HashMap<u64, u64> = HashMap::new();
        let mut by_component: HashMap<(u32, u64), u64> = HashMap::new();
        for (document, component) in (0..).zip(&self.component) {
            if let Some(label) = label(document) {
                *by_label.entry(label).or_default() += 1;
                *by_component.entry((*component, label)).or_default() += 1;
            }
        }
        let pairs = |documents: &u64| documents * (documents - 1) / 2;
        Score {
            exact: self.pairs.len() as u64,
            found: self.pairs.iter().filter(is_found).count() as u64,
            together: by_label.values().map(pairs).sum(),
            right: by_component.values().map(pairs).sum(),
            removed: by_label.values().map(|documents| documents - 1).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scores_are_what_looking_at_all_pairs_finds(
            pairs in btree_set((0u32..14, 0u32..14), 0..12),
            labels in vec(proptest::option::of(0u64..4), 14),
        ) {
            let pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|&(a, b)| a < b).collect();
            let mut component: Vec<u32> = (0..14).collect();
            for _ in 0..14 {
                for &(a, b) in &pairs {
                    let low = component[a as usize].min(component[b as usize]);
                    (component[a as usize], component[b as usize]) = (low, low);
                }
            }
            let truth = Truth { pairs: pairs.clone(), component, common: 0 };
            let mut expected = Score::default();
            for b in 0..14 {
                for a in 0..b {
                    let exact = pairs.contains(&(a as u32, b as u32));
                    let together = labels[a].is_some() && labels[a] == labels[b];
                    let right = truth.component[a] == truth.component[b];
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
