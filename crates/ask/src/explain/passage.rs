//! Shared passages as text: side by side in two columns, or one below the other.

use super::wrap::{
    BOLD, ColumnLine, DIM, PARAGRAPH_WIDTH, PassageColumns, Printer, SHARED, Wrap, clean, shortened,
};
use super::{PassageInDocument, SharedPassage};
use output::counted;
use std::fmt::{self, Write};

/// Narrower columns cannot be read.
const COLUMN_MIN: usize = 20;

impl Printer {
    pub(super) fn passage(&self, out: &mut String, passage: &SharedPassage) -> fmt::Result {
        let SharedPassage { words, a, b } = passage;
        let place = |letter: &str, side: &PassageInDocument| {
            let more = match side.places {
                0 | 1 => String::new(),
                n => format!(" and {}", counted(n as u64 - 1, "more place")),
            };
            format!("{letter} word {}, byte {}{more}", side.word, side.byte)
        };
        let words = counted(*words as u64, "word");
        let head = format!("{words}: {}; {}", place("A", a), place("B", b));
        writeln!(out, "\n{}", self.style.paint(BOLD, &head))?;
        match self.columns {
            PassageColumns::Two { width } if width >= 2 * COLUMN_MIN + 3 => {
                let column = (width - 3) / 2;
                let (left, right) = (self.lines(a, column), self.lines(b, column));
                let empty = ColumnLine::default();
                for at in 0..left.len().max(right.len()) {
                    let [left, right] = [&left, &right].map(|side| side.get(at).unwrap_or(&empty));
                    let blanks = " ".repeat(column.saturating_sub(left.width));
                    writeln!(out, "{}{blanks} | {}", left.text, right.text)?;
                }
                Ok(())
            }
            _ => {
                let (text_a, text_b) = (clean(&a.text), clean(&b.text));
                self.paragraph(out, &shortened(&text_a))?;
                if text_a != text_b {
                    self.paragraph(out, &format!("in B: {}", shortened(&text_b)))?;
                }
                Ok(())
            }
        }
    }

    fn paragraph(&self, out: &mut String, text: &str) -> fmt::Result {
        let mut wrap = Wrap::new(PARAGRAPH_WIDTH, self.style);
        wrap.words(SHARED, text, true);
        wrap.into_lines()
            .iter()
            .try_for_each(|line| writeln!(out, "  {}", line.text.trim_end()))
    }

    /// A passage with some words around it, on lines of a column.
    fn lines(&self, side: &PassageInDocument, width: usize) -> Vec<ColumnLine> {
        let mut wrap = Wrap::new(width, self.style);
        let (before, after) = (clean(&side.before), clean(&side.after));
        wrap.words(DIM, &before, !before.ends_with(' '));
        let text = shortened(&clean(&side.text));
        wrap.words(SHARED, &text, !after.starts_with(' '));
        wrap.words(DIM, &after, false);
        wrap.into_lines()
    }
}

#[cfg(test)]
mod tests {
    use super::super::wrap::{Style, width_of};
    use super::*;
    use proptest::prelude::*;

    fn side(before: &str, text: &str, after: &str) -> PassageInDocument {
        PassageInDocument {
            word: 3,
            byte: 40,
            places: 1,
            text: text.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        }
    }

    #[test]
    fn two_columns_stand_side_by_side_and_one_shows_what_differs() {
        let passage = SharedPassage {
            words: 4,
            a: side("see ", "A Rose is\n a rose", ", says she"),
            b: side("", "a rose is a\u{1b}[31m rose", ""),
        };
        let mut text = String::new();
        let printer = Printer {
            columns: PassageColumns::Two { width: 44 },
            style: Style::Plain,
        };
        printer.passage(&mut text, &passage).unwrap();
        assert_eq!(
            text,
            "\n4 words: A word 3, byte 40; B word 3, byte 40\nsee A Rose is a rose | a rose is a[31m rose\n, says she           | \n"
        );
        let mut text = String::new();
        Printer {
            columns: PassageColumns::One,
            style: Style::Plain,
        }
        .passage(&mut text, &passage)
        .unwrap();
        assert!(
            text.ends_with("  A Rose is a rose\n  in B: a rose is a[31m rose\n"),
            "{text}"
        );
        let coloured = Printer {
            columns: PassageColumns::Two { width: 44 },
            style: Style::Coloured,
        };
        assert!(
            coloured.lines(&passage.a, 30)[0]
                .text
                .contains("\u{1b}[32mRose\u{1b}[0m")
        );
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_its_column(text in "[ a-z漢字\u{301}\u{7}]{0,200}", width in 20usize..60) {
            let printer = Printer { columns: PassageColumns::One, style: Style::Plain };
            let lines = printer.lines(&side(&text, &text, &text), width);
            let joined: String = lines.iter().map(|line| line.text.as_str()).collect();
            for line in &lines {
                prop_assert!(width_of(&line.text) <= width && line.width == width_of(&line.text), "{:?}", line);
            }
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&joined), letters(&clean(&text)).repeat(3));
        }
    }
}
