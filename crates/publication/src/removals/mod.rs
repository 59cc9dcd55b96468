//! The documents that go when duplicates are removed: for each the document that is kept instead,
//! and what the two share.
//!
//! *Input.* The clusters, links, pair counts and sketch sizes of a run; document rows.
//! *Output.* [`removal::RemovalRecord`]s in document order, and the table `removed`. *Algorithm.*
//! [`candidate`] pairs each document to remove with the one kept in its favour, [`evidence`] counts
//! what the two share, [`table`] adds ids and URLs. *Memory.* Three sorts of a share at a time.

pub mod candidate;
pub mod evidence;
mod kept_texts;
pub(crate) mod overlaps;
pub mod recount;
pub mod removal;
pub mod table;
pub mod task;
pub mod texts;
