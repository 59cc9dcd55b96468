//! How accurate is a run? `cargo run --release -p pipeline --example accuracy -- PATHS… [--seeds
//! N]`
//!
//! *Input.* Files, directories, globs, `@lists`, as `paths` of a configuration. *Output.* A plain
//! table on standard output; exit code 1 if a bound is missed, 2 for a wrong command line.
//! *Algorithm.* The exact shingle sets of all documents are made once (`corpus`), their
//! resemblances counted in memory (`exact`); then the engine runs in this process for each sketch
//! (`engine`), and what it published is held against the exact values (`score`, `agreement`,
//! `summary`). *Memory.* All shingles of the input, 16 bytes each, and the pairs of resemblance 0.1
//! or more, about 100 bytes each. *Limits.* The exact sets use the same canonical form and the same
//! kind of fingerprint as the run, under another seed: what is measured is sampling, sorting,
//! counting and linking, not the tokens.

mod agreement;
mod corpus;
mod engine;
mod exact;
mod score;
mod summary;

use anyhow::{Context, Result};
use corpus::Corpus;
use engine::{ADAPTIVE_128, Limit, METHODS, Setting};
use exact::Exact;
use score::Score;
use std::process::ExitCode;
use std::time::Instant;
use summary::Bound;

/// The command line.
struct Arguments {
    paths: Vec<String>,
    seeds: u32,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments {
        paths: Vec::new(),
        seeds: 10,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--seeds" {
            let number = words
                .next()
                .and_then(|text| text.parse().ok())
                .filter(|seeds| *seeds > 0);
            arguments.seeds = number.ok_or("expected a whole number above 0 after --seeds")?;
        } else if word.starts_with("--") {
            return Err(format!("expected PATHS… [--seeds N], got {word}"));
        } else {
            arguments.paths.push(word);
        }
    }
    if arguments.paths.is_empty() {
        Err("expected at least one path of documents".to_owned())
    } else {
        Ok(arguments)
    }
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("failed to start: {message}");
            return ExitCode::from(2);
        }
    };
    match measure(&arguments) {
        Ok(bounds) if bounds.iter().all(Bound::is_met) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<Vec<Bound>> {
    let began = Instant::now();
    println!(
        "command: accuracy {} --seeds {}",
        arguments.paths.join(" "),
        arguments.seeds
    );
    println!("machine: {}", machine());
    let corpus = corpus::read(&arguments.paths).context("failed to read the corpus")?;
    let sets = corpus.sets();
    let plain = Exact::of(&sets);
    let (kept, dropped) = exact::without_common(&sets, engine::COMMON_LIMIT);
    let limited = Exact::of(&kept);
    println!(
        "corpus: {} documents, {} distinct shingle sets, {} shingles in them",
        corpus.group_of.len(),
        sets.len(),
        sets.iter().map(Vec::len).sum::<usize>(),
    );
    describe("all shingles", &plain);
    describe(
        &format!(
            "without the {dropped} shingles of more than {} sets",
            engine::COMMON_LIMIT
        ),
        &limited,
    );
    println!(
        "exact sets and pairs: {:.1} s",
        began.elapsed().as_secs_f64()
    );

    let one = |method, limit, exact: &Exact| {
        score(
            arguments,
            &corpus,
            exact,
            Setting {
                method,
                limit,
                seed: 1,
            },
        )
    };
    summary::heading("a. no common limit, seed 1, against all shingles");
    let mut default_first = None;
    for method in METHODS {
        let score = one(method, Limit::Unlimited, &plain)?;
        summary::row(method, &score);
        if method == ADAPTIVE_128 {
            default_first = Some(score);
        }
    }
    let title = format!(
        "b. common limit {}, seed 1, against sets without common shingles",
        engine::COMMON_LIMIT
    );
    summary::heading(&title);
    for method in METHODS {
        summary::row(method, &one(method, Limit::Default, &limited)?);
    }
    let mut scores: Vec<Score> = default_first.into_iter().collect();
    for seed in 2..=arguments.seeds {
        let setting = Setting {
            method: ADAPTIVE_128,
            limit: Limit::Unlimited,
            seed,
        };
        scores.push(score(arguments, &corpus, &plain, setting)?);
    }
    summary::heading(&format!(
        "c. {ADAPTIVE_128}, no common limit, {} seeds",
        scores.len()
    ));
    scores
        .iter()
        .for_each(|score| summary::row(ADAPTIVE_128, score));
    let bounds = summary::over_seeds(&scores);
    println!("\nwhole time: {:.0} s", began.elapsed().as_secs_f64());
    Ok(bounds)
}

/// One run of the engine, judged.
fn score(arguments: &Arguments, corpus: &Corpus, exact: &Exact, setting: Setting) -> Result<Score> {
    let Setting { method, seed, .. } = setting;
    let context = || format!("failed to measure {method}, seed {seed}");
    let outcome = engine::run(&arguments.paths, setting).with_context(context)?;
    score::of(corpus, exact, &outcome).with_context(context)
}

fn describe(which: &str, exact: &Exact) {
    let at_least = |n: u64, d: u64| {
        exact
            .pairs
            .values()
            .filter(|ratio| **ratio >= model::Ratio::new(n, d))
            .count()
    };
    println!(
        "{which}: {} pairs of sets at resemblance 0.1 or more, {} at 0.5, {} at 0.6",
        exact.pairs.len(),
        at_least(1, 2),
        at_least(3, 5),
    );
}

/// Cores and model of the processor.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    format!(
        "{cores} cores, {}",
        model.map_or("unknown processor", |(_, name)| name.trim())
    )
}
