//! The verbs, one file each: call the engine, print what it gives.

mod compare;
mod completions;
mod dedup;
mod export;
mod init;
mod inspect;
mod man;
mod run;
mod status;
mod tokens;
mod verify;

use std::path::Path;

use pipeline::config::{Config, DEFAULT_TOML};

use crate::args::{CONFIG_DEFAULT, Cli, Command};
use crate::exit::Failure;
use crate::stdout::with_results;

/// Does what the command line says.
///
/// # Errors
/// Whatever the verb met; see [`Failure`].
pub(crate) fn dispatch(cli: Cli) -> Result<(), Failure> {
    let loudness = if cli.quiet { run::Loudness::Quiet } else { run::Loudness::Normal };
    match cli.command {
        Command::Init(args) => init::init(&args),
        Command::Run(args) => with_results(|results| run::run(&args, loudness, results)),
        Command::Status(args) => with_results(|results| status::status(&args, results)),
        Command::Verify(args) => with_results(|results| verify::verify(&args, results)),
        Command::Inspect(args) => with_results(|results| inspect::inspect(&args, results)),
        Command::Tokens(args) => with_results(|results| tokens::tokens(&args, results)),
        Command::Compare(args) => with_results(|results| compare::compare(args, results)),
        Command::Export(args) => export::export(&args),
        Command::Dedup(args) => with_results(|results| dedup::dedup(args, loudness, results)),
        Command::Completions(args) => with_results(|results| completions::completions(&args, results)),
        Command::Man(args) => man::man(&args),
    }
}

/// The configuration of this file, or the default one.
fn config_or_default(path: Option<&Path>) -> Result<Config, Failure> {
    Ok(match path {
        Some(path) => pipeline::config::load(path)?,
        None => pipeline::config::parse(DEFAULT_TOML, Path::new(CONFIG_DEFAULT))?,
    })
}
