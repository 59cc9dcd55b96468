//! The memory of phase `cluster` and of sweeps: the share of each step, of what is free when it
//! begins.

use sort::Share;

/// Judging pairs by blocks: the sizes of a block take two parts, the sort of its links one.
pub(super) const JUDGED: Share = Share::of(3, 4).in_parts(4);
/// The sort of the links by which one class may keep another.
pub(super) const EDGES: Share = Share::of(3, 4);
/// The sort of the documents of linked classes by `keep`.
pub(super) const RANKED: Share = Share::of(1, 2);
/// The figures of a range of clusters, where those of all do not fit.
pub(super) const TALLIES: Share = Share::of(1, 2);
/// Links of dense clusters: a sort of the chosen ones and one of all by strength.
pub(super) const CHOSEN_LINKS: Share = Share::of(1, 2).in_parts(2);
/// The sort of the links of the tree of joins.
pub(super) const TREE: Share = Share::of(3, 4);
