//! The verbs, one file each: each calls the engine and prints the result.

mod compare;
mod completions;
mod configuration;
mod dedup;
mod evaluate;
mod explain;
mod export;
mod init;
mod inputs;
mod inspect;
mod like;
mod loudness;
mod man;
mod query;
mod run;
mod seed;
mod shingles;
mod sketch;
mod snapshot;
#[cfg(feature = "sqlite")]
mod sqlite;
mod status;
mod tokens;
mod tune;
mod verify;
#[cfg(feature = "web")]
mod web_pages;
mod whole_file;

use loudness::Loudness;

use crate::args::{Cli, Command};
use crate::exit::Failure;
use crate::stdout::with_results;

/// Runs the verb of the command line.
///
/// # Errors
/// Those of the verb; see [`Failure`].
pub(crate) fn dispatch(cli: Cli) -> Result<(), Failure> {
    let loudness = match (cli.quiet, cli.verbose) {
        (true, _) => Loudness::Quiet,
        (false, 0) => Loudness::Normal,
        (false, _) => Loudness::Verbose,
    };
    let config = &cli.config;
    pipeline::set_config_options(config.config.as_deref(), &config.set);
    let without_values = match &cli.command {
        Command::Init(_) => Some("init"),
        Command::Inspect(_) => Some("inspect"),
        Command::Completions(_) => Some("completions"),
        Command::Man(_) => Some("man"),
        _ => None,
    };
    if let Some(verb) = without_values.filter(|_| !config.set.is_empty()) {
        let message =
            format!("--set has no meaning for `pipeline {verb}`, which reads no configuration");
        return Err(Failure::Usage(message));
    }
    pipeline::outlive_file_limit()?;
    // Before anything is read, so that an early signal ends these with their own exit code, too.
    if matches!(
        cli.command,
        Command::Run(_)
            | Command::Index(_)
            | Command::Sketch(_)
            | Command::Dedup(_)
            | Command::Tune(_)
    ) {
        pipeline::answer_signals()?;
    }
    match cli.command {
        Command::Init(args) if args.schema => with_results(init::schema),
        Command::Init(args) => with_results(|results| init::init(config, &args, loudness, results)),
        Command::Run(args) => with_results(|results| run::run(config, &args, loudness, results)),
        Command::Index(args) => {
            with_results(|results| run::index(config, &args, loudness, results))
        }
        Command::Sketch(args) => {
            with_results(|results| sketch::sketch(config, &args, loudness, results))
        }
        Command::Status(args) => with_results(|results| status::status(config, &args, results)),
        Command::Verify(args) => {
            with_results(|results| verify::verify(config, &args, loudness, results))
        }
        Command::Inspect(args) => with_results(|results| inspect::inspect(&args, results)),
        Command::Shingles(args) => {
            with_results(|results| shingles::shingles(config, &args, results))
        }
        Command::Tokens(args) => with_results(|results| tokens::tokens(config, &args, results)),
        Command::Compare(args) => with_results(|results| compare::compare(config, args, results)),
        Command::Export(args) => export::export(config, &args),
        Command::Explain(args) => with_results(|results| explain::explain(config, args, results)),
        Command::Query(args) => {
            with_results(|results| query::query(config, &args, loudness, results))
        }
        Command::Evaluate(args) => {
            with_results(|results| evaluate::evaluate(config, args, loudness, results))
        }
        Command::Tune(args) => with_results(|results| tune::tune(config, &args, loudness, results)),
        Command::Dedup(args) => {
            with_results(|results| dedup::dedup(config, args, loudness, results))
        }
        Command::Snapshot(args) => {
            with_results(|results| snapshot::snapshot(config, args, loudness, results))
        }
        #[cfg(feature = "web")]
        Command::Serve(args) => {
            with_results(|results| web_pages::serve(config, &args, loudness, results))
        }
        #[cfg(feature = "web")]
        Command::Report(args) => {
            with_results(|results| web_pages::report(config, &args, loudness, results))
        }
        Command::Completions(args) => {
            with_results(|results| completions::completions(&args, results))
        }
        Command::Man(args) => man::man(&args),
    }
}
