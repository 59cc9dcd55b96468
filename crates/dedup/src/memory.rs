//! The memory of `dedup`: the share of each step, of what is free when it begins.

use sort::Share;

/// Deciding what goes: sorts. With the default configuration and 64 MiB, the other two thirds have
/// room for the largest document.
pub(crate) const DECISIONS: Share = Share::of(1, 3).in_parts(4);
/// Documents that differ in numbers only: two sorts.
pub(crate) const DIGITS: Share = Share::of(1, 4).in_parts(2);
/// The table of removed documents: its sorts.
pub(crate) const TABLE: Share = Share::of(1, 2);
/// Files being copied.
pub(crate) const COPIES: Share = Share::ALL;
