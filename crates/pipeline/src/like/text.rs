//! How a [`LikeAnswer`] is printed for people.

use super::{LikeAnswer, LikeRow, LikeWanted};
use output::thousands;
use std::fmt;

/// URLs of equal documents that are printed.
const SAME_PRINTED: usize = 3;

impl fmt::Display for LikeAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().unwrap_or("(no name)").escape_debug();
        if let Some(why) = &self.rejected {
            return writeln!(f, "{name}: no document: {}", why.escape_debug());
        }
        if self.found.is_empty() {
            return match self.sketch_size {
                0 => writeln!(f, "{name}: nothing to look up: its sketch is empty"),
                n if n == self.common_shingles as usize => {
                    writeln!(f, "{name}: nothing to look up: all {n} sampled shingles are common")
                }
                _ => writeln!(f, "{name}: no document found"),
            };
        }
        let (shown, all) = (self.found.len(), self.found_in_all);
        let what = match self.wanted {
            LikeWanted::Like => "resemble it",
            LikeWanted::Within => "contain some of it",
            LikeWanted::Contains => "are in it, or some of them is",
        };
        writeln!(f, "{name}: {} documents {what}, {shown} shown", thousands(all))?;
        let title = if self.wanted == LikeWanted::Like { "resemblance" } else { "containment" };
        writeln!(f, "{:>10} {title:>12} {:>16} {:>14} {:>6}  URL", "doc", "95 %", "shared", "equal")?;
        self.found.iter().try_for_each(|row| write_row(f, self.wanted, row))
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, wanted: LikeWanted, row: &LikeRow) -> fmt::Result {
    let (figure, of) = match wanted {
        LikeWanted::Like => (row.resemblance, row.size_a + row.size_b - row.shared.min(row.size_a)),
        LikeWanted::Within => (row.containment_a_in_b, row.size_a),
        LikeWanted::Contains => (row.containment_b_in_a, row.size_b),
    };
    let (id, value, equal) = (row.doc_id, figure.value, row.same_in_all);
    let interval = format!("{:.4}-{:.4}", figure.low, figure.high);
    let shared = format!("{} of {of}", row.shared);
    let url = |url: &Option<String>| url.as_deref().unwrap_or("(no URL)").escape_debug().to_string();
    writeln!(f, "{id:>10} {value:>12.4} {interval:>16} {shared:>14} {equal:>6}  {}", url(&row.url))?;
    for same in row.same.iter().take(SAME_PRINTED) {
        writeln!(f, "{:>10} {:>12} {:>16} {:>14} {:>6}  {}", same.doc_id, "equal", "", "", "", url(&same.url))?;
    }
    Ok(())
}
