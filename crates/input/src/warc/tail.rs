//! The bytes behind a record, which show whether it ends where its header says.

use super::arc;
use super::syntax::Syntax;
use super::version_line::{START, begins_record};
use decode::http;

/// Bytes behind a record that say whether it ends there. Those of ARC hold a header line.
pub(super) fn tail_bytes(syntax: Syntax) -> usize {
    match syntax {
        Syntax::Warc => 36,
        Syntax::Arc => arc::LOOK_AHEAD_BYTES + 4,
    }
}

/// The kind of bytes that follow a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordTail {
    Record,
    End,
    /// A blank line (of ARC: the end of a line), and then no record.
    Garbage,
    Nothing,
}

/// Judges up to [`tail_bytes`] bytes behind a record. If there are fewer, the entry ends there.
pub(super) fn tail_of(tail: &[u8], syntax: Syntax) -> RecordTail {
    let newlines = tail
        .iter()
        .take_while(|&&byte| byte == b'\r' || byte == b'\n')
        .count();
    let rest = &tail[newlines..];
    let cut = tail.len() == tail_bytes(syntax);
    let start = &START[..rest.len().min(START.len())];
    match rest {
        [] if cut => RecordTail::Record,
        [] => RecordTail::End,
        _ if syntax == Syntax::Arc => {
            // The line may be longer than the bytes at hand.
            let is_line = match memchr::memchr(b'\n', rest) {
                None if cut => arc::begins_with_scheme(rest),
                _ => arc::begins_with_header_line(rest),
            };
            match is_line {
                true => RecordTail::Record,
                false if newlines > 0 => RecordTail::Garbage,
                false => RecordTail::Nothing,
            }
        }
        _ if begins_record(rest) => RecordTail::Record,
        _ if cut && rest.eq_ignore_ascii_case(start) => RecordTail::Record,
        _ if http::head_bytes(&tail[..newlines]).is_some() => RecordTail::Garbage,
        _ => RecordTail::Nothing,
    }
}
