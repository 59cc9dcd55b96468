//! The tables of all runs on a corpus, and the bounds that they have to keep.

use super::judged::Judged;
use super::score::{Found, Score};
use super::tables::Kind;
use crate::report::{Cell, Report};
use anyhow::Result;
use serde_json::{Value, json};

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
        let shares = self.of(score).into_iter();
        shares.filter(|of| of.value < of.least)
    }

    /// The bounded shares of a run.
    fn of(&self, score: &Score) -> Vec<Bounded> {
        let (groups, documents) = (score.groups, score.documents);
        let mut shares = vec![
            (
                "precision of links",
                self.least_precision,
                share(score.links.right, score.links.published),
            ),
            ("recall of pairs", self.least_recall, recall(score.pairs)),
            (
                "redundant found",
                self.least_found,
                share(groups.found, groups.redundant)
                    .min(share(documents.found, documents.redundant)),
            ),
            (
                "precision of pairs in clusters",
                self.least_together,
                share(groups.together.both, groups.together.run)
                    .min(share(documents.together.both, documents.together.run)),
            ),
        ];
        if let Some(found) = score.containment {
            let precision = share(found.right, found.published);
            shares.push(("precision of containment", self.least_precision, precision));
            shares.push(("recall of containment", self.least_recall, recall(found)));
        }
        let bounded = |(name, least, value)| Bounded { name, least, value };
        shares.into_iter().map(bounded).collect()
    }

    /// Prints the bounds that runs of a corpus miss, and tells whether they keep all.
    pub(super) fn check(&self, corpus: &str, runs: &[Judged]) -> bool {
        let mut all_met = true;
        for judged in runs {
            for of in self.missed(&judged.score) {
                all_met = false;
                eprintln!(
                    "MISSED: {corpus}, seed {}: {} is {}, the least is {}",
                    judged.run.seed,
                    of.name,
                    decimals(of.value),
                    of.least
                );
            }
        }
        all_met
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

/// The tables of a corpus: a row for each run.
pub(super) fn tables(report: &mut Report, runs: &[Judged]) -> Result<()> {
    links_and_clusters(report, runs)?;
    if runs.iter().any(|judged| judged.score.containment.is_some()) {
        containment(report, runs)?;
    }
    costs(report, runs)
}

fn links_and_clusters(report: &mut Report, runs: &[Judged]) -> Result<()> {
    report.columns(
        "links | published | wrong | precision | wrong by > 0.1 | directed | declared | not equal",
    )?;
    for judged in runs {
        let (score, links) = (&judged.score, judged.score.links);
        let kind = |kind| score.kinds.get(&kind).copied().unwrap_or(0);
        report.row(&[
            &seed(judged),
            &links.published,
            &(links.published - links.right),
            &decimals(share(links.right, links.published)),
            &decimals(share(links.far, links.published)),
            &(kind(Kind::Containment) + kind(Kind::Both)),
            &score.declared.published,
            &(score.declared.published - score.declared.right),
        ])?;
    }
    report.columns("exact pairs | pairs | linked | recall")?;
    for judged in runs {
        let pairs = judged.score.pairs;
        report.row(&[
            &seed(judged),
            &pairs.exact,
            &pairs.found,
            &decimals(recall(pairs)),
        ])?;
    }
    for (title, of_documents) in [
        ("clusters of distinct sets", false),
        ("clusters of documents", true),
    ] {
        report.columns(&format!(
            "{title} | members | redundant | found | share | together p | together r"
        ))?;
        for judged in runs {
            let score = &judged.score;
            let clusters = if of_documents {
                score.documents
            } else {
                score.groups
            };
            let together = clusters.together;
            report.row(&[
                &seed(judged),
                &clusters.members,
                &clusters.redundant,
                &clusters.found,
                &decimals(share(clusters.found, clusters.redundant)),
                &decimals(share(together.both, together.run)),
                &decimals(share(together.both, together.exact)),
            ])?;
        }
    }
    Ok(())
}

fn containment(report: &mut Report, runs: &[Judged]) -> Result<()> {
    report.columns("directed links | published | wrong | precision | exact | recall")?;
    for judged in runs {
        let found = judged.score.containment.unwrap_or_default();
        report.row(&[
            &seed(judged),
            &found.published,
            &(found.published - found.right),
            &decimals(share(found.right, found.published)),
            &found.exact,
            &decimals(recall(found)),
        ])?;
    }
    Ok(())
}

/// The cost of each run, phase by phase.
fn costs(report: &mut Report, runs: &[Judged]) -> Result<()> {
    let Some(first) = runs.first() else {
        return Ok(());
    };
    let mut names = "CPU seconds | all".to_owned();
    for phase in &first.run.phases {
        names = names + " | " + &phase.name;
    }
    report.columns(&(names + " | peak MiB | compared"))?;
    for judged in runs {
        let (seed, usage) = (seed(judged), judged.run.usage);
        let (cpu_s, peak, compared) = (usage.cpu_s(), usage.peak_mib(), judged.compared());
        let mut cells: Vec<&dyn Cell> = vec![&seed, &cpu_s];
        for phase in &judged.run.phases {
            cells.push(&phase.cpu_s);
        }
        cells.extend([&peak as &dyn Cell, &compared]);
        report.row(&cells)?;
    }
    Ok(())
}

fn seed(judged: &Judged) -> String {
    format!("seed {}", judged.run.seed)
}

/// A run as one JSON object.
pub(super) fn json(corpus: &str, judged: &Judged) -> Value {
    let phases = judged.run.phases.iter();
    let phases: Vec<Value> = phases
        .map(|phase| json!({ "name": phase.name, "cpu_s": phase.cpu_s, "records": phase.records }))
        .collect();
    json!({
        "corpus": corpus,
        "seed": judged.run.seed,
        "score": judged.score,
        "common": { "published": judged.common_published, "really": judged.common },
        "usage": judged.run.usage,
        "phases": phases,
        "compared": judged.compared(),
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
