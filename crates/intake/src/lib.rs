//! The input of a run: the files as they are now, what changed since the last run, and the list of
//! snapshots.

pub mod inputs;
pub mod listing;
pub mod manifest;
pub mod snapshots;
pub mod summary;
