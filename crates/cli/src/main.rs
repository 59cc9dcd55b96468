//! The command `pipeline`: arguments in, one verb of the engine called, its result and exit code out.
//!
//! Nothing is decided here but how things are said: results on standard output, everything else on standard error.

mod args;
mod commands;
mod exit;
mod messages;
mod stdout;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tracing::level_filters::LevelFilter;

use args::Cli;
use exit::Failure;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => {
            log(&cli);
            exit::finish(commands::dispatch(cli))
        }
        Err(error) => usage(&error),
    }
}

/// Prints the help or the version that was asked for, or what is wrong with the arguments.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        // Whether standard error takes a message changes nothing.
        _ if error.use_stderr() => ExitCode::from(2),
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => exit::finish(Err(Failure::Stdout(error))),
        _ => ExitCode::SUCCESS,
    }
}

/// Sends the log to standard error: warnings, or what `-q` and `-v` say.
fn log(cli: &Cli) {
    let level = match (cli.quiet, cli.verbose) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, 2) => LevelFilter::DEBUG,
        (false, _) => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_target(false).init();
}
