//! `pipeline completions`.

use std::io::Write;

use clap::CommandFactory;
use serde_json::json;

use crate::args::{Cli, CompletionsArgs};
use crate::exit::Failure;
use crate::stdout::Results;

/// Prints the completion script of a shell.
pub(super) fn completions(args: &CompletionsArgs, results: &mut Results) -> Result<(), Failure> {
    // the generator panics on a writer that fails, so it gets one that cannot
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "pipeline", &mut script);
    if args.json {
        let script = String::from_utf8_lossy(&script);
        return results.json(&json!({ "shell": args.shell.to_string(), "script": script }));
    }
    results.write_all(&script).map_err(Failure::Stdout)
}
