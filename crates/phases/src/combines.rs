//! How the sorts of the phases combine equal records.

use model::{Ratio, Words};
use sort::Combine;

/// ⟨cluster, shared, union⟩: keeps the lowest ratio of a cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weakest;

impl Combine<Words<3>> for Weakest {
    fn absorb(&self, into: &mut Words<3>, next: &Words<3>) -> bool {
        let ratio = |words: &Words<3>| Ratio::new(u64::from(words.0[1]), u64::from(words.0[2]));
        if into.0[0] != next.0[0] {
            return false;
        }
        // Of equal ratios the smaller numbers, so that the order of merging does not show.
        let lower = (ratio(next), next.0).cmp(&(ratio(into), into.0)).is_lt();
        if lower {
            *into = *next;
        }
        true
    }
}

/// ⟨document, level, count⟩ as [`format::LostRecord`]: adds the counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumLost;

impl Combine<format::LostRecord> for SumLost {
    fn absorb(&self, into: &mut format::LostRecord, next: &format::LostRecord) -> bool {
        if (into.doc, into.level) != (next.doc, next.level) {
            return false;
        }
        into.count = into.count.saturating_add(next.count);
        true
    }
}

/// Common shingles: of equal ones, that of more documents with the lowest example.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JoinCommon;

impl Combine<format::CommonRecord> for JoinCommon {
    fn absorb(&self, into: &mut format::CommonRecord, next: &format::CommonRecord) -> bool {
        if into.shingle != next.shingle {
            return false;
        }
        into.documents = into.documents.max(next.documents);
        into.example = into.example.min(next.example);
        true
    }
}

/// Adds the counts of equal pairs, signs heeded: what wraps is negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddSigned;

impl Combine<model::PairCount> for AddSigned {
    fn absorb(&self, into: &mut model::PairCount, next: &model::PairCount) -> bool {
        if (into.a, into.b) != (next.a, next.b) {
            return false;
        }
        into.shared = into.shared.wrapping_add(next.shared);
        true
    }
}
