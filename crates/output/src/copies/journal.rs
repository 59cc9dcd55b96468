//! Which copies are finished, so that an interrupted call goes on: one JSON object a line,
//! appended.
//!
//! *Limits.* It is not synced: a line that a power cut took is a file that is copied again.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::OutputError;

/// A file of the input and what became of it; a line of `files.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedFile {
    /// Its name below the directory of copies.
    pub file: String,
    /// Bytes of the input.
    pub source_bytes: u64,
    /// Bytes of the copy; `None` if there is none, because its only document goes.
    pub copied_bytes: Option<u64>,
    /// Documents in it.
    pub documents: u64,
    /// Documents that went.
    pub removed: u64,
    /// WARC records that went with them.
    pub belonging_records: u64,
    /// Damaged bytes that could not be copied.
    pub lost_bytes: u64,
}

impl CopiedFile {
    /// Reads lines, up to the first that is none.
    pub fn parse_all(text: &str) -> Vec<CopiedFile> {
        text.lines()
            .map_while(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// The line, with its end.
    pub fn line(&self) -> String {
        // numbers and texts always serialize
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// Appends lines to a file.
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens it, made if it is not there.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn open(path: &Path) -> Result<Journal, OutputError> {
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .map_err(OutputError::io("open", path))?;
        Ok(Journal {
            path: path.to_owned(),
            file,
        })
    }

    /// Adds a line.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn add(&mut self, copied: &CopiedFile) -> Result<(), OutputError> {
        self.file
            .write_all(copied.line().as_bytes())
            .map_err(OutputError::io("write", &self.path))
    }
}
