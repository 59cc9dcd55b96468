//! Helpers for the tests of all readers.

pub(crate) mod collect;
mod field_limits;
