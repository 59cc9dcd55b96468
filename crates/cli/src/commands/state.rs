//! `pipeline status`, `verify`, `snapshot`, `sketch`.

use super::call::Call;
use crate::args::{ResultArgs, SketchArgs, SnapshotVerb};
use crate::exit::Failure;
use pipeline::config::InputFrom;
use pipeline::{RunHooks, SnapshotAdd};

/// Prints what is done, what would run next, and why.
pub(super) fn status(call: &mut Call<'_>, args: &ResultArgs) -> Result<(), Failure> {
    call.print(&pipeline::status(&call.load()?)?, args.json)
}

/// Prints what every work file is worth; exit 5 if one is damaged.
pub(super) fn verify(call: &mut Call<'_>, args: &ResultArgs) -> Result<(), Failure> {
    let verification = pipeline::verify(&call.load()?)?;
    let code = verification.exit_code();
    if !call.is_quiet() || args.json || code != 0 {
        call.print(&verification, args.json)?;
    }
    match code {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

/// Changes the list of snapshots, or shows it, and prints the snapshots concerned.
pub(super) fn snapshot(call: &mut Call<'_>, verb: SnapshotVerb) -> Result<(), Failure> {
    let reporter = call.reporter();
    let (table, json) = match verb {
        SnapshotVerb::Add(args) => {
            let config = call.load_from(InputFrom::Snapshots)?;
            let add = SnapshotAdd {
                name: args.name,
                paths: args.paths,
                date: args.date,
            };
            (pipeline::snapshot_add(&config, &add, &reporter)?, args.json)
        }
        SnapshotVerb::List(args) => {
            let config = call.load_from(InputFrom::Anywhere)?;
            (pipeline::snapshot_list(&config, &reporter)?, args.json)
        }
        SnapshotVerb::Drop(args) => {
            let config = call.load_from(InputFrom::Anywhere)?;
            (pipeline::snapshot_drop(&config, &args.name)?, args.json)
        }
    };
    call.print(&table, json)
}

/// Sketches a share of the input and prints what it holds.
pub(super) fn sketch(call: &mut Call<'_>, args: &SketchArgs) -> Result<(), Failure> {
    let hooks = RunHooks::of(&call.reporter());
    let outcome = pipeline::sketch_shard(&call.load()?, args.shard, &hooks)?;
    match call.is_quiet() && !args.json {
        true => Ok(()),
        false => call.print(&outcome, args.json),
    }
}
