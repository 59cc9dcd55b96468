//! `pipeline dedup`.

use std::io::{self, Write};

use pipeline::config::{Config, Reference};
use pipeline::{CutRequest, DedupRequest, Deliver, Linkage, OnInput};

use super::call::Call;
use super::{inputs, named_inputs};
use crate::args::{DedupArgs, LinkageChoice};
use crate::exit::Failure;

/// Writes copies without the duplicates and prints the counts, or prints what would go.
pub(super) fn dedup(call: &mut Call<'_>, args: DedupArgs) -> Result<(), Failure> {
    let (config, beside) = configured(call, &args)?;
    let deliver = match args.output {
        _ if args.list => Deliver::Ids {
            kept: args.kept,
            as_json: args.json,
        },
        _ if args.dry_run => Deliver::Counts,
        Some(output) if args.annotate => Deliver::Annotated(output),
        Some(output) => Deliver::Copies(output),
        None => {
            return Err(Failure::Usage(
                "failed to start: name a directory with -o".to_owned(),
            ));
        }
    };
    let lists = matches!(deliver, Deliver::Ids { .. });
    let reporter = call.reporter();
    // As after a run: the directory is the result, this is only its summary.
    let is_silent = call.is_quiet() && !args.json && !args.dry_run;
    if args.passages {
        let request = CutRequest {
            deliver,
            rest: args.rest,
            marker: args.marker,
        };
        let outcome = pipeline::cut_passages(&config, &request, &reporter, call.results)?;
        return match lists || is_silent {
            true => call.results.flush().map_err(Failure::Stdout),
            false => call.print(&outcome, args.json),
        };
    }
    let linkage = args.linkage.map(|linkage| match linkage {
        LinkageChoice::Components => Linkage::Components,
        LinkageChoice::Star => Linkage::Star,
        LinkageChoice::Leader => Linkage::Leader,
    });
    let mut request = DedupRequest {
        beside,
        deliver,
        linkage,
        keep: args.keep,
        lossless: args.lossless,
        drop_all: args.drop_all,
        remove: args.remove,
        ..DedupRequest::default()
    };
    for name in args.against {
        if config.has_snapshots || config.input.source(&name).is_some() {
            request.against.push(name);
        } else {
            let path =
                named_inputs::reference(&name).map_err(|error| unknown(&config, &name, error))?;
            request.references.push(Reference { name, path });
            request.beside.get_or_insert_default();
        }
    }
    if lists {
        pipeline::dedup(&config, &request, &reporter, call.results)?;
        return call.results.flush().map_err(Failure::Stdout);
    }
    let outcome = pipeline::dedup(&config, &request, &reporter, &mut io::sink())?;
    match is_silent {
        true => Ok(()),
        false => call.print(&outcome, args.json),
    }
}

/// The configuration, and what is to be done once there is input if the call makes its run itself.
fn configured(call: &Call<'_>, args: &DedupArgs) -> Result<(Config, Option<OnInput>), Failure> {
    if args.inputs.is_empty() {
        return Ok((call.load()?, None));
    }
    if args.against.is_empty() && args.remove.is_none() {
        return Err(Failure::Usage(
            "INPUT goes with --against or --remove; to remove duplicates within it, cluster it \
             first: `pipeline run INPUT`"
                .to_owned(),
        ));
    }
    let own = inputs::beside(call, &args.inputs)?;
    Ok((own.config, Some(own.write)))
}

/// A name of `--against` that is neither a source nor a file.
fn unknown(config: &Config, name: &str, error: Failure) -> Failure {
    let Failure::File { source, .. } = error else {
        return error;
    };
    let sources = config.input.sources.iter();
    let known: Vec<&str> = sources.map(|one| one.source.name.as_str()).collect();
    let known = match known.as_slice() {
        [] => "the configuration has none".to_owned(),
        known => format!("known sources: {}", known.join(", ")),
    };
    Failure::Usage(format!(
        "failed to find {name:?} of --against: it is no source ({known}) and no file ({source})"
    ))
}
