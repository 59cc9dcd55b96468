//! How accurate is a run?
//!
//! *Input.* Files, directories, globs, `@lists`, as `paths` of a configuration. *Output.* Tables on
//! standard output; failure if a bound is missed. *Algorithm.* The exact shingle sets of all
//! documents are made once ([`crate::corpus`]), their resemblances counted in memory
//! ([`crate::exact`]); then the engine runs in this process for each sketch ([`engine`]), and its
//! published tables are held against the exact values ([`mod@score`], [`summary`]). *Memory.* All
//! shingles of the input, 16 bytes each, and the pairs of resemblance 0.1 or more, about 100 bytes
//! each. *Limits.* The exact sets use the same canonical form and the same kind of fingerprint as
//! the run, under another seed: sampling, sorting, counting and linking are measured, not the
//! tokens.

mod engine;
mod score;
mod summary;

use crate::corpus::{self, Corpus};
use crate::exact::{Exact, numbered, without_common};
use crate::report::Report;
use anyhow::{Context, Result};
use engine::{COMMON_LIMIT, DEFAULT, METHODS, Setting};
use score::Score;
use sketch::FingerprintKeys;
use std::time::Instant;

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Documents, as `paths` of a configuration.
    #[arg(required = true)]
    paths: Vec<String>,
    /// Seeds that the default is measured with.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// Measure the default only, with the common limit.
    #[arg(long)]
    limited_only: bool,
}

/// Measures and prints the tables. Tells whether all bounds are met.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let began = Instant::now();
    let mut report = Report::new(None)?;
    report.line(&format!(
        "accuracy {} --seeds {}",
        options.paths.join(" "),
        options.seeds
    ))?;
    let mut config = pipeline::default_config()?;
    config.sketch.keys = FingerprintKeys::from_seed("exact sets");
    let corpus = corpus::read(&options.paths, &config).context("failed to read the corpus")?;
    let sets = numbered(&corpus.fingerprints);
    let (kept, common) = without_common(&sets, COMMON_LIMIT);
    let shingles = sets.iter().map(Vec::len).sum::<usize>();
    let (plain, limited) = (Exact::of(sets), Exact::of(kept));
    report.line(&format!(
        "{} documents, {} distinct shingle sets, {shingles} shingles in them; {common} are common",
        corpus.group_of.len(),
        corpus.first_of.len(),
    ))?;
    for (which, exact) in [("all shingles", &plain), ("without common ones", &limited)] {
        report.line(&format!(
            "{which}: {} pairs of sets at resemblance 0.1 or more, {} at 0.5",
            exact.pairs.len(),
            exact.linked().count(),
        ))?;
    }

    let one = |setting: Setting| {
        let exact = match setting.is_limited {
            true => &limited,
            false => &plain,
        };
        score(options, &corpus, exact, setting)
    };
    let all_seeds = |report: &mut Report, is_limited: bool| {
        let mut scores: Vec<Score> = Vec::new();
        for seed in 1..=options.seeds {
            let score = one(Setting {
                method: DEFAULT,
                is_limited,
                seed,
            })?;
            summary::row(report, DEFAULT, &score)?;
            scores.push(score);
        }
        Ok::<_, anyhow::Error>(scores)
    };
    let title = "a. the default, common limit, all seeds, against sets without common shingles";
    summary::heading(&mut report, title)?;
    all_seeds(&mut report, true)?;
    if options.limited_only {
        return Ok(true);
    }
    for (title, is_limited) in [
        ("b. no common limit, seed 1, against all shingles", false),
        (
            "c. common limit, seed 1, against sets without common shingles",
            true,
        ),
    ] {
        summary::heading(&mut report, title)?;
        for method in METHODS {
            let score = one(Setting {
                method,
                is_limited,
                seed: 1,
            })?;
            summary::row(&mut report, method, &score)?;
        }
    }
    summary::heading(&mut report, "d. the default, no common limit, all seeds")?;
    let scores = all_seeds(&mut report, false)?;
    summary::intervals(&mut report, &scores)?;
    let all_met = summary::bounds(&mut report, &scores)?;
    report.line(&format!(
        "\nwhole time: {:.0} s",
        began.elapsed().as_secs_f64()
    ))?;
    Ok(all_met)
}

/// One run of the engine, judged.
fn score(options: &Options, corpus: &Corpus, exact: &Exact, setting: Setting) -> Result<Score> {
    let context = || format!("failed to measure {setting:?}");
    let outcome = engine::run(&options.paths, setting).with_context(context)?;
    score::of(corpus, exact, &outcome).with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_pages_are_measured() {
        let pages = crate::kernels::samples().join("tree");
        let paths = vec![pages.to_string_lossy().into_owned()];
        let limited_only = false;
        run(&Options {
            paths,
            seeds: 1,
            limited_only,
        })
        .unwrap();
    }
}
