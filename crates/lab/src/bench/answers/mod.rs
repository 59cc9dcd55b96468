//! Do the published tables agree with an exact comparison?
//!
//! *Input.* Corpora, each a file, a directory or a glob; seeds; values of `--set`. *Output.* Tables
//! on standard output; failure if `--check` finds that a bound is missed.
//! *Algorithm.* The program runs as a process on each corpus with each seed ([`mod@run`]). Its
//! tables are read ([`tables`]). The documents are read again without it, all shingles of each are
//! kept, and all pairs of sets are compared ([`crate::exact`], [`truth`]). The tables are held
//! against that ([`score`], [`summary`]). *Memory.* See [`truth`]; one corpus at a
//! time. *Disk.* The work directories of all runs: every run ends before the first comparison,
//! because the peak memory of a process counts from that of the process that starts it. *Limits.*
//! The exact sets use the canonical form of the run. Exact clusters are those of `linkage =
//! "components"` without `containment-joins`.

mod run;
mod score;
mod summary;
mod tables;
mod truth;

use crate::bench::child;
use crate::bench::report::Report;
use anyhow::{Context, Result};
use run::Run;
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use summary::{Bounds, JudgedRun};
use truth::{Limited, Thresholds, Truth};

/// Options of `answers`: corpora, runs and bounds.
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
    #[command(flatten)]
    bounds: Bounds,
}

/// Runs, judges and prints. Tells whether all bounds are met.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let program = child::pipeline()?;
    let mut runs = Vec::new();
    for corpus in &options.corpora {
        let one = |seed| {
            let start = |configuration: &Path| {
                let mut command = Command::new(&program);
                command.args(["run", "-q", "--config"]).arg(configuration);
                let values = options.set.iter().flat_map(|value| ["--set", value]);
                child::run(command.args(values))
            };
            run::run(corpus, seed, &options.set, &start)
                .with_context(|| format!("failed to run on {corpus} with seed {seed}"))
        };
        runs.push((1..=options.seeds).map(one).collect::<Result<Vec<Run>>>()?);
    }
    let (mut report, mut all_met) = (Report::new(None)?, true);
    for (corpus, runs) in options.corpora.iter().zip(runs) {
        let failed = || format!("failed to judge the runs on {corpus}");
        let (facts, judged) = judge(corpus, runs).with_context(failed)?;
        report.line(&format!("\n{corpus}: {facts}"))?;
        summary::tables(&mut report, &judged)?;
        if options.bounds.check {
            all_met &= options.bounds.check(corpus, &judged);
        }
    }
    Ok(all_met)
}

/// Holds the runs on one corpus against its exact answer. Gives the size of the corpus as a text,
/// and the runs by seed.
fn judge(corpus: &str, runs: Vec<Run>) -> Result<(String, Vec<JudgedRun>)> {
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
        judged.push(JudgedRun {
            score: score::of(&truth, &limited, &tables, Thresholds::of(&run.config)?)?,
            common_published: tables.common.len(),
            run,
        });
    }
    let published = judged.iter().map(|one| one.common_published.to_string());
    let (sets, published) = (&truth.corpus.sets, published.collect::<Vec<_>>().join(", "));
    let facts = format!(
        "{} documents, {} distinct sets, {} shingles in them, {} of them common (published: {}), \
         {} pairs of sets with all shingles",
        truth.corpus.group_of.len(),
        sets.len(),
        sets.iter().map(Vec::len).sum::<usize>(),
        truth.common,
        published,
        truth.pairs.len(),
    );
    Ok((facts, judged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::child::Usage;
    use ::run::RunOptions;
    use config::{InputFrom, load_with};
    use engine::Reporter;

    /// A run in this process on the sample pages that keeps every shingle.
    fn without_sampling(set: &[&str]) -> (String, JudgedRun) {
        let pages = crate::bench::kernels::samples().join("tree");
        let pages = pages.to_string_lossy().into_owned();
        let all = ["sketch.method.kind=modulus", "sketch.method.modulus=1"];
        let set: Vec<String> = [&all, set]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect();
        // In this process, because there is no program beside a test.
        let start = |configuration: &Path| {
            let config = load_with(configuration, InputFrom::Paths, &set)?;
            ::run::run(&config, &RunOptions::default(), &Reporter::silent())?;
            Ok(Usage::default())
        };
        let run = run::run(&pages, 1, &set, &start).unwrap();
        let (facts, mut judged) = judge(&pages, vec![run]).unwrap();
        (facts, judged.remove(0))
    }

    #[test]
    fn a_run_without_sampling_agrees() {
        let score = without_sampling(&["cluster.containment=0.9"]).1.score;
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
        let plain = without_sampling(&[]).1.score;
        let limit = "pairs.common-shingle-limit=2";
        let (facts, judged) = without_sampling(&[limit]);
        let published = judged.common_published;
        assert!(published > 0);
        let equal = format!(" {published} of them common (published: {published})");
        assert!(facts.contains(&equal), "{facts}");
        assert_eq!(judged.score.pairs.exact, plain.pairs.exact);
        assert_eq!(judged.score.links.right, judged.score.links.published);
        let dropped = ["pairs.common=\"drop\"", "cluster.settle=\"off\""];
        let score = without_sampling(&[&[limit], &dropped[..]].concat()).1.score;
        assert!(score.pairs.exact < plain.pairs.exact);
        assert_eq!(score.pairs.found, score.pairs.exact);
        assert_eq!(score.links.right, score.links.published);
    }
}
