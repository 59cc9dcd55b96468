//! The two ways to write a record: WARC and ARC.
//!
//! *Algorithm.* All that differs is where a record seems to begin, where its header ends, and what
//! the header says.

use decode::codec::EntryStart;
use decode::document::Refusal;
use decode::http;

use super::arc;
use super::header::{self, RecordHeader};
use super::version_line::{self, Before, START};

/// The syntax of the records of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// A version line, fields, a blank line; a blank line behind the block.
    Warc,
    /// One line; a line end behind the block.
    Arc,
}

impl Syntax {
    /// Bytes that [`Syntax::begins_record`] needs.
    pub(super) fn start_bytes(self) -> usize {
        match self {
            Syntax::Warc => START.len(),
            Syntax::Arc => arc::START_BYTES,
        }
    }

    /// Whether bytes begin like a record.
    pub(super) fn begins_record(self, bytes: &[u8]) -> bool {
        match self {
            Syntax::Warc => version_line::begins_record(bytes),
            Syntax::Arc => arc::begins_with_scheme(bytes),
        }
    }

    /// The content of a member or frame that has records.
    pub(super) fn entry_start(self) -> EntryStart {
        match self {
            Syntax::Warc => EntryStart {
                bytes: START.len(),
                is_start: |start| start.starts_with(START),
            },
            Syntax::Arc => EntryStart {
                bytes: arc::START_BYTES,
                is_start: arc::begins_with_scheme,
            },
        }
    }

    /// Bytes behind a line feed that say whether a record begins there.
    pub(super) fn look_ahead_bytes(self) -> usize {
        match self {
            Syntax::Warc => version_line::LOOK_AHEAD_BYTES,
            Syntax::Arc => arc::LOOK_AHEAD_BYTES,
        }
    }

    /// Where the first record seems to begin whose line feed before it is among the first
    /// `searched` bytes.
    pub(super) fn next_record(
        self,
        bytes: &[u8],
        searched: usize,
        before: Before,
    ) -> Option<usize> {
        match self {
            Syntax::Warc => version_line::next_record_line(bytes, searched, before),
            Syntax::Arc => arc::next_header_line(bytes, searched),
        }
    }

    /// Bytes of the header at the beginning, with its end; `None` if it does not end.
    pub(super) fn header_bytes(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Syntax::Warc => http::head_bytes(bytes),
            Syntax::Arc => memchr::memchr(b'\n', bytes).map(|end| end + 1),
        }
    }

    /// Reads a header.
    pub(super) fn parse(self, header: &[u8]) -> Result<RecordHeader, Refusal> {
        match self {
            Syntax::Warc => header::parse(header),
            Syntax::Arc => arc::parse(header),
        }
    }

    /// The reason of a file that has no record.
    pub(super) fn no_record(self) -> &'static str {
        match self {
            Syntax::Warc => "not-warc",
            Syntax::Arc => "not-arc",
        }
    }

    /// The reason of a record whose header cannot be read.
    pub(super) fn bad_header(self) -> &'static str {
        match self {
            Syntax::Warc => "bad-warc-header",
            Syntax::Arc => "bad-arc-header",
        }
    }
}
