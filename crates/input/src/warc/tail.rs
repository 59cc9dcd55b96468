//! The bytes behind a record, which show whether it ends where its header says.

use super::version_line::{START, begins_record};
use decode::http;

/// Bytes behind a record that say whether it ends there.
pub(super) const TAIL_BYTES: usize = 36;

/// The kind of bytes that follow a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    Record,
    End,
    /// A blank line, and then no record.
    Garbage,
    Nothing,
}

/// Judges up to [`TAIL_BYTES`] bytes behind a record. If there are fewer, the entry ends there.
pub(super) fn tail_of(tail: &[u8]) -> Tail {
    let newlines = tail
        .iter()
        .take_while(|&&byte| byte == b'\r' || byte == b'\n')
        .count();
    let rest = &tail[newlines..];
    let cut = tail.len() == TAIL_BYTES;
    let start = &START[..rest.len().min(START.len())];
    match rest {
        [] if cut => Tail::Record,
        [] => Tail::End,
        _ if begins_record(rest) => Tail::Record,
        _ if cut && rest.eq_ignore_ascii_case(start) => Tail::Record,
        _ if http::head_bytes(&tail[..newlines]).is_some() => Tail::Garbage,
        _ => Tail::Nothing,
    }
}
