//! What is said on standard error.
//!
//! Texts may hold parts of pages, URLs and file names, which strangers wrote: nothing of them reaches the terminal as a
//! command. Standard error may be closed; that is nobody's error.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};

/// One line, `pipeline: …`, on standard error.
pub(crate) fn say(text: &str) {
    lines(&format!("pipeline: {text}"));
}

/// Lines as they are, escaped, on standard error.
pub(crate) fn lines(text: &str) {
    let escaped: Vec<String> = text.lines().map(escaped).collect();
    let _ = writeln!(io::stderr().lock(), "{}", escaped.join("\n"));
}

/// An error with its causes, `A: B: C`; a cause that a text before it already tells is left out.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let told = error.to_string();
        if !text.contains(&told) {
            // writing to a String cannot fail
            let _ = write!(text, ": {told}");
        }
        cause = error.source();
    }
    text
}

/// The text without anything that a terminal takes as a command or that changes the direction of writing.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if output::is_harmful(c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_the_terminal_are_escaped() {
        assert_eq!(escaped("a\u{1b}[31mb\u{7}\r\n\u{9b}x"), "a\\u{1b}[31mb\\u{7}\\u{d}\\u{a}\\u{9b}x");
        assert_eq!(escaped("abc\u{202e}cba \u{2066}x\u{2069}\u{feff}"), "abc\\u{202e}cba \\u{2066}x\\u{2069}\\u{feff}");
        assert_eq!(escaped("Füße, 日本語, עברית"), "Füße, 日本語, עברית");
    }

    #[derive(Debug)]
    struct Layer(&'static str, Option<Box<Layer>>);

    impl std::fmt::Display for Layer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Layer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|layer| layer as &dyn Error)
        }
    }

    #[test]
    fn causes_are_told_once() {
        let cause = || Some(Box::new(Layer("no such file", None)));
        assert_eq!(chain(&Layer("failed to open x", cause())), "failed to open x: no such file");
        assert_eq!(
            chain(&Layer("failed to open x: no such file; mend it", cause())),
            "failed to open x: no such file; mend it"
        );
        assert_eq!(chain(&Layer("a", Some(Box::new(Layer("b", cause()))))), "a: b: no such file");
    }
}
