//! An [`Explanation`] for people: in two columns as wide as the terminal, with colours, or in one
//! and plain.
//!
//! Strangers write the texts of pages. So white space becomes one blank, and characters that
//! command a terminal or change the direction of writing are left out.

use super::cluster::OUTDATED;
use super::wrap::{BOLD, NOTE, PassageColumns, Printer, Style, clean};
use super::{ClusteringReason, ExplainView, ExplainedDocument, Explanation};
use output::{counted, thousands};
use std::fmt::{self, Write};

/// The explanation as text.
pub fn render(explanation: &Explanation, columns: PassageColumns, style: Style) -> String {
    let mut text = String::new();
    // writing to a String cannot fail
    let _ = Printer { columns, style }.write(&mut text, explanation);
    text
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(self, PassageColumns::One, Style::Plain))
    }
}

impl Printer {
    fn write(&self, out: &mut String, explanation: &Explanation) -> fmt::Result {
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
            ExplainView::Differences => self.differences(out, &explanation.difference)?,
            ExplainView::Shared => self.passages(out, explanation)?,
        }
        for (letter, side) in [("A", &explanation.a), ("B", &explanation.b)] {
            self.frame(out, letter, &side.frame)?;
        }
        if let Some(what) = &explanation.outdated {
            let note = self.style.paint(NOTE, &format!("{OUTDATED}: {what}"));
            writeln!(out, "\n{note}")?;
        }
        Ok(())
    }

    fn passages(&self, out: &mut String, explanation: &Explanation) -> fmt::Result {
        let (shown, all) = (explanation.passages.len(), explanation.passages_in_all);
        let count = thousands(all as u64);
        match all {
            0 => writeln!(out, "no shared passage")?,
            1 => writeln!(out, "one shared passage")?,
            _ if shown == 1 => writeln!(out, "{count} shared passages, the longest:")?,
            _ if shown < all => writeln!(out, "{count} shared passages, the {shown} longest:")?,
            _ => writeln!(out, "{all} shared passages, longest first:")?,
        }
        let mut passages = explanation.passages.iter();
        passages.try_for_each(|passage| self.passage(out, passage))
    }

    fn side(&self, out: &mut String, letter: &str, side: &ExplainedDocument) -> fmt::Result {
        let id = side.doc_id.map(|id| format!("{id}  ")).unwrap_or_default();
        let name = clean(side.shown_name());
        writeln!(out, "{} {id}{name}", self.style.paint(BOLD, letter))?;
        let share = 100.0 * side.covered as f64 / side.windows.max(1) as f64;
        let words = counted(side.words as u64, "word");
        write!(
            out,
            "  {words}, {share:.0} % of its shingles in shared passages"
        )?;
        match side.repeated_words {
            Some(words) => writeln!(
                out,
                "; {} in passages of the corpus",
                counted(words, "word")
            )?,
            None => writeln!(out)?,
        }
        let note = match (side.changed, side.file_changed) {
            (true, _) => "  changed since the run; its present text is shown",
            (false, true) => "  its file changed since the run, but this document did not",
            (false, false) => return Ok(()),
        };
        writeln!(out, "{}", self.style.paint(NOTE, note))
    }

    fn why(&self, out: &mut String, why: &ClusteringReason, docs: [Option<i64>; 2]) -> fmt::Result {
        let bold = |text: &str| self.style.paint(BOLD, text);
        let (a, b) = (why.cluster_a, why.cluster_b);
        if !why.together {
            writeln!(out, "{}: A is in {a}, B in {b}", bold("not in one cluster"))?;
            let mut missing = why.missing.iter();
            return missing.try_for_each(|missing| writeln!(out, "  {missing}"));
        }
        writeln!(out, "{}", bold(&format!("in one cluster, {a}")))?;
        if let Some(class) = why.class {
            writeln!(out, "  both are in one class: {class}")?;
        }
        writeln!(out, "  {}", why.fates(docs))?;
        let Some((links, weakest)) = why.chain.as_ref().and_then(|chain| {
            let weakest = chain.weakest.as_ref()?;
            Some((&chain.links, weakest))
        }) else {
            return Ok(());
        };
        match links.len() {
            1 if weakest.contained.is_some() => return writeln!(out, "  linked by containment"),
            1 => return writeln!(out, "  linked"),
            count => writeln!(out, "  by a chain of {count} links through others:")?,
        }
        for link in links {
            let mark = if link == weakest { "  weakest" } else { "" };
            writeln!(out, "  {link}{mark}")?;
        }
        match why.is_linked {
            true => writeln!(out, "  linked themselves, too"),
            false => Ok(()),
        }
    }
}
