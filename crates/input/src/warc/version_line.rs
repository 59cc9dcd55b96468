//! The version line, with which every record begins.

use std::sync::LazyLock;

use crate::listing::is_version_line;
use memchr::memmem;

/// The first bytes of every record.
pub(crate) const START: &[u8] = b"WARC/";
/// Bytes behind a line feed that say whether a version line begins there.
pub(super) const LOOK_AHEAD_BYTES: usize = 32;

/// The text that must stand before the line to be found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    /// The end of any line, or a zero byte: a disk that lost blocks may give zeros for them.
    Line,
    /// A blank line.
    BlankLine,
}

/// Whether bytes begin like a record, in any case of letters.
pub(crate) fn begins_record(bytes: &[u8]) -> bool {
    bytes
        .get(..START.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(START))
}

/// Finds what may be a version line, by the line feed before it.
pub(super) fn record_line() -> &'static memmem::Finder<'static> {
    static FINDER: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new(b"\nWARC/"));
    &FINDER
}

/// Where the first version line begins such that the byte before it is among the first `searched`
/// ones.
pub(crate) fn next_record_line(bytes: &[u8], searched: usize, before: Before) -> Option<usize> {
    let end = bytes.len().min(searched + LOOK_AHEAD_BYTES);
    static FINDER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(START));
    let is_behind = |front: &[u8]| match (front.split_last(), before) {
        (Some((b'\n' | 0, _)), Before::Line) => true,
        (Some((b'\n', line)), Before::BlankLine) => {
            let ends: [&[u8]; 3] = [b"\n", b"\n\r", b"\n\r\r"];
            ends.iter().any(|end| line.ends_with(end))
        }
        _ => false,
    };
    FINDER
        .find_iter(&bytes[..end])
        .take_while(|&at| at <= searched)
        .find(|&at| is_behind(&bytes[..at]) && is_version_line(&bytes[at..end]))
}
