//! The tables of all runs on a corpus, and the bounds that they have to keep.

use super::run::{Phase, Run};
use super::score::{Clusters, Found, Score};
use crate::bench::report::Report;
use crate::table::{Cell, FigureRow, Table, row};
use anyhow::Result;
use engine::PhaseName;

/// A run and its figures.
pub(super) struct JudgedRun {
    pub(super) run: Run,
    pub(super) score: Score,
    /// Common shingles that the run published.
    pub(super) common_published: usize,
}

impl JudgedRun {
    /// A phase of the run, if the run has it.
    fn phase(&self, name: &str) -> Option<&Phase> {
        self.run.phases.iter().find(|phase| phase.name == name)
    }

    /// Records of the phase that compares candidates exactly, if the run has it.
    fn compared(&self) -> Option<u64> {
        self.phase("settle").map(|phase| phase.records)
    }
}

/// The least shares that `--check` accepts.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Bounds {
    /// Fail if a run misses a bound.
    #[arg(long)]
    pub(super) check: bool,
    /// Links that are right.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    least_precision: f64,
    /// Exact pairs that are linked.
    #[arg(long, value_name = "SHARE", default_value_t = 0.995)]
    least_recall: f64,
    /// Redundant documents that are found.
    #[arg(long, value_name = "SHARE", default_value_t = 0.995)]
    least_found: f64,
    /// Pairs in published clusters that are in exact ones.
    #[arg(long, value_name = "SHARE", default_value_t = 0.999)]
    least_together: f64,
}

/// A share that a bound is for.
struct Bounded {
    name: &'static str,
    least: f64,
    value: f64,
}

impl Bounds {
    /// The shares of a run that are below their bounds.
    fn missed(&self, score: &Score) -> impl Iterator<Item = Bounded> {
        let of_both = |figure: fn(&Clusters) -> f64| {
            let [groups, documents] = [&score.groups, &score.documents].map(figure);
            groups.min(documents)
        };
        let (precise, recalled) = (self.least_precision, self.least_recall);
        let precision = share(score.links.right, score.links.published);
        let together = of_both(|clusters| share(clusters.together.both, clusters.together.run));
        let (found, least_together) = (of_both(Clusters::found), self.least_together);
        let bounded = |name, least, value| Bounded { name, least, value };
        let mut shares = vec![
            bounded("precision of links", precise, precision),
            bounded("recall of pairs", recalled, recall(score.pairs)),
            bounded("redundant found", self.least_found, found),
            bounded("precision of pairs in clusters", least_together, together),
        ];
        if let Some(found) = score.containment {
            let precision = share(found.right, found.published);
            shares.push(bounded("precision of containment", precise, precision));
            shares.push(bounded("recall of containment", recalled, recall(found)));
        }
        let shares = shares.into_iter();
        shares.filter(|bounded| bounded.value < bounded.least)
    }

    /// Prints the bounds that runs of a corpus miss, and tells whether they keep all.
    pub(super) fn check(&self, corpus: &str, runs: &[JudgedRun]) -> bool {
        let mut all_met = true;
        for judged in runs {
            for Bounded { name, least, value } in self.missed(&judged.score) {
                all_met = false;
                let (seed, value) = (judged.run.seed, decimals(value));
                eprintln!("MISSED: {corpus}, seed {seed}: {name} is {value}, the least is {least}");
            }
        }
        all_met
    }
}

impl Clusters {
    /// The share of redundant members that the run finds.
    fn found(&self) -> f64 {
        share(self.found, self.redundant)
    }
}

fn recall(found: Found) -> f64 {
    share(found.found, found.exact)
}

/// Nothing of nothing is all of it.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    part as f64 / whole as f64
}

/// A share to four decimals, rounded down, so that 1.0000 means all.
fn decimals(share: f64) -> String {
    format!("{:.4}", (share * 10_000.0).floor() / 10_000.0)
}

/// Prints the tables of a corpus: a row for each run.
pub(super) fn tables(report: &mut Report, runs: &[JudgedRun]) -> Result<()> {
    let mut print = |title: &str, row: &dyn Fn(&JudgedRun) -> FigureRow| {
        let seeded = runs.iter().map(|judged| {
            let seed = row! { "seed": judged.run.seed };
            [seed, row(judged)].concat()
        });
        report.table(&Table::new(title, seeded))
    };
    print("links", &|judged| {
        let (score, links) = (&judged.score, judged.score.links);
        let directed = score.kinds.iter().filter(|(kind, _)| kind.is_directed());
        row! {
            "published": links.published,
            "wrong": links.published - links.right,
            "precision": decimals(share(links.right, links.published)),
            "wrong by > 0.1": decimals(share(links.far, links.published)),
            "directed": directed.map(|(_, count)| count).sum::<u64>(),
            "declared": score.declared.published,
            "not equal": score.declared.published - score.declared.right,
        }
    })?;
    print("exact pairs", &|judged| {
        let pairs = judged.score.pairs;
        row! {
            "pairs": pairs.exact,
            "linked": pairs.found,
            "recall": decimals(recall(pairs)),
        }
    })?;
    let of_groups: fn(&Score) -> Clusters = |score| score.groups;
    let of_documents: fn(&Score) -> Clusters = |score| score.documents;
    for (title, of) in [
        ("clusters of distinct sets", of_groups),
        ("clusters of documents", of_documents),
    ] {
        print(title, &|judged| {
            let (clusters, together) = (of(&judged.score), of(&judged.score).together);
            row! {
                "members": clusters.members,
                "redundant": clusters.redundant,
                "found": clusters.found,
                "share": decimals(clusters.found()),
                "together p": decimals(share(together.both, together.run)),
                "together r": decimals(share(together.both, together.exact)),
            }
        })?;
    }
    if runs.iter().any(|judged| judged.score.containment.is_some()) {
        print("directed links", &|judged| {
            let found = judged.score.containment.unwrap_or_default();
            row! {
                "published": found.published,
                "wrong": found.published - found.right,
                "precision": decimals(share(found.right, found.published)),
                "exact": found.exact,
                "recall": decimals(recall(found)),
            }
        })?;
    }
    print("CPU seconds", &|judged| {
        let mut row = row! { "all": judged.run.usage.cpu_s() };
        row.extend(PhaseName::ALL.map(|phase| {
            let cost = judged.phase(phase.name()).map(|phase| phase.cpu_s);
            (phase.name(), Cell::from(cost))
        }));
        row.extend(row! {
            "peak MiB": judged.run.usage.peak_mib(),
            "compared": judged.compared(),
        });
        row
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_round_down() {
        assert_eq!(decimals(share(99_999, 100_000)), "0.9999");
        assert_eq!(decimals(share(7, 7)), "1.0000");
        assert_eq!(decimals(share(0, 0)), "1.0000");
    }

    #[test]
    fn a_share_below_its_bound_is_missed() {
        let bounds = Bounds {
            check: true,
            least_precision: 1.0,
            least_recall: 0.9,
            least_found: 0.9,
            least_together: 0.9,
        };
        let mut score = Score::default();
        let missed = |score: &Score| -> Vec<&str> {
            bounds.missed(score).map(|missed| missed.name).collect()
        };
        assert_eq!(missed(&score), [""; 0]);
        (score.links.published, score.links.right) = (1000, 999);
        (score.pairs.exact, score.pairs.found) = (10, 9);
        (score.documents.redundant, score.documents.found) = (10, 8);
        (score.groups.together.run, score.groups.together.both) = (10, 8);
        let expected = [
            "precision of links",
            "redundant found",
            "precision of pairs in clusters",
        ];
        assert_eq!(missed(&score), expected);
        score.containment = Some(Found {
            published: 1,
            right: 1,
            exact: 10,
            found: 8,
        });
        assert_eq!(missed(&score)[3..], ["recall of containment"]);
    }
}
