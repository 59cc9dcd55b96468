//! Do two clusterings put the same documents together?
//!
//! Counted over pairs of documents, by a contingency table: documents in each (cluster of one,
//! cluster of the other), so no pair is enumerated. As for the Rand index (Rand 1971; Manning,
//! Raghavan, Schütze 2008, 16.3), but precision and recall apart, because nearly all pairs of
//! documents are apart in both.

use std::collections::HashMap;
use std::hash::Hash;

/// Pairs of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Agreement {
    /// Together in both.
    pub(crate) both: u64,
    /// Together in the run.
    pub(crate) run: u64,
    /// Together by the exact sets.
    pub(crate) exact: u64,
}

impl Agreement {
    /// Compares the clusters ⟨by the run, by the exact sets⟩ of all documents.
    pub(crate) fn of<R: Copy + Eq + Hash>(documents: impl Iterator<Item = (R, u32)>) -> Agreement {
        let (mut both, mut run, mut exact) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (by_run, by_exact) in documents {
            *both.entry((by_run, by_exact)).or_insert(0) += 1;
            *run.entry(by_run).or_insert(0) += 1;
            *exact.entry(by_exact).or_insert(0) += 1;
        }
        Agreement {
            both: pairs(both.values()),
            run: pairs(run.values()),
            exact: pairs(exact.values()),
        }
    }

    /// Of the pairs the run put together, the share that belongs together.
    pub(crate) fn precision(&self) -> f64 {
        self.both as f64 / self.run.max(1) as f64
    }
}

fn pairs<'a>(sizes: impl Iterator<Item = &'a u64>) -> u64 {
    sizes.map(|size| size * (size - 1) / 2).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_table_counts_what_enumeration_counts(documents in prop::collection::vec((0_u32..6, 0_u32..6), 0..40)) {
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
}
