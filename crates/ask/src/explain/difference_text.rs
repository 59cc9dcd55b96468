//! Differences as text: words that only A has and words that only B has, in their place.

use super::difference::{DifferentWords, ShownDifference, TextDifference};
use super::wrap::{ADDED, DIM, Printer, REMOVED, Style, Wrap, clean, shortened};
use output::counted;
use std::fmt::{self, Write};

impl Printer {
    /// The differences, each with some words around it.
    pub(super) fn differences(&self, out: &mut String, difference: &TextDifference) -> fmt::Result {
        let (shown, all) = (difference.differences.len(), difference.differences_in_all);
        if all == 0 {
            return Ok(());
        }
        let only = [(REMOVED, '-', "only in A"), (ADDED, '+', "only in B")]
            .map(|(code, mark, text)| self.style.paint(code, &self.marked(mark, text)));
        let count = counted(all as u64, "difference");
        let first = match shown < all {
            true => format!(", the first {shown}"),
            false => String::new(),
        };
        writeln!(out, "{count}{first}; {} {}\n", only[0], only[1])?;
        let mut wrap = self.new_paragraph();
        for one in &difference.differences {
            if one.folded_words_before > 0 {
                self.flush(out, &mut wrap)?;
                self.folded(out, one.folded_words_before)?;
            }
            self.add(&mut wrap, one);
        }
        self.flush(out, &mut wrap)?;
        self.folded(out, difference.folded_words_behind)
    }

    fn add(&self, wrap: &mut Wrap, one: &ShownDifference) {
        let own = |mark, words: &DifferentWords| match words.words {
            0 => String::new(),
            _ => self.marked(mark, &shortened(&clean(&words.text))),
        };
        let parts = [
            ("", clean(&one.before)),
            (REMOVED, own('-', &one.a)),
            (ADDED, own('+', &one.b)),
            ("", clean(&one.after)),
        ];
        for (code, text) in parts.iter().filter(|(_, text)| !text.is_empty()) {
            wrap.words(code, text, false);
        }
    }

    /// Without colours, marks tell whose words they are.
    fn marked(&self, mark: char, text: &str) -> String {
        match (self.style, mark) {
            (Style::Coloured, _) => text.to_owned(),
            (Style::Plain, '-') => format!("[-{text}-]"),
            (Style::Plain, _) => format!("{{+{text}+}}"),
        }
    }

    /// The frame of a document, which is not compared.
    pub(super) fn frame(&self, out: &mut String, letter: &str, frame: &str) -> fmt::Result {
        let frame = clean(frame);
        if frame.trim().is_empty() {
            return Ok(());
        }
        let head = format!("frame of {letter}, not compared:");
        writeln!(out, "\n{}", self.style.paint(DIM, &head))?;
        let mut wrap = self.new_paragraph();
        wrap.words(DIM, &shortened(frame.trim()), false);
        self.flush(out, &mut wrap)
    }

    fn new_paragraph(&self) -> Wrap {
        Wrap::new(self.width().saturating_sub(2).max(1), self.style)
    }

    fn flush(&self, out: &mut String, wrap: &mut Wrap) -> fmt::Result {
        let lines = std::mem::replace(wrap, self.new_paragraph()).into_lines();
        let lines = lines.iter().filter(|line| line.width > 0);
        lines
            .map(|line| line.text.trim_end())
            .try_for_each(|line| writeln!(out, "  {line}"))
    }

    fn folded(&self, out: &mut String, words: usize) -> fmt::Result {
        if words == 0 {
            return Ok(());
        }
        let line = format!("… {} …", counted(words as u64, "equal word"));
        writeln!(out, "{}", self.style.paint(DIM, &line))
    }
}

#[cfg(test)]
mod tests {
    use super::super::difference::difference;
    use super::super::wrap::PassageColumns;
    use super::*;
    use crate::tokens;
    use model::Content;
    use sketch::PlacedText;

    fn printed(a: &str, b: &str, style: Style) -> String {
        let params = tokens::default_config().unwrap().sketch.params();
        let placed = |text: &str| PlacedText::new(&params, Content::Text(text));
        let found = difference([&placed(a), &placed(b)], [&[]; 2], 2);
        let printer = Printer {
            columns: PassageColumns::Two { width: 40 },
            style,
        };
        let mut text = String::new();
        printer.differences(&mut text, &found).unwrap();
        text
    }

    #[test]
    fn equal_words_are_folded_and_words_are_marked() {
        let a = "One two three four Boost 1.74.0 as it was in the old \u{1b}[31m days of yore.";
        let b = "One two three four Boost 1.81.0 as it was in the new days of yore, today.";
        assert_eq!(
            printed(a, b, Style::Plain),
            "3 differences, the first 2; [-only in A-] {+only in B+}\n\n\
             … 2 equal words …\n  three four Boost [-1.74.0-] {+1.81.0+}\n  \
             as it was in the [-old [31m-] {+new+}\n  days of yore\n"
        );
        let coloured = printed(a, b, Style::Coloured);
        assert!(
            coloured.contains("\u{1b}[31m1.74.0\u{1b}[0m \u{1b}[32m1.81.0\u{1b}[0m"),
            "{coloured}"
        );
        assert_eq!(printed("a b", "A, B", Style::Plain), "");
    }
}
