//! The pairs that common shingles propose.
//!
//! Input: the documents of each common shingle, or key. Output: pairs. Algorithm: in its group,
//! each document meets the first eight, the two before it, and the last one before it of its class
//! of length. A pair is proposed by two groups, or by one if its higher document is in no other.
//! Memory: O(documents).

use std::collections::{BTreeMap, BTreeSet};

use super::question::OracleDocument;

/// The pairs of these groups, whose documents are in order.
pub(super) fn pairs(documents: &[OracleDocument], groups: &[Vec<u32>]) -> BTreeSet<(u32, u32)> {
    let class = |doc: u32| {
        documents[doc as usize]
            .words
            .checked_ilog2()
            .map_or(0, |log| log + 1)
            % 8
    };
    let mut memberships: BTreeMap<u32, u32> = BTreeMap::new();
    let mut proposals: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for group in groups {
        for (at, &doc) in group.iter().enumerate() {
            *memberships.entry(doc).or_default() += 1;
            let before = &group[..at];
            let mut met: BTreeSet<u32> = before.iter().take(8).copied().collect();
            met.extend(before.iter().rev().take(2));
            met.extend(
                before
                    .iter()
                    .rev()
                    .find(|other| class(**other) == class(doc)),
            );
            for other in met {
                *proposals.entry((other, doc)).or_default() += 1;
            }
        }
    }
    let is_enough = |(pair, count): (&(u32, u32), &u32)| {
        (*count >= 2 || memberships[&pair.1] == 1).then_some(*pair)
    };
    proposals.iter().filter_map(is_enough).collect()
}
