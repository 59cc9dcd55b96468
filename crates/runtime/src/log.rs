//! Lines on standard error: what is said while something runs, and how it ended.
//!
//! *Input.* A level, a message, fields. *Output.* One line, written at once, so that lines of two
//! processes in one file do not mix. *Algorithm.* On a terminal the message as it is; in a log with
//! the time before it; as JSON an object a line: `time`, `level`, `message`, then the fields.
//! *Memory.* The line. *Limits.* Texts may hold parts of pages, URLs and file names, which
//! strangers wrote: nothing of them reaches a terminal as a command. A closed standard error is
//! nobody's error.

use output::is_harmful;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::OnceLock;

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogForm {
    /// As people read them.
    Plain,
    /// The same, each with the time before it.
    Timed,
    /// A JSON object a line.
    Json,
}

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It ended the program.
    Error,
    /// Somebody should know.
    Warn,
    /// How far things are.
    Info,
    /// For those who look for a fault.
    Debug,
    /// The same, still more.
    Trace,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        }
    }
}

static FORM: OnceLock<LogForm> = OnceLock::new();

/// Says how lines are written from now on; only the first call counts.
pub fn set_log_form(form: LogForm) {
    let _ = FORM.set(form);
}

/// How lines are written: [`LogForm::Plain`] unless it was said.
pub fn log_form() -> LogForm {
    FORM.get().copied().unwrap_or(LogForm::Plain)
}

/// A message with its fields, as it is to be written. Only JSON shows the fields, so the message
/// says it all.
#[derive(Clone, Debug)]
pub struct LogLine {
    level: Level,
    message: String,
    fields: Map<String, Value>,
}

impl LogLine {
    /// A message without fields.
    pub fn new(level: Level, message: impl Into<String>) -> LogLine {
        LogLine {
            level,
            message: message.into(),
            fields: Map::new(),
        }
    }

    /// The same with a field more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> LogLine {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// On standard error.
    pub fn write(&self) {
        let line = self.rendered(log_form(), &crate::cost::now_rfc3339());
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }

    /// The line as it is written, with its line break. A message of several lines has the time
    /// before each.
    pub fn rendered(&self, form: LogForm, time: &str) -> String {
        let lines = |stamp: String| {
            self.message
                .lines()
                .map(|line| format!("{stamp}{}\n", escaped(line)))
                .collect()
        };
        match form {
            LogForm::Plain => lines(String::new()),
            LogForm::Timed => lines(format!("{time} ")),
            LogForm::Json => {
                let first = [
                    ("time", time),
                    ("level", self.level.name()),
                    ("message", self.message.as_str()),
                ];
                let mut object: Map<String, Value> = first
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value.into()))
                    .collect();
                object.extend(self.fields.clone());
                json_escaped(&Value::Object(object).to_string()) + "\n"
            }
        }
    }
}

/// The text without anything that a terminal takes as a command or that changes the direction of
/// writing.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmful(c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// The same for JSON, where such characters can stand in texts only, and have a form of their own.
fn json_escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if is_harmful(c) {
            // Writing to a String cannot fail; all of them have four digits.
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
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
        assert_eq!(
            escaped("a\u{1b}[31mb\u{7}\r\n\u{9b}x"),
            "a\\u{1b}[31mb\\u{7}\\u{d}\\u{a}\\u{9b}x"
        );
        assert_eq!(
            escaped("abc\u{202e}cba \u{2066}x\u{2069}\u{feff}"),
            "abc\\u{202e}cba \\u{2066}x\\u{2069}\\u{feff}"
        );
        assert_eq!(escaped("Füße, 日本語, עברית"), "Füße, 日本語, עברית");
    }

    #[test]
    fn a_line_has_three_forms() {
        let line = LogLine::new(Level::Warn, "two\nlines \u{9b}\u{202e}")
            .with("exit_code", 4)
            .with("x", "\u{1b}\"");
        assert_eq!(
            line.rendered(LogForm::Plain, "T"),
            "two\nlines \\u{9b}\\u{202e}\n"
        );
        assert_eq!(
            line.rendered(LogForm::Timed, "T"),
            "T two\nT lines \\u{9b}\\u{202e}\n"
        );
        let json = line.rendered(LogForm::Json, "T");
        assert_eq!(
            json,
            "{\"time\":\"T\",\"level\":\"warn\",\"message\":\"two\\nlines \\u009b\\u202e\",\"exit_code\":4,\
             \"x\":\"\\u001b\\\"\"}\n"
        );
        let read: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(read["message"], "two\nlines \u{9b}\u{202e}");
    }
}
