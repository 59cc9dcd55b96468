//! An [`Explanation`] for people: in two columns as wide as the terminal, with colours, or in one
//! and plain.
//!
//! Texts of pages are written by strangers: of white space one blank is left, and what a terminal
//! takes as a command, or what changes the direction of writing, is left out.

use super::{Chain, Explanation, PassageShown, PassageSide, Side, Why};
use crate::compare::{counted, write_figures};
use output::{is_harmful, thousands};
use std::fmt::{self, Write};
use unicode_width::UnicodeWidthChar;

/// How passages are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// The text once, and again as B has it where that differs.
    One,
    /// Both texts side by side, on lines of so many columns.
    Two {
        /// Of the terminal.
        width: usize,
    },
}

/// How an explanation looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Without colours.
    Plain,
    /// With the colours of a terminal.
    Coloured,
}

/// Characters of a passage that are shown.
const PASSAGE_CHARS: usize = 600;

/// Columns of a passage that stands alone.
const PARAGRAPH_WIDTH: usize = 98;

/// Narrower columns cannot be read.
const COLUMN_MIN: usize = 20;

impl Look {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Look::Plain => text.to_owned(),
            Look::Coloured if text.trim().is_empty() => text.to_owned(),
            Look::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

const BOLD: &str = "1";
const DIM: &str = "2";
const SHARED: &str = "32";
const NOTE: &str = "33";

/// The explanation as text.
pub fn render(explanation: &Explanation, columns: Columns, look: Look) -> String {
    let mut text = String::new();
    // writing to a String cannot fail
    let _ = Page { columns, look }.write(&mut text, explanation);
    text
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(self, Columns::One, Look::Plain))
    }
}

struct Page {
    columns: Columns,
    look: Look,
}

impl Page {
    fn write(&self, out: &mut String, explanation: &Explanation) -> fmt::Result {
        self.side(out, "A", &explanation.a)?;
        self.side(out, "B", &explanation.b)?;
        writeln!(out)?;
        write_figures(
            out,
            &explanation.exact,
            &explanation.estimated,
            explanation.common_shingles_left_out,
        )?;
        if let Some(why) = &explanation.why {
            writeln!(out)?;
            self.why(out, why)?;
        }
        self.common(out, explanation)?;
        let (shown, all) = (explanation.passages.len(), explanation.passages_in_all);
        writeln!(out)?;
        match all {
            0 => writeln!(out, "no shared passage")?,
            1 => writeln!(out, "one shared passage")?,
            _ if shown == 1 => writeln!(
                out,
                "{} shared passages, the longest:",
                thousands(all as u64)
            )?,
            _ if shown < all => writeln!(
                out,
                "{} shared passages, the {shown} longest:",
                thousands(all as u64)
            )?,
            _ => writeln!(out, "{all} shared passages, longest first:")?,
        }
        for passage in &explanation.passages {
            self.passage(out, passage)?;
        }
        if let Some(what) = &explanation.outdated {
            let note =
                format!("note: the configuration differs from that of the publication: {what}");
            writeln!(out, "\n{}", self.look.paint(NOTE, &note))?;
        }
        Ok(())
    }

    fn side(&self, out: &mut String, letter: &str, side: &Side) -> fmt::Result {
        let id = side.doc_id.map(|id| format!("{id}  ")).unwrap_or_default();
        let name = clean(
            side.url
                .as_deref()
                .filter(|_| side.doc_id.is_some())
                .unwrap_or(&side.name),
        );
        writeln!(out, "{} {id}{name}", self.look.paint(BOLD, letter))?;
        let share = 100.0 * side.covered as f64 / side.windows.max(1) as f64;
        let words = counted(side.words as u64, "word");
        writeln!(
            out,
            "  {words}, {share:.0} % of its shingles in shared passages"
        )?;
        let note = match (side.changed, side.file_changed) {
            (true, _) => "  changed since the run: what follows is what it is now",
            (false, true) => "  its file changed since the run, this document did not",
            (false, false) => return Ok(()),
        };
        writeln!(out, "{}", self.look.paint(NOTE, note))
    }

    fn why(&self, out: &mut String, why: &Why) -> fmt::Result {
        if !why.together {
            let (a, b) = (why.cluster_a, why.cluster_b);
            writeln!(
                out,
                "{}: A is in {a}, B in {b}",
                self.look.paint(BOLD, "not in one cluster")
            )?;
            return why
                .missing
                .iter()
                .try_for_each(|missing| writeln!(out, "  {missing}"));
        }
        writeln!(
            out,
            "{}",
            self.look
                .paint(BOLD, &format!("in one cluster, {}", why.cluster_a))
        )?;
        if let Some(class) = why.class {
            writeln!(out, "  both are in one class: {class}")?;
        }
        match &why.chain {
            Some(Chain {
                links,
                weakest: Some(weakest),
            }) => {
                let (count, resemblance) = (links.len(), weakest.resemblance);
                match count {
                    1 => writeln!(out, "  linked, with a resemblance of {resemblance:.4}")?,
                    _ => writeln!(
                        out,
                        "  by a chain of {count} links, the weakest of them {resemblance:.4}"
                    )?,
                }
                for link in links {
                    let (a, b, resemblance) = (link.a, link.b, link.resemblance);
                    let mark = if count > 1 && link == weakest {
                        "  weakest"
                    } else {
                        ""
                    };
                    writeln!(
                        out,
                        "  {a:>10} {b:>10}  {resemblance:.4}  {} of {}{mark}",
                        link.shared, link.union
                    )?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn common(&self, out: &mut String, explanation: &Explanation) -> fmt::Result {
        match explanation.common_shingles_left_out {
            None => {
                return writeln!(
                    out,
                    "no common shingle was left out: there is no run to ask"
                );
            }
            Some(0) => return Ok(()),
            Some(n) => {
                let both = explanation.common_in_both;
                let left_out = counted(n as u64, "common shingle");
                writeln!(
                    out,
                    "\n{left_out} of the run left out, {both} of them in both"
                )?;
            }
        }
        for common in &explanation.common {
            writeln!(
                out,
                "  in {:>8} documents: {}",
                thousands(u64::from(common.documents)),
                clean(&common.text)
            )?;
        }
        Ok(())
    }

    fn passage(&self, out: &mut String, passage: &PassageShown) -> fmt::Result {
        let PassageShown { words, a, b } = passage;
        let place = |letter: &str, side: &PassageSide| {
            let more = match side.places {
                0 | 1 => String::new(),
                n => format!(" and {}", counted(n as u64 - 1, "more place")),
            };
            format!("{letter} word {}, byte {}{more}", side.word, side.byte)
        };
        let head = format!(
            "{}: {}; {}",
            counted(*words as u64, "word"),
            place("A", a),
            place("B", b)
        );
        writeln!(out, "\n{}", self.look.paint(BOLD, &head))?;
        match self.columns {
            Columns::Two { width } if width >= 2 * COLUMN_MIN + 3 => {
                let column = (width - 3) / 2;
                let (left, right) = (self.lines(a, column), self.lines(b, column));
                for at in 0..left.len().max(right.len()) {
                    let empty = Line::default();
                    let (left, right) = (
                        left.get(at).unwrap_or(&empty),
                        right.get(at).unwrap_or(&empty),
                    );
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
        let mut wrap = Wrap {
            width: PARAGRAPH_WIDTH,
            lines: vec![Line::default()],
            look: self.look,
        };
        wrap.words(SHARED, text, true);
        wrap.lines
            .iter()
            .try_for_each(|line| writeln!(out, "  {}", line.text.trim_end()))
    }

    /// A passage with some words around it, on lines of a column.
    fn lines(&self, side: &PassageSide, width: usize) -> Vec<Line> {
        let mut wrap = Wrap {
            width,
            lines: vec![Line::default()],
            look: self.look,
        };
        let (before, after) = (clean(&side.before), clean(&side.after));
        wrap.words(DIM, &before, !before.ends_with(' '));
        wrap.words(
            SHARED,
            &shortened(&clean(&side.text)),
            !after.starts_with(' '),
        );
        wrap.words(DIM, &after, false);
        wrap.lines
    }
}

/// A line of a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    text: String,
    /// Columns it takes.
    width: usize,
}

struct Wrap {
    width: usize,
    lines: Vec<Line>,
    look: Look,
}

impl Wrap {
    /// Adds words; `glued` says that what follows them goes on without a blank.
    fn words(&mut self, code: &str, text: &str, glued: bool) {
        for word in text.split_inclusive(' ') {
            let ends = word.ends_with(' ');
            for piece in pieces(word.trim_end_matches(' '), self.width) {
                let width = width_of(&piece);
                if self
                    .lines
                    .last()
                    .is_none_or(|line| line.width + width > self.width)
                {
                    self.lines.push(Line::default());
                }
                if let Some(line) = self.lines.last_mut() {
                    line.text += &self.look.paint(code, &piece);
                    line.width += width;
                }
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
        if let Some(line) = self
            .lines
            .last_mut()
            .filter(|line| line.width > 0 && line.width < self.width)
        {
            line.text.push(' ');
            line.width += 1;
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
fn width_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// White space as one blank, and nothing that a terminal obeys.
fn clean(text: &str) -> String {
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
fn shortened(text: &str) -> String {
    let Some((cut, _)) = text.char_indices().nth(PASSAGE_CHARS) else {
        return text.to_owned();
    };
    let end = text[..cut].rfind(' ').unwrap_or(cut);
    let mut shown = text[..end].to_owned();
    let _ = write!(
        shown,
        " [and {} characters]",
        thousands(text[end..].chars().count() as u64)
    );
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side(before: &str, text: &str, after: &str) -> PassageSide {
        PassageSide {
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
        let passage = PassageShown {
            words: 4,
            a: side("see ", "A Rose is\n a rose", ", says she"),
            b: side("", "a rose is a\u{1b}[31m rose", ""),
        };
        let mut text = String::new();
        let page = Page {
            columns: Columns::Two { width: 44 },
            look: Look::Plain,
        };
        page.passage(&mut text, &passage).unwrap();
        assert_eq!(
            text,
            "\n4 words: A word 3, byte 40; B word 3, byte 40\nsee A Rose is a rose | a rose is a[31m rose\n, says she           | \n"
        );
        let mut text = String::new();
        Page {
            columns: Columns::One,
            look: Look::Plain,
        }
        .passage(&mut text, &passage)
        .unwrap();
        assert!(
            text.ends_with("  A Rose is a rose\n  in B: a rose is a[31m rose\n"),
            "{text}"
        );
        let coloured = Page {
            columns: Columns::Two { width: 44 },
            look: Look::Coloured,
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
            let page = Page { columns: Columns::One, look: Look::Plain };
            let lines = page.lines(&side(&text, &text, &text), width);
            let joined: String = lines.iter().map(|line| line.text.as_str()).collect();
            for line in &lines {
                prop_assert!(width_of(&line.text) <= width && line.width == width_of(&line.text), "{:?}", line);
            }
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&joined), letters(&clean(&text)).repeat(3));
        }
    }
}
