//! `pipeline dedup`.

use std::io::{self, Write};

use pipeline::{CutRequest, DedupRequest, Deliver, Linkage};

use super::call::Call;
use crate::args::{DedupArgs, LinkageChoice};
use crate::exit::Failure;

/// Writes copies without the duplicates and prints the counts, or prints what would go.
pub(super) fn dedup(call: &mut Call<'_>, args: DedupArgs) -> Result<(), Failure> {
    let config = call.load()?;
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
    let request = DedupRequest {
        deliver,
        linkage,
        keep: args.keep,
        lossless: args.lossless,
        against: args.against,
        drop_all: args.drop_all,
        remove: args.remove,
    };
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
