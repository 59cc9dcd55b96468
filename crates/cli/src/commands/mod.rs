//! The verbs: each calls crate `pipeline` and prints the result.

mod ask;
mod call;
mod changes;
mod configuration;
mod decontaminate;
mod dedup;
mod evaluate;
mod export;
mod init;
mod inputs;
mod man;
mod named_inputs;
mod query;
mod run;
#[cfg(feature = "sqlite")]
mod sqlite;
mod state;
#[cfg(feature = "web")]
mod web_pages;
mod whole_file;

use call::{Call, Loudness};

use crate::args::{Cli, Command, RunArgs};
use crate::exit::Failure;
use crate::stdout::with_results;

/// Runs the verb of the command line.
pub(crate) fn dispatch(mut cli: Cli) -> Result<(), Failure> {
    let loudness = match (cli.quiet, cli.verbose) {
        (true, _) => Loudness::Quiet,
        (false, 0) => Loudness::Normal,
        (false, _) => Loudness::Verbose,
    };
    if let Command::Run(RunArgs { keys, .. }) = &cli.command {
        cli.config.set.extend(keys.entries());
    }
    let (config, command) = (&cli.config, cli.command);
    pipeline::set_config_options(config.config.as_deref(), &config.set);
    let without_values = match &command {
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
        command,
        Command::Run(_)
            | Command::Index(_)
            | Command::Sketch(_)
            | Command::Dedup(_)
            | Command::Decontaminate(_)
            | Command::Tune(_)
    ) {
        pipeline::answer_signals()?;
    }
    with_results(|results| {
        let call = &mut Call {
            config,
            loudness,
            results,
        };
        match command {
            Command::Init(args) => init::init(call, &args),
            Command::Run(args) => run::run(call, &args),
            Command::Index(args) => run::index(call, &args),
            Command::Sketch(args) => state::sketch(call, &args),
            Command::Status(args) => state::status(call, &args),
            Command::Verify(args) => state::verify(call, &args),
            Command::Snapshot(verb) => state::snapshot(call, verb),
            Command::Inspect(args) => ask::inspect(call, &args),
            Command::Shingles(args) => ask::shingles(call, &args),
            Command::Tokens(args) => ask::tokens(call, &args),
            Command::Compare(args) => ask::compare(call, args),
            Command::Explain(args) => ask::explain(call, args),
            Command::Tune(args) => ask::tune(call, args),
            Command::Query(question) => query::query(call, question),
            Command::Changes(args) => changes::changes(call, args),
            Command::Export(args) => export::export(call, &args),
            Command::Evaluate(args) => evaluate::evaluate(call, args),
            Command::Dedup(args) => dedup::dedup(call, args),
            Command::Decontaminate(args) => decontaminate::decontaminate(call, args),
            #[cfg(feature = "web")]
            Command::Serve(args) => web_pages::serve(call, &args),
            #[cfg(feature = "web")]
            Command::Report(args) => web_pages::report(call, &args),
            Command::Completions(args) => man::completions(call, &args),
            Command::Man(args) => man::man(call, &args),
        }
    })
}
