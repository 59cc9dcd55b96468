//! Characters and lines.
//!
//! Both work line by line, a line ending at LF or CR: both are ASCII, so they are safe places to
//! cut, and both count as white space. In the text of an HTML page every block tag has left a line
//! feed.

use super::canonical::for_each_char;
use super::sink::TokenSink;
use super::token::Maker;

/// Sends every character that is not white space to `maker`.
pub(super) fn chars(text: &str, maker: &mut Maker<'_, impl TokenSink>) {
    for line in text.split(['\n', '\r']) {
        for_each_char(maker.classes, line, |c, class| {
            if c.is_whitespace() {
                maker.finish();
            } else {
                maker.push(c, class);
            }
        });
        maker.finish();
    }
}

/// Sends the lines to `maker`: white space collapsed to one space, none at either end, empty ones
/// left out.
pub(super) fn lines(text: &str, maker: &mut Maker<'_, impl TokenSink>) {
    let classes = maker.classes;
    for line in text.split(['\n', '\r']) {
        let mut space = false;
        for_each_char(classes, line, |c, class| {
            if c.is_whitespace() {
                space = true;
                return;
            }
            if space && !maker.is_empty() {
                maker.push(' ', classes.of(' '));
            }
            space = false;
            maker.push(c, class);
        });
        maker.finish();
    }
}
