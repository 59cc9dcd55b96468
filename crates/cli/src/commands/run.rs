//! `pipeline run`.

use pipeline::{Level, LogForm, LogLine, RunOptions, RunOutcome, Verdict, log_form};

use super::configuration::load;
use super::inputs;
use super::loudness::Loudness;
use crate::args::{ConfigArgs, RunArgs};
use crate::exit::Failure;
use crate::messages;
use crate::stdout::{Form, Results};

/// Runs the phases and prints the outcome.
pub(super) fn run(
    config: &ConfigArgs,
    args: &RunArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = if args.inputs.is_empty() {
        load(config)?
    } else {
        load(&inputs::configured(config, args, loudness)?)?
    };
    if config.sketch.seed_is_default && loudness == Loudness::Normal {
        messages::say(
            "note: the seed is the public default, so anybody can write pages that steer the sample; set seed in [sketch]",
        );
    }
    let options = RunOptions {
        from: args.from,
        until: args.until,
        only: args.only,
        force: args.force,
        dry_run: args.dry_run,
        strict: args.strict,
    };
    let outcome = pipeline::run(&config, &options, &loudness.reporter())?;
    if log_form() != LogForm::Plain && loudness == Loudness::Normal && !args.dry_run {
        ended(&outcome).write();
    }
    results.print(&outcome, Form::of(args.json))
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
