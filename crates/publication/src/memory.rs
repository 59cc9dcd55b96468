//! The memory of phase `index`: the share of each step, of what is free when it begins. The steps
//! come one after the other.

use sort::Share;

/// Removed documents: three sorts at a time; half of the memory is left for sketches and cells.
pub(crate) const REMOVALS: Share = Share::of(1, 2).in_parts(4);
/// Rows of clusters: three sorts.
pub(crate) const CLUSTERS: Share = Share::of(1, 2).in_parts(3);
/// Changes between snapshots: up to seven sorts.
pub(crate) const CHANGES: Share = Share::of(7, 8).in_parts(8);
/// The journal of clusters: up to four sorts.
pub(crate) const JOURNAL: Share = Share::of(7, 8).in_parts(4);
/// The sort of the keys of URLs and ids.
pub(crate) const URLS: Share = Share::of(7, 8);
/// The sort of documents by cluster or representative, and of passages by source.
pub(crate) const GROUPS: Share = Share::of(7, 8);
