//! Which copies are finished, so that an interrupted call resumes.
//!
//! *Input, output.* JSON objects, one a line, appended. Each line begins with its own XXH3-64, and
//! has that of its copy. *Limits.* The journal is not synced. A file whose line was lost in a power
//! cut, or is damaged, is copied again.

use format::Sealed;
use runtime::Error;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// A file of the input and what became of it; a line of `files.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CopiedFile {
    /// Its name below the directory of copies.
    pub(super) file: String,
    /// Bytes of the input.
    pub(super) source_bytes: u64,
    /// Bytes of the copy; `None` if there is none, because nothing of the file stays.
    pub(super) copied_bytes: Option<u64>,
    /// XXH3-64 of the copy, in hex.
    pub(super) checksum: Option<String>,
    /// Documents in it.
    pub(super) documents: u64,
    /// Documents that went.
    pub(super) removed: u64,
    /// WARC records that went with them.
    pub(super) belonging_records: u64,
    /// Damaged bytes that could not be copied.
    pub(super) lost_bytes: u64,
}

impl CopiedFile {
    /// Reads the lines of `files.jsonl`, up to the first that is none.
    pub(super) fn parse_all(text: &str) -> Vec<CopiedFile> {
        text.lines()
            .map_while(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// Reads the sound lines of a journal.
    pub(super) fn parse_journal(text: &str) -> Vec<CopiedFile> {
        let sound = text.lines().filter_map(content);
        sound
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// The line of `files.jsonl`, without its end.
    pub(super) fn line(&self) -> String {
        // numbers and texts always serialize
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What is known of its copy; `None` if it has none.
    pub(super) fn seal(&self) -> Option<Sealed> {
        Some(Sealed {
            name: self.file.clone(),
            bytes: self.copied_bytes?,
            records: 0,
            checksum: self.checksum.clone()?,
        })
    }
}

/// A line with its checksum before it, and its end.
pub(super) fn checked_line(content: &str) -> String {
    let checksum = XxHash3_64::oneshot(content.as_bytes());
    format!("{checksum:016x} {content}\n")
}

/// The content of such a line, if it is sound.
pub(super) fn content(line: &str) -> Option<&str> {
    let (_, content) = line.split_once(' ')?;
    (checked_line(content).trim_end_matches('\n') == line).then_some(content)
}

/// Appends lines to a file.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens it, made if it is not there.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn open(path: &Path) -> Result<Journal, Error> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(Error::io(format!("open {}", path.display())))?;
        Ok(Journal {
            path: path.to_owned(),
            file,
        })
    }

    /// Adds a line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn add(&mut self, copied: &CopiedFile) -> Result<(), Error> {
        let written = self.file.write_all(checked_line(&copied.line()).as_bytes());
        written.map_err(Error::io(format!("write {}", self.path.display())))
    }
}
