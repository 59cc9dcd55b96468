//! The lines of a summary, cut or folded at the last column.

use crate::terminal::cut;
use unicode_width::UnicodeWidthStr;

/// Columns of a line.
pub(super) const WIDTH: usize = 100;

/// Lines of a text that is too long for one.
const LINES: usize = 3;

/// The lines so far.
#[derive(Default)]
pub(super) struct Screen {
    pub(super) text: String,
}

impl Screen {
    /// Adds a text that is too long for a line, in up to [`LINES`] lines.
    pub(super) fn paragraph(&mut self, indent: &str, text: &str) {
        let mut line = indent.to_owned();
        let mut left = LINES;
        for word in text.split(' ') {
            if line.width() + 1 + word.width() > WIDTH && line.len() > indent.len() && left > 1 {
                self.line(&line);
                line = indent.to_owned();
                left -= 1;
            }
            if line.len() > indent.len() {
                line.push(' ');
            }
            line.push_str(word);
        }
        self.line(&line);
    }

    /// Adds a line, cut at the last column.
    pub(super) fn line(&mut self, line: &str) {
        let line = cut(line, WIDTH);
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}
