//! `pipeline tune`.

use super::configuration::load;
use super::loudness::Loudness;
use crate::args::{ConfigArgs, TuneArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};
use pipeline::{TreeForm, TuneOptions};

/// Prints what other thresholds would do.
pub(super) fn tune(
    config: &ConfigArgs,
    args: &TuneArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    if args.tree {
        let form = match (args.newick, args.json) {
            (true, _) => TreeForm::Newick,
            (false, true) => TreeForm::JsonLines,
            (false, false) => TreeForm::Text,
        };
        return Ok(pipeline::tree(
            &config,
            form,
            results,
            &loudness.reporter(),
        )?);
    }
    let options = TuneOptions {
        sample: args.sample,
        at: args.at.clone(),
        judged: args.judged.clone(),
    };
    results.print(
        &pipeline::tune(&config, &options, &loudness.reporter())?,
        Form::of(args.json),
    )
}
