//! `pipeline snapshot`.

use super::configuration::load_from;
use super::loudness::Loudness;
use crate::args::{ConfigArgs, SnapshotArgs, SnapshotVerb};
use crate::exit::Failure;
use crate::stdout::{Form, Results};
use pipeline::SnapshotAdd;
use pipeline::config::InputFrom;

/// Changes the list of snapshots, or shows it, and prints what it is about.
pub(super) fn snapshot(
    config: &ConfigArgs,
    args: SnapshotArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let reporter = loudness.reporter();
    let (table, json) = match args.verb {
        SnapshotVerb::Add(args) => {
            let config = load_from(config, InputFrom::Snapshots)?;
            let add = SnapshotAdd {
                name: args.name,
                paths: args.paths,
                date: args.date,
            };
            (pipeline::snapshot_add(&config, &add, &reporter)?, args.json)
        }
        SnapshotVerb::List(args) => {
            let config = load_from(config, InputFrom::Anywhere)?;
            (pipeline::snapshot_list(&config, &reporter)?, args.json)
        }
        SnapshotVerb::Drop(args) => {
            let config = load_from(config, InputFrom::Anywhere)?;
            (pipeline::snapshot_drop(&config, &args.name)?, args.json)
        }
    };
    results.print(&table, Form::of(json))
}
