//! The journal of a directory of copies.
//!
//! *Input.* Finished files. *Output.* Lines, each with its own checksum: a torn one is known.

use format::Sealed;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

/// A file of the input and what became of it; a line of `files.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CopiedFile {
    /// Its name below the directory of copies.
    pub(super) file: String,
    pub(super) source_bytes: u64,
    /// Bytes of the copy; `None` if there is none, because nothing of the file stays.
    pub(super) copied_bytes: Option<u64>,
    /// XXH3-64 of the copy, in hex.
    pub(super) checksum: Option<String>,
    pub(super) documents: u64,
    /// Documents that went.
    pub(super) removed: u64,
    /// Documents of which parts went.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) cut: u64,
    /// WARC records that went with them.
    pub(super) belonging_records: u64,
    /// Damaged bytes that could not be copied.
    pub(super) lost_bytes: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A line of the journal.
#[derive(Serialize, Deserialize)]
pub(super) enum JournalEntry {
    Copied(CopiedFile),
    /// The call is finished: the seals of the table, the list of files and the summary.
    Finished([Sealed; 3]),
}

impl JournalEntry {
    /// Its line, with its checksum before it.
    pub(super) fn line(&self) -> String {
        // Numbers and texts always serialize.
        let content = serde_json::to_string(self).unwrap_or_default();
        let checksum = XxHash3_64::oneshot(content.as_bytes());
        format!("{checksum:016x} {content}\n")
    }

    /// Reads a line, if it is sound.
    pub(super) fn parse(line: &str) -> Option<JournalEntry> {
        let (checksum, content) = line.split_once(' ')?;
        let is_sound = checksum == format!("{:016x}", XxHash3_64::oneshot(content.as_bytes()));
        serde_json::from_str(content).ok().filter(|_| is_sound)
    }
}
