//! Small records by an old and a new cluster, for sorts that live only within this step.

use model::{Words, record};
use sort::Combine;

/// [`model::Words`], at least two, that sorts spread by the first two: one old cluster may
/// have gone over into many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flow<const N: usize>(pub(super) [u32; N]);

record! { [const N: usize] Flow<N> { 0 }, |flow| u64::from(flow.0[0]) << 32 | u64::from(flow.0[1]) }

/// ⟨old cluster, new cluster or none, lowest document, documents⟩ of documents that were in a
/// cluster.
pub(super) type OldClusterFlow = Flow<4>;

/// ⟨new cluster, lowest document + 1, old cluster, documents of both, of the old one, that left it,
/// bits⟩; of documents that came from no cluster ⟨new cluster, 0, none, documents, 0, 0, 0⟩. The
/// bits are [`IS_HEIR`] and [`IS_SPLIT`].
pub(super) type NewClusterFlow = Flow<7>;

/// The new cluster has the lowest document of the old one that is in any cluster.
pub(super) const IS_HEIR: u32 = 1;
/// The old cluster met others, too.
pub(super) const IS_SPLIT: u32 = 2;

/// ⟨old cluster, new cluster, event, documents before, after, that it is about⟩.
pub(super) type Change = Words<6>;

/// The names of events, by their numbers.
pub(super) const EVENTS: [&str; 7] = [
    "born", "died", "grown", "merged", "renamed", "shrunk", "split",
];
pub(super) const BORN: u32 = 0;
pub(super) const DIED: u32 = 1;
pub(super) const GROWN: u32 = 2;
pub(super) const MERGED: u32 = 3;
pub(super) const RENAMED: u32 = 4;
pub(super) const SHRUNK: u32 = 5;
pub(super) const SPLIT: u32 = 6;

/// Counts documents of the same two clusters; the lowest comes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddOldClusterFlows;

impl Combine<OldClusterFlow> for AddOldClusterFlows {
    fn absorb(&self, into: &mut OldClusterFlow, next: &OldClusterFlow) -> bool {
        if into.0[..2] != next.0[..2] {
            return false;
        }
        into.0[2] = into.0[2].min(next.0[2]);
        into.0[3] = into.0[3].saturating_add(next.0[3]);
        true
    }
}

/// Counts documents that come into the same cluster from none.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddNewClusterFlows;

impl Combine<NewClusterFlow> for AddNewClusterFlows {
    fn absorb(&self, into: &mut NewClusterFlow, next: &NewClusterFlow) -> bool {
        if into.0[..3] != next.0[..3] || into.0[1] != 0 {
            return false;
        }
        into.0[3] = into.0[3].saturating_add(next.0[3]);
        true
    }
}
