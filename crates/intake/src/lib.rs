//! What a run takes in: the input files as they are now, what changed since the last run, and the
//! list of snapshots.

pub mod inputs;
pub mod listing;
pub mod snapshots;
