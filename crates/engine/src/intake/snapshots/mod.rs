//! The snapshots of a corpus, and the input that a run makes of them.
//!
//! *Input.* `snapshots.toml` with its lists of files, beside the configuration; `[snapshots]` and
//! the directories it finds; without both, `paths`. *Output.* An [`Intake`]: the snapshots that are
//! not dropped, with their files as they are now. *Algorithm.* Recorded files are trusted: one
//! `stat` a file shows whether it changed. A new snapshot is listed once, like `paths`, and the
//! result is recorded with formats and unreadable files, so that every later run sees the same
//! snapshot. *Memory.* The record of every file of a live snapshot, beside its listing. *Files.*
//! `snapshots.toml` and `snapshots.d`, replaced as `store` says. *Limits.* 2^31 − 1 snapshots in
//! the life of a corpus.

mod find;
mod intake;
mod list_file;
mod name;
mod outcome;
mod path;
mod record;
mod retained;
mod rows;
mod snapshot;
mod store;
mod table;
mod take;
#[cfg(test)]
mod tests;
mod verbs;

pub use intake::Intake;
pub use rows::{SnapshotRow, SnapshotState, SnapshotTable};
pub use verbs::{SnapshotAdd, check_lists, snapshot_add, snapshot_drop, snapshot_list};
