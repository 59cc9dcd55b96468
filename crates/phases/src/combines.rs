//! How the sorts of the phases combine equal records.

use sort::Combine;

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
