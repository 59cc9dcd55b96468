//! Prints a [`LikeAnswer`] for people.

use super::{ContainingDocuments, LikeAnswer, LikeRow, LikeWanted};
use crate::query::shown_name;
use output::counted;
use std::fmt;

/// URLs of equal documents that are printed.
const SAME_PRINTED: usize = 3;

impl fmt::Display for LikeAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().unwrap_or("(no name)").escape_debug();
        if let Some(why) = &self.rejected {
            return writeln!(f, "{name}: no document: {}", why.escape_debug());
        }
        if let Some(containing) = &self.containing {
            let ContainingDocuments {
                low, high, share, ..
            } = containing;
            let what = match containing.documents {
                1 => "contains",
                _ => "contain",
            };
            let count = counted(containing.documents, "document");
            writeln!(
                f,
                "{name}: {count} {what} at least {share} of it; 95 %: {low} to {high}"
            )?;
            return match containing.unseen_modulus {
                _ if self.sketch_size == 0 => {
                    writeln!(
                        f,
                        "it has no shingles to look up: only equal documents are counted"
                    )
                }
                Some(modulus) => writeln!(
                    f,
                    "long documents are not counted, of which one shingle in {modulus} is kept: the text has no such shingle"
                ),
                None => Ok(()),
            };
        }
        if self.found.is_empty() {
            return match self.sketch_size {
                0 => writeln!(f, "{name}: nothing to look up: its sketch is empty"),
                _ => writeln!(f, "{name}: no document found"),
            };
        }
        let (shown, all) = (self.found.len(), self.found_in_all);
        let what = match (self.wanted, all) {
            (LikeWanted::Like, 1) => "resembles it",
            (LikeWanted::Like, _) => "resemble it",
            (LikeWanted::Within, 1) => "contains it, whole or in part",
            (LikeWanted::Within, _) => "contain it, whole or in part",
            (LikeWanted::Contains, 1) => "is in it, whole or in part",
            (LikeWanted::Contains, _) => "are in it, whole or in part",
        };
        let count = counted(all, "different document");
        writeln!(f, "{name}: {count} {what}, {shown} shown")?;
        let title = match self.wanted {
            LikeWanted::Like => "resemblance",
            LikeWanted::Within | LikeWanted::Contains => "containment",
        };
        writeln!(
            f,
            "{}  URL",
            columns("doc", title, "95 %", "shared", "same")
        )?;
        self.found
            .iter()
            .try_for_each(|row| write_row(f, self.wanted, row))
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, wanted: LikeWanted, row: &LikeRow) -> fmt::Result {
    let figures = &row.figures;
    let wanted = match wanted {
        LikeWanted::Like => Some((figures.resemblance, figures.union)),
        LikeWanted::Within => figures.containment_a_in_b.zip(figures.size_a),
        LikeWanted::Contains => figures.containment_b_in_a.zip(figures.size_b),
    };
    // Of min-hashes no containment is asked.
    let Some((figure, of)) = wanted else {
        return Ok(());
    };
    let equal = row.same_in_all;
    let interval = format!("{:.4}-{:.4}", figure.low, figure.high);
    let shared = format!("{} of {of}", figures.shared);
    let value = format!("{:.4}", figure.value);
    let document = &row.document;
    let own = columns(document.doc_id, &value, &interval, &shared, equal);
    writeln!(f, "{own}  {}", shown_name(&document.url, &document.id))?;
    for same in row.same.iter().take(SAME_PRINTED) {
        let other = columns(same.doc_id, "same sketch", "", "", "");
        writeln!(f, "{other}  {}", shown_name(&same.url, &same.id))?;
    }
    match equal.saturating_sub(row.same.len().min(SAME_PRINTED) as u64) {
        0 => Ok(()),
        more => writeln!(f, "{:>10} {:>12} and {more} more", "", ""),
    }
}

/// The columns of a row but for the name of the document.
fn columns(
    doc: impl fmt::Display,
    figure: &str,
    interval: &str,
    shared: &str,
    same: impl fmt::Display,
) -> String {
    format!("{doc:>10} {figure:>12} {interval:>16} {shared:>14} {same:>6}")
}
