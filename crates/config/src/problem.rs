//! The problems of a configuration with their places, gathered so that all are shown at once.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Longer texts of the user are cut in messages.
const QUOTED_CHARS_MAX: usize = 80;

/// One thing that is wrong. Displays as `FILE:LINE:COLUMN: MESSAGE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The configuration file as it was named.
    pub file: PathBuf,
    /// Line and column, both from 1, the column in characters; `None` if the file as a whole is
    /// meant.
    pub position: Option<(usize, usize)>,
    /// The problem, and how to mend it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Everything that is wrong with a configuration, in the order of the file. Displays one problem a
/// line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors {
    problems: Vec<Problem>,
}

impl ConfigErrors {
    /// The problems, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// These problems, each as `change` leaves it.
    #[must_use]
    pub fn map(self, change: impl FnMut(Problem) -> Problem) -> ConfigErrors {
        ConfigErrors {
            problems: self.problems.into_iter().map(change).collect(),
        }
    }

    /// A single problem.
    pub fn of(problem: Problem) -> ConfigErrors {
        ConfigErrors {
            problems: vec![problem],
        }
    }

    /// A problem of the file as a whole.
    pub(super) fn of_file(file: &Path, message: String) -> ConfigErrors {
        ConfigErrors::of(Problem {
            file: file.to_owned(),
            position: None,
            message,
        })
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// The most problems that are shown one by one.
const PROBLEMS_MAX: usize = 200;

/// Gathers problems while a configuration is read.
#[derive(Debug)]
pub(super) struct Problems<'t> {
    file: &'t Path,
    text: &'t str,
    /// Names of the options of the command line that were read, as messages give them.
    options: Vec<String>,
    found: Vec<(usize, String)>,
}

impl<'t> Problems<'t> {
    /// Nothing wrong yet with `text`, which was read from `file`.
    pub(super) fn new(file: &'t Path, text: &'t str) -> Problems<'t> {
        Problems {
            file,
            text,
            options: Vec::new(),
            found: Vec::new(),
        }
    }

    /// A place behind the text for what an option of the command line says.
    pub(super) fn option(&mut self, name: String) -> usize {
        self.options.push(name);
        self.text.len() + self.options.len()
    }

    /// Something is wrong at these bytes of the text.
    pub(super) fn at(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.found.push((span.start, message.into()));
    }

    /// `value` if nothing was wrong, else all problems in the order of the text.
    pub(super) fn none_or<T>(mut self, value: T) -> Result<T, ConfigErrors> {
        if self.found.is_empty() {
            return Ok(value);
        }
        self.found.sort_by_key(|(at, _)| *at);
        let more = self.found.len().saturating_sub(PROBLEMS_MAX);
        let found = std::mem::take(&mut self.found).into_iter();
        let mut problems: Vec<Problem> = found
            .take(PROBLEMS_MAX)
            .map(|(at, message)| self.problem(at, message))
            .collect();
        if more > 0 {
            problems.push(Problem {
                file: self.file.to_owned(),
                position: None,
                message: format!("and {more} more problems; is this the right file?"),
            });
        }
        Err(ConfigErrors { problems })
    }

    fn problem(&self, at: usize, message: String) -> Problem {
        let option = at.checked_sub(self.text.len() + 1);
        let option = option.and_then(|index| self.options.get(index));
        let position = position(self.text.as_bytes(), at);
        Problem {
            file: option.map_or(self.file.to_owned(), PathBuf::from),
            position: option.is_none().then_some(position),
            message,
        }
    }
}

/// Line and column of a byte, both from 1, the column in characters.
pub fn position(text: &[u8], at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    // Every character has one byte that does not continue another.
    let column = before[line_start..]
        .iter()
        .filter(|byte| (**byte & 0xC0) != 0x80)
        .count()
        + 1;
    (line, column)
}

/// A text of the user in a message: quoted, escaped, and cut if it is long.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS_MAX) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let text = "a = 1\nkéy = \"日本\" x\n";
        assert_eq!(position(text.as_bytes(), 0), (1, 1));
        assert_eq!(position(text.as_bytes(), 6), (2, 1));
        let x = text.find('x').expect("an x");
        assert_eq!(position(text.as_bytes(), x), (2, 12));
        assert_eq!(position(text.as_bytes(), text.len()), (3, 1));
        assert_eq!(position(text.as_bytes(), usize::MAX), (3, 1));
    }

    #[test]
    fn quoted_text_cannot_reach_the_terminal() {
        assert_eq!(
            quoted("a\u{1b}[31m\u{202e}b\n"),
            r#""a\u{1b}[31m\u{202e}b\n""#
        );
        assert_eq!(quoted(&"é".repeat(100)), format!("\"{}\"…", "é".repeat(80)));
    }

    #[test]
    fn problems_are_told_in_the_order_of_the_text() {
        let mut problems = Problems::new(Path::new("p.toml"), "one\ntwo\n");
        problems.at(&(4..5), "second");
        problems.at(&(0..1), "first");
        let option = problems.option("--set key".to_owned());
        problems.at(&(option..option), "third");
        let errors = problems.none_or(()).expect_err("three problems");
        assert_eq!(
            errors.to_string(),
            "p.toml:1:1: first\np.toml:2:1: second\n--set key: third"
        );
    }
}
