//! Words wrapped into the lines of a column, in colour or plain, safe for a terminal.

use output::{is_harmful, thousands};
use unicode_width::UnicodeWidthChar;

/// Whether an explanation is printed in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without colours.
    Plain,
    /// With the colours of a terminal.
    Coloured,
}

impl Style {
    /// Paints a text with a code of ANSI (SGR), if there is one; blanks stay as they are.
    pub(super) fn paint(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Coloured if code.is_empty() || text.trim().is_empty() => text.to_owned(),
            Style::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

/// How passages are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageColumns {
    /// The text once, and again as B has it where that differs.
    One,
    /// Both texts side by side, on lines of so many columns.
    Two {
        /// Of the terminal.
        width: usize,
    },
}

/// Prints the parts of an explanation.
#[derive(Clone, Copy)]
pub(super) struct Printer {
    pub(super) columns: PassageColumns,
    pub(super) style: Style,
}

impl Printer {
    /// Columns of a line.
    pub(super) fn width(&self) -> usize {
        match self.columns {
            PassageColumns::One => PARAGRAPH_WIDTH + 2,
            PassageColumns::Two { width } => width,
        }
    }
}

pub(super) const BOLD: &str = "1";
pub(super) const DIM: &str = "2";
pub(super) const SHARED: &str = "32";
pub(super) const NOTE: &str = "33";
pub(super) const REMOVED: &str = "31";
pub(super) const ADDED: &str = "32";

/// Columns of a paragraph that stands alone.
pub(super) const PARAGRAPH_WIDTH: usize = 98;

/// Characters of one text that are shown.
const SHOWN_CHARS: usize = 600;

/// A line of a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnLine {
    pub(super) text: String,
    /// Columns it takes.
    pub(super) width: usize,
}

/// Lines under way.
pub(super) struct Wrap {
    /// Columns of a line.
    width: usize,
    /// Complete ones.
    lines: Vec<ColumnLine>,
    /// The last one.
    line: ColumnLine,
    style: Style,
}

impl Wrap {
    pub(super) fn new(width: usize, style: Style) -> Wrap {
        Wrap {
            width,
            lines: Vec::new(),
            line: ColumnLine::default(),
            style,
        }
    }

    pub(super) fn into_lines(mut self) -> Vec<ColumnLine> {
        self.lines.push(self.line);
        self.lines
    }

    /// Adds words; `glued` says that no blank separates them from the next words.
    pub(super) fn words(&mut self, code: &str, text: &str, glued: bool) {
        for word in text.split_inclusive(' ') {
            let ends = word.ends_with(' ');
            for piece in pieces(word.trim_end_matches(' '), self.width) {
                let width = width_of(&piece);
                if self.line.width + width > self.width {
                    self.lines.push(std::mem::take(&mut self.line));
                }
                self.line.text += &self.style.paint(code, &piece);
                self.line.width += width;
            }
            if ends {
                self.blank();
            }
        }
        if !glued && !text.ends_with(' ') {
            self.blank();
        }
    }

    fn blank(&mut self) {
        if (1..self.width).contains(&self.line.width) {
            self.line.text.push(' ');
            self.line.width += 1;
        }
    }
}

/// A word in pieces that fit a line.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut piece, mut taken) = (String::new(), 0);
    for c in word.chars() {
        let wide = c.width().unwrap_or(0);
        if taken + wide > width && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
            taken = 0;
        }
        piece.push(c);
        taken += wide;
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Columns of a terminal that a text takes.
pub(super) fn width_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Replaces white space by one blank and drops every character that a terminal obeys.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !cleaned.ends_with(' ') {
                cleaned.push(' ');
            }
        } else if !is_harmful(c) {
            cleaned.push(c);
        }
    }
    cleaned
}

/// The beginning of a long text, and how much was left out.
pub(super) fn shortened(text: &str) -> String {
    let Some((cut, _)) = text.char_indices().nth(SHOWN_CHARS) else {
        return text.to_owned();
    };
    let end = text[..cut].rfind(' ').unwrap_or(cut);
    let rest = thousands(text[end..].chars().count() as u64);
    format!("{} [and {rest} characters]", &text[..end])
}
