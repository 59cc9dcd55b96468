//! The lines of a summary, cut or folded at the last column.

use crate::terminal::cut;
use unicode_width::UnicodeWidthStr;

/// Columns of a line.
pub(super) const WIDTH: usize = 100;

/// Lines of a text that is too long for one.
const LINES: usize = 3;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_folded_at_blanks_and_cut_after_the_last_line() {
        let mut screen = Screen::default();
        screen.paragraph("  ", &"word ".repeat(30));
        let lines: Vec<&str> = screen.text.lines().collect();
        assert_eq!(lines.len(), 2, "{}", screen.text);
        assert_eq!(lines[0], format!("  {}", "word ".repeat(19).trim_end()));
        assert_eq!(screen.text.matches("word").count(), 30);
        let mut long = Screen::default();
        long.paragraph("  ", &"word ".repeat(300));
        assert_eq!(long.text.lines().count(), LINES);
        assert!(long.text.lines().all(|line| line.width() <= WIDTH));
    }
}
