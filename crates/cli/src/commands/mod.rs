//! The verbs, one file each: each calls the engine and prints the result.

mod compare;
mod completions;
mod configuration;
mod dedup;
mod explain;
mod export;
mod init;
mod inspect;
mod like;
mod loudness;
mod man;
mod query;
mod run;
mod snapshot;
mod status;
mod tokens;
mod tune;
mod verify;

use loudness::Loudness;

use crate::args::{Cli, Command};
use crate::exit::Failure;
use crate::stdout::with_results;

/// Runs the verb of the command line.
///
/// # Errors
/// Those of the verb; see [`Failure`].
pub(crate) fn dispatch(cli: Cli) -> Result<(), Failure> {
    let loudness = if cli.quiet {
        Loudness::Quiet
    } else {
        Loudness::Normal
    };
    match cli.command {
        Command::Init(args) if args.schema => with_results(init::schema),
        Command::Init(args) => init::init(&args),
        Command::Run(args) => with_results(|results| run::run(&args, loudness, results)),
        Command::Status(args) => with_results(|results| status::status(&args, results)),
        Command::Verify(args) => with_results(|results| verify::verify(&args, results)),
        Command::Inspect(args) => with_results(|results| inspect::inspect(&args, results)),
        Command::Tokens(args) => with_results(|results| tokens::tokens(&args, results)),
        Command::Compare(args) => with_results(|results| compare::compare(args, results)),
        Command::Export(args) => export::export(&args),
        Command::Explain(args) => with_results(|results| explain::explain(args, results)),
        Command::Query(args) => with_results(|results| query::query(&args, loudness, results)),
        Command::Tune(args) => with_results(|results| tune::tune(&args, loudness, results)),
        Command::Dedup(args) => with_results(|results| dedup::dedup(args, loudness, results)),
        Command::Snapshot(args) => {
            with_results(|results| snapshot::snapshot(args, loudness, results))
        }
        Command::Completions(args) => {
            with_results(|results| completions::completions(&args, results))
        }
        Command::Man(args) => man::man(&args),
    }
}
