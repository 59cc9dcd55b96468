//! Characters and lines.
//!
//! Both work line by line, a line ending at LF or CR: both are ASCII, so they are safe places to
//! cut, and both count as white space. In the text of an HTML page every block tag has left a line
//! feed.

use super::token::TokenBuilder;
use std::ops::Range;

/// Sends every character that is not white space to `builder`.
pub(super) fn chars(text: &[u8], builder: &mut impl TokenBuilder) {
    for line in lines_of(text) {
        builder.each_char(text, line, |builder, c, class, place| {
            if c.is_whitespace() {
                builder.finish();
            } else {
                builder.push(c, class, place);
            }
        });
        builder.finish();
    }
}

/// Sends the lines to `builder`: white space collapsed to one space, none at either end, empty ones
/// left out.
pub(super) fn lines(text: &[u8], builder: &mut impl TokenBuilder) {
    let space_class = builder.classes().of(' ');
    for line in lines_of(text) {
        let mut space = false;
        builder.each_char(text, line, |builder, c, class, place| {
            if c.is_whitespace() {
                space = true;
                return;
            }
            if space && !builder.is_empty() {
                builder.push(' ', space_class, place);
            }
            space = false;
            builder.push(c, class, place);
        });
        builder.finish();
    }
}

/// Where the lines of a text are, their ends left out.
fn lines_of(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split(|byte| matches!(byte, b'\n' | b'\r'))
        .map(move |line| {
            let start = at;
            at += line.len() + 1;
            start..start + line.len()
        })
}
