//! The lines on standard error; how the lines look is [`pipeline::LogLine`]'s.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use pipeline::{Level, LogForm, LogLine, log_form};

/// One line, `pipeline: …`.
pub(crate) fn say(text: &str) {
    LogLine::new(Level::Info, named(text)).write();
}

/// A line that starts with `note:`, as those of a run do.
pub(crate) fn note(text: &str) {
    LogLine::new(Level::Info, format!("note: {text}")).write();
}

/// The last line: why the program ends with this code.
pub(crate) fn failure(text: &str, code: u8) -> LogLine {
    LogLine::new(Level::Error, named(text)).with("exit_code", code)
}

/// Lines that programs find places of files by, as they are.
pub(crate) fn places(text: &str) {
    for line in text.lines() {
        let line = LogLine::new(Level::Error, line).rendered(LogForm::Plain, "");
        let _ = io::stderr().lock().write_all(line.as_bytes());
    }
}

/// A log has a name before its message only where people read it.
fn named(text: &str) -> String {
    if log_form() == LogForm::Json {
        text.to_owned()
    } else {
        format!("pipeline: {text}")
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(
            chain(&Layer("failed to open x", cause())),
            "failed to open x: no such file"
        );
        assert_eq!(
            chain(&Layer("failed to open x: no such file; mend it", cause())),
            "failed to open x: no such file; mend it"
        );
        assert_eq!(
            chain(&Layer("a", Some(Box::new(Layer("b", cause()))))),
            "a: b: no such file"
        );
    }
}
