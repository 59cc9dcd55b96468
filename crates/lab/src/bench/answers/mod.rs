//! Do the published tables agree with an exact comparison?
//!
//! *Input.* Corpora, each a file, a directory or a glob; seeds; values of `--set`. *Output.* Tables
//! or JSON lines on standard output; failure if `--check` finds that a bound is missed.
//! *Algorithm.* The program runs as a process on each corpus with each seed ([`mod@run`]). Its
//! tables are read ([`tables`]). The documents are read again without it, all shingles of each are
//! kept, and all pairs of sets are compared ([`crate::exact`], [`truth`]). The tables are held
//! against that ([`judged`], [`score`], [`summary`]). *Memory.* See [`truth`]; one corpus at a
//! time. *Disk.* The work directories of all runs: every run ends before the first comparison,
//! because the peak memory of a process counts from that of the process that starts it. *Limits.*
//! The exact sets use the canonical form of the run. Exact clusters are those of `linkage =
//! "components"` without `containment-joins`.

mod judged;
mod run;
mod score;
mod summary;
mod tables;
mod truth;

use crate::bench::child;
use crate::bench::report::Report;
use anyhow::{Context, Result};
use judged::judge;
use run::Run;
use std::path::PathBuf;
use summary::Bounds;

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
