//! The command `pipeline`: arguments in, one function of crate `pipeline` called, its result and
//! exit code out.
//!
//! Nothing is decided here but how things are said: results on standard output, everything else on
//! standard error.

mod args;
mod commands;
mod exit;
mod log;
mod messages;
mod stdout;
#[cfg(feature = "s3")]
mod store;
#[cfg(feature = "web")]
mod web;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use exit::Failure;

/// Ends the process with exit code 4 where the system refuses memory.
#[global_allocator]
static ALLOCATOR: pipeline::Allocator = pipeline::Allocator;

fn main() -> ExitCode {
    pipeline::return_large_blocks();
    match Cli::try_parse() {
        Ok(cli) => {
            log::start(&cli);
            exit::finish(use_objects().and_then(|()| commands::dispatch(cli)))
        }
        Err(error) => usage(&args::improved(error, std::env::args_os())),
    }
}

/// URLs are paths of the input, if this build has the feature.
fn use_objects() -> Result<(), Failure> {
    #[cfg(feature = "s3")]
    store::use_objects(pipeline::signal_has_come)
        .map_err(pipeline::Error::io("start the network"))?;
    Ok(())
}

/// Prints the help, the version, or the problem with the arguments.
fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && log::asks_for_json(std::env::args_os()) {
        pipeline::set_log_form(pipeline::LogForm::Json);
        messages::failure(error.render().to_string().trim_end(), 2).write();
        return ExitCode::from(2);
    }
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        // Whether standard error takes a message changes nothing.
        _ if error.use_stderr() => ExitCode::from(2),
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            exit::finish(Err(Failure::Stdout(error)))
        }
        _ => ExitCode::SUCCESS,
    }
}
