//! Characters and lines.
//!
//! Both work line by line, a line ending with LF or CR: no character after it changes under
//! normalization with one before it, and both count as white space. In the text of an HTML page
//! every block tag has left a line feed.

use super::token::TokenBuilder;
use crate::params::Blanks;
use std::ops::Range;

/// Sends the characters to `builder`, each as a token.
pub(super) fn chars<B: TokenBuilder>(text: &[u8], blanks: Blanks, builder: &mut B) {
    let space_class = builder.classes().of(' ');
    let mut begun = false;
    let mut space: Option<B::Place> = None;
    for line in lines_of(text) {
        builder.each_char(text, line, |builder, c, class, place| {
            if !c.is_whitespace() {
                if let Some(place) = space.take() {
                    builder.push(' ', space_class, &place);
                    builder.finish();
                }
                builder.push(c, class, place);
                begun = true;
                return;
            }
            // lower case depends on the neighbours up to the next white space
            builder.finish();
            match blanks {
                Blanks::Drop => {}
                Blanks::Collapse if begun => {
                    space.get_or_insert_with(|| place.clone());
                }
                Blanks::Collapse => {}
                Blanks::Keep => {
                    builder.push(c, class, place);
                    builder.finish();
                }
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

/// Where the lines of a text are, each with its end.
fn lines_of(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split_inclusive(|byte| matches!(byte, b'\n' | b'\r'))
        .map(move |line| {
            let start = at;
            at += line.len();
            start..at
        })
}
