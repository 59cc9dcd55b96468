//! Do the published tables agree with an exact comparison?
//!
//! *Input.* Corpora, each a file, a directory or a glob; seeds; values of `--set`. *Output.* Tables
//! or JSON lines on standard output; failure if `--check` finds a bound missed. *Algorithm.* The
//! program runs as a process on each corpus with each seed ([`run`]). Its tables are read
//! ([`tables`]). The documents are read again without it, all shingles of each are kept, and all
//! pairs of sets are compared ([`all_pairs`], [`truth`]). The tables are held against that
//! ([`score`], [`summary`]). *Memory.* See [`truth`]; one corpus at a time. *Disk.* The work
//! directories of all runs: every run ends before the first comparison, because the peak memory of
//! a process counts from that of the process that starts it. *Limits.* The exact sets use the
//! canonical form of the run. Exact clusters are those of `linkage = "components"` without
//! `containment-joins`.

mod all_pairs;
mod run;
mod score;
mod summary;
mod tables;
mod truth;

use crate::child;
use crate::report::Report;
use anyhow::{Context, Result};
use run::Run;
use score::Score;
use std::path::PathBuf;
use summary::Bounds;
use truth::{Limited, Thresholds, Truth};

/// What to judge.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Corpora: files, directories or globs.
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<String>,
    /// Runs on each corpus, each with another seed.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// A value of the configuration; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The program to judge; the one beside this program if none is named.
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,
    /// Print a JSON object for each run instead of tables.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    bounds: Bounds,
}

/// A run and what is said of it.
struct Judged {
    run: Run,
    score: Score,
    /// Common shingles by exact counts.
    common: usize,
    /// Common shingles that the run published.
    common_published: usize,
}

impl Judged {
    /// Records of the phase that compares candidates exactly, if the run has it.
    fn compared(&self) -> Option<u64> {
        let settle = self.run.phases.iter().find(|phase| phase.name == "settle");
        settle.map(|phase| phase.records)
    }
}

/// Runs, judges and prints. Tells whether all bounds are met.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let program = child::pipeline(options.pipeline.as_deref())?;
    let mut runs = Vec::new();
    for corpus in &options.corpora {
        let one = |seed| {
            run::run(&program, corpus, seed, &options.set)
                .with_context(|| format!("failed to run on {corpus} with seed {seed}"))
        };
        runs.push((1..=options.seeds).map(one).collect::<Result<Vec<Run>>>()?);
    }
    let (mut report, mut all_met) = (Report::new(None)?, true);
    for (corpus, runs) in options.corpora.iter().zip(runs) {
        let failed = || format!("failed to judge the runs on {corpus}");
        let judged = judge(corpus, runs).with_context(failed)?;
        if options.json {
            for one in &judged.runs {
                report.line(&summary::json(corpus, one).to_string())?;
            }
        } else {
            report.line(&format!("\n{corpus}: {}", judged.facts))?;
            summary::tables(&mut report, &judged.runs)?;
        }
        if options.bounds.check {
            all_met &= options.bounds.check(corpus, &judged.runs);
        }
    }
    Ok(all_met)
}

/// A corpus and its runs.
struct JudgedCorpus {
    /// Its size, in words.
    facts: String,
    runs: Vec<Judged>,
}

/// Holds the runs on one corpus against its exact answer.
fn judge(corpus: &str, runs: Vec<Run>) -> Result<JudgedCorpus> {
    let first = runs.first().context("there is no run")?;
    let paths = [corpus.to_owned()];
    let truth = Truth::of(&paths, &first.config)?;
    let mut judged = Vec::new();
    for run in runs {
        let tables = tables::read(&run)?;
        let limited = Limited::of(&paths, &run.config, &truth, &tables.common)?;
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
            truth.sets.len(),
            truth.sets.iter().map(Vec::len).sum::<usize>(),
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

    /// A run in this process on the sample pages that keeps every shingle.
    fn without_sampling(set: &[&str]) -> Judged {
        let pages = crate::kernels::samples().join("tree");
        let pages = pages.to_string_lossy().into_owned();
        let all = ["sketch.method.kind=modulus", "sketch.method.modulus=1"];
        let set: Vec<String> = [&all, set]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let run = run::run_inside(&pages, 1, &set).unwrap();
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
    fn published_common_shingles_are_taken_out_of_the_exact_sets() {
        let plain = without_sampling(&[]).score;
        let judged = without_sampling(&["pairs.common-shingle-limit=2"]);
        let score = judged.score;
        assert!(judged.common > 0);
        assert_eq!(judged.common_published, judged.common);
        assert!(score.pairs.exact < plain.pairs.exact);
        assert_eq!(score.pairs, score.real_pairs);
        assert_eq!(score.pairs.found, score.pairs.exact);
        assert_eq!(score.links.right_by_kind, score.links.published);
    }
}
