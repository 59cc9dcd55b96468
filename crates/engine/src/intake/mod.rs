//! The input of a run: the files as they are now, what changed since the last run, and the list of
//! snapshots.
//!
//! *Errors.* The input cannot be listed or read; the list of snapshots is damaged or missing, or
//! cannot be written; a file of a snapshot is not as it was recorded; the list of files is larger
//! than the memory that is left; the run was interrupted; a verb is given what it cannot use.

pub mod inputs;
pub mod listing;
pub mod manifest;
pub mod snapshots;
pub mod summary;
