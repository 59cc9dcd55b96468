//! How the sorts of the phases combine equal records.

use sort::Combine;

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
