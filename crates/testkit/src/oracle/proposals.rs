//! The pairs that common shingles propose.
//!
//! Input: the documents of each common shingle, or key; how many make one common. Output: pairs.
//! Algorithm: in its group, each document meets the first eight, the two before it, the last one
//! before it of its class of length, the shortest one before it, and the shortest of those that
//! made the shingle common. Two meetings propose a pair, or one of a document that is in no other
//! group. Memory: O(documents).

use std::collections::{BTreeMap, BTreeSet};

use super::question::OracleDocument;

/// The pairs of these groups, whose documents are in order.
pub(super) fn pairs(
    documents: &[OracleDocument],
    groups: &[Vec<u32>],
    limit: u64,
) -> BTreeSet<(u32, u32)> {
    let shortest = |some: &[u32]| {
        let some = some.iter().copied();
        some.min_by_key(|doc| (documents[*doc as usize].words, *doc))
    };
    let class = |doc: u32| {
        documents[doc as usize]
            .words
            .checked_ilog2()
            .map_or(0, |log| log + 1)
            % 8
    };
    let mut memberships: BTreeMap<u32, u32> = BTreeMap::new();
    for doc in groups.iter().flatten() {
        *memberships.entry(*doc).or_default() += 1;
    }
    let mut meetings: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for group in groups {
        let hub = shortest(&group[..group.len().min(limit as usize + 1)]);
        for (at, &doc) in group.iter().enumerate() {
            let before = &group[..at];
            let mut met: BTreeSet<u32> = before.iter().take(8).copied().collect();
            met.extend(before.iter().rev().take(2));
            met.extend(
                before
                    .iter()
                    .rev()
                    .find(|other| class(**other) == class(doc)),
            );
            met.extend(shortest(before));
            met.extend(hub);
            met.remove(&doc);
            for other in met {
                let pair = (doc.min(other), doc.max(other));
                let is_in_one = memberships[&doc] == 1;
                *meetings.entry(pair).or_default() += if is_in_one { 2 } else { 1 };
            }
        }
    }
    let is_enough = |(pair, count): (&(u32, u32), &u32)| (*count >= 2).then_some(*pair);
    meetings.iter().filter_map(is_enough).collect()
}
