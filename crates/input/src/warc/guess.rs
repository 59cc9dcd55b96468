//! Finds the first entry of a piece when the bytes before it have not been read.

use std::ops::Range;

use decode::error::InputError;

use super::syntax::Syntax;
use super::version_line::Before;
use super::window::{EntryWindow, Gate};

/// Bytes before a version line that show the blank line: CR LF CR LF.
const BLANK_LINE_BYTES: u64 = 4;

/// The first entry that seems to begin in the range; `None` if none does.
///
/// It may be wrong: a page may quote a WARC file, and an entry may be damaged. The caller compares
/// it with where the reader of the bytes before came to.
pub(crate) fn first_entry(
    window: &mut EntryWindow,
    range: Range<u64>,
    gate: &mut Gate<'_>,
) -> Result<Option<u64>, InputError> {
    let Range { start, end } = range;
    if !window.source.is_plain() {
        return window
            .source
            .find_entry(start, end, window.syntax.entry_start());
    }
    let from = start.saturating_sub(BLANK_LINE_BYTES);
    window.source.seek(from)?;
    if !matches!(window.source.begin_entry(), Ok(true)) {
        return Ok(None);
    }
    window.begin()?;
    let before = match window.syntax {
        Syntax::Warc => Before::BlankLine,
        Syntax::Arc => Before::Line,
    };
    while window.find_record(end - from, before, gate)? {
        let found = from + window.offset();
        if found >= start {
            return Ok(Some(found));
        }
        window.consume(1);
    }
    Ok(None)
}
