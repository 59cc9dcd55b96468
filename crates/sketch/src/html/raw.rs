//! Where comments, raw text and scripts end.

use crate::tag_name::TagName;
use memchr::{memchr, memchr_iter, memchr2};

const SCRIPT: TagName = TagName::of("script");

/// Position behind the comment whose text begins at `start`: behind `-->` or `--!>`, and `>` or
/// `->` right at the start.
pub(super) fn comment_end(bytes: &[u8], start: usize) -> usize {
    let text = &bytes[start.min(bytes.len())..];
    for short in [b">".as_slice(), b"->"] {
        if text.starts_with(short) {
            return start + short.len();
        }
    }
    let closes = |at: &usize| text[..*at].ends_with(b"--") || text[..*at].ends_with(b"--!");
    memchr_iter(b'>', text)
        .find(closes)
        .map_or(bytes.len(), |at| start + at + 1)
}

/// Position of the end tag of `name` at or after `start`; the end of the page if there is none.
pub(super) fn end(bytes: &[u8], start: usize, name: TagName) -> usize {
    let mut at = start;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found;
        if is_end_tag(bytes, at, name) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

fn is_end_tag(bytes: &[u8], at: usize, name: TagName) -> bool {
    bytes.get(at + 1) == Some(&b'/') && name.is_at(bytes, at + 2)
}

/// States of the script tokenizer that differ in what they look for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptState {
    Script,
    /// Behind `<!--`.
    Escaped,
    /// Behind `<!--` and `<script`: the next end tag only leads back.
    DoubleEscaped,
}

/// Position of the end tag of the script whose text begins at `start`; the end of the page if there
/// is none.
pub(super) fn script_end(bytes: &[u8], start: usize) -> usize {
    let mut state = ScriptState::Script;
    let mut at = start;
    // behind `<!--`, whose dashes count for a following `-->`
    let mut dashes_from = start;
    while let Some(found) = memchr2(b'<', b'>', &bytes[at..]) {
        at += found;
        if bytes[at] == b'>' {
            if state != ScriptState::Script && bytes[dashes_from..at].ends_with(b"--") {
                state = ScriptState::Script;
            }
            at += 1;
            continue;
        }
        if is_end_tag(bytes, at, SCRIPT) {
            if state != ScriptState::DoubleEscaped {
                return at;
            }
            state = ScriptState::Escaped;
            at += "</script>".len();
            dashes_from = at;
        } else if state == ScriptState::Script && bytes[at..].starts_with(b"<!--") {
            state = ScriptState::Escaped;
            dashes_from = at + 2;
            at += 4;
        } else if state == ScriptState::Escaped && SCRIPT.is_at(bytes, at + 1) {
            state = ScriptState::DoubleEscaped;
            at += "<script>".len();
            dashes_from = at;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_where_the_standard_says() {
        for (comment, rest) in [
            ("<!-->x", "x"),
            ("<!--->x", "x"),
            ("<!---->x", "x"),
            ("<!-- a -- b -->x", "x"),
            ("<!-- a --!>x", "x"),
            ("<!--!>x-->y", "y"),
            ("<!---!>x-->y", "y"),
            ("<!----!>x", "x"),
            ("<!-- <!-->x", "x"),
            ("<!-- a ->x--->y", "y"),
            ("<!-- > -- >", ""),
            ("<!--", ""),
            ("<!--a-", ""),
        ] {
            assert_eq!(
                &comment[comment_end(comment.as_bytes(), 4)..],
                rest,
                "{comment}"
            );
        }
    }

    #[test]
    fn scripts_end_where_the_standard_says() {
        for (script, rest) in [
            ("a</script>x", "</script>x"),
            ("a</scripts></script/>x", "</script/>x"),
            ("<!-- </script>x", "</script>x"),
            ("<!-- <script> </script> </script>x", "</script>x"),
            ("<!-- <script> --> </script>x", "</script>x"),
            ("<!-- <scripts> </script>x", "</script>x"),
            (
                "<!-- <script> </script> <script> </script> </script>x",
                "</script>x",
            ),
            ("<!--><script></script>x", "</script>x"),
            ("<!---><script></script>x", "</script>x"),
            ("<!-- <script>--><script></script>x", "</script>x"),
            ("<script></script>x", "</script>x"),
            ("<!-- <script", ""),
        ] {
            assert_eq!(
                &script[script_end(script.as_bytes(), 0)..],
                rest,
                "{script}"
            );
        }
    }
}
