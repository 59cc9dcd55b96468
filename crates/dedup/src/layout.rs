//! The names of files in a directory of copies.
//!
//! | name | holds |
//! |---|---|
//! | `data/` | the copies, by the names of the input |
//! | `removed.parquet` | every removed document, with the evidence |
//! | `files.jsonl` | every file of the input: bytes, documents, removals, the checksum of the copy |
//! | `dedup.json` | the counts |
//! | `.seal` | size and checksum of the three above; written last |
//! | `.pipeline-dedup` | the run and the options that made the directory |
//! | `.journal`, `.staging/` | finished files, unfinished files; removed at the end |

use std::path::PathBuf;

/// The directory of the copies.
pub(super) const DATA: &str = "data";
pub(super) const REMOVED_TABLE: &str = "removed.parquet";
pub(super) const MARKER: &str = ".pipeline-dedup";
pub(super) const JOURNAL: &str = ".journal";
pub(super) const STAGING: &str = ".staging";
pub(super) const SEAL: &str = ".seal";
pub(super) const FILES: &str = "files.jsonl";
pub(super) const SUMMARY: &str = "dedup.json";

/// Every file that a call may write beside the copies.
pub(super) fn own_files() -> Vec<PathBuf> {
    let own = [REMOVED_TABLE, MARKER, JOURNAL, FILES, SUMMARY, SEAL].map(PathBuf::from);
    let begun = own
        .iter()
        .map(|name| PathBuf::from(format!("{}.part", name.display())));
    begun.chain(own.iter().cloned()).collect()
}
