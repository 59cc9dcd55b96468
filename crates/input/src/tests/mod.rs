//! What the tests of all readers share.

pub(crate) mod collect;
