//! All runs on one corpus, held against its exact answer.

use super::run::{Phase, Run};
use super::score::{self, Score};
use super::tables;
use super::truth::{Limited, Thresholds, Truth};
use anyhow::{Context, Result};
use std::collections::HashSet;

/// A run and what is said of it.
pub(super) struct Judged {
    /// The run.
    pub(super) run: Run,
    /// Its figures.
    pub(super) score: Score,
    /// Common shingles by exact counts.
    pub(super) common: usize,
    /// Common shingles that the run published.
    pub(super) common_published: usize,
}

impl Judged {
    /// A phase of the run, if the run has it.
    pub(super) fn phase(&self, name: &str) -> Option<&Phase> {
        self.run.phases.iter().find(|phase| phase.name == name)
    }

    /// Records of the phase that compares candidates exactly, if the run has it.
    pub(super) fn compared(&self) -> Option<u64> {
        self.phase("settle").map(|phase| phase.records)
    }
}

/// A corpus and its runs.
pub(super) struct JudgedCorpus {
    /// Its size, as a text.
    pub(super) facts: String,
    /// The runs, by seed.
    pub(super) runs: Vec<Judged>,
}

/// Holds the runs on one corpus against its exact answer.
pub(super) fn judge(corpus: &str, runs: Vec<Run>) -> Result<JudgedCorpus> {
    let first = runs.first().context("there is no run")?;
    let truth = Truth::of(corpus, &first.config)?;
    let mut judged = Vec::new();
    for run in runs {
        let tables = tables::read(&run)?;
        let dropped = match run.config.drops_common() {
            true => tables.common.clone(),
            false => HashSet::new(),
        };
        let limited = Limited::of(corpus, &run.config, &truth, &dropped)?;
        judged.push(Judged {
            score: score::of(&truth, &limited, &tables, Thresholds::of(&run.config)?)?,
            common: truth.common,
            common_published: tables.common.len(),
            run,
        });
    }
    let published = judged.iter().map(|one| one.common_published.to_string());
    Ok(JudgedCorpus {
        facts: format!(
            "{} documents, {} distinct sets, {} shingles in them, {} of them common (published: {}), \
             {} pairs of sets with all shingles",
            truth.corpus.group_of.len(),
            truth.corpus.sets.len(),
            truth.corpus.sets.iter().map(Vec::len).sum::<usize>(),
            truth.common,
            published.collect::<Vec<_>>().join(", "),
            truth.pairs.len(),
        ),
        runs: judged,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::answers::run::run_inside;

    /// A run in this process on the sample pages that keeps every shingle.
    fn without_sampling(set: &[&str]) -> Judged {
        let pages = crate::bench::kernels::samples().join("tree");
        let pages = pages.to_string_lossy().into_owned();
        let all = ["sketch.method.kind=modulus", "sketch.method.modulus=1"];
        let set: Vec<String> = [&all, set]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let run = run_inside(&pages, 1, &set).unwrap();
        judge(&pages, vec![run]).unwrap().runs.remove(0)
    }

    #[test]
    fn a_run_without_sampling_agrees() {
        let score = without_sampling(&["cluster.containment=0.9"]).score;
        assert!(score.links.published > 0);
        assert_eq!(score.links.right, score.links.published);
        assert_eq!(score.pairs.found, score.pairs.exact);
        assert_eq!(score.groups.found, score.groups.redundant);
        assert_eq!(score.groups.together.both, score.groups.together.run);
        let contained = score.containment.unwrap();
        assert_eq!(contained.right, contained.published);
        assert_eq!(contained.found, contained.exact);
    }

    #[test]
    fn common_shingles_count_unless_they_are_dropped() {
        let plain = without_sampling(&[]).score;
        let limit = "pairs.common-shingle-limit=2";
        let judged = without_sampling(&[limit]);
        assert!(judged.common > 0);
        assert_eq!(judged.common_published, judged.common);
        assert_eq!(judged.score.pairs.exact, plain.pairs.exact);
        assert_eq!(judged.score.links.right, judged.score.links.published);
        let dropped = ["pairs.common=\"drop\"", "cluster.settle=\"off\""];
        let score = without_sampling(&[&[limit], &dropped[..]].concat()).score;
        assert!(score.pairs.exact < plain.pairs.exact);
        assert_eq!(score.pairs.found, score.pairs.exact);
        assert_eq!(score.links.right, score.links.published);
    }
}
