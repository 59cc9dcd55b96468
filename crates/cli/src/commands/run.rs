//! `pipeline run`.

use output::{Report, shell_word};
use pipeline::config::Config;
use pipeline::{Level, LogForm, LogLine, RunOptions, RunOutcome, Verdict, log_form};

use std::path::PathBuf;

use super::configuration::{load, nearest};
use super::inputs;
use super::loudness::Loudness;
use crate::args::{ConfigArgs, IndexArgs, RunArgs};
use crate::exit::Failure;
use crate::messages;
use crate::stdout::{Form, Results};

/// Runs the phases that the arguments name.
pub(super) fn run(
    config: &ConfigArgs,
    args: &RunArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
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
    let mut named = config.config.clone();
    let read = if args.inputs.is_empty() {
        load(config)?
    } else {
        let own = inputs::configured(config, args, loudness)?;
        options.on_input = own.write;
        named = Some(own.path);
        own.config
    };
    let call = RunCall {
        options,
        form: Form::of(args.json),
        named,
        set: config.set.clone(),
    };
    call.run(&read, loudness, results)
}

/// Publishes the results of a job on many machines.
pub(super) fn index(
    config: &ConfigArgs,
    args: &IndexArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let options = RunOptions {
        job: Some(args.from.clone()),
        ..RunOptions::default()
    };
    let call = RunCall {
        options,
        form: Form::of(args.json),
        named: config.config.clone(),
        set: config.set.clone(),
    };
    call.run(&load(config)?, loudness, results)
}

/// A run as it is asked for.
struct RunCall {
    options: RunOptions,
    form: Form,
    /// The configuration that is named, or made for this run.
    named: Option<PathBuf>,
    /// The values of `--set`.
    set: Vec<String>,
}

impl RunCall {
    /// Runs the phases and prints the outcome.
    fn run(
        &self,
        config: &Config,
        loudness: Loudness,
        results: &mut Results,
    ) -> Result<(), Failure> {
        let RunCall {
            options,
            form,
            named,
            set,
        } = self;
        if config.sketch.seed_is_default && loudness != Loudness::Quiet {
            messages::note(
                "the seed is the public default, so anybody can write pages that steer the sample; set seed in [sketch]",
            );
        }
        let outcome = pipeline::run(config, options, &loudness.reporter())?;
        if log_form() != LogForm::Plain && loudness != Loudness::Quiet && !options.dry_run {
            ended(&outcome).write();
        }
        let form = *form;
        if form == Form::Text && loudness == Loudness::Quiet {
            return Ok(());
        }
        results.print(&outcome, form)?;
        if form == Form::Json {
            return Ok(());
        }
        let details = outcome.details().filter(|_| loudness == Loudness::Verbose);
        if let Some(details) = details {
            results.text(&format!("\n{}", details.trim_end()))?;
        }
        match outcome.report.as_ref().filter(|_| outcome.did_anything()) {
            Some(report) => {
                // Other verbs may find that of this run themselves.
                let is_found =
                    |path: &&PathBuf| options.tell_input && nearest().as_ref() == Some(path);
                let named = named.as_ref().filter(|path| !is_found(path));
                let option = config_options(named, set);
                results.text(&next(report, &option))
            }
            None => Ok(()),
        }
    }
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

/// Options that are longer are told once, above the commands.
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
