//! Prints a [`Tuning`] for people.

use super::judged::{threshold, write_judged};
use super::{Band, SampledLink, Tuning};
use crate::query::shown_name;
use engine::runtime::commands::config_options;
use output::thousands;
use std::fmt;

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (documents, linkage) = (thousands(self.documents), self.linkage);
        let least = self.min_shared;
        writeln!(
            f,
            "{documents} documents, linkage = \"{linkage}\", min-shared = {least}"
        )?;
        writeln!(
            f,
            "\nresemblance {:>14} {:>12} {:>12} {:>12} {:>8} {:>12}",
            "links", "clusters", "documents", "removed", "share", "largest"
        )?;
        for row in &self.thresholds {
            let mark = if row.configured { '*' } else { ' ' };
            let share = 100.0 * row.removed as f64 / self.documents.max(1) as f64;
            let counts = [
                row.links,
                row.clusters,
                row.documents,
                row.removed,
                row.largest,
            ];
            let [links, clusters, members, removed, largest] = counts.map(thousands);
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
    let count = match band.links {
        1 => "one link".to_owned(),
        links => format!("{} links", thousands(links)),
    };
    let all = match band.sample.len() as u64 == band.links {
        true => "",
        false => ", for example",
    };
    writeln!(f, "\n{count} from {from} to {to}{all}")?;
    let options = config_options();
    for link in &band.sample {
        let SampledLink {
            a, b, low, high, ..
        } = link;
        let figure = format!("{:.4} ({low:.4} to {high:.4})", link.resemblance);
        writeln!(f, "  pipeline explain {a} {b}{options}    # {figure}")?;
        for (url, id) in [(&link.url_a, &link.id_a), (&link.url_b, &link.id_b)] {
            writeln!(f, "    {}", shown_name(url, id))?;
        }
    }
    Ok(())
}
