//! `pipeline dedup`.

use std::io::{self, Write};

use pipeline::{DedupRequest, Deliver, Linkage, Reporter};

use super::run::Loudness;
use crate::args::{DedupArgs, LinkageChoice};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Writes copies without the duplicates and prints the counts, or prints what would go.
pub(super) fn dedup(
    args: DedupArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = super::load(&args.config)?;
    let deliver = match args.output {
        _ if args.list && args.json => Deliver::IdsAsJson,
        _ if args.list => Deliver::Ids,
        _ if args.dry_run => Deliver::Counts,
        Some(output) => Deliver::Copies(output),
        None => {
            return Err(Failure::Usage(
                "failed to start: name a directory with -o".to_owned(),
            ));
        }
    };
    let lists = matches!(deliver, Deliver::Ids | Deliver::IdsAsJson);
    let linkage = args.linkage.map(|linkage| match linkage {
        LinkageChoice::Components => Linkage::Components,
        LinkageChoice::Star => Linkage::Star,
    });
    let (keep, lossless, against, drop_all) =
        (args.keep, args.lossless, args.against, args.drop_all);
    let request = DedupRequest {
        deliver,
        linkage,
        keep,
        lossless,
        against,
        drop_all,
    };
    let reporter = match loudness {
        Loudness::Normal => Reporter::standard(),
        Loudness::Quiet => Reporter::silent(),
    };
    if lists {
        pipeline::dedup(&config, &request, &reporter, results)?;
        return results.flush().map_err(Failure::Stdout);
    }
    let outcome = pipeline::dedup(&config, &request, &reporter, &mut io::sink())?;
    results.print(&outcome, Form::of(args.json))
}
