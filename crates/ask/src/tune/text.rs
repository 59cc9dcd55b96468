//! Prints a [`Tuning`] for people.

use super::judged::{threshold, write_judged};
use super::{Band, Tuning};
use crate::query::shown_name;
use output::thousands;
use runtime::commands::config_options;
use std::fmt;

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tuning {
            linkage,
            min_shared,
            documents,
            ..
        } = self;
        writeln!(
            f,
            "{} documents, linkage = \"{linkage}\", min-shared = {min_shared}",
            thousands(*documents)
        )?;
        writeln!(
            f,
            "\nresemblance {:>14} {:>12} {:>12} {:>12} {:>8} {:>12}",
            "links", "clusters", "documents", "removed", "share", "largest"
        )?;
        for row in &self.thresholds {
            let mark = if row.configured { '*' } else { ' ' };
            let share = 100.0 * row.removed as f64 / (*documents).max(1) as f64;
            let [links, clusters, members, removed, largest] = [
                row.links,
                row.clusters,
                row.documents,
                row.removed,
                row.largest,
            ]
            .map(thousands);
            let resemblance = threshold(row.resemblance);
            writeln!(
                f,
                "{resemblance:>9} {mark} {links:>14} {clusters:>12} {members:>12} {removed:>12} {share:>6.1} % {largest:>12}"
            )?;
        }
        writeln!(f, "* in the configuration")?;
        if !self.judged.is_empty() {
            write_judged(f, &self.judged, self.judged_unknown)?;
        }
        self.between.iter().try_for_each(|band| write_band(f, band))
    }
}

fn write_band(f: &mut fmt::Formatter<'_>, band: &Band) -> fmt::Result {
    if band.sample.is_empty() {
        return Ok(());
    }
    let (from, to) = (threshold(band.from), threshold(band.to));
    let count = if band.links == 1 {
        "one link".to_owned()
    } else {
        format!("{} links", thousands(band.links))
    };
    let all = if band.sample.len() as u64 == band.links {
        ""
    } else {
        ", for example"
    };
    writeln!(f, "\n{count} from {from} to {to}{all}")?;
    let options = config_options();
    for link in &band.sample {
        let (a, b) = (link.a, link.b);
        writeln!(
            f,
            "  pipeline explain {a} {b}{options}    # {:.4} ({:.4} to {:.4})",
            link.resemblance, link.low, link.high
        )?;
        for (url, id) in [(&link.url_a, &link.id_a), (&link.url_b, &link.id_b)] {
            writeln!(f, "    {}", shown_name(url, id))?;
        }
    }
    Ok(())
}
