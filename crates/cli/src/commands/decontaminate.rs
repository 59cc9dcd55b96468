//! `pipeline decontaminate`.

use std::ffi::OsString;
use std::path::PathBuf;

use pipeline::config::Config;
use pipeline::{DecontaminateRequest, DeliverClean, RunHooks};

use super::call::Call;
use super::configuration::nearest;
use super::inputs::config_of;
use crate::args::DecontaminateArgs;
use crate::exit::Failure;

/// Searches the input for the references, and prints what was found.
pub(super) fn decontaminate(
    call: &mut Call<'_>,
    mut args: DecontaminateArgs,
) -> Result<(), Failure> {
    let config = input(call, &mut args.references, &args.inputs)?;
    let deliver = match args.output {
        None => DeliverClean::Nothing,
        Some(output) if args.passages => DeliverClean::Stretches(output),
        Some(output) if args.annotate => DeliverClean::Annotated(output),
        Some(output) => DeliverClean::Documents(output),
    };
    let request = DecontaminateRequest {
        references: args.references.into_iter().map(PathBuf::from).collect(),
        fields: args.fields,
        least_words: args.least,
        gram_words: args.ngram,
        least_share: args.min,
        deliver,
        table: args.table,
    };
    let hooks = RunHooks::of(&call.reporter());
    let outcome = pipeline::decontaminate(&config, &request, &hooks)?;
    // as after `dedup`: the directory is the result, this is only its summary
    match call.is_quiet() && !args.json && outcome.output.is_some() {
        true => Ok(()),
        false => call.print(&outcome, args.json),
    }
}

/// The configuration that names the input: that of `-c`, the one that is found, or one of the paths
/// behind `--`. Without any, the last of several references is the input. Where that could be
/// meant but need not be, the call is refused: what is not searched must not seem clean.
fn input(
    call: &Call<'_>,
    references: &mut Vec<OsString>,
    inputs: &[OsString],
) -> Result<Config, Failure> {
    let refuse = |why: String| Err(Failure::Usage(format!("failed to start: {why}")));
    match (&call.config.config, inputs) {
        (Some(config), [_, ..]) => refuse(format!(
            "the input is named by {} and behind --; leave one of them away",
            config.display()
        )),
        (Some(_), []) => call.load(),
        (None, [_, ..]) => config_of(call, inputs),
        (None, []) => match (nearest(), &references[..]) {
            (Some(_), [_]) => call.load(),
            (Some(config), _) => refuse(format!(
                "{} names an input, and the last path could be one, too; write -c {0} if all paths \
                 are references, or -- before the input",
                config.display()
            )),
            (None, [_]) => refuse(
                "no input is named; write it behind --, or name a configuration with -c".to_owned(),
            ),
            (None, _) => {
                let input = references.split_off(references.len() - 1);
                config_of(call, &input)
            }
        },
    }
}
