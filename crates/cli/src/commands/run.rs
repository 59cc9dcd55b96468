//! `pipeline run`.

use output::{Report, shell_word};
use pipeline::config::Config;
use pipeline::{Level, LogForm, LogLine, RunOptions, RunOutcome, Verdict, log_form};

use std::path::PathBuf;

use super::call::{Call, Loudness};
use super::configuration::nearest;
use super::inputs::{self, NamedPlaces};
use crate::args::{IndexArgs, RunArgs};
use crate::exit::Failure;
use crate::messages;

/// Runs the phases that the arguments name.
pub(super) fn run(call: &mut Call<'_>, args: &RunArgs) -> Result<(), Failure> {
    let mut options = RunOptions {
        from: args.from,
        until: args.until,
        only: args.only,
        force: args.force,
        dry_run: args.dry_run,
        strict: args.strict,
        tell_input: !args.inputs.is_empty(),
        adopt: args.adopt.clone(),
        ..RunOptions::default()
    };
    if args.inputs.is_empty() {
        let (config, named) = (call.load()?, call.config.config.clone());
        return run_with(call, &config, &options, named.as_ref(), args.json);
    }
    let own = inputs::configured(call, &args.inputs, NamedPlaces::of_run(args))?;
    options.on_input = own.write;
    run_with(call, &own.config, &options, Some(&own.path), args.json)
}

/// Publishes the results of a job on many machines.
pub(super) fn index(call: &mut Call<'_>, args: &IndexArgs) -> Result<(), Failure> {
    let options = RunOptions {
        job: Some(args.from.clone()),
        ..RunOptions::default()
    };
    let (config, named) = (call.load()?, call.config.config.clone());
    run_with(call, &config, &options, named.as_ref(), args.json)
}

/// Runs the phases and prints the outcome. `named` is the configuration that is named, or made for
/// this run.
fn run_with(
    call: &mut Call<'_>,
    config: &Config,
    options: &RunOptions,
    named: Option<&PathBuf>,
    as_json: bool,
) -> Result<(), Failure> {
    if config.sketch.seed_is_default && !call.is_quiet() {
        messages::note(
            "the seed is the public default, so anybody can write pages that steer the sample; set seed in [sketch]",
        );
    }
    let outcome = pipeline::run(config, options, &call.reporter())?;
    if log_form() != LogForm::Plain && !call.is_quiet() && !options.dry_run {
        ended(&outcome).write();
    }
    if as_json || !call.is_quiet() {
        call.print(&outcome, as_json)?;
    }
    if as_json || call.is_quiet() {
        return Ok(());
    }
    let details = outcome.details();
    if let Some(details) = details.filter(|_| call.loudness == Loudness::Verbose) {
        call.results.text(&format!("\n{}", details.trim_end()))?;
    }
    let Some(report) = outcome.report.as_ref().filter(|_| outcome.did_anything()) else {
        return Ok(());
    };
    // Other verbs may find the configuration of this run themselves.
    let is_found = |path: &&PathBuf| options.tell_input && nearest().as_ref() == Some(path);
    let option = config_options(named.filter(|path| !is_found(path)), &call.config.set);
    call.results.text(&next(report, &option))
}

/// The options with which other verbs read the configuration as this run does; empty if they do so
/// themselves.
fn config_options(path: Option<&PathBuf>, set: &[String]) -> String {
    let path = path.into_iter();
    let path = path.map(|path| ("-c", path.to_string_lossy().into_owned()));
    let set = set.iter().map(|set| ("--set", set.clone()));
    let options = path.chain(set);
    let options = options.map(|(name, value)| format!(" {name} {}", shell_word(&value)));
    options.collect()
}

/// Longer options are listed once, above the commands.
const OPTIONS_MAX: usize = 40;

/// Commands that show more of the results.
fn next(report: &Report, options: &str) -> String {
    let mut commands = Vec::new();
    if let Some(least) = &report.removed.least_alike {
        let pair = format!("explain {} {}", least.kept_doc_id, least.doc_id);
        commands.push((pair, "what differs between the least alike copies"));
    }
    if let Some(largest) = report.clusters.largest.first() {
        let cluster = format!("query cluster {}", largest.cluster_id);
        commands.push((cluster, "the documents of the largest cluster"));
    }
    if cfg!(feature = "web") {
        commands.push(("serve".to_owned(), "all of it in a browser"));
    }
    if report.clusters.removed_if_deduplicated > 0 {
        let dedup = "dedup --dry-run".to_owned();
        commands.push((dedup, "what goes when the copies are removed"));
    }
    let (above, behind) = match options.chars().count() > OPTIONS_MAX {
        true => (format!("Next, each with{options}:"), ""),
        false => ("Next:".to_owned(), options),
    };
    let lines = commands.iter().map(|(command, what)| {
        let command = format!("pipeline {command}{behind}");
        format!("  {command:<34}  {what}")
    });
    let lines = [above].into_iter().chain(lines);
    lines.collect::<Vec<String>>().join("\n")
}

/// The last line of the log of a run that ended well.
fn ended(outcome: &RunOutcome) -> LogLine {
    let ran: Vec<&str> = outcome
        .phases
        .iter()
        .filter(|plan| plan.verdict != Verdict::UpToDate)
        .map(|plan| plan.phase.name())
        .collect();
    let seconds = outcome.run.totals.wall_s;
    let what = if ran.is_empty() {
        "nothing new".to_owned()
    } else {
        format!("done: {}", ran.join(", "))
    };
    let line = LogLine::new(Level::Info, format!("{what}; {seconds:.2} s"));
    let line = line
        .with("exit_code", 0)
        .with("phases", ran)
        .with("wall_s", seconds);
    match &outcome.report {
        Some(report) => line
            .with("documents", report.input.documents)
            .with("clusters", report.clusters.clusters)
            .with("duplicates", report.clusters.removed_if_deduplicated),
        None => line,
    }
}
