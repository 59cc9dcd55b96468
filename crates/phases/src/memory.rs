//! The memory of the phases before `cluster`: the share of each step, of what is free when it
//! begins.

use sort::Share;

/// Revisits of a snapshot: up to four sorts, and what is left for cells and the filter.
pub(crate) const REVISITS: Share = Share::of(1, 2).in_parts(6);
/// The filter of the keys that revisits look for.
pub(crate) const REVISIT_FILTER: Share = Share::of(1, 2);
/// Phase `distinct`: a sort of keys for each kind of class, and one of groups.
pub(crate) const CLASSES: Share = Share::ALL.in_parts(4);
/// Phase `sort`: the sort of postings.
pub(crate) const POSTINGS: Share = Share::of(7, 8);
/// Counting all pairs; what is left without the minimum overlaps is divided there.
pub(crate) const COUNTING: Share = Share::ALL;
/// Counting all pairs a second time, beside the steps of another command.
pub(crate) const RARE_COUNTS: Share = Share::of(1, 2);
/// Counting changed pairs: twelve parts for the pairs, the rest for shingles and documents.
pub(crate) const CHANGED_GROUPS: Share = Share::ALL.in_parts(16);
/// Proposing pairs by common shingles.
pub(crate) const PROPOSED: Share = Share::ALL;
