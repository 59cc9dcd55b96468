//! `pipeline sketch`.

use super::configuration::load;
use super::loudness::Loudness;
use crate::args::{ConfigArgs, SketchArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};
use pipeline::RunHooks;

/// Sketches a share of the input and prints what it holds.
pub(super) fn sketch(
    config: &ConfigArgs,
    args: &SketchArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    let hooks = RunHooks::of(&loudness.reporter());
    let outcome = pipeline::sketch_shard(&config, args.shard, &hooks)?;
    let form = Form::of(args.json);
    if form == Form::Text && loudness == Loudness::Quiet {
        return Ok(());
    }
    results.print(&outcome, form)
}
