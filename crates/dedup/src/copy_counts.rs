//! What was copied, as data and as text.

use crate::names::DATA;
use output::counted;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Sums over the files of the input that are copied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyCounts {
    /// Files of the input, but for those that are never copied.
    pub source_files: u64,
    /// Their bytes.
    pub source_bytes: u64,
    /// Copies written: a page that is removed has none.
    pub files: u64,
    /// Bytes of the copies.
    pub copied_bytes: u64,
    /// WARC records that were removed because they belong to a removed response.
    pub belonging_records: u64,
    /// Damaged bytes that could not be copied because they share a member or frame with a removed
    /// record.
    pub lost_bytes: u64,
}

impl CopyCounts {
    /// Says how much was `done` as what, and where the copies are, if there are any.
    pub(super) fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        done: &str,
        output: Option<&Path>,
        was_finished: bool,
    ) -> fmt::Result {
        let Some(output) = output else {
            return Ok(());
        };
        let [from, to] = [self.source_files, self.files].map(|files| counted(files, "file"));
        let [read, written] =
            [self.source_bytes, self.copied_bytes].map(|bytes| counted(bytes, "byte"));
        let state = match was_finished {
            true => ", already finished",
            false => "",
        };
        writeln!(f, "{from}, {read}, {done} as {to}, {written}")?;
        writeln!(f, "copies: {}{state}", output.join(DATA).display())
    }
}
