//! Log lines on standard error.
//!
//! *Input.* A level, a message, fields. *Output.* One line, written at once, so that lines of two
//! processes in one file do not mix. *Algorithm.* On a terminal the message as it is; in a log with
//! the time before it; as JSON an object a line: `time`, `level`, `message`, then the fields.
//! *Memory.* The line. *Limits.* Texts may hold parts of pages, URLs and file names of
//! strangers, so control characters are escaped. A closed standard error is no error.

use crate::runtime::commands::with_config_options;
use output::is_harmful;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::OnceLock;

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogForm {
    /// The message alone, for people.
    Plain,
    /// The message with the time before it.
    Timed,
    /// A JSON object a line.
    Json,
}

/// The importance of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The error that ended the program.
    Error,
    /// The user should know.
    Warn,
    /// Progress.
    Info,
    /// Details for finding a fault.
    Debug,
    /// Further details for finding a fault.
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

/// Sets the form of all lines from now on; only the first call counts.
pub fn set_log_form(form: LogForm) {
    let _ = FORM.set(form);
}

/// The form of lines: [`LogForm::Plain`] unless it was set.
pub fn log_form() -> LogForm {
    FORM.get().copied().unwrap_or(LogForm::Plain)
}

/// A message with its fields. Only JSON shows the fields, so the message must be complete without
/// them.
#[derive(Clone, Debug)]
pub struct LogLine {
    level: Level,
    message: String,
    fields: Map<String, Value>,
}

impl LogLine {
    /// A message without fields. Commands in it have the options of this call.
    pub fn new(level: Level, message: impl Into<String>) -> LogLine {
        LogLine {
            level,
            message: with_config_options(&message.into()).into_owned(),
            fields: Map::new(),
        }
    }

    /// The message, without the fields.
    pub fn text(&self) -> &str {
        &self.message
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> LogLine {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Writes the line to standard error.
    pub fn write(&self) {
        let line = self.rendered(log_form(), &crate::runtime::cost::now_rfc3339());
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }

    /// The text of the line, with its line break. In a message of several lines each begins with
    /// the time.
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

/// Escapes the characters that a terminal takes as commands or that change the direction of
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

/// Escapes the same characters in JSON. There they occur only within strings, and JSON has an
/// escape for them. Line breaks between values stay.
pub fn json_escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if is_harmful(c) && c != '\n' {
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
