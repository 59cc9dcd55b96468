//! The memory of phase `passages`: the share of each step, of what is free when it begins.

use sort::Share;

/// The sort of the documents by `keep`.
pub(super) const RANKED: Share = Share::of(1, 2);
/// The sort of the documents that are read.
pub(super) const WANTED: Share = Share::of(1, 16);
/// The sort of all anchors; what is left is for reading, and then for the sort of their classes.
pub(super) const ANCHORS: Share = Share::of(1, 2);
pub(super) const CLASSES: Share = Share::ALL;
/// The sort of the classes that are read again.
pub(super) const QUESTIONS: Share = Share::of(1, 2);
/// The sort of windows; what is left is for reading.
pub(super) const WINDOWS: Share = Share::of(1, 2);
/// The sort of repeated windows by class, and beside it the sort of the intervals of documents.
pub(super) const REPEATED: Share = Share::of(1, 2);
pub(super) const INTERVALS: Share = Share::of(1, 2);
/// The sort of the parts that stay elsewhere.
pub(super) const CUTS: Share = Share::of(1, 2);
/// The sort of what documents quote.
pub(super) const QUOTES: Share = Share::of(1, 2);
/// The sort of the tokens at which passages begin and end.
pub(super) const EDGES: Share = Share::of(1, 2);
/// The sort of their characters; what is left is for reading.
pub(super) const CHARACTERS: Share = Share::of(1, 4);
