//! The memory of exact comparison: the share of each step, of what is free when it begins.

use sort::Share;

/// A sort of the documents whose fingerprints are wanted, and then one of the fingerprints.
pub(crate) const FINGERPRINTS: Share = Share::of(1, 8);
/// The sort of the documents whose sets are wanted.
pub(crate) const WANTED_SETS: Share = Share::of(1, 4);
/// Sets of shingles, beside what compares them.
pub(crate) const SETS: Share = Share::of(1, 2);
/// A sample of sets, to find the shingles that many hold.
pub(crate) const SAMPLE: Share = Share::of(1, 2);
/// Documents that are read again.
pub(crate) const READING: Share = Share::ALL;
