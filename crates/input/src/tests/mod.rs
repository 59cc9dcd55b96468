//! What the tests of all readers share.

pub(crate) mod collect;
mod field_limits;
