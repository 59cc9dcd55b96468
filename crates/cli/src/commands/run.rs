//! `pipeline run`.

use pipeline::{Reporter, RunOptions};

use crate::args::RunArgs;
use crate::exit::Failure;
use crate::messages;
use crate::stdout::{Form, Results};

/// How much is said while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loudness {
    /// Progress and notes.
    Normal,
    /// Errors only.
    Quiet,
}

impl Loudness {
    /// Who shows progress so loudly.
    pub(super) fn reporter(self) -> Reporter {
        match self {
            Loudness::Normal => Reporter::standard(),
            Loudness::Quiet => Reporter::silent(),
        }
    }
}

/// Runs the phases and prints the outcome.
pub(super) fn run(args: &RunArgs, loudness: Loudness, results: &mut Results) -> Result<(), Failure> {
    let config = pipeline::config::load(&args.config.config)?;
    if config.sketch.seed_is_default && loudness == Loudness::Normal {
        messages::say(
            "note: the seed is the published default, so pages can be written that steer the sample; set [sketch] seed",
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
    results.print(&outcome, Form::of(args.json))
}
