//! An [`Explanation`] for people: in two columns as wide as the terminal, with colours, or in one
//! and plain.
//!
//! Strangers write the texts of pages. So white space becomes one blank, and characters that
//! command a terminal or change the direction of writing are left out.

use super::difference_text::DifferencePrinter;
use super::passage::{Columns, PassagePrinter};
use super::wrap::{BOLD, NOTE, PARAGRAPH_WIDTH, Style, clean};
use super::{ClusteringReason, ExplainView, ExplainedDocument, Explanation, LinkChain};
use output::{counted, thousands};
use std::fmt::{self, Write};

/// The explanation as text.
pub fn render(explanation: &Explanation, columns: Columns, style: Style) -> String {
    let mut text = String::new();
    // writing to a String cannot fail
    let _ = Printer { columns, style }.write(&mut text, explanation);
    text
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(self, Columns::One, Style::Plain))
    }
}

struct Printer {
    columns: Columns,
    style: Style,
}

impl Printer {
    fn write(&self, out: &mut String, explanation: &Explanation) -> fmt::Result {
        let differences = DifferencePrinter {
            width: match self.columns {
                Columns::One => PARAGRAPH_WIDTH + 2,
                Columns::Two { width } => width,
            },
            style: self.style,
        };
        let headline = explanation.headline();
        writeln!(out, "{}", self.style.paint(BOLD, &headline))?;
        self.side(out, "A", &explanation.a)?;
        self.side(out, "B", &explanation.b)?;
        writeln!(out)?;
        for (name, figure) in explanation.figures.exact.rows() {
            if let Some(figure) = figure {
                writeln!(out, "{name:<22} {:>8.4}", figure.value)?;
            }
        }
        if let Some(why) = &explanation.why {
            writeln!(out)?;
            let docs = [explanation.a.doc_id, explanation.b.doc_id];
            self.why(out, why, docs)?;
        }
        writeln!(out)?;
        match explanation.view {
            ExplainView::Differences => differences.write(out, &explanation.difference)?,
            ExplainView::Shared => self.passages(out, explanation)?,
        }
        for (letter, side) in [("A", &explanation.a), ("B", &explanation.b)] {
            differences.frame(out, letter, &side.frame)?;
        }
        if let Some(what) = &explanation.outdated {
            let note =
                format!("note: the configuration differs from that of the publication: {what}");
            writeln!(out, "\n{}", self.style.paint(NOTE, &note))?;
        }
        Ok(())
    }

    fn passages(&self, out: &mut String, explanation: &Explanation) -> fmt::Result {
        let (shown, all) = (explanation.passages.len(), explanation.passages_in_all);
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
        let printer = PassagePrinter {
            columns: self.columns,
            style: self.style,
        };
        explanation
            .passages
            .iter()
            .try_for_each(|passage| printer.write(out, passage))
    }

    fn side(&self, out: &mut String, letter: &str, side: &ExplainedDocument) -> fmt::Result {
        let id = side.doc_id.map(|id| format!("{id}  ")).unwrap_or_default();
        let name = clean(side.shown_name());
        writeln!(out, "{} {id}{name}", self.style.paint(BOLD, letter))?;
        let share = 100.0 * side.covered as f64 / side.windows.max(1) as f64;
        let words = counted(side.words as u64, "word");
        writeln!(
            out,
            "  {words}, {share:.0} % of its shingles in shared passages"
        )?;
        let note = match (side.changed, side.file_changed) {
            (true, _) => "  changed since the run; its present text is shown",
            (false, true) => "  its file changed since the run, but this document did not",
            (false, false) => return Ok(()),
        };
        writeln!(out, "{}", self.style.paint(NOTE, note))
    }

    fn why(&self, out: &mut String, why: &ClusteringReason, docs: [Option<i64>; 2]) -> fmt::Result {
        if !why.together {
            let (a, b) = (why.cluster_a, why.cluster_b);
            writeln!(
                out,
                "{}: A is in {a}, B in {b}",
                self.style.paint(BOLD, "not in one cluster")
            )?;
            return why
                .missing
                .iter()
                .try_for_each(|missing| writeln!(out, "  {missing}"));
        }
        writeln!(
            out,
            "{}",
            self.style
                .paint(BOLD, &format!("in one cluster, {}", why.cluster_a))
        )?;
        if let Some(class) = why.class {
            writeln!(out, "  both are in one class: {class}")?;
        }
        writeln!(out, "  {}", why.fates(docs))?;
        match &why.chain {
            Some(LinkChain {
                links,
                weakest: Some(weakest),
            }) => {
                match links.len() {
                    1 if weakest.contained.is_some() => writeln!(out, "  linked by containment")?,
                    1 => writeln!(out, "  linked")?,
                    count => writeln!(out, "  by a chain of {count} links through others:")?,
                }
                for link in links.iter().filter(|_| links.len() > 1) {
                    let mark = if link == weakest { "  weakest" } else { "" };
                    writeln!(out, "  {link}{mark}")?;
                }
                if links.len() > 1 && why.is_linked {
                    writeln!(out, "  linked themselves, too")?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
