//! The verbs, one file each: call the engine, print what it gives.

mod compare;
mod completions;
mod dedup;
mod explain;
mod export;
mod init;
mod inspect;
mod like;
mod man;
mod query;
mod run;
mod snapshot;
mod status;
mod tokens;
mod tune;
mod verify;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use pipeline::config::{Config, DEFAULT_TOML, InputFrom, load_with, parse_with};

use crate::args::{CONFIG_DEFAULT, Cli, Command, ConfigArgs, SetArgs};
use crate::exit::Failure;
use crate::messages;
use crate::stdout::with_results;

/// Does what the command line says.
///
/// # Errors
/// Whatever the verb met; see [`Failure`].
pub(crate) fn dispatch(cli: Cli) -> Result<(), Failure> {
    let loudness = if cli.quiet {
        run::Loudness::Quiet
    } else {
        run::Loudness::Normal
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

/// The configuration that is named, with the values of `--set`.
fn load(args: &ConfigArgs) -> Result<Config, Failure> {
    load_from(args, InputFrom::Paths)
}

/// The same; `from` says where the input has to be named.
fn load_from(args: &ConfigArgs, from: InputFrom) -> Result<Config, Failure> {
    Ok(load_with(&args.config, from, &args.set.values)?)
}

/// The configuration to ask about these documents: the one named, else the one here if any of them
/// can be a document of a run: a number, or what is no file.
fn config_for(
    named: Option<PathBuf>,
    set: SetArgs,
    documents: [&OsStr; 2],
) -> Result<Option<Config>, Failure> {
    let here = Path::new(CONFIG_DEFAULT);
    let asks_run = |name: &&OsStr| {
        let is_id = name
            .to_str()
            .is_some_and(|name| name.parse::<i64>().is_ok());
        is_id || (*name != "-" && !Path::new(name).exists())
    };
    let asks_here = documents.iter().any(asks_run) && here.exists();
    match named.or_else(|| asks_here.then(|| here.to_path_buf())) {
        Some(config) => load(&ConfigArgs { config, set }).map(Some),
        None if set.values.is_empty() => Ok(None),
        None => {
            let message =
                "--set changes a configuration, and none is read here; name one with --config";
            Err(Failure::Usage(message.to_owned()))
        }
    }
}

/// Says in what the configuration differs from that of the publication, unless nothing is to be
/// said.
fn note_outdated(difference: Option<String>, loudness: run::Loudness) {
    if let (run::Loudness::Normal, Some(difference)) = (loudness, difference) {
        messages::say(&format!(
            "note: the publication is older than the configuration: {difference}"
        ));
    }
}

/// The configuration of this file, or the default one, with the values of `--set`.
fn config_or_default(path: Option<&Path>, set: &SetArgs) -> Result<Config, Failure> {
    Ok(match path {
        Some(path) => load_with(path, InputFrom::Paths, &set.values)?,
        None => parse_with(DEFAULT_TOML, Path::new(CONFIG_DEFAULT), &set.values)?,
    })
}
